#include "wire/transport/line_framer.h"

namespace postern {
namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kCompactAt = 64 * 1024;
}  // namespace

void LineFramer::feed(std::string_view bytes) {
  if (skipping_) {
    const std::size_t line_feed = bytes.find('\n');
    if (line_feed == std::string_view::npos) return;
    bytes.remove_prefix(line_feed + 1);
    skipping_ = false;
  }
  if (start_ >= kCompactAt) {
    buffer_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
  }
  buffer_ += bytes;
}

Result<std::optional<std::string>> LineFramer::next() {
  const std::size_t line_feed = buffer_.find('\n', scanned_);
  if (line_feed == std::string::npos) {
    scanned_ = buffer_.size();
    if (buffer_.size() - start_ <= line_bytes_max_) return std::optional<std::string>();
    buffer_.clear();
    start_ = scanned_ = 0;
    skipping_ = true;
    return FrameTooLarge{"line", line_bytes_max_};
  }
  std::string_view line = std::string_view(buffer_).substr(start_, line_feed - start_);
  start_ = scanned_ = line_feed + 1;
  if (line.size() > line_bytes_max_) return FrameTooLarge{"line", line_bytes_max_};
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.substr(0, kByteOrderMark.size()) == kByteOrderMark) line.remove_prefix(kByteOrderMark.size());
  std::optional<std::string> out(line);
  if (start_ == buffer_.size()) {
    buffer_.clear();
    start_ = scanned_ = 0;
  }
  return out;
}

}  // namespace postern
