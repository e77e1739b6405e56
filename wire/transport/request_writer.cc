#include "wire/transport/request_writer.h"

#include <algorithm>

#include "wire/base/visible_text.h"

namespace postern {
namespace {

bool is_token_character(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

bool is_target(std::string_view text) {
  return !text.empty() && text.front() == '/' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F && c != '#'; });
}

bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto value = static_cast<unsigned char>(c);
    return (value >= 0x20 && value != 0x7F) || c == '\t';
  });
}

bool is_ours(std::string_view name) {
  for (const std::string_view ours :
       {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "te", "upgrade", "expect"}) {
    if (equal_ignoring_case(name, ours)) return true;
  }
  return false;
}

}  // namespace

Result<std::string> write_request(const Uri& uri, const HttpRequest& request, bool keep_alive) {
  const std::string target = request.target.empty() ? uri.target() : request.target;
  if (!is_name(request.method)) return Unsendable{"method"};
  if (!is_target(target)) return Unsendable{"target"};
  if (!is_value(uri.authority())) return Unsendable{"host"};
  std::string bytes = request.method + " " + target + " HTTP/1.1\r\nHost: " + uri.authority() + "\r\n";
  for (const HeaderField& field : request.headers.fields()) {
    if (!is_name(field.name) || is_ours(field.name) || !is_value(field.value))
      return Unsendable{"header " + visible_line(field.name, 60)};
    bytes += field.name;
    bytes += ": ";
    bytes += field.value;
    bytes += "\r\n";
  }
  if (!keep_alive) bytes += "Connection: close\r\n";
  const bool has_body =
      !request.body.empty() || request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
  if (has_body) bytes += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  bytes += "\r\n";
  bytes += request.body;
  return bytes;
}

}  // namespace postern
