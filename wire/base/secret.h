// Secret<Tag>: bytes that must not be printed, copied by accident, or left in memory.
//
// Move-only. Zeroed when it is destroyed or moved from. It has no operator<<, no conversion to string or Json, and no
// comparison but equal(), in constant time. The one way to its bytes is reveal(), and reveal() wants a Passkey that
// only the classes named in `Tag::RevealedBy` can make: who may open a secret is a compile error, not a search.
//
//   struct CaseHandleTag { using RevealedBy = Reveals<bridge::CaseBinder, desk::CaseHandles>; };
//   using CaseHandle = Secret<CaseHandleTag>;
//   ... inside bridge::CaseBinder:  std::string_view handle = secret.reveal(Passkey<bridge::CaseBinder>{});
//
// Does not protect against: swap and core dumps, or what OpenSSL and the HTTP library copy for themselves.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace postern {

// Overwrites the bytes in a way that the compiler may not leave out.
void wipe(void* bytes, std::size_t size) noexcept;
// Wipes the characters and empties the string.
void wipe(std::string& text) noexcept;
// Compares in a time that depends on the lengths only.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

// The right to open secrets, held by one class. Only that class can make one.
template <class Holder>
class Passkey {
  friend Holder;
  explicit Passkey() = default;
};

template <class... Holders>
struct Reveals {
  template <class Holder>
  static constexpr bool kAllows = (std::is_same_v<Holder, Holders> || ...);
};

template <class Tag>
class Secret {
 public:
  Secret() = default;
  // Takes the characters over and wipes the source.
  static Secret take(std::string&& text) {
    Secret secret;
    secret.text_ = text;
    wipe(text);
    return secret;
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  Secret(Secret&& other) noexcept : text_(other.text_) { wipe(other.text_); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      wipe(text_);
      text_ = other.text_;
      wipe(other.text_);
    }
    return *this;
  }
  ~Secret() { wipe(text_); }

  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] bool equal(const Secret& other) const { return equal_in_constant_time(text_, other.text_); }
  // A deliberate copy, for an owner that must hand the secret to a second place.
  [[nodiscard]] Secret duplicate() const {
    Secret secret;
    secret.text_ = text_;
    return secret;
  }

  // The bytes; the view lives as long as this Secret. REQUIRES Holder to be named in Tag::RevealedBy.
  template <class Holder>
  [[nodiscard]] std::string_view reveal(Passkey<Holder>) const& {
    static_assert(Tag::RevealedBy::template kAllows<Holder>, "this class is not named in the secret's RevealedBy");
    return text_;
  }
  template <class Holder>
  std::string_view reveal(Passkey<Holder>) && = delete;  // the view would dangle

 private:
  std::string text_;
};

}  // namespace postern
