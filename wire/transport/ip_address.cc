#include "wire/transport/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace postern {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int kMappedBits = 96;
constexpr std::size_t kTextMax = INET6_ADDRSTRLEN;
constexpr std::size_t kNetworkBytes = 8;  // of an IPv6 address

std::optional<int> prefix_of(std::string_view text, int bits_max) {
  int bits = 0;
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (error != std::errc() || end != text.data() + text.size() || bits > bits_max) return std::nullopt;
  return bits;
}

// The first `bits` bits are those of both.
bool same_prefix(const std::array<std::uint8_t, 16>& a, const std::array<std::uint8_t, 16>& b, int bits) {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin())) return false;
  const int rest = bits % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  if (text.empty() || text.size() >= kTextMax || text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::string terminated(text);
  IpAddress address;
  if (text.find(':') != std::string_view::npos) {
    if (inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) != 1) return std::nullopt;
    return address;
  }
  std::copy(kMapped.begin(), kMapped.end(), address.bytes_.begin());
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes_.data() + kMapped.size()) != 1) return std::nullopt;
  return address;
}

IpAddress IpAddress::of(const sockaddr_in& address) {
  IpAddress made;
  std::copy(kMapped.begin(), kMapped.end(), made.bytes_.begin());
  std::memcpy(made.bytes_.data() + kMapped.size(), &address.sin_addr, sizeof address.sin_addr);
  return made;
}

bool IpAddress::is_v4() const {
  return std::equal(kMapped.begin(), kMapped.end(), bytes_.begin());
}

bool IpAddress::is_loopback() const {
  if (is_v4()) return bytes_[12] == 127;
  return bytes_[15] == 1 && std::all_of(bytes_.begin(), bytes_.end() - 1, [](std::uint8_t byte) { return byte == 0; });
}

std::string IpAddress::peer_key() const {
  const std::size_t count = is_v4() ? bytes_.size() : kNetworkBytes;
  return {reinterpret_cast<const char*>(bytes_.data()), count};
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (is_v4()) {
    inet_ntop(AF_INET, bytes_.data() + kMapped.size(), text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, bytes_.data(), text.data(), text.size());
  }
  return text.data();
}

std::optional<IpRange> IpRange::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<IpAddress> first = IpAddress::parse(text.substr(0, slash));
  if (!first) return std::nullopt;
  IpRange range;
  range.first_ = *first;
  if (slash == std::string_view::npos) return range;
  const bool written_as_v6 = text.substr(0, slash).find(':') != std::string_view::npos;
  const std::optional<int> bits = prefix_of(text.substr(slash + 1), written_as_v6 ? 128 : 32);
  if (!bits) return std::nullopt;
  range.bits_ = written_as_v6 ? *bits : kMappedBits + *bits;
  if (first->is_v4() && range.bits_ <= kMappedBits) return std::nullopt;
  for (int bit = range.bits_; bit < 128; ++bit) {
    if ((first->bytes()[static_cast<std::size_t>(bit / 8)] & (0x80U >> (bit % 8))) != 0) return std::nullopt;
  }
  return range;
}

bool IpRange::contains(const IpAddress& address) const {
  return first_.is_v4() == address.is_v4() && same_prefix(first_.bytes(), address.bytes(), bits_);
}

}  // namespace postern
