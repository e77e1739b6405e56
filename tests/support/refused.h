// EXPECT_TRUE(refused(result, "token.wrong_audience")): names the failure, and on a miss says what came instead.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "wire/base/result.h"

namespace postern::test {

template <class T>
testing::AssertionResult refused(const Result<T>& result, std::string_view id) {
  if (result.has_value()) return testing::AssertionFailure() << "succeeded, where " << id << " was expected";
  if (result.error().id() != id) {
    return testing::AssertionFailure() << "failed with " << result.error().id() << " (" << result.error().text()
                                       << "), where " << id << " was expected";
  }
  return testing::AssertionSuccess();
}

template <class T>
testing::AssertionResult succeeded(const Result<T>& result) {
  if (result.has_value()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "failed with " << result.error().id() << ": " << result.error().text();
}

}  // namespace postern::test
