// The frame of each page, the headers of each answer, and the assets.
#pragma once

#include <string>
#include <string_view>

#include "services/approvals/html.h"
#include "wire/http_message/http_message.h"

namespace postern::approvals {

// Who is signed in, as far as the frame shows it. Empty name: nobody.
struct PageVisitor {
  std::string name;
  bool supervisor = false;        // of any desk: sees the audit link
  std::string logout_form_token;  // of the sign-out form
};

struct PageFrame {
  std::string title;  // starts with the status: "Pending: refund $48.00"
  PageVisitor visitor;
  Html main;  // with the page's one h1
};

[[nodiscard]] HttpResponse page_response(int status, const PageFrame& frame);

// Sets the headers that every answer of the page carries, refusals and assets too: a
// policy without inline script and without framing, no store, no sniffing, and a referrer policy of same-origin,
// because under no-referrer a browser sends "Origin: null" with our own forms.
void set_page_headers(HttpResponse& response);

// "/static/page.1a2b3c4d.css": the name holds the digest of the content.
[[nodiscard]] const std::string& style_path();
[[nodiscard]] const std::string& script_path();
[[nodiscard]] const std::string& icon_path();
// The asset of that path; 404 for any other.
[[nodiscard]] HttpResponse static_asset(std::string_view path);

// A plain page with a heading, one sentence and a link, for refusals.
struct PlainPage {
  int status = 200;
  std::string title;
  std::string sentence;
  std::string link_target;  // a path of ours; empty: no link
  std::string link_text;
};
[[nodiscard]] HttpResponse plain_page(const PlainPage& page, const PageVisitor& visitor);

}  // namespace postern::approvals
