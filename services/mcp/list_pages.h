// One list of definitions as it is served: cut into pages once, with stable cursors (MCP 2026-07-28
// server/utilities/pagination and caching).
//
// A cursor names a page of exactly this text: it is good at every process that serves the same list, and refused once
// the list has changed. Immutable, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/base/json.h"

namespace postern::mcp {

struct CacheHints {
  std::int64_t ttl_ms = 0;
  std::string scope;  // "public" or "private"
};

class ListPages {
 public:
  ListPages() = default;
  // `member` is the name of the list in the result: "tools". `page_size` 0: one page.
  ListPages(const std::string& member, const std::vector<Json>& definitions, std::size_t page_size,
            const CacheHints& hints);
  // The members of the result, without braces. Null for a cursor that this list did not give.
  [[nodiscard]] const std::string* page(const std::optional<std::string>& cursor) const;
  // Differs when the text differs.
  [[nodiscard]] const std::string& fingerprint() const { return fingerprint_; }

 private:
  [[nodiscard]] std::string cursor_of(std::size_t page) const;

  std::string fingerprint_;
  std::vector<std::string> pages_;
};

}  // namespace postern::mcp
