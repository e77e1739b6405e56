#include "wire/http_message/http_message.h"

#include <algorithm>

#include "wire/base/secret.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

void HeaderList::set(std::string_view name, std::string value) {
  std::erase_if(fields_, [&](const HeaderField& field) { return equal_ignoring_case(field.name, name); });
  add(std::string(name), std::move(value));
}

const std::string* HeaderList::find(std::string_view name) const {
  for (const HeaderField& field : fields_) {
    if (equal_ignoring_case(field.name, name)) return &field.value;
  }
  return nullptr;
}

std::vector<std::string_view> HeaderList::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const HeaderField& field : fields_) {
    if (equal_ignoring_case(field.name, name)) values.push_back(field.value);
  }
  return values;
}

Result<const std::string*> HeaderList::sole(std::string_view name) const {
  const std::string* found = nullptr;
  for (const HeaderField& field : fields_) {
    if (!equal_ignoring_case(field.name, name)) continue;
    if (found != nullptr) return RepeatedHeader{visible_line(name, 60)};
    found = &field.value;
  }
  return found;
}

void HeaderList::wipe_all() {
  for (HeaderField& field : fields_) wipe(field.value);
  fields_.clear();
}

std::string_view HttpRequest::query() const {
  const std::size_t question = target.find('?');
  return question == std::string::npos ? std::string_view() : std::string_view(target).substr(question + 1);
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    case 529:
      return "Overloaded";
    default:
      return "Status";
  }
}

std::string media_type(std::string_view content_type) {
  std::string type(content_type.substr(0, content_type.find(';')));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
  std::transform(type.begin(), type.end(), type.begin(), lower);
  return type;
}

HttpResponse json_response(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, std::move(body)};
}

HttpResponse text_response(int status, std::string text) {
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}}, std::move(text)};
}

HttpResponse redirect_response(std::string location) {
  return {303, {{"Location", std::move(location)}, {"Cache-Control", "no-store"}}, ""};
}

std::string RepeatedHeader::text() const {
  return "The header " + name + " occurs more than once.";
}

}  // namespace postern
