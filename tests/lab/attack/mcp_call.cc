#include "tests/lab/attack/mcp_call.h"

#include <algorithm>
#include <cstdlib>

#include "wire/base/visible_text.h"
#include "wire/mcp/headers.h"

namespace postern::lab {
namespace {

constexpr std::size_t kLineMax = 200;

// The last message of a stream of events, or the body as it is.
std::string message_of(const HttpResponse& response) {
  const std::string* type = response.headers.find("Content-Type");
  if (type == nullptr || media_type(*type) != "text/event-stream") return response.body;
  constexpr std::string_view kData = "data:";
  std::string last;
  for (std::size_t at = 0; at < response.body.size();) {
    const std::size_t end = std::min(response.body.find('\n', at), response.body.size());
    std::string_view line = std::string_view(response.body).substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.substr(0, kData.size()) == kData) {
      line.remove_prefix(kData.size());
      if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
      if (!line.empty()) last = line;
    }
    at = end + 1;
  }
  return last;
}

// A body in chunks (RFC 9112 section 7.1), put together; as much of it as can be read.
std::string without_chunks(std::string_view bytes) {
  std::string body;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find("\r\n");
    if (end == std::string_view::npos) break;
    const std::size_t size = std::strtoul(std::string(bytes.substr(0, end)).c_str(), nullptr, 16);
    if (size == 0 || size > bytes.size() - end - 2) break;
    body += bytes.substr(end + 2, size);
    bytes.remove_prefix(std::min(bytes.size(), end + 2 + size + 2));
  }
  return body;
}

const Json* first_input(const Json& result, std::string* key = nullptr) {
  const Json* inputs = result.find("inputRequests");
  if (inputs == nullptr || inputs->members().empty()) return nullptr;
  if (key != nullptr) *key = inputs->members().front().first;
  return inputs->members().front().second.find("params");
}

}  // namespace

HttpRequest http_request_of(const McpCall& call, std::string_view path, std::string_view input_key) {
  Json meta = *parse_json(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
    "io.modelcontextprotocol/clientInfo":{"name":"postern-lab","version":"0.1.0"},
    "io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}}})");
  for (const auto& [name, value] : call.meta.members()) meta.set(name, value);
  Json params = Json::object({{"name", call.tool}, {"arguments", call.arguments}, {"_meta", std::move(meta)}});
  if (call.accept) {
    params.set("inputResponses", Json::object({{std::string(input_key), Json::object({{"action", "accept"}})}}));
  }
  if (!call.state.empty()) params.set("requestState", call.state);
  HttpRequest request;
  request.method = "POST";
  request.target = path;
  request.headers = mcp::request_headers("tools/call", params);
  if (!call.token.empty()) request.headers.add("Authorization", "Bearer " + call.token);
  for (const HeaderField& field : call.headers) request.headers.set(field.name, field.value);
  request.body =
      Json::object({{"jsonrpc", "2.0"}, {"id", 7}, {"method", "tools/call"}, {"params", std::move(params)}}).dump();
  return request;
}

std::string bytes_of(const HttpRequest& request, std::string_view host, const std::vector<HeaderField>& instead,
                     const std::vector<HeaderField>& also) {
  HeaderList headers = request.headers;
  headers.set("Host", std::string(host));
  headers.set("Content-Length", std::to_string(request.body.size()));
  headers.set("Connection", "close");
  for (const HeaderField& field : instead) headers.set(field.name, field.value);
  std::string bytes = request.method + " " + request.target + " HTTP/1.1\r\n";
  for (const HeaderField& field : headers.fields()) bytes += field.name + ": " + field.value + "\r\n";
  for (const HeaderField& field : also) bytes += field.name + ": " + field.value + "\r\n";
  return bytes + "\r\n" + request.body;
}

std::string Seen::text() const {
  if (!error.is_null()) return std::string(error.string_at("message"));
  if (const Json* asked = first_input(result)) return std::string(asked->string_at("message"));
  const Json* content = result.find("content");
  std::string out;
  if (content == nullptr) return out;
  for (const Json& block : content->elements()) {
    if (!out.empty()) out += '\n';
    out += block.string_at("text");
  }
  return out;
}

