#include "services/mcp/list_pages.h"

#include <algorithm>

#include "wire/base/bytes.h"
#include "wire/base/digest.h"

namespace postern::mcp {

ListPages::ListPages(const std::string& member, const std::vector<Json>& definitions, std::size_t page_size,
                     const CacheHints& hints) {
  const std::size_t size = page_size == 0 ? std::max<std::size_t>(definitions.size(), 1) : page_size;
  fingerprint_ = sha256_hex(Json::array_of(definitions).dump()).substr(0, 16);
  const std::size_t count = std::max<std::size_t>((definitions.size() + size - 1) / size, 1);
  for (std::size_t page = 0; page < count; ++page) {
    Json rows = Json::array();
    for (std::size_t i = page * size; i < std::min(definitions.size(), (page + 1) * size); ++i)
      rows.push(definitions[i]);
    Json result = Json::object({{"resultType", "complete"}, {member, std::move(rows)}});
    if (page + 1 < count) result.append_member("nextCursor", cursor_of(page + 1));
    result.append_member("ttlMs", hints.ttl_ms);
    result.append_member("cacheScope", hints.scope);
    const std::string text = result.dump();
    pages_.push_back(text.substr(1, text.size() - 2));
  }
}

std::string ListPages::cursor_of(std::size_t page) const {
  return base64url(fingerprint_ + "." + std::to_string(page));
}

const std::string* ListPages::page(const std::optional<std::string>& cursor) const {
  if (!cursor) return &pages_.front();
  for (std::size_t page = 1; page < pages_.size(); ++page) {
    if (cursor_of(page) == *cursor) return &pages_[page];
  }
  return nullptr;
}

}  // namespace postern::mcp
