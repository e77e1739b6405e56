// Ed25519 (RFC 8032) verification. Signing is a library of its own (wire/signing), so that a program that only verifies
// holds no signing code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace postern {

class Ed25519PublicKey {
 public:
  // Nothing unless there are exactly 32 bytes.
  [[nodiscard]] static std::optional<Ed25519PublicKey> of_bytes(std::string_view raw);
  [[nodiscard]] const std::string& bytes() const { return raw_; }
  [[nodiscard]] bool verify(std::string_view message, std::string_view signature) const;

 private:
  explicit Ed25519PublicKey(std::string raw) : raw_(std::move(raw)) {}
  std::string raw_;
};

}  // namespace postern
