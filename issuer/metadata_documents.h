// Clients whose client_id is the URL of a document about them (draft-ietf-oauth-client-id-metadata-document, MCP
// 2026-07-28 authorization, client ID metadata documents).
//
// The URL is a stranger's word, and this issuer fetches it: so https only, public addresses only, each checked where
// the name is resolved; no redirect is followed; 64 KB, five seconds, 30 fetches a minute in all. As this issuer is on
// this machine, a document on this machine is admitted too, over http as well. The document must be JSON, name that
// very URL as its client_id, have a name and redirect URIs, and carry no secret. What was fetched is kept as long as
// its Cache-Control says, within a minute and a day; what failed is not kept. Bounded: the entry that ends first leaves
// when there are too many. Thread-safe.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>

#include "issuer/clients.h"
#include "issuer/rate_bound.h"
#include "issuer/stranger_rules.h"
#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"

namespace postern::issuer {

class MetadataDocuments {
 public:
  static constexpr std::size_t kBytesMax = 64 * 1024;
  static constexpr Seconds kFetchMax{5};
  static constexpr Seconds kKeptMin{60};
  static constexpr Seconds kKeptMax{24 * 3600};
  static constexpr Seconds kKeptByDefault{3600};
  static constexpr int kFetchesMax = 30;  // in a minute
  static constexpr std::size_t kClientsMax = 256;

  // `http` may be null: then there are none. It must outlive this, and so must the rules.
  MetadataDocuments(Env env, HttpClient* http, const StrangerRules& rules);

  // Whether such a client is known here by its document: offered, and the id is a URL. Nothing is fetched.
  [[nodiscard]] bool handles(std::string_view client_id) const;
  // The client of a document that was fetched and is fresh; null otherwise.
  [[nodiscard]] ClientRef find(std::string_view client_id) POSTERN_EXCLUDES(mutex_);
  // Blocks until kFetchMax at most. issuer.client_refused.
  [[nodiscard]] Result<ClientRef> fetch(std::string_view client_id, const std::stop_token& stop = {})
      POSTERN_EXCLUDES(mutex_);

 private:
  struct Entry {
    ClientRef client;
    WallTime fresh_until{};
  };
  [[nodiscard]] Result<Uri> admit(std::string_view client_id) const;
  [[nodiscard]] Result<HttpResponse> get(const Uri& uri, const std::stop_token& stop) const;
  void keep(const ClientRef& client, Seconds kept) POSTERN_EXCLUDES(mutex_);

  Env env_;
  HttpClient* http_;
  const StrangerRules& rules_;
  RateBound fetches_;
  Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ POSTERN_GUARDED_BY(mutex_);
};

// How long a document may be kept (RFC 9111 section 5.2.2), within the bounds above.
[[nodiscard]] Seconds document_lifetime(const HttpResponse& response);

}  // namespace postern::issuer
