// HTML that cannot hold unescaped text of strangers.
//
// Markup comes from literals of this program; everything else goes in through text(), attribute() or the helpers, which
// make hidden characters visible (wire/base/visible_text.h) and then escape. There is no way to append a std::string as
// markup.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "wire/base/clock.h"
#include "wire/base/money.h"

namespace postern::approvals {

class Html {
 public:
  Html() = default;
  template <std::size_t N>
  Html(const char (&literal)[N])  // NOLINT(google-explicit-constructor): markup is a literal
      : markup_(literal, N - 1) {}

  // Markup of this program.
  template <std::size_t N>
  Html& raw(const char (&literal)[N]) {
    markup_.append(literal, N - 1);
    return *this;
  }
  Html& add(const Html& other) {
    markup_ += other.markup_;
    return *this;
  }
  // Text of anybody: one line; line feeds become marks.
  Html& text(std::string_view text);
  // Text of anybody, line feeds kept (for places with white-space: pre-wrap).
  Html& lines(std::string_view text);
  // A name="value" pair with a blank before it.
  template <std::size_t N>
  Html& attribute(const char (&name)[N], std::string_view value) {
    markup_ += ' ';
    markup_.append(name, N - 1);
    append_value(value);
    return *this;
  }
  Html& number(long long value) {
    markup_ += std::to_string(value);
    return *this;
  }
  // <time datetime="2026-11-30T02:51:07Z">02:51:07 UTC</time>, with the day when asked for.
  Html& time(WallTime time, bool with_day = false);
  // <span class="money">$48.00</span>
  Html& money(const Money& money);

  [[nodiscard]] const std::string& markup() const { return markup_; }
  [[nodiscard]] bool empty() const { return markup_.empty(); }

 private:
  void append_value(std::string_view value);
  std::string markup_;
};

// "02:51:07 UTC".
[[nodiscard]] std::string clock_text(WallTime time);

}  // namespace postern::approvals
