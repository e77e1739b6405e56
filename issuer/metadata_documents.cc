#include "issuer/metadata_documents.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "wire/base/visible_text.h"
#include "wire/oauth/discovery_policy.h"

namespace postern::issuer {
namespace {

constexpr std::size_t kUrlBytesMax = 512;

Failure refuse(std::string reason) {
  return ClientRefused{"invalid_client_metadata", std::move(reason)};
}

// "/a/../b": a URL that programs may resolve to another one must not be an identifier (section 3 of the draft).
bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    if (segment == "." || segment == "..") return true;
    path.remove_prefix(segment.size());
  }
  return false;
}

bool admits_address(std::string_view host, std::string_view address) {
  const auto parsed = IpAddress::parse(address);
  if (!parsed) return false;
  const bool here = class_of_host(host) == HostClass::kLoopback;
  return class_of_address(*parsed) == (here ? HostClass::kLoopback : HostClass::kPublic);
}

bool is_json(const HttpResponse& response) {
  const std::string* type = response.headers.find("Content-Type");
  if (type == nullptr) return false;
  const std::string media = media_type(*type);
  return media == "application/json" || (media.starts_with("application/") && media.ends_with("+json"));
}

Result<Client> read_document(const HttpResponse& response, std::string_view client_id, const StrangerRules& rules) {
  if (response.status != 200) return refuse("its document was answered with status " + std::to_string(response.status));
  if (!is_json(response)) return refuse("its document is not JSON");
  const auto json = parse_json(response.body, {MetadataDocuments::kBytesMax, 16});
  if (!json) return refuse("its document is not JSON that can be read");
  if (json->has("client_secret") || json->has("client_secret_expires_at")) {
    return refuse("its document carries a secret, which everybody could read");
  }
  const auto metadata = ClientMetadata::of_json(*json);
  if (!metadata) return refuse("its document is malformed");
  if (metadata->client_id != client_id) return refuse("its document names another client_id than its own URL");
  const std::string& method = metadata->token_endpoint_auth_method;
  if (!method.empty() && method != "none") {
    return refuse("its document asks for token_endpoint_auth_method " + visible_line(method, 40) +
                  ", and only \"none\" is offered for documents");
  }
  POSTERN_TRY(Client client, client_of_metadata(*metadata, rules, true));
  client.client_id = client_id;
  client.origin = ClientOrigin::kMetadataDocument;
  return client;
}

}  // namespace

Seconds document_lifetime(const HttpResponse& response) {
  Seconds kept = MetadataDocuments::kKeptByDefault;
  for (std::string_view field : response.headers.all("Cache-Control")) {
    while (!field.empty()) {
      std::string_view directive = field.substr(0, field.find(','));
      field.remove_prefix(std::min(directive.size() + 1, field.size()));
      while (!directive.empty() && directive.front() == ' ') directive.remove_prefix(1);
      while (!directive.empty() && directive.back() == ' ') directive.remove_suffix(1);
      const std::string_view name = directive.substr(0, directive.find('='));
      if (equal_ignoring_case(name, "no-store") || equal_ignoring_case(name, "no-cache")) {
        return MetadataDocuments::kKeptMin;
      }
      if (!equal_ignoring_case(name, "max-age") || directive.size() <= name.size()) continue;
      const std::string_view text = directive.substr(name.size() + 1);
      std::int64_t seconds = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
      // What cannot be read is stale (RFC 9111 section 4.2.1).
      const bool whole = error == std::errc() && end == text.data() + text.size();
      kept = Seconds(whole ? std::clamp<std::int64_t>(seconds, 0, MetadataDocuments::kKeptMax.count()) : 0);
    }
  }
  return std::clamp(kept, MetadataDocuments::kKeptMin, MetadataDocuments::kKeptMax);
}

MetadataDocuments::MetadataDocuments(Env env, HttpClient* http, const StrangerRules& rules)
    : env_(env), http_(http), rules_(rules), fetches_(env, kFetchesMax, Seconds(60)) {}

bool MetadataDocuments::handles(std::string_view client_id) const {
  if (http_ == nullptr || !rules_.metadata_documents) return false;
  return client_id.starts_with("https://") || client_id.starts_with("http://");
}

Result<Uri> MetadataDocuments::admit(std::string_view client_id) const {
  if (client_id.size() > kUrlBytesMax) return refuse("its client_id is too long a URL");
  auto uri = parse_uri(client_id);
  // As it is written and nothing else: what is compared and shown must be what is fetched.
  if (!uri || uri->text() != client_id) return refuse("its client_id is no URL in its plain form");
  if (uri->path == "/" || has_dot_segment(uri->path)) return refuse("its client_id is a URL without a path of its own");
  const HostClass host = class_of_host(uri->host);
  const bool here = host == HostClass::kLoopback;
  if (!here && uri->scheme != "https") return refuse("its client_id is not an https URL");
  if (!here && host != HostClass::kName && host != HostClass::kPublic) {
    return refuse("its client_id names a private or reserved address");
  }
  const auto& hosts = rules_.document_hosts;
  if (!hosts.empty() && std::find(hosts.begin(), hosts.end(), uri->host) == hosts.end()) {
    return refuse("this issuer takes no documents of " + visible_line(uri->host, 100));
  }
  return *std::move(uri);
}

ClientRef MetadataDocuments::find(std::string_view client_id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(std::string(client_id));
  if (found == entries_.end()) return nullptr;
  if (env_.clock.now() < found->second.fresh_until) return found->second.client;
  entries_.erase(found);
  return nullptr;
}

Result<HttpResponse> MetadataDocuments::get(const Uri& uri, const std::stop_token& stop) const {
  const HttpRequest request{"GET", "", {{"Accept", "application/json"}}, "", ""};
  const SendGuard guard{admits_address, {}, kBytesMax};
  auto response = http_->send_guarded(uri, request, guard, env_.clock.steady_now() + kFetchMax, stop);
  if (!response) return refuse("its document cannot be had. " + response.error().text());
  if (response->body.size() > kBytesMax) return refuse("its document is larger than 64 KB");
  return response;
}

void MetadataDocuments::keep(const ClientRef& client, Seconds kept) {
  const MutexLock lock(mutex_);
  if (entries_.size() >= kClientsMax) {
    entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      return a.second.fresh_until < b.second.fresh_until;
    }));
  }
  entries_.insert_or_assign(client->client_id, Entry{client, env_.clock.now() + kept});
}

Result<ClientRef> MetadataDocuments::fetch(std::string_view client_id, const std::stop_token& stop) {
  POSTERN_TRY(const Uri uri, admit(client_id));
  if (!fetches_.admit()) return refuse("too many documents were asked for. Try again in a minute");
  POSTERN_TRY(const HttpResponse response, get(uri, stop));
  POSTERN_TRY(Client client, read_document(response, client_id, rules_));
  auto made = std::make_shared<const Client>(std::move(client));
  keep(made, document_lifetime(response));
  return ClientRef(std::move(made));
}

}  // namespace postern::issuer
