// The scripted supervisor: a person with a browser who signs in, reads the request and decides. It presses the buttons
// of the pages as they are served; it knows no address but the link it was given, and no way around a page.
//
// For laboratories and tests only: the product has no such part, and no switch that starts it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/browser.h"
#include "wire/base/result.h"

namespace postern::lab {

enum class Decision { kApprove, kDeny };

struct SupervisorOptions {
  std::string person = "Morgan Ellis";  // as the sign-in page shows the name
  Decision decision = Decision::kApprove;
  std::string note = "Ask for a photo of the damage first.";  // of a denial
  // Reads the request's page before an approval, as a person does: false, and it is denied. Empty: agrees.
  std::function<bool(const HtmlPage& page)> agrees{};
};

// The pages did not lead to a decision.
struct SupervisorStuck {
  static constexpr std::string_view kId = "lab.supervisor_stuck";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string where;  // the page's address without its query, made visible
  int status = 0;
  std::string title;  // made visible
  [[nodiscard]] std::string text() const {
    return "The scripted supervisor found no way on at " + where + " (" + std::to_string(status) + ", \"" + title +
           "\").";
  }
};

class Supervisor {
 public:
  Supervisor(Browser& browser, SupervisorOptions options) : browser_(browser), options_(std::move(options)) {}

  // From the link to the decision. The page that shows the decision. Failures: lab.supervisor_stuck, those of the
  // browser.
  [[nodiscard]] Result<OpenPage> decide(std::string_view link);
  // What was pressed on the way, for people: "Sign in", "Morgan Ellis", "Approve…", "Pay back $48.00".
  [[nodiscard]] const std::vector<std::string>& pressed() const { return pressed_; }

 private:
  enum class Progress { kGoesOn, kDecided, kStuck };
  [[nodiscard]] Result<Progress> act(OpenPage& page);
  [[nodiscard]] Result<Progress> press(OpenPage& page, const HtmlPage::Pressable& button, Progress then,
                                       std::string_view called = {});
  [[nodiscard]] Result<Progress> follow(OpenPage& page, const HtmlLink& link);

  Browser& browser_;
  SupervisorOptions options_;
  std::vector<std::string> pressed_;
};

}  // namespace postern::lab
