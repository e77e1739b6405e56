// Proves which URIs a template of level 1 stands for (RFC 6570), and that no variable is ever a path.
#include "services/mcp/uri_template.h"

#include <gtest/gtest.h>

namespace postern::mcp {
namespace {

using Variables = std::map<std::string, std::string>;

TEST(UriTemplate, TakesLevelOneOnly) {
  for (const char* text : {"note://{id}", "note://a/{id}/b/{other}", "note://plain", "{scheme}://x"}) {
    EXPECT_TRUE(UriTemplate::parse(text).has_value()) << text;
  }
  for (const char* text : {"note://{+id}", "note://{id", "note://id}", "note://{}", "note://{a}{b}", "note://{a}/{a}",
                           "note://{a,b}", "note://{a*}", "note://{a:3}", "note://{?q}"}) {
    EXPECT_FALSE(UriTemplate::parse(text).has_value()) << text;
  }
}

TEST(UriTemplate, GivesItsVariablesDecoded) {
  const auto parsed = UriTemplate::parse("note://{desk}/of/{id}.txt");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->variables(), (std::vector<std::string>{"desk", "id"}));
  EXPECT_EQ(parsed->match("note://refunds/of/a%20b%C3%A9.txt"), (Variables{{"desk", "refunds"}, {"id", "a b\u00e9"}}));
  EXPECT_EQ(parsed->match("note://refunds/of/a.b.txt"), (Variables{{"desk", "refunds"}, {"id", "a.b"}}));
}

TEST(UriTemplate, MatchesNothingOfAnotherForm) {
  const auto parsed = UriTemplate::parse("note://{id}.txt");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(parsed->match("note://a.txt").has_value());
  for (const char* uri :
       {"note://.txt", "note://a", "note://a.txt2", "Note://a.txt", "x-note://a.txt", "note://", ""}) {
    EXPECT_FALSE(parsed->match(uri).has_value()) << uri;
  }
  EXPECT_FALSE(UriTemplate::parse("note://plain")->match("note://plainer").has_value());
}

TEST(UriTemplate, MatchesNoValueThatIsAPathOrCannotBeSeen) {
  const auto parsed = UriTemplate::parse("file:///notes/{name}");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(parsed->match("file:///notes/...").has_value());
  EXPECT_EQ(parsed->match("file:///notes/%252e%252e"), (Variables{{"name", "%2e%2e"}}));  // decoded once only
  for (const char* name : {"..", ".", "%2e%2e", "%2E.", "a/b", "../a", "a%2fb", "a%2Fb", "%2e%2e%2fetc", "a%5Cb",
                           "a%00b", "a%0Ab", "a%7F", "%", "%2", "%zz", "%-1"}) {
    EXPECT_FALSE(parsed->match("file:///notes/" + std::string(name)).has_value()) << name;
  }
}

// RFC 6570 section 1.6. Otherwise %FF and %FE would be two resources with one text.
TEST(UriTemplate, MatchesNoValueThatIsNotUtf8) {
  const auto parsed = UriTemplate::parse("note://{id}");
  ASSERT_TRUE(parsed.has_value());
  for (const char* id : {"%FF", "a%FEb", "%C3", "%ED%A0%80", "%C0%AF", "%F5%80%80%80"}) {
    EXPECT_FALSE(parsed->match("note://" + std::string(id)).has_value()) << id;
  }
  EXPECT_EQ(parsed->match("note://%F0%9F%98%80%22"), (Variables{{"id", "\U0001F600\""}}));
}

TEST(AbsoluteUri, HasASchemeAndVisibleAsciiOnly) {
  for (const char* uri : {"note://a", "urn:x", "a+b-c.1:x"}) EXPECT_TRUE(is_absolute_uri(uri)) << uri;
  for (const char* uri : {"", ":", "a:", "note", "//a", "1a:x", "a b:x", "note://a b", "note://\u00e9", "a_b:x"}) {
    EXPECT_FALSE(is_absolute_uri(uri)) << uri;
  }
}

}  // namespace
}  // namespace postern::mcp
