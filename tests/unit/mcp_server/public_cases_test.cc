// Plays raw requests of public bug reports (../shared/cases) against the endpoint and compares status and code with
// what the case expects.
#include <gtest/gtest.h>

#include <sstream>

#include "services/mcp/http_endpoint.h"
#include "tests/support/shared_file.h"
#include "tests/unit/mcp_server/small_server.h"

namespace postern::mcp {
namespace {

// Head and body of a ".http" file, whose lines end with LF.
HttpRequest request_of_file(const std::string& text) {
  HttpRequest request;
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  request.method = line.substr(0, line.find(' '));
  request.target = "/mcp";
  while (std::getline(in, line) && !line.empty()) {
    const std::size_t colon = line.find(':');
    request.headers.add(line.substr(0, colon), line.substr(line.find_first_not_of(' ', colon + 1)));
  }
  std::getline(in, request.body, '\0');
  while (!request.body.empty() && request.body.back() == '\n') request.body.pop_back();
  return request;
}

class PublicCases : public testing::Test {
 protected:
  // Status and error code (0: none) of one file of a case.
  std::pair<int, std::int64_t> play(const std::string& path) {
    const auto text = test::shared_file("cases/" + path);
    EXPECT_TRUE(text.has_value());
    const HttpRequest request = request_of_file(text.value_or(""));
    if (const auto refusal = HttpEndpoint::method_refusal(request)) return {refusal->status, 0};
    const HttpResponse response =
        std::get<HttpResponse>(endpoint_.handle_blocking(request, small_.token("desk:read refunds:write"), {}));
    const auto body = parse_json(response.body);
    const Json* error = body ? body->find("error") : nullptr;
    return {response.status, error == nullptr ? 0 : error->integer_at("code").value_or(0)};
  }
  using Verdict = std::pair<int, std::int64_t>;
  test::SmallServer small_;
  HttpEndpoint endpoint_{*small_.server, "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp"};
};

TEST_F(PublicCases, B022DecodesTheNameBeforeItCompares) {
  POSTERN_SHARED_JSON(expected, "cases/B-022/expect.json");
  ASSERT_EQ(expected.size(), 3U);
  EXPECT_EQ(play("B-022/encoded.http").second, -32602);
  EXPECT_EQ(play("B-022/sentinel.http").second, -32602);
  EXPECT_EQ(play("B-022/bad-b64.http"), Verdict(400, -32020));
}

TEST_F(PublicCases, B023AnswersTheMatrixOfTheRevision) {
  POSTERN_SHARED_JSON(expected, "cases/B-023/expect.json");
  for (const auto& [file, verdict] : expected.members()) {
    const auto [status, code] = play("B-023/" + file);
    EXPECT_EQ(status, verdict.elements()[0].integer()) << file;
    if (verdict.size() > 1) {
      EXPECT_EQ(code, verdict.elements()[1].integer()) << file;
    }
  }
}

TEST_F(PublicCases, B008TakesNullIdForNoNotification) {
  POSTERN_SHARED_TEXT(text, "cases/B-008/null-id.http");
  ASSERT_NE(text.find("\"id\":null"), std::string::npos);
  EXPECT_EQ(play("B-008/null-id.http"), Verdict(400, -32600));
  EXPECT_EQ(small_.runs, 0);
}

TEST_F(PublicCases, B011RefusesABatchWhole) {
  POSTERN_SHARED_TEXT(text, "cases/B-011/batch.http");
  ASSERT_NE(text.find("\n["), std::string::npos);
  EXPECT_EQ(play("B-011/batch.http"), Verdict(400, -32600));
  EXPECT_EQ(small_.runs, 0);
}

}  // namespace
}  // namespace postern::mcp
