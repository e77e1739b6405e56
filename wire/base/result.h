// Result<T>: a value or a Failure.
//
// A thin subclass of tl::expected, because Debian's tl::expected is not [[nodiscard]] and because `return
// SomeFailure{...};` should work. Check with `if (!result)`, read with `*result`, pass on with POSTERN_TRY. The monadic
// members are not used in this project.
#pragma once

#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

#include "wire/base/failure.h"

namespace postern {

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Failure> {
 public:
  using Base = tl::expected<T, Failure>;
  using Base::Base;
  template <FailureKind K>
  Result(K kind) : Base(tl::unexpect, Failure(std::move(kind))) {}     // NOLINT(google-explicit-constructor)
  Result(Failure failure) : Base(tl::unexpect, std::move(failure)) {}  // NOLINT(google-explicit-constructor)
};

using Status = Result<void>;

// True when the result is a failure with that id. For tests and for the few places that act on one failure among
// several.
template <class T>
bool failed_with(const Result<T>& result, std::string_view id) {
  return !result.has_value() && result.error().id() == id;
}

}  // namespace postern

#define POSTERN_CONCAT_INNER(a, b) a##b
#define POSTERN_CONCAT(a, b) POSTERN_CONCAT_INNER(a, b)

// POSTERN_TRY(auto token, verifier.verify(bearer, now)); declares `token`, or returns the failure from the enclosing
// function.
#define POSTERN_TRY(declaration, expression)                                                                     \
  auto POSTERN_CONCAT(postern_try_, __LINE__) = (expression);                                                    \
  if (!POSTERN_CONCAT(postern_try_, __LINE__)) return std::move(POSTERN_CONCAT(postern_try_, __LINE__)).error(); \
  declaration = *std::move(POSTERN_CONCAT(postern_try_, __LINE__))

// POSTERN_TRY_VOID(check(x)); for a Status.
#define POSTERN_TRY_VOID(expression)                                       \
  do {                                                                     \
    auto postern_try_status = (expression);                                \
    if (!postern_try_status) return std::move(postern_try_status).error(); \
  } while (false)