std::string Seen::structured(std::string_view name) const {
  const Json* content = result.find("structuredContent");
  return content == nullptr ? std::string() : std::string(content->string_at(name));
}

std::string Seen::link() const {
  const Json* asked = first_input(result);
  return asked == nullptr ? std::string() : std::string(asked->string_at("url"));
}

std::string Seen::input_key() const {
  std::string key = "approval";
  static_cast<void>(first_input(result, &key));
  return key;
}

std::string Seen::line() const {
  std::string_view whole = body;
  while (!whole.empty() && whole.back() == '\n') whole.remove_suffix(1);
  if (status == 0) return "the connection ended without an answer";
  std::string out = std::to_string(status);
  if (const std::string word = challenge_parameter(challenge, "error"); !word.empty()) {
    out += " " + word;
    if (const std::string why = challenge_parameter(challenge, "error_description"); !why.empty())
      out += " (" + why + ")";
    return visible_line(out, kLineMax);
  }
  if (!error.is_null()) {
    out += " " + std::to_string(error.integer_at("code").value_or(0)) + " \"" + text() + "\"";
  } else if (tool_error()) {
    out += " tool error \"" + text() + "\"";
  } else if (asks_for_input()) {
    out += " input required \"" + text() + "\"";
  } else if (result.is_object()) {
    out += " result " + (result.has("structuredContent") ? result.find("structuredContent")->dump()
                         : text().empty()                ? result.dump()
                                                         : text());
  } else if (!whole.empty()) {
    out += " " + std::string(whole);
  }
  return visible_line(out, kLineMax);
}

Seen seen_of(const HttpResponse& response) {
  Seen seen;
  seen.status = response.status;
  if (const std::string* challenge = response.headers.find("WWW-Authenticate")) seen.challenge = *challenge;
  seen.body = response.body;
  if (const auto json = parse_json(message_of(response)); json && json->has("jsonrpc")) {
    if (const Json* result = json->find("result")) seen.result = *result;
    if (const Json* error = json->find("error"); error != nullptr && error->is_object()) seen.error = *error;
  }
  return seen;
}

HttpResponse response_of_bytes(std::string_view bytes) {
  constexpr std::string_view kStart = "HTTP/1.";
  HttpResponse response;
  response.status = 0;
  if (bytes.substr(0, kStart.size()) != kStart) return response;
  bool first = true;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) break;
    std::string_view line = bytes.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    at = end + 1;
    if (line.empty()) {
      const std::string* coding = response.headers.find("Transfer-Encoding");
      const bool in_chunks = coding != nullptr && equal_ignoring_case(*coding, "chunked");
      response.body = in_chunks ? without_chunks(bytes.substr(at)) : std::string(bytes.substr(at));
      return response;
    }
    if (first) {
      const std::size_t space = std::min(line.find(' '), line.size());
      response.status = std::atoi(std::string(line.substr(space)).c_str());
      if (response.status < 100 || response.status > 599) break;
    } else if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      std::string_view value = line.substr(colon + 1);
      while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
      response.headers.add(std::string(line.substr(0, colon)), std::string(value));
    }
    first = false;
  }
  response = {};
  response.status = 0;
  return response;
}

bool is_whole_response(std::string_view bytes) {
  const HttpResponse response = response_of_bytes(bytes);
  if (response.status == 0) return false;
  const std::string* length = response.headers.find("Content-Length");
  return length != nullptr && response.body.size() >= std::strtoul(length->c_str(), nullptr, 10);
}

std::string challenge_parameter(std::string_view challenge, std::string_view name) {
  const std::string start = std::string(name) + "=\"";
  for (std::size_t at = challenge.find(start); at != std::string_view::npos; at = challenge.find(start, at + 1)) {
    // "error" is also the end of other names.
    if (at > 0 && challenge[at - 1] != ' ' && challenge[at - 1] != ',') continue;
    const std::size_t from = at + start.size();
    return std::string(challenge.substr(from, challenge.find('"', from) - from));
  }
  return {};
}

}  // namespace postern::lab
