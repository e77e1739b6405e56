// Proves that pages of a list come in one order, with one scope, and that only cursors of this list lead to them
// (MCP 2026-07-28 server/utilities/pagination, server/utilities/caching).
#include "services/mcp/list_pages.h"

#include <gtest/gtest.h>

#include "wire/base/json.h"

namespace postern::mcp {
namespace {

Json page_of(const ListPages& pages, const std::optional<std::string>& cursor) {
  const std::string* members = pages.page(cursor);
  return members == nullptr ? Json() : *parse_json("{" + *members + "}");
}

std::vector<Json> definitions(int count) {
  std::vector<Json> rows;
  for (int i = 0; i < count; ++i) rows.push_back(Json::object({{"name", "row-" + std::to_string(i)}}));
  return rows;
}

TEST(ListPages, GiveEachRowOnceInTheOrderOfTheTable) {
  for (const int count : {0, 1, 2, 3, 6, 7}) {
    const ListPages pages("tools", definitions(count), 3, CacheHints{60'000, "public"});
    std::vector<Json> seen;
    std::optional<std::string> cursor;
    do {
      const Json page = page_of(pages, cursor);
      ASSERT_TRUE(page.is_object());
      EXPECT_LE(page.find("tools")->size(), 3U);
      for (const Json& row : page.find("tools")->elements()) seen.push_back(row);
      const Json* next = page.find("nextCursor");
      cursor = next == nullptr ? std::nullopt : std::optional(*next->string());
    } while (cursor);
    EXPECT_EQ(seen, definitions(count)) << count;
  }
}

TEST(ListPages, HaveTheSameCacheHintsOnEachPage) {
  const ListPages pages("tools", definitions(5), 2, CacheHints{60'000, "public"});
  std::optional<std::string> cursor;
  int count = 0;
  do {
    const Json page = page_of(pages, cursor);
    EXPECT_EQ(page.string_at("resultType"), "complete");
    EXPECT_EQ(page.string_at("cacheScope"), "public");
    EXPECT_EQ(page.integer_at("ttlMs"), 60'000);
    const Json* next = page.find("nextCursor");
    cursor = next == nullptr ? std::nullopt : std::optional(*next->string());
    ++count;
  } while (cursor);
  EXPECT_EQ(count, 3);
}

TEST(ListPages, KnowTheirOwnCursorsOnly) {
  const ListPages pages("tools", definitions(4), 2, CacheHints{});
  const std::string cursor(page_of(pages, std::nullopt).string_at("nextCursor"));
  EXPECT_NE(pages.page(cursor), nullptr);
  for (const std::string& other : {std::string(), std::string("2"), cursor + "A", cursor.substr(1)}) {
    EXPECT_EQ(pages.page(other), nullptr) << other;
  }
  const ListPages same("tools", definitions(4), 2, CacheHints{});
  EXPECT_NE(same.page(cursor), nullptr);  // of another process with the same tables
  const ListPages changed("tools", definitions(5), 2, CacheHints{});
  EXPECT_EQ(changed.page(cursor), nullptr);  // it would skip or repeat rows
}

}  // namespace
}  // namespace postern::mcp
