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

Status check_origin(const FormCheckContext& c) {
  const auto from = c.request.headers.all("Origin");
  if (from.size() != 1 || from[0] != c.origin) return ForeignForm{"origin"};
  return {};
}

Status check_fetch_site(const FormCheckContext& c) {
  const auto site = c.request.headers.all("Sec-Fetch-Site");
  if (!site.empty() && (site.size() != 1 || site[0] != "same-origin")) return ForeignForm{"sec-fetch-site"};
  return {};
}

Status check_content_type(const FormCheckContext& c) {
  const auto types = c.request.headers.all("Content-Type");
  const std::string type = types.size() == 1 ? media_type(types[0]) : std::string();
  if (is_foreign_form_type(type)) return ForeignForm{"content type"};
  if (type != "application/x-www-form-urlencoded") return FormType{};
  return {};
}

Status check_size(const FormCheckContext& c) {
  return c.request.body.size() > kFormBytesMax ? Status(FormTooLarge{}) : Status();
}

// Before the fields: a form of elsewhere is refused as such, whatever it holds.
Status check_token(const FormCheckContext& c) {
  if (c.session == nullptr) return {};
  const auto sent = form_decode(c.request.body);
  const auto token = sent ? sole_field(*sent, "csrf") : Result<std::optional<std::string>>(std::nullopt);
  const bool fits = token && *token && FormTokens::fits(*c.session, c.purpose, c.object, **token);
  return fits ? Status() : Status(ForeignForm{"form token"});
}

constexpr FormCheck kFormChecks[] = {
    {"origin", check_origin}, {"fetch_site", check_fetch_site}, {"content_type", check_content_type},
    {"size", check_size},     {"token", check_token},
};

}  // namespace

std::span<const FormCheck> product_form_checks() {
  return kFormChecks;
}

Status check_form(std::span<const FormCheck> checks, const FormCheckContext& context) {
  for (const FormCheck& check : checks) POSTERN_TRY_VOID(check.run(context));
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
