#include "tests/lab/supervisor.h"

#include <utility>

#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr int kPagesMax = 16;

std::string place_of(const OpenPage& page) {
  return visible_line(page.uri.origin() + page.uri.path, 120);
}

}  // namespace

Result<Supervisor::Progress> Supervisor::press(OpenPage& page, const HtmlPage::Pressable& button, Progress then,
                                               std::string_view called) {
  pressed_.push_back(visible_line(called.empty() ? std::string_view(button.button->text) : called, 60));
  POSTERN_TRY(page, browser_.press(page, *button.form, *button.button));
  return then;
}

Result<Supervisor::Progress> Supervisor::follow(OpenPage& page, const HtmlLink& link) {
  pressed_.push_back(visible_line(link.text, 60));
  POSTERN_TRY(page, browser_.follow(page, link));
  return Progress::kGoesOn;
}

// One step, by what the page offers: the confirming button, the way to it, or a sign-in.
Result<Supervisor::Progress> Supervisor::act(OpenPage& page) {
  const HtmlPage html = page.html;
  const bool asked = html.link("Approve") != nullptr;
  if (asked && options_.decision == Decision::kApprove && options_.agrees && !options_.agrees(html)) {
    options_.decision = Decision::kDeny;
  }
  if (options_.decision == Decision::kApprove) {
    if (const auto pay = html.button("Pay back")) return press(page, *pay, Progress::kDecided);
    if (const HtmlLink* approve = html.link("Approve")) return follow(page, *approve);
  } else {
    if (const auto deny = html.button("Deny refund")) {
      HtmlForm form = *deny->form;
      if (!form.fill(form.textarea, options_.note)) return Progress::kStuck;
      return press(page, {&form, deny->button}, Progress::kDecided);
    }
    if (const HtmlLink* deny = html.link("Deny")) return follow(page, *deny);
  }
  if (const auto person = html.button(options_.person)) return press(page, *person, Progress::kGoesOn, options_.person);
  if (const HtmlLink* sign_in = html.link("Sign in")) return follow(page, *sign_in);
  return Progress::kStuck;
}

Result<OpenPage> Supervisor::decide(std::string_view link) {
  POSTERN_TRY(OpenPage page, browser_.open(link));
  for (int pages = 0; pages < kPagesMax; ++pages) {
    POSTERN_TRY(const Progress progress, act(page));
    if (progress == Progress::kStuck) break;
    if (progress == Progress::kGoesOn) continue;
    // The page must say it too: a pressed button is no decision.
    const std::string_view said = options_.decision == Decision::kApprove ? "Approved by" : "Denied by";
    if (page.status == 200 && page.html.text.find(said) != std::string::npos) return page;
    if (page.status == 200 && page.html.text.find("Paid") != std::string::npos) return page;
    break;
  }
  return SupervisorStuck{place_of(page), page.status, visible_line(page.html.title, 80)};
}

}  // namespace postern::lab
