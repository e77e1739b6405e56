// HTTP messages as values, for both sides of a connection (RFC 9110, RFC 9112).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/result.h"

namespace postern {

struct HeaderField {
  std::string name;
  std::string value;  // the bytes as they came, without the white space around them; never percent-decoded
};

// Fields in their order. Names compare without case, values with it.
class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(std::initializer_list<HeaderField> fields) : fields_(fields) {}
  void add(std::string name, std::string value) { fields_.push_back({std::move(name), std::move(value)}); }
  void set(std::string_view name, std::string value);  // replaces every field of that name
  // The first value, or null.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;
  // The value when the field occurs exactly once; null when absent; `http.repeated_header` when it occurs twice.
  [[nodiscard]] Result<const std::string*> sole(std::string_view name) const;
  [[nodiscard]] const std::vector<HeaderField>& fields() const { return fields_; }
  // Overwrites every value in memory, then removes all fields: a request's headers hold bearer tokens.
  void wipe_all();

 private:
  std::vector<HeaderField> fields_;
};

struct HttpRequest {
  std::string method;  // "GET", case-sensitive
  std::string target;  // as in the request line: path and query, undecoded
  HeaderList headers;
  std::string body;
  // Server side: the address the connection came from, or what a trusted proxy says of its own peer (RFC 7239 is the
  // standard's form, X-Forwarded-For the one that is in use); always a plain IP address. Empty in a request to send.
  std::string peer_address;

  [[nodiscard]] std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  // Without "?"; empty when there is none.
  [[nodiscard]] std::string_view query() const;
};

struct HttpResponse {
  int status = 200;
  HeaderList headers;
  std::string body;
};

[[nodiscard]] std::string_view reason_phrase(int status);
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);
// "application/json" of "Application/JSON; charset=utf-8", in lower case.
[[nodiscard]] std::string media_type(std::string_view content_type);

[[nodiscard]] HttpResponse json_response(int status, std::string body);
[[nodiscard]] HttpResponse text_response(int status, std::string text);
[[nodiscard]] HttpResponse redirect_response(std::string location);  // 303

struct RepeatedHeader {
  static constexpr std::string_view kId = "http.repeated_header";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string name;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
