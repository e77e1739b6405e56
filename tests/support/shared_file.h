// Files of the cases and vectors beside the project. They are not part of it: a test that needs one skips itself when
// it is absent.
//
//   POSTERN_SHARED_JSON(rows, "cases/B-047/skew.json");
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "wire/base/file.h"
#include "wire/base/json.h"

namespace postern::test {

inline std::optional<std::string> shared_file(const std::string& path) {
  auto text = read_file(std::string(POSTERN_SOURCE_DIR) + "/../shared/" + path, 64U << 20U);
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

}  // namespace postern::test

#define POSTERN_SHARED_TEXT(name, path)                                                     \
  const auto name##_file = ::postern::test::shared_file(path);                              \
  if (!name##_file) GTEST_SKIP() << "needs ../shared/" << (path) << ", which is not there"; \
  const std::string& name = *name##_file

#define POSTERN_SHARED_JSON(name, path)                                            \
  POSTERN_SHARED_TEXT(name##_text, path);                                          \
  const auto name##_parsed = ::postern::parse_json(name##_text, {64U << 20U, 32}); \
  ASSERT_TRUE(name##_parsed.has_value());                                          \
  const ::postern::Json& name = *name##_parsed
