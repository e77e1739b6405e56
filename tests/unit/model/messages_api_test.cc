// The Messages API client against a scripted HTTP client: what it sends, and what it does with each kind of answer.
#include "host/model/messages_api.h"

#include <gtest/gtest.h>

#include <deque>

#include "host/model/failures.h"
#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"
#include "tests/support/seeded_random.h"

namespace postern::host {
namespace {

using std::chrono::milliseconds;
using test::refused;
using test::succeeded;

const std::string kEnd =
    R"({"type":"message","role":"assistant","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn"})";

class ScriptedHttp final : public HttpClient {
 public:
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token) override {
    urls.push_back(uri.text());
    requests.push_back(request);
    if (answers.empty()) return PeerClosed{uri.origin()};
    auto answer = answers.front();
    answers.pop_front();
    return answer;
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    return PeerClosed{uri.origin()};
  }
  std::deque<Result<HttpResponse>> answers;
  std::vector<std::string> urls;
  std::vector<HttpRequest> requests;
};

class MessagesApiTest : public testing::Test {
 protected:
  MessagesApi api(MessagesApiOptions options = {}, std::string_view base = "https://models.test") {
    options.base = *model_base_url(base);
    options.model = "claude-sonnet-5-5";
    options.on_wait = [this](milliseconds wait, std::string_view why) {
      waits.push_back(wait);
      reasons.emplace_back(why);
    };
    options.pause = [this](milliseconds, const std::stop_token&) { return !stopped; };
    return MessagesApi(Env{clock, random, tap}, http, ModelApiKey::take("sk-ant-api03-planted"), std::move(options));
  }
  static HttpResponse error(int status, const std::string& type, HeaderList headers = {},
                            const std::string& details = "") {
    HttpResponse response = json_response(
        status, R"({"type":"error","error":{"type":")" + type + R"(","message":"words")" + details + "}}");
    for (const HeaderField& field : headers.fields()) response.headers.add(field.name, field.value);
    return response;
  }
  Transcript transcript{bridge::system_prompt(), {}, bridge::opening("T-1042")};
  test::ManualClock clock;
  test::SeededRandom random;
  NoTap tap;
  ScriptedHttp http;
  std::vector<milliseconds> waits;
  std::vector<std::string> reasons;
  bool stopped = false;
};

TEST_F(MessagesApiTest, SendsVersionKeyAndTranscript) {
  http.answers.push_back(json_response(200, kEnd));
  ASSERT_TRUE(succeeded(api().next(transcript, {})));
  ASSERT_EQ(http.requests.size(), 1u);
  const HttpRequest& request = http.requests[0];
  EXPECT_EQ(http.urls[0], "https://models.test/v1/messages");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(*request.headers.find("anthropic-version"), "2026-10-21");
  EXPECT_EQ(*request.headers.find("x-api-key"), "sk-ant-api03-planted");
  EXPECT_FALSE(request.headers.has("authorization"));
  const auto body = parse_json(request.body);
  ASSERT_TRUE(succeeded(body));
  EXPECT_EQ(body->string_at("model"), "claude-sonnet-5-5");
  EXPECT_EQ(body->find("messages")->size(), 1u);
  EXPECT_EQ(request.body.find("sk-ant"), std::string::npos);
  for (const char* absent : {"temperature", "top_p", "top_k", "thinking", "tools", "tool_choice", "stream"}) {
    EXPECT_FALSE(body->has(absent)) << absent;
  }
}

TEST_F(MessagesApiTest, SendsABearerTokenWhenThatIsWhatThePersonHas) {
  http.answers.push_back(json_response(200, kEnd));
  MessagesApiOptions options;
  options.key_header = ModelKeyHeader::kBearer;
  ASSERT_TRUE(succeeded(api(options).next(transcript, {})));
  EXPECT_EQ(*http.requests[0].headers.find("authorization"), "Bearer sk-ant-api03-planted");
  EXPECT_FALSE(http.requests[0].headers.has("x-api-key"));
}

TEST_F(MessagesApiTest, BeginsEachRequestWithTheWholeOfTheOneBefore) {
  const std::string content =
      R"([{"type":"thinking","thinking":"","signature":"s"}, {"type":"tool_use","id":"t1","name":"x","input":{}}])";
  http.answers.push_back(
      json_response(200, R"({"role":"assistant","content":)" + content + R"(,"stop_reason":"tool_use"})"));
  http.answers.push_back(json_response(200, kEnd));
  MessagesApi model = api();
  const auto turn = model.next(transcript, {});
  ASSERT_TRUE(succeeded(turn));
  transcript.append_assistant(turn->content_json);
  transcript.append_answers({ToolAnswer{"t1", bridge::no_such_tool(), true}});
  ASSERT_TRUE(succeeded(model.next(transcript, {})));
  const std::string before = http.requests[0].body.substr(0, http.requests[0].body.size() - 2);
  EXPECT_TRUE(http.requests[1].body.starts_with(before));
  EXPECT_NE(http.requests[1].body.find(content), std::string::npos);
}

TEST_F(MessagesApiTest, KeepsAPathOfTheBaseUrl) {
  http.answers.push_back(json_response(200, kEnd));
  ASSERT_TRUE(succeeded(api({}, "http://127.0.0.1:8080/models/").next(transcript, {})));
  EXPECT_EQ(http.urls[0], "http://127.0.0.1:8080/models/v1/messages");
}

TEST_F(MessagesApiTest, RepeatsAnOverloadedServiceAndSaysSo) {
  http.answers.push_back(error(529, "overloaded_error"));
  http.answers.push_back(Unreachable{"https://models.test", "connection refused"});
  http.answers.push_back(json_response(200, kEnd));
  ASSERT_TRUE(succeeded(api().next(transcript, {})));
  EXPECT_EQ(http.requests.size(), 3u);
  EXPECT_EQ(http.requests[0].body, http.requests[2].body);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_GE(waits[1], milliseconds(750));
  EXPECT_NE(reasons[0].find("529 overloaded_error"), std::string::npos);
}

TEST_F(MessagesApiTest, StopsAfterItsRetries) {
  for (int i = 0; i < 3; ++i) http.answers.push_back(error(500, "api_error"));
  EXPECT_TRUE(refused(api().next(transcript, {}), "model.api_unavailable"));
  EXPECT_EQ(http.requests.size(), 3u);
}

TEST_F(MessagesApiTest, WaitsAsLongAsTheServiceAsks) {
  http.answers.push_back(error(429, "rate_limit_error", {{"retry-after", "60"}}));
  http.answers.push_back(json_response(200, kEnd));
  ASSERT_TRUE(succeeded(api().next(transcript, {})));
  EXPECT_EQ(waits, std::vector<milliseconds>{milliseconds(60'000)});
}

TEST_F(MessagesApiTest, RefusesToWaitLongerThanItsBound) {
  http.answers.push_back(error(429, "rate_limit_error", {{"retry-after", "61"}}));
  const auto turn = api().next(transcript, {});
  ASSERT_TRUE(refused(turn, "model.api_unavailable"));
  EXPECT_NE(turn.error().text().find("come back in 61 s"), std::string::npos);
  EXPECT_TRUE(waits.empty());
}

TEST_F(MessagesApiTest, RefusesToRepeatAtASpendLimit) {
  http.answers.push_back(
      error(429, "rate_limit_error", {}, R"(,"details":{"error_code":"enforced_spend_limit_reached"})"));
  const auto turn = api().next(transcript, {});
  ASSERT_TRUE(refused(turn, "model.api_refused"));
  EXPECT_NE(turn.error().text().find("enforced_spend_limit_reached"), std::string::npos);
  EXPECT_EQ(http.requests.size(), 1u);
}

TEST_F(MessagesApiTest, RefusesAWrongKeyWithoutSayingIt) {
  http.answers.push_back(error(401, "authentication_error"));
  const auto turn = api().next(transcript, {});
  ASSERT_TRUE(refused(turn, "model.api_refused"));
  EXPECT_EQ(turn.error().text().find("sk-ant"), std::string::npos);
  EXPECT_NE(turn.error().text().find("Check the model key"), std::string::npos);
}

TEST_F(MessagesApiTest, TakesItsKeyOutOfWhateverTheServiceSays) {
  http.answers.push_back(json_response(
      401, R"({"type":"error","error":{"type":"authentication_error","message":"bad key sk-ant-api03-planted"}})"));
  const auto turn = api().next(transcript, {});
  ASSERT_TRUE(refused(turn, "model.api_refused"));
  EXPECT_NE(turn.error().text().find("It said: bad key [model key]"), std::string::npos) << turn.error().text();
  http.answers.push_back(json_response(
      200,
      R"({"type":"message","role":"assistant","content":[{"type":"text","text":"I was called with sk-ant-api03-planted."}],
          "stop_reason":"end_turn"})"));
  const auto spoken = api().next(transcript, {});
  ASSERT_TRUE(succeeded(spoken));
  EXPECT_EQ(spoken->text, "I was called with [model key].");
  EXPECT_EQ(spoken->content_json.find("planted"), std::string::npos);
}

TEST_F(MessagesApiTest, RefusesARedirectInsteadOfFollowingIt) {
  HttpResponse away = redirect_response("https://elsewhere.test/v1/messages");
  away.status = 307;
  http.answers.push_back(away);
  EXPECT_TRUE(refused(api().next(transcript, {}), "model.api_refused"));
  EXPECT_EQ(http.requests.size(), 1u);
}

TEST_F(MessagesApiTest, RefusesAnErrorPageOfAProxyWithoutShowingIt) {
  http.answers.push_back(HttpResponse{403, {}, "<html>\x1b[2Jgo away</html>"});
  const auto turn = api().next(transcript, {});
  ASSERT_TRUE(refused(turn, "model.api_refused"));
  EXPECT_EQ(turn.error().text().find('\x1b'), std::string::npos);
}

TEST_F(MessagesApiTest, DoesNotRepeatABrokenCertificate) {
  http.answers.push_back(TlsFailed{"https://models.test", "certificate has expired"});
  EXPECT_TRUE(refused(api().next(transcript, {}), "model.api_unavailable"));
  EXPECT_EQ(http.requests.size(), 1u);
}

TEST_F(MessagesApiTest, EndsItsWaitWhenThePersonStops) {
  http.answers.push_back(error(529, "overloaded_error"));
  stopped = true;
  EXPECT_TRUE(refused(api().next(transcript, {}), "transport.cancelled"));
  EXPECT_EQ(http.requests.size(), 1u);
}

TEST(ModelBaseUrl, RefusesPlainHttpToAnotherMachine) {
  EXPECT_TRUE(refused(model_base_url("http://models.test"), "model.url_refused"));
  EXPECT_TRUE(succeeded(model_base_url("https://models.test")));
  EXPECT_TRUE(succeeded(model_base_url("http://127.0.0.1:9000")));
}

TEST(ModelBaseUrl, RefusesWhatIsNoBase) {
  for (const char* url : {"", "models.test", "file:///etc", "https://a@models.test", "https://models.test/?key=1"}) {
    EXPECT_TRUE(refused(model_base_url(url), "model.url_refused")) << url;
  }
}

}  // namespace
}  // namespace postern::host
