// What a POST to the page must bring before anything is looked at: proof that it is our own form in our own page.
//
// Cookies and SameSite do not prove it: every port of this host gets the cookie, and a form on another port is
// same-site. So Origin must be exactly ours (never absent, never null), Sec-Fetch-Site same-origin when it is there,
// the type that of a plain form, and the form's token that of this session, request and button. The rows of
// product_form_checks() (controls.h) say so.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "services/approvals/controls.h"
#include "wire/base/result.h"
#include "wire/http_message/http_message.h"

namespace postern::approvals {

inline constexpr std::size_t kFormBytesMax = 8 * 1024;

// `approval.foreign_form`, `approval.form_too_large`, `approval.form_type`.
[[nodiscard]] Status check_form(std::span<const FormCheck> checks, const FormCheckContext& context);

using Form = std::map<std::string, std::string>;
// Exactly those fields, each once: `approval.incomplete_form`. Line ends of a text area become LF.
[[nodiscard]] Result<Form> read_form(const HttpRequest& request, const std::vector<std::string_view>& fields);

struct FormTooLarge {
  static constexpr std::string_view kId = "approval.form_too_large";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kTooLarge;
  [[nodiscard]] std::string text() const;
};
struct FormType {
  static constexpr std::string_view kId = "approval.form_type";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUnsupportedMedia;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::approvals
