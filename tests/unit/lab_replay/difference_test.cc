// The first difference is named by its entry, its layer and its field.
#include "tests/lab/replay/difference.h"

#include <gtest/gtest.h>

namespace postern::lab {
namespace {

Json line(std::string_view body, std::string_view to = "server", std::string_view method = "tools/call") {
  Json headers = Json::array();
  headers.push(Json::array({"mcp-method", method}));
  return Json::object({{"at", 5},
                       {"kind", "bytes"},
                       {"channel", "http"},
                       {"from", "host"},
                       {"to", to},
                       {"exchange", 3},
                       {"start", "POST /mcp HTTP/1.1"},
                       {"headers", std::move(headers)},
                       {"body", body}});
}

std::string named(const Json& recorded, const Json& replayed) {
  const auto difference = difference_of(7, recorded, replayed);
  return difference ? difference->layer + " " + difference->field : "none";
}

TEST(Difference, IsNoneBetweenEqualLines) {
  EXPECT_EQ(named(line("{\"a\":1}"), line("{\"a\":1}")), "none");
}

TEST(Difference, NamesAHeader) {
  EXPECT_EQ(named(line("{}"), line("{}", "server", "tools/list")), "http headers.mcp-method");
}

TEST(Difference, NamesAMemberOfABody) {
  EXPECT_EQ(named(line(R"({"params":{"arguments":{"amount_cents":4800}}})"),
                  line(R"({"params":{"arguments":{"amount_cents":4900}}})")),
            "schema body.params.arguments.amount_cents");
  EXPECT_EQ(named(line(R"({"id":1})"), line(R"({"id":2})")), "envelope body.id");
  EXPECT_EQ(named(line(R"({"messages":[{"content":"a"},{"content":"b"}]})", "model"),
                  line(R"({"messages":[{"content":"a"},{"content":"c"}]})", "model")),
            "model body.messages[1].content");
  EXPECT_EQ(named(line("a=1&code=2", "issuer"), line("a=1&code=3", "issuer")), "http body.code");
}

TEST(Difference, SeesWhatIsTheSameJsonInOtherBytes) {
  EXPECT_EQ(named(line(R"({"a":1,"b":2})"), line(R"({"b":2,"a":1})")), "envelope body");
}

TEST(Difference, SaysBothValues) {
  const auto difference = difference_of(7, line(R"({"id":1})"), line(R"({"id":2})"));
  ASSERT_TRUE(difference.has_value());
  EXPECT_EQ(difference->text(), "entry 7, envelope, body.id: recorded 1, replayed 2");
}

TEST(Difference, NamesALineOfWhatWasPrinted) {
  EXPECT_FALSE(difference_of_text("stdout", "a\nb\n", "a\nb\n").has_value());
  EXPECT_EQ(difference_of_text("stdout", "a\nb\n", "a\nc\n")->field, "stdout line 2");
  EXPECT_EQ(difference_of_text("stderr", "a\n", "a\nb\n")->field, "stderr line 2");
}

}  // namespace
}  // namespace postern::lab
