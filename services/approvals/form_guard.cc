#include "services/approvals/form_guard.h"

#include <algorithm>

#include "services/approvals/failures.h"
#include "wire/base/uri.h"

namespace postern::approvals {
namespace {

// The types that a form of a foreign page can send without asking.
bool is_foreign_form_type(std::string_view type) {
  return type.empty() || type == "text/plain" || type == "multipart/form-data";
}

std::string with_line_feeds(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    out += text[i];
  }
  return out;
}

}  // namespace

Status check_form_headers(const HttpRequest& request, std::string_view origin) {
  const auto from = request.headers.all("Origin");
  if (from.size() != 1 || from[0] != origin) return ForeignForm{"origin"};
  const auto site = request.headers.all("Sec-Fetch-Site");
  if (!site.empty() && (site.size() != 1 || site[0] != "same-origin")) return ForeignForm{"sec-fetch-site"};
  const auto types = request.headers.all("Content-Type");
  const std::string type = types.size() == 1 ? media_type(types[0]) : std::string();
  if (is_foreign_form_type(type)) return ForeignForm{"content type"};
  if (type != "application/x-www-form-urlencoded") return FormType{};
  if (request.body.size() > kFormBytesMax) return FormTooLarge{};
  return {};
}

Result<Form> read_form(const HttpRequest& request, const std::vector<std::string_view>& fields) {
  const auto decoded = form_decode(request.body, fields.size());
  if (!decoded) return IncompleteForm{};
  Form form;
  for (const auto& [name, value] : *decoded) {
    const bool known = std::find(fields.begin(), fields.end(), name) != fields.end();
    if (!known || !form.emplace(name, with_line_feeds(value)).second) return IncompleteForm{};
  }
  if (form.size() != fields.size()) return IncompleteForm{};
  return form;
}

std::string FormTooLarge::text() const {
  return "The form is longer than 8192 bytes. Nothing was decided.";
}

std::string FormType::text() const {
  return "Only a form of this page is understood here. Nothing was decided.";
}

}  // namespace postern::approvals
