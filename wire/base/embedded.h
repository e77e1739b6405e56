// Text files that are part of a program (cmake/PosternEmbed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace postern {

struct EmbeddedFile {
  std::string_view name;     // as given to postern_embed(): "migrations/0001_orders.sql"
  std::string_view content;  // lives as long as the program
};

}  // namespace postern

// At namespace scope: declares the function that postern_embed() defined.
#define POSTERN_EMBEDDED(symbol)                     \
  namespace postern::embedded {                      \
  std::span<const ::postern::EmbeddedFile> symbol(); \
  }
