#include "tests/lab/world/lab_world.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/lab/world/world_folder.h"
#include "wire/base/bytes.h"
#include "wire/transport/failures.h"

namespace postern::lab {
namespace {

class LabWorldTest : public testing::Test {
 protected:
  std::unique_ptr<LabWorld> make(LabWorldOptions options = {}) {
    options.folder = folder_.path();
    auto world = LabWorld::make(std::move(options));
    EXPECT_TRUE(world.has_value()) << (world ? "" : world.error().text());
    return world ? *std::move(world) : nullptr;
  }
  static std::string post(const LabWorld& world, const std::string& more, const std::string& token = "") {
    const std::string authority = world.origin("desk").substr(7);
    return "POST /mcp HTTP/1.1\r\nHost: " + authority + "\r\n" + more +
           (token.empty() ? "" : "Authorization: Bearer " + token + "\r\n") +
           "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: "
           "2\r\n\r\n{}";
  }
  static std::string status_of(LabWorld& world, const std::string& bytes) {
    const auto answer = world.raw("desk", bytes);
    EXPECT_TRUE(answer.has_value());
    return answer ? answer->substr(0, answer->find('\r')) : "";
  }
  static Json claims(LabWorld& world) {
    const std::int64_t now = unix_seconds(world.clock().now());
    return Json::object({{"iss", world.origin("issuer")},
                         {"sub", "rowan"},
                         {"aud", world.server()},
                         {"client_id", "postern-host"},
                         {"scope", "desk:read"},
                         {"iat", now},
                         {"exp", now + 300},
                         {"jti", "one.two"}});
  }
  WorldFolder folder_;
};

TEST_F(LabWorldTest, AnswersBytesAsTheServerDoes) {
  const auto world = make();
  EXPECT_EQ(status_of(*world, post(*world, "")), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(status_of(*world, post(*world, "Host: elsewhere.test\r\n")), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(status_of(*world, post(*world, "Content-Length: 3\r\n")), "HTTP/1.1 400 Bad Request");
}

TEST_F(LabWorldTest, AnswersTwoRequestsOfOneConnection) {
  const auto world = make();
  const auto answer = world->raw("desk", post(*world, "") + post(*world, "Connection: close\r\n") + post(*world, ""));
  ASSERT_TRUE(answer.has_value());
  std::size_t count = 0;
  for (std::size_t at = 0; (at = answer->find("HTTP/1.1 401", at)) != std::string::npos; ++at) ++count;
  EXPECT_EQ(count, 2U);
}

TEST_F(LabWorldTest, SignsWithTheIssuersOwnKeyWhatTheIssuerWouldNot) {
  const auto world = make();
  const Json good = claims(*world);
  // An empty object is no JSON-RPC request: whose token it was is past.
  EXPECT_EQ(status_of(*world, post(*world, "", world->sign_as_issuer({}, good))), "HTTP/1.1 400 Bad Request");
  Json endless = good;
  endless.set("exp", nullptr);
  const std::string token = world->sign_as_issuer({}, endless);
  const std::size_t payload = token.find('.') + 1;
  const auto written = base64url_decode(token.substr(payload, token.rfind('.') - payload));
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->find("exp"), std::string::npos) << *written;
  EXPECT_NE(written->find("jti"), std::string::npos) << *written;
  EXPECT_EQ(status_of(*world, post(*world, "", token)), "HTTP/1.1 401 Unauthorized");
  Json foreign = good;
  foreign.set("aud", "https://portal.partner.test/mcp");
  EXPECT_EQ(status_of(*world, post(*world, "", world->sign_as_issuer({}, foreign))), "HTTP/1.1 401 Unauthorized");
  const Json untyped = Json::object({{"typ", nullptr}});
  EXPECT_EQ(status_of(*world, post(*world, "", world->sign_as_issuer(untyped, good))), "HTTP/1.1 401 Unauthorized");
}

TEST_F(LabWorldTest, AProgramThatWasStoppedIsReachedAgainOnItsDatabases) {
  const auto world = make();
  EXPECT_TRUE(world->stop_program("desk").has_value());
  const auto gone = world->raw("desk", post(*world, ""));
  ASSERT_FALSE(gone.has_value());
  EXPECT_NE(gone.error().as<Unreachable>(), nullptr);
  EXPECT_TRUE(world->start_program("desk").has_value());
  EXPECT_EQ(status_of(*world, post(*world, "")), "HTTP/1.1 401 Unauthorized");
  EXPECT_FALSE(world->stop_program("till").has_value());
}

TEST_F(LabWorldTest, PlantsTextsInTheCaseOfATicket) {
  LabWorldOptions options;
  options.planted = Json::object({{"T-1042", Json::object({{"ticket_text", "A planted sentence."},
                                                           {"ticket_subject", "A planted subject"},
                                                           {"page", "A planted page."},
                                                           {"line_title", "A planted title"},
                                                           {"customer_name", "A planted name"},
                                                           {"policy_text", "A planted policy."}})}});
  const auto world = make(std::move(options));
  const auto result = world->host_run({});
  ASSERT_TRUE(result.has_value());
  std::string told;
  for (const Json& request : result->model_requests) told += request.dump();
  for (const std::string planted :
       {"planted sentence", "planted subject", "planted page", "planted title", "planted name", "planted policy"})
    EXPECT_NE(told.find(planted), std::string::npos) << planted;
  for (const std::string before : {"Outer carton", "came last week", "Avery Lin\\\"", "snapped\\\""})
    EXPECT_EQ(told.find(before), std::string::npos) << before;
}

TEST_F(LabWorldTest, RefusesToPlantWhatIsNoFieldOfACase) {
  for (const char* planted :
       {R"({"T-9999": {"page": "x"}})", R"({"T-1042": {"tracking": "x"}})", R"({"T-1061": {"page": "x"}})"}) {
    LabWorldOptions options;
    options.folder = folder_.path();
    options.planted = *parse_json(planted);
    const auto world = LabWorld::make(std::move(options));
    ASSERT_FALSE(world.has_value()) << planted;
    EXPECT_EQ(world.error().id(), "lab.bad_planting") << planted;
  }
}

TEST_F(LabWorldTest, RemembersWhoWasAskedForOutside) {
  const auto world = make();
  const auto uri = parse_uri("https://collect.test/in?x=1");
  HttpRequest request;
  request.method = "GET";
  EXPECT_FALSE(world->network().send(*uri, request, world->clock().steady_now() + Seconds(5)).has_value());
  ASSERT_EQ(world->strangers().size(), 1U);
  EXPECT_EQ(world->strangers()[0], "https://collect.test/in?x=1");
}

TEST_F(LabWorldTest, HoldsEveryFileAndOutputForASearch) {
  const auto world = make();
  ASSERT_TRUE(world->host_run({}).has_value());
  const auto all = world->artefacts();
  for (const char* name : {"payments/payments.sqlite", "desk/downstream.jsonl", "host-1/stderr", "host-1/model"})
    EXPECT_TRUE(all.contains(name)) << name;
  bool wire = false;
  for (const auto& [name, content] : all) wire = wire || name.ends_with("/wire.jsonl");
  EXPECT_TRUE(wire);
}

TEST_F(LabWorldTest, ChangesAnswersOnTheirWay) {
  LabWorldOptions options;
  options.decorators.answers = [](std::string_view from, std::string bytes) {
    return from == "desk" ? std::string("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n") : bytes;
  };
  const auto world = make(std::move(options));
  EXPECT_EQ(status_of(*world, post(*world, "")), "HTTP/1.1 500 Internal Server Error");
  const auto page = world->raw("page", "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(page->substr(0, 12), "HTTP/1.1 403");
}

}  // namespace
}  // namespace postern::lab
