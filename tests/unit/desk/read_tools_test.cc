// Proves what the six read tools give, from the seeded world, and that they give it to the caller of the case only
// (A5).
#include <gtest/gtest.h>

#include <filesystem>

#include "services/desk/tool_catalog.h"
#include "tests/unit/desk/desk_world.h"

namespace postern::desk {
namespace {

using test::DeskWorld;

constexpr const char* kReadTools[] = {"get_ticket", "get_customer", "get_order", "get_policy", "get_tracking"};
constexpr std::string_view kNoCase = "No open case with that handle for this caller.";

class ReadTools : public testing::Test {
 protected:
  // The structured content of a tool for a case; null when the tool failed.
  Json read(const char* tool, const std::string& handle, const char* person = "rowan") {
    result_ = world_.call(world_.token(person), tool, Json::object({{"case_handle", handle}}));
    const Json* structured = result_.find("structuredContent");
    return structured == nullptr ? Json() : *structured;
  }
  std::string text() const { return DeskWorld::text_of(result_); }
  DeskWorld world_;
  Json result_;
};

TEST_F(ReadTools, OpenACaseOfTheCallersDesk) {
  result_ = world_.call(world_.token(), "open_case", Json::object({{"ticket_id", "T-1042"}}));
  const Json& opened = *result_.find("structuredContent");
  EXPECT_TRUE(opened.string_at("case_handle").starts_with("ch_"));
  EXPECT_EQ(opened.string_at("ticket_id"), "T-1042");
  EXPECT_EQ(opened.string_at("desk"), "west");
  EXPECT_EQ(opened.string_at("opened_for"), "Rowan Diaz");
  EXPECT_EQ(opened.integer_at("expires_in_s"), 900);
}

TEST_F(ReadTools, RefuseTicketsOfOtherDesksLikeTicketsThatDoNotExist) {
  std::string texts[2];
  int i = 0;
  for (const char* ticket : {"T-3091", "T-9999"}) {
    result_ = world_.call(world_.token(), "open_case", Json::object({{"ticket_id", ticket}}));
    EXPECT_EQ(result_.boolean_at("isError"), true) << ticket;
    texts[i] = text();
    texts[i].replace(texts[i].find(ticket), 6, "T-....");
    ++i;
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_NE(world_.open_case("T-3091", "quinn"), "");
}

TEST_F(ReadTools, RefuseAStateThatWasMadeForAnotherTool) {
  const Json arguments = Json::object({{"case_handle", world_.open_case("T-1042")}});
  const Json with[] = {
      Json::object({{"requestState", "rs_of_another_call"}}),
      Json::object({{"inputResponses", Json::object({{"approval", Json::object({{"action", "accept"}})}})}})};
  for (const char* tool : kReadTools) {
    for (const Json& more : with) {
      result_ = world_.call(world_.token(), tool, arguments, more);
      EXPECT_EQ(result_.integer_at("code"), -32602) << tool << ": " << result_.dump();
    }
    EXPECT_FALSE(world_.call(world_.token(), tool, arguments).has("code")) << tool;
  }
}

TEST_F(ReadTools, RefuseATicketThatHasNotTheForm) {
  for (const char* ticket : {"T-1", "--help", "T-1042;rm", "../x", "t-1042", "T-1042\n"}) {
    result_ = world_.call(world_.token(), "open_case", Json::object({{"ticket_id", ticket}}));
    EXPECT_EQ(result_.boolean_at("isError"), true) << ticket;
    EXPECT_NE(text().find("ticket_id"), std::string::npos) << text();
  }
}

TEST_F(ReadTools, GiveTheFactsOfT1042) {
  const std::string handle = world_.open_case("T-1042");
  const Json ticket = read("get_ticket", handle);
  EXPECT_EQ(ticket.string_at("ticket_id"), "T-1042");
  EXPECT_EQ(ticket.string_at("status"), "open");
  EXPECT_FALSE(ticket.string_at("text").empty());
  EXPECT_EQ(read("get_customer", handle).string_at("name"), "Avery Lin");
  const Json order = read("get_order", handle);
  EXPECT_EQ(order.string_at("order_id"), "ORD-5521");
  EXPECT_EQ(order.string_at("currency"), "USD");
  std::int64_t total = 0;
  for (const Json& line : order.find("lines")->elements()) total += line.integer_at("line_cents").value_or(0);
  EXPECT_EQ(order.integer_at("total_cents"), total);
  std::int64_t pole = 0;
  for (const Json& part : order.find("parts")->elements()) {
    if (part.string_at("title") == "tent pole section") pole = part.integer_at("unit_cents").value_or(0);
  }
  EXPECT_EQ(pole, 4800);
  EXPECT_EQ(order.string_at("refunds_source"), "payments");
  EXPECT_EQ(order.find("refunds")->size(), 0U);
  const Json policy = read("get_policy", handle);
  EXPECT_EQ(policy.string_at("policy_id"), "POL-DOA-30");
  EXPECT_EQ(policy.integer_at("limit_cents"), 6000);
  const Json tracking = read("get_tracking", handle);
  EXPECT_EQ(tracking.boolean_at("available"), true);
  EXPECT_EQ(tracking.string_at("tracking_id"), "PP-55210");
}

TEST_F(ReadTools, GiveWhatTheirOutputSchemasSayForEveryTicket) {
  for (const char* ticket : {"T-1042", "T-1050", "T-1052", "T-1054", "T-1055", "T-3090"}) {
    const std::string handle = world_.open_case(ticket);
    for (const char* tool : kReadTools) {
      const Json structured = read(tool, handle);
      ASSERT_TRUE(structured.is_object()) << ticket << " " << tool << " " << result_.dump();
      EXPECT_EQ(text(), structured.dump()) << tool;
    }
  }
}

TEST_F(ReadTools, GiveTheCarriersPageAsItIs) {
  const Json tracking = read("get_tracking", world_.open_case("T-3090"));
  EXPECT_EQ(tracking.string_at("tracking_id"), "PP-77001");
  EXPECT_NE(tracking.string_at("page").find("automated support assistants"), std::string::npos);
}

TEST_F(ReadTools, SayThatThereIsNoPage) {
  const Json tracking = read("get_tracking", world_.open_case("T-1055"));
  EXPECT_EQ(tracking.boolean_at("available"), false);
  EXPECT_TRUE(tracking.find("page")->is_null());
}

TEST_F(ReadTools, RefuseTheHandleOfAnother) {  // A5
  const std::string handle = world_.open_case("T-1042");
  for (const char* tool : kReadTools) {
    EXPECT_TRUE(read(tool, handle, "quinn").is_null()) << tool;
    EXPECT_EQ(result_.boolean_at("isError"), true);
    EXPECT_EQ(text(), kNoCase);
    EXPECT_EQ(world_.last_status, 200);
    EXPECT_TRUE(read(tool, handle).is_object()) << tool;
  }
}

TEST_F(ReadTools, RefuseAHandleThatRanOut) {
  const std::string handle = world_.open_case("T-1042");
  world_.env_.clock.advance(Seconds(899));
  EXPECT_TRUE(read("get_ticket", handle).is_object());
  world_.env_.clock.advance(Seconds(1));
  EXPECT_TRUE(read("get_ticket", handle).is_null());
  EXPECT_EQ(text(), kNoCase);
}

TEST_F(ReadTools, ShowRefundsAndSayWhenPaymentsCannotBeAsked) {
  world_.services.paid_before("T-1042", "ORD-5521", "LN-2", 1200);
  const std::string handle = world_.open_case("T-1042");
  const Json order = read("get_order", handle);
  ASSERT_EQ(order.find("refunds")->size(), 1U);
  EXPECT_EQ(order.find("refunds")->elements()[0].string_at("token_id"), "APV-0900");
  world_.services.payments_down = true;
  world_.env_.clock.advance(Seconds(2));
  const Json blind = read("get_order", handle);
  EXPECT_EQ(blind.string_at("refunds_source"), "unavailable");
  EXPECT_EQ(blind.find("refunds")->size(), 0U);
}

TEST_F(ReadTools, NeverCarryTheCallersTokenFurther) {  // A12, as far as it can be seen from here
  const std::string handle = world_.open_case("T-1042");
  for (const char* tool : kReadTools) read(tool, handle);
  for (const test::Exchange& exchange : world_.services.exchanges) {
    const bool service = exchange.authorization.starts_with("Service svc_");
    EXPECT_TRUE(service || exchange.authorization.empty()) << exchange.where;
  }
  const std::string downstream = world_.downstream();
  EXPECT_NE(downstream.find("\"credential_kind\":\"service\""), std::string::npos);
  EXPECT_EQ(downstream.find("bearer"), std::string::npos);
  EXPECT_EQ(downstream.find(world_.token().substr(0, 20)), std::string::npos);
}

TEST_F(ReadTools, KeepNoHandleInAnyFile) {
  const std::string handle = world_.open_case("T-1042").substr(3);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world_.folder_.path())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(read_file(entry.path().string(), 1 << 26)->find(handle), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace postern::desk
