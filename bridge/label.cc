#include "bridge/label.h"

#include <algorithm>
#include <cctype>

#include "bridge/model_text.h"
#include "bridge/tool_names.h"
#include "wire/base/bytes.h"
#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

constexpr std::string_view kMark = "untrusted-data";

// Breaks up every mark inside the data, in any case: "untrusted-data" becomes "untrusted_data". It stays one JSON text
// when it was one.
std::string without_marks(std::string text) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  auto from = text.begin();
  while (true) {
    const auto found = std::search(from, text.end(), kMark.begin(), kMark.end(), same);
    if (found == text.end()) return text;
    *(found + static_cast<std::ptrdiff_t>(kMark.find('-'))) = '_';
    from = found;
  }
}

}  // namespace

std::string Labeler::new_nonce(RandomSource& random) {
  return hex(random_bytes(random, 8));
}

LabeledResult Labeler::label(const ValidatedResult& result) const {
  VisibleText visible = make_visible(result.data());
  std::string text = label_opening(nonce_, server_, escaped_tool_name(result.tool()), visible.hidden);
  text += without_marks(std::move(visible.text));
  text += label_closing(nonce_);
  return LabeledResult(std::move(text), result.is_error(), visible.hidden);
}

}  // namespace postern::bridge
