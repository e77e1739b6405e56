// URIs are read strictly; what parsers disagree about is refused.
#include "wire/base/uri.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern {
namespace {

using test::refused;

TEST(Uri, ReadsItsParts) {
  const auto uri = parse_uri("HTTP://Example.Test:8931/mcp?a=b%20c");
  ASSERT_TRUE(uri);
  EXPECT_EQ(uri->origin(), "http://example.test:8931");
  EXPECT_EQ(uri->target(), "/mcp?a=b%20c");
  EXPECT_EQ(uri->authority(), "example.test:8931");
  EXPECT_EQ(parse_uri("https://h")->text(), "https://h/");
  EXPECT_EQ(parse_uri("https://h:443/x")->origin(), "https://h");
  EXPECT_EQ(parse_uri("http://[::1]:80/")->origin(), "http://[::1]");
}

TEST(Uri, RefusesWhatParsersDisagreeAbout) {
  for (const std::string_view text : {"",
                                      "/path",
                                      "//evil.test/a",
                                      "javascript:alert(1)",
                                      "file:///etc/hostname",
                                      "data:text/html,x",
                                      "http://",
                                      "http:///x",
                                      "http://a@evil.test/",
                                      "http://a:b@evil.test/",
                                      "http://h:0/",
                                      "http://h:65536/",
                                      "http://h:8a/",
                                      "http://h /",
                                      "http://h/a b",
                                      "http://h/a\\b",
                                      "http://h/%zz",
                                      "http://h/%4",
                                      "http://h/#f",
                                      "http://h/\x01",
                                      "http://h/\u202e",
                                      "http://[::1/",
                                      "http://a,b/"}) {
    EXPECT_TRUE(refused(parse_uri(text), "uri.malformed")) << text;
  }
}

TEST(Uri, KnowsLoopback) {
  for (const auto host : {"127.0.0.1", "127.8.9.10", "::1", "[::1]", "localhost", "LOCALHOST"})
    EXPECT_TRUE(is_loopback_host(host)) << host;
  for (const auto host : {"127.0.0.1.evil.test", "localhost.evil.test", "128.0.0.1", "0.0.0.0", "::2", "2130706433",
                          "0x7f.0.0.1", "10.0.0.1"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

TEST(Form, ReadsBackWhatItWrote) {
  const FormFields fields{{"redirect_uri", "http://127.0.0.1:1/cb?x=1&y=2"}, {"note", "a b+c\r\né"}, {"empty", ""}};
  const auto read = form_decode(form_encode(fields));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, fields);
  EXPECT_EQ((*form_decode("a=1+2"))[0].second, "1 2");
}

TEST(Form, RefusesBrokenEscapesAndTooManyFields) {
  EXPECT_TRUE(refused(form_decode("a=%4"), "form.malformed"));
  EXPECT_TRUE(refused(form_decode("a=%GG"), "form.malformed"));
  EXPECT_TRUE(form_decode("a=1&b=2", 2));
  EXPECT_TRUE(refused(form_decode("a=1&b=2&c=3", 2), "form.malformed"));
}

TEST(Form, FindsASoleFieldOnly) {
  const FormFields fields{{"a", "1"}, {"b", "2"}, {"b", "3"}};
  EXPECT_EQ(*sole_field(fields, "a"), "1");
  EXPECT_EQ(*sole_field(fields, "c"), std::nullopt);
  EXPECT_TRUE(refused(sole_field(fields, "b"), "form.malformed"));
}

}  // namespace
}  // namespace postern
