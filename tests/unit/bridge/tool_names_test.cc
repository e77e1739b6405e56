// Names of tools for a model, when there are several servers: none is ever taken for another.
#include "bridge/tool_names.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "tests/support/refused.h"

namespace postern::bridge {
namespace {

using test::refused;
using test::succeeded;

TEST(ToolNames, KeepTheDesksPlainAndQualifyTheOthers) {
  EXPECT_EQ(qualified_tool_name("", "get_order"), "get_order");
  EXPECT_EQ(qualified_tool_name("files", "read_text_file"), "files__read_text_file");
  EXPECT_EQ(qualified_tool_name("files-2", "list-directory"), "files-2__list-directory");
}

TEST(ToolNames, EscapeWhatAModelApiRefuses) {
  EXPECT_EQ(qualified_tool_name("shop", "orders.get"), "shop__orders_x2E_get");
  EXPECT_EQ(qualified_tool_name("shop", "a b/\u00e9\""), "shop__a_x20_b_x2F__xC3__xA9__x22_");
  // What looks like an escape is escaped itself.
  EXPECT_EQ(qualified_tool_name("shop", "a_x2E_b"), "shop__a_x5F_x2E_b");
  EXPECT_EQ(qualified_tool_name("shop", "a_y"), "shop__a_y");
  for (const char* tool : {"orders.get", "a b/\u00e9\"", "a_x2E_b", "\n", ""})
    EXPECT_TRUE(is_model_tool_name(qualified_tool_name("shop", tool))) << tool;
}

// Every name of up to four of these, and none is written like another.
TEST(ToolNames, AreNeverWrittenTheSame) {
  const std::string letters = "_x2E.5F";
  std::vector<std::string> all = {""};
  for (std::size_t from = 0, length = 0; length < 4; ++length) {
    const std::size_t end = all.size();
    for (; from < end; ++from) {
      for (const char c : letters) all.push_back(all[from] + c);
    }
  }
  std::map<std::string, std::string> written;
  for (const std::string& name : all) {
    const auto [other, fresh] = written.emplace(escaped_tool_name(name), name);
    EXPECT_TRUE(fresh) << "\"" << name << "\" and \"" << other->second << "\"";
  }
  EXPECT_EQ(written.size(), 2801U);
}

TEST(ToolNames, AreShortenedWithoutBecomingAnothersName) {
  const std::string fits(128 - 7, 'a');
  EXPECT_EQ(qualified_tool_name("files", fits), "files__" + fits);
  const std::string one = qualified_tool_name("files", fits + "a");
  const std::string two = qualified_tool_name("files", fits + "b");
  EXPECT_EQ(one.size(), kToolNameBytesMax);
  EXPECT_NE(one, two);
  EXPECT_TRUE(is_model_tool_name(one));
  // A tool that calls itself like the shortened form is escaped.
  EXPECT_NE(qualified_tool_name("files", one.substr(7)), one);
  EXPECT_FALSE(is_model_tool_name(one + "a"));
  EXPECT_FALSE(is_model_tool_name("orders.get"));
  EXPECT_FALSE(is_model_tool_name(""));
}

TEST(ToolNames, TakeTheSameToolOfTwoServers) {
  ToolNames names;
  EXPECT_TRUE(succeeded(names.add("", "search")));
  EXPECT_TRUE(succeeded(names.add("docs", "search")));
  EXPECT_TRUE(succeeded(names.add("web", "search")));
}

TEST(ToolNames, RefuseNamesThatAreTheSameOrLookAlikeAndNameBoth) {
  struct Pair {
    const char* server;
    const char* tool;
    const char* other_server;
    const char* other_tool;
  };
  const Pair pairs[] = {
      {"", "files__read", "files", "read"},        // the desk's own name stands in another's place
      {"files", "read", "files", "read"},          // twice
      {"files", "Read", "files", "read"},          // case
      {"files", "list_all", "files", "list-all"},  // separators
      {"files", "list.all", "files", "list_all"},  // a dot too
      {"files", "tool1", "files", "tooll"},        // one and el
      {"files", "toolI", "files", "tool1"},        // capital i and one
      {"files", "go0", "files", "goo"},            // zero and o
      {"a-b", "c", "a", "b__c"},                   // where the server ends
      {"files", "issue__refund", "files", "issue_refund"},
  };
  for (const Pair& pair : pairs) {
    ToolNames names;
    EXPECT_TRUE(succeeded(names.add(pair.server, pair.tool)));
    const Status second = names.add(pair.other_server, pair.other_tool);
    ASSERT_TRUE(refused(second, "own.tool_names_alike")) << pair.tool << " and " << pair.other_tool;
    const std::string text = second.error().text();
    EXPECT_NE(text.find(qualified_tool_name(pair.server, pair.tool) + " ("), std::string::npos) << text;
    EXPECT_NE(text.find(qualified_tool_name(pair.other_server, pair.other_tool) + " ("), std::string::npos) << text;
  }
}

TEST(ToolNames, TakeNamesThatAreOnlyNear) {
  ToolNames names;
  EXPECT_TRUE(succeeded(names.add("", "get_order")));
  EXPECT_TRUE(succeeded(names.add("files", "read")));
  EXPECT_TRUE(succeeded(names.add("files", "reads")));
  EXPECT_TRUE(succeeded(names.add("files", "read2")));
  EXPECT_TRUE(succeeded(names.add("shop", "get_order")));
}

}  // namespace
}  // namespace postern::bridge
