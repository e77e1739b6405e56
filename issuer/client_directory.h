// All clients of this issuer: configured, registered by themselves, described by a document. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "issuer/clients.h"
#include "issuer/metadata_documents.h"
#include "issuer/registered_clients.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// The references must outlive it.
class ClientDirectory {
 public:
  ClientDirectory(const Clients& configured, RegisteredClients& registered, MetadataDocuments& documents)
      : configured_(configured), registered_(registered), documents_(documents) {}

  // What is known without asking anybody; null otherwise.
  [[nodiscard]] ClientRef find(std::string_view client_id);
  // Whether the client's document has to be fetched before find() can know it.
  [[nodiscard]] bool needs_fetch(std::string_view client_id);
  [[nodiscard]] MetadataDocuments& documents() { return documents_; }

  // Who makes this request of an endpoint for clients (RFC 6749 section 2.3): by the method that the client has, and by
  // no other. The client of a document that is not kept at the moment is believed by its id, as it has no secret; the
  // grant it presents names it too. Its client_id, or invalid_client. `fields` hold no name twice.
  [[nodiscard]] Result<std::string> authenticate(const HttpRequest& http, const FormFields& fields);
  void note_use(std::string_view client_id) { registered_.note_use(client_id); }

 private:
  const Clients& configured_;
  RegisteredClients& registered_;
  MetadataDocuments& documents_;
};

}  // namespace postern::issuer
