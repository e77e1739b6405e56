// IP addresses and ranges of them, read strictly: what a proxy or an operator writes decides who is believed.
#pragma once

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postern {

// A value. An IPv4-mapped IPv6 address is the IPv4 address in it, so that one peer has one name.
class IpAddress {
 public:
  // Four plain decimals, or an IPv6 address (RFC 4291 section 2.2). Nothing for anything else: no port, brackets, zone,
  // blanks, leading zeros.
  [[nodiscard]] static std::optional<IpAddress> parse(std::string_view text);

  [[nodiscard]] static IpAddress of(const sockaddr_in& address);

  [[nodiscard]] bool is_v4() const;
  [[nodiscard]] bool is_loopback() const;  // 127.0.0.0/8 and ::1
  // The same bytes for all addresses that count as one peer: an IPv4 address, or the first 64 bits of an IPv6 address,
  // because one subscriber is given all that stand behind them.
  [[nodiscard]] std::string peer_key() const;
  // As inet_ntop(3) writes it: one form an address.
  [[nodiscard]] std::string text() const;
  // IPv4 in the mapped form.
  [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  bool operator==(const IpAddress&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

// One address, or the addresses of a prefix, of one family.
class IpRange {
 public:
  // "10.0.0.0/8", "2001:db8::/32", or an address alone. Nothing when a bit behind the prefix is set, which is a slip of
  // the pen that would trust more or less than was meant, and for a prefix of nothing, which is everybody.
  [[nodiscard]] static std::optional<IpRange> parse(std::string_view text);
  [[nodiscard]] bool contains(const IpAddress& address) const;

 private:
  IpAddress first_;
  int bits_ = 128;  // of the 16 bytes
};

}  // namespace postern
