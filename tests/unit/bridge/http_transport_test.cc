// One request over Streamable HTTP and its answer, JSON or an event stream (MCP 2026-07-28
// basic/transports/streamable-http; public cases B-017, B-019, B-020, B-102, B-103).
#include "bridge/http_transport.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bridge/oauth/failures.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge/played_server.h"

namespace postern::bridge {
namespace {

using played::error_text;
using played::event;
using played::HttpBench;
using played::id_in;
using played::json_answer;
using played::Piece;
using played::PlayedAnswer;
using played::progress_event;
using played::result_text;
using played::SeenPost;
using played::stream_answer;
using test::refused;
using test::succeeded;

constexpr std::string_view kOrder =
    R"({"resultType":"complete","content":[{"type":"text","text":"{\"order_id\":\"ORD-9001\"}"}]})";

std::string text_of(const Result<ServerAnswer>& answer) {
  if (!answer) return answer.error().text();
  const auto* result = std::get_if<JsonRpcResult>(&*answer);
  return result == nullptr ? std::get<JsonRpcError>(*answer).message : result->result.dump();
}

// `text` cut into pieces of that many bytes.
std::vector<Piece> pieces_of(std::string_view text, std::size_t size) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < text.size(); at += size) pieces.push_back({std::string(text.substr(at, size))});
  return pieces;
}

TEST(HttpTransport, SendsEachMessageAsAPostWithTheHeadersOfTheRevision) {
  HttpBench bench;
  bench.server.play = [](const SeenPost& post) { return json_answer(result_text(post, kOrder)); };
  OutgoingRequest request = bench.request();
  request.params.set("arguments", Json::object({{"region", "Zürich\n"}, {"note", nullptr}}));
  request.param_headers = {{"Region", {"region"}, "string"}, {"Note", {"note"}, "string"}};
  ASSERT_TRUE(succeeded(bench.exchange(request)));
  ASSERT_TRUE(succeeded(bench.exchange(request)));
  ASSERT_EQ(bench.server.seen.size(), 2U);
  const SeenPost& post = bench.server.seen[0];
  EXPECT_EQ(post.method, "POST");
  EXPECT_TRUE(post.body.is_object());
  EXPECT_EQ(post.body.string_at("jsonrpc"), "2.0");
  EXPECT_TRUE(post.body.find("id")->is_integer());
  EXPECT_FALSE(*post.body.find("id") == *bench.server.seen[1].body.find("id"));
  EXPECT_EQ(*post.headers.find("Accept"), "application/json, text/event-stream");
  EXPECT_EQ(*post.headers.find("MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(*post.headers.find("Mcp-Method"), "tools/call");
  EXPECT_EQ(*post.headers.find("Mcp-Name"), "get_order");
  EXPECT_EQ(mcp::decode_header_value(*post.headers.find("Mcp-Param-Region")), "Zürich\n");
  EXPECT_FALSE(post.headers.has("Mcp-Param-Note"));
  EXPECT_FALSE(post.headers.has("Mcp-Session-Id"));
  EXPECT_FALSE(post.headers.has("Last-Event-ID"));
}

TEST(HttpTransport, ANameThatIsNoPlainTextIsEncodedInItsHeader) {
  for (const char* name : {"süß", " padded", "tab\there"}) {
    HttpBench bench;
    bench.server.play = [](const SeenPost& post) { return json_answer(result_text(post, kOrder)); };
    OutgoingRequest request = bench.request();
    request.params.set("name", name);
    ASSERT_TRUE(succeeded(bench.exchange(request)));
    const std::string& header = *bench.server.seen[0].headers.find("Mcp-Name");
    EXPECT_TRUE(header.starts_with("=?base64?")) << header;
    EXPECT_EQ(mcp::decode_header_value(header), name);
  }
}

// B-017: four ways to end a line, each with one message in it.
TEST(HttpTransport, PublicCaseB017ReadsStreamsWithEveryEndOfLine) {
  const std::pair<const char*, const char*> ends[] = {{"", "\n"}, {"", "\r\n"}, {"", "\r"}, {"\xEF\xBB\xBF", "\r\n"}};
  for (const auto& [mark, end] : ends) {
    for (const std::size_t size : {1U, 2U, 7U, 4096U}) {
      HttpBench bench;
      bench.server.play = [&, first = mark, nl = std::string(end)](const SeenPost& post) {
        return stream_answer(pieces_of(std::string(first) + ": keep-alive" + nl + "event: message" + nl +
                                           "data: " + result_text(post, kOrder) + nl + nl,
                                       size));
      };
      EXPECT_EQ(text_of(bench.exchange()), kOrder) << size;
    }
  }
}

// B-019: a character that is cut in two arrives whole, wherever it is cut.
TEST(HttpTransport, PublicCaseB019AStreamMayBeCutInsideACharacter) {
  const std::string text =
      "Zelt\xC3\xBC"
      "bergr\xC3\xB6\xC3\x9F"
      "e \xF0\x9F\x8F\x95";
  const std::string result = R"({"content":[{"type":"text","text":")" + text + R"("}]})";
  for (std::size_t size = 1; size < 24; ++size) {
    HttpBench bench;
    bench.server.play = [&](const SeenPost& post) {
      return stream_answer(pieces_of(event(result_text(post, result)), size));
    };
    EXPECT_EQ(text_of(bench.exchange()), result) << size;
  }
}

// B-020: several data lines, one without a blank; fields and events that mean nothing.
TEST(HttpTransport, PublicCaseB020JoinsTheDataLinesOfAnEvent) {
  HttpBench bench;
  bench.server.play = [](const SeenPost& post) {
    return stream_answer(
        {{"event: ping\n\n: x\n\nfoo: bar\nid: 9\nretry: 10\ndata:{\"jsonrpc\":\"2.0\",\"id\":" + id_in(post) +
          ",\ndata: \"result\":{\"resultType\":\"complete\",\"content\":[],\ndata:  \"structuredContent\":"
          "{\"order_id\":\"ORD-9001\",\"total_cents\":12900}}}\n\n"}});
  };
  EXPECT_EQ(
      text_of(bench.exchange()),
      R"({"resultType":"complete","content":[],"structuredContent":{"order_id":"ORD-9001","total_cents":12900}})");
}

TEST(HttpTransport, EventsOfOtherTypesAndWithoutDataAreNoMessages) {
  HttpBench bench;
  bench.server.play = [](const SeenPost& post) {
    return stream_answer({{"event: heartbeat\ndata: not JSON\n\nid: 1\ndata:\n\n" + event(result_text(post, kOrder))}});
  };
  EXPECT_EQ(text_of(bench.exchange()), kOrder);
}

TEST(HttpTransport, HandsNotificationsOnAsTheyCome) {
  HttpBench bench;
  std::vector<int> taken;
  bench.hears = [&](const JsonRpcNotification&) {
    taken.push_back(bench.server.taken);
    return true;
  };
  bench.server.play = [](const SeenPost& post) {
    return stream_answer({{progress_event(1)},
                          {progress_event(2)},
                          {event(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}})")},
                          {event(result_text(post, kOrder))}});
  };
  EXPECT_EQ(text_of(bench.exchange()), kOrder);
  EXPECT_EQ(taken, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(bench.heard.back(), "notifications/message");
  EXPECT_EQ(bench.server.seen.size(), 1U) << "nothing is answered";
}

TEST(HttpTransport, TheResponseEndsTheStreamWhateverFollows) {
  HttpBench bench;
  bench.server.play = [](const SeenPost& post) {
    return stream_answer({{event(result_text(post, kOrder)) + progress_event(5)}, {"never ends"}});
  };
  EXPECT_EQ(text_of(bench.exchange()), kOrder);
  EXPECT_TRUE(bench.heard.empty());
  EXPECT_EQ(bench.server.taken, 1);
}

TEST(HttpTransport, AStreamThatEndsOrBreaksBeforeItsResponseIsALostAnswer) {
  const std::pair<std::optional<Failure>, std::string_view> ends[] = {
      {std::nullopt, BadResponse::kId},
      {Failure(PeerClosed{"server"}), PeerClosed::kId},
      {Failure(ResponseOverBound{"server", "more bytes"}), ResponseOverBound::kId},
  };
  for (const auto& [ending, id] : ends) {
    HttpBench bench;
    bench.server.play = [&, end = ending](const SeenPost&) {
      PlayedAnswer answer = stream_answer({{"id: 7\n" + progress_event(1)}});
      answer.ending = end;
      return answer;
    };
    EXPECT_TRUE(refused(bench.exchange(), id));
    EXPECT_EQ(bench.server.seen.size(), 1U) << "neither resumed nor sent again";
    // Whoever asks again asks anew.
    bench.server.play = [](const SeenPost& post) { return json_answer(result_text(post, kOrder)); };
    EXPECT_TRUE(succeeded(bench.exchange()));
    EXPECT_FALSE(*bench.server.seen[0].body.find("id") == *bench.server.seen[1].body.find("id"));
    EXPECT_FALSE(bench.server.seen[1].headers.has("Last-Event-ID"));
  }
}

TEST(HttpTransport, NeverAnswersARequestOfTheServer) {
  HttpBench bench;
  bench.server.play = [](const SeenPost& post) {
    return stream_answer({{event(R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}})")},
                          {event(result_text(post, kOrder))}});
  };
  EXPECT_TRUE(refused(bench.exchange(), BadResponse::kId));
  EXPECT_EQ(bench.server.seen.size(), 1U);
}

TEST(HttpTransport, ReadsAnErrorWhateverStatusItCameWith) {
  for (const int status : {200, 400, 404, 500}) {
    HttpBench bench;
    bench.server.play = [&](const SeenPost& post) {
      return json_answer(error_text(post, R"({"code":-32601,"message":"none"})"), status);
    };
    const auto answer = bench.exchange();
    ASSERT_TRUE(succeeded(answer)) << status;
    EXPECT_EQ(std::get<JsonRpcError>(*answer).code, -32601);
  }
  HttpBench bench;
  bench.server.play = [](const SeenPost&) {
    return json_answer(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}})", 400);
  };
  EXPECT_TRUE(succeeded(bench.exchange()));
}

TEST(HttpTransport, AStatusWithoutAnErrorInItsBodyIsNoAnswer) {
  const PlayedAnswer answers[] = {
      json_answer("", 400),
      json_answer("no JSON", 400),
      json_answer(R"({"error":"invalid"})", 404),
      json_answer(R"({"jsonrpc":"2.0","id":1,"result":{}})", 400),
      json_answer(R"({"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"of another"}})", 400),
      {405, {{"Content-Type", "text/html"}}, {{"<h1>"}}, std::nullopt, false},
      {202, {}, {}, std::nullopt, false},
      json_answer(std::string(100'000, ' '), 500),
  };
  for (const PlayedAnswer& answer : answers) {
    HttpBench bench;
    bench.server.play = [&](const SeenPost&) { return answer; };
    const auto no = bench.exchange();
    ASSERT_TRUE(refused(no, HttpStatus::kId));
    EXPECT_EQ(no.error().as<HttpStatus>()->status, answer.status);
  }
}

TEST(HttpTransport, ABodyThatIsNoAnswerIsNamed) {
  const std::pair<std::string, std::string_view> bodies[] = {
      {"<html>", "json.malformed"},
      {"", "json.malformed"},
      {"[]", "jsonrpc.malformed"},
      {R"({"jsonrpc":"2.0","id":"1","result":{}})", "bridge.bad_response"},  // the string is not the integer
      {R"({"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}})", "json.duplicate_member"},
      {R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})", "bridge.bad_response"},
  };
  for (const auto& [body, id] : bodies) {
    HttpBench bench;
    bench.server.play = [&, text = body](const SeenPost&) { return json_answer(text); };
    EXPECT_TRUE(refused(bench.exchange(), id)) << body;
    HttpBench streamed;
    streamed.server.play = [&, text = body](const SeenPost&) { return stream_answer({{event(text)}}); };
    if (!body.empty()) {
      EXPECT_TRUE(refused(streamed.exchange(), id)) << body;
    }
  }
  HttpBench html;
  html.server.play = [](const SeenPost&) {
    return PlayedAnswer{200, {{"Content-Type", "text/html"}}, {}, std::nullopt, false};
  };
  EXPECT_TRUE(refused(html.exchange(), BadResponse::kId));
}

TEST(HttpTransport, FollowsNoRedirect) {
  for (const int status : {301, 302, 307, 308}) {
    HttpBench bench;
    bench.credentials.authorization = "Bearer a-token-as-long-as-they-are";
    bench.server.play = [&](const SeenPost&) {
      return PlayedAnswer{status, {{"Location", "http://127.0.0.1:39999/"}}, {}, std::nullopt, false};
    };
    EXPECT_TRUE(refused(bench.exchange(), HttpStatus::kId));
    EXPECT_EQ(bench.server.seen.size(), 1U);
  }
}

// B-102: reports of progress keep a call alive, but not past its end.
TEST(HttpTransport, PublicCaseB102ProgressForEverEndsAtTheEnd) {
  HttpBench bench;
  bench.server.play = [](const SeenPost&) {
    std::vector<Piece> pieces;
    for (int i = 1; i <= 600; ++i) pieces.push_back({progress_event(i), Milliseconds(500)});
    return stream_answer(std::move(pieces));
  };
  OutgoingRequest request = bench.request();
  request.silence_ms_max = Milliseconds(1'000);
  const SteadyTime begun = bench.env.clock.steady_now();
  const auto no = bench.exchange(request);
  ASSERT_TRUE(refused(no, RequestTimedOut::kId));
  EXPECT_FALSE(no.error().as<RequestTimedOut>()->silent);
  EXPECT_EQ(bench.env.clock.steady_now() - begun, Milliseconds(60'000));
  EXPECT_EQ(bench.server.taken, 119);
}

TEST(HttpTransport, PublicCaseB102OnlyProgressThatIsOursAndRisesBeginsTheSilenceAnew) {
  const std::pair<std::vector<std::string>, bool> floods[] = {
      {{progress_event(1), progress_event(2), progress_event(3)}, true},
      {{progress_event(3), progress_event(3), progress_event(3)}, false},
      {{progress_event(3), progress_event(2), progress_event(1)}, false},
      {{progress_event(1, "2"), progress_event(2, "2"), progress_event(3, "2")}, false},
      {{progress_event(1, "\"1\""), progress_event(2, "\"1\""), progress_event(3, "\"1\"")}, false},
      {{": quiet\n\n", ": quiet\n\n", ": quiet\n\n"}, false},
  };
  for (const auto& [events, alive] : floods) {
    HttpBench bench;
    bench.server.play = [&, said = events](const SeenPost& post) {
      std::vector<Piece> pieces;
      for (const std::string& one : said) pieces.push_back({one, Milliseconds(600)});
      pieces.push_back({event(result_text(post, kOrder)), Milliseconds(600)});
      return stream_answer(std::move(pieces));
    };
    OutgoingRequest request = bench.request();
    request.silence_ms_max = Milliseconds(1'000);
    const auto answer = bench.exchange(request);
    EXPECT_EQ(answer.has_value(), alive) << events[0];
    if (!alive) {
      ASSERT_TRUE(refused(answer, RequestTimedOut::kId));
      EXPECT_TRUE(answer.error().as<RequestTimedOut>()->silent);
    }
  }
  // Without a token that was sent nothing counts.
  HttpBench bench;
  bench.server.play = [&](const SeenPost& post) {
    return stream_answer(
        {{progress_event(1), Milliseconds(600)}, {event(result_text(post, kOrder)), Milliseconds(600)}});
  };
  OutgoingRequest request = bench.request();
  request.silence_ms_max = Milliseconds(1'000);
  request.params.find("_meta")->erase("progressToken");
  EXPECT_TRUE(refused(bench.exchange(request), RequestTimedOut::kId));
}

// B-103: a call that ran out of time is closed, not sent again, and its late answer belongs to no other.
TEST(HttpTransport, PublicCaseB103ASilentServerIsWaitedForOnce) {
  HttpBench bench;
  bench.server.play = [](const SeenPost&) {
    PlayedAnswer answer;
    answer.silent = true;
    return answer;
  };
  const auto no = bench.exchange();
  ASSERT_TRUE(refused(no, RequestTimedOut::kId));
  EXPECT_EQ(no.error().as<RequestTimedOut>()->waited_ms, 60'000);
  ASSERT_EQ(bench.server.seen.size(), 1U) << "closing the connection is the cancellation: nothing more is sent";
  const std::string late = result_text(bench.server.seen[0], kOrder);
  bench.server.play = [&](const SeenPost&) { return json_answer(late); };
  EXPECT_TRUE(refused(bench.exchange(), BadResponse::kId));
}

TEST(HttpTransport, WhoeverStopsClosesTheStream) {
  HttpBench bench;
  std::stop_source stop;
  bench.server.stopped_by_person = &stop;
  bench.server.play = [](const SeenPost& post) {
    return stream_answer({{progress_event(1)}, {event(result_text(post, kOrder))}});
  };
  EXPECT_TRUE(refused(bench.transport.exchange(bench.request(), stop.get_token()), Cancelled::kId));
  EXPECT_EQ(bench.server.seen.size(), 1U);
  HttpBench listener;
  listener.server.play = bench.server.play;
  listener.hears = [](const JsonRpcNotification&) { return false; };
  EXPECT_TRUE(refused(listener.exchange(), EndedByCaller::kId));
  EXPECT_EQ(listener.server.taken, 1);
}

TEST(HttpTransport, AnAnswerThatComesTogetherWithAStopCounts) {
  HttpBench bench;
  std::stop_source stop;
  bench.hears = [&](const JsonRpcNotification&) {
    stop.request_stop();
    return true;
  };
  bench.server.play = [](const SeenPost& post) {
    return stream_answer({{progress_event(1) + event(result_text(post, kOrder))}});
  };
  EXPECT_TRUE(succeeded(bench.transport.exchange(bench.request(), stop.get_token())));
}

TEST(HttpTransport, WithholdsTheTokenHoweverItIsWritten) {
  const std::string token = "a-token-as-long-as-they-are";
  const std::string written[] = {token, "\\u0061-token-as-long-as-they-are", "a-token-\\u0061s-long-as-they-are"};
  for (const std::string& form : written) {
    HttpBench bench;
    bench.credentials.authorization = "DPoP " + token;
    std::string noted;
    bench.hears = [&](const JsonRpcNotification& notification) {
      noted = notification.params.dump();
      return true;
    };
    bench.server.play = [&](const SeenPost& post) {
      const std::string note =
          R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":")" + form + R"("}})";
      const std::string result = R"({"content":[{"text":"<)" + form + R"(>"}],"x":{")" + form + R"(":1}})";
      return stream_answer({{event(note) + event(result_text(post, result))}});
    };
    EXPECT_EQ(text_of(bench.exchange()),
              R"({"content":[{"text":"<[the access token is withheld]>"}],"x":{"[the access token is withheld]":1}})");
    EXPECT_EQ(noted, R"({"data":"[the access token is withheld]"})");
    bench.server.play = [&](const SeenPost& post) {
      return json_answer(error_text(post, R"({"code":1,"message":")" + form + R"("})"), 400);
    };
    EXPECT_EQ(text_of(bench.exchange()), "[the access token is withheld]");
  }
}

TEST(HttpTransport, SignsInAndSendsAgainUnderANewId) {
  HttpBench bench;
  bench.credentials.next = "Bearer second";
  bench.server.play = [](const SeenPost& post) {
    if (!post.headers.has("Authorization")) return PlayedAnswer{401, {}, {}, std::nullopt, false};
    return json_answer(result_text(post, kOrder));
  };
  EXPECT_EQ(bench.transport.authorization_context(), 0U);
  EXPECT_TRUE(succeeded(bench.exchange()));
  EXPECT_EQ(bench.credentials.sign_ins, 1);
  EXPECT_FALSE(*bench.server.seen[0].body.find("id") == *bench.server.seen[1].body.find("id"));
  const std::uint64_t context = bench.transport.authorization_context();
  EXPECT_NE(context, 0U);
  EXPECT_TRUE(succeeded(bench.exchange()));
  EXPECT_EQ(bench.transport.authorization_context(), context);
  bench.credentials.authorization = "Bearer third";
  EXPECT_TRUE(succeeded(bench.exchange()));
  EXPECT_NE(bench.transport.authorization_context(), context);
}

TEST(HttpTransport, ARequestThatMayNotSignInEndsAtTheChallenge) {
  HttpBench bench;
  bench.credentials.next = "Bearer second";
  bench.server.play = [](const SeenPost&) { return PlayedAnswer{401, {}, {}, std::nullopt, false}; };
  OutgoingRequest request = bench.request("subscriptions/listen");
  request.may_sign_in = false;
  const auto no = bench.exchange(request);
  ASSERT_TRUE(refused(no, HttpStatus::kId));
  EXPECT_EQ(no.error().as<HttpStatus>()->status, 401);
  EXPECT_EQ(bench.credentials.sign_ins, 0);
  EXPECT_TRUE(refused(bench.exchange(), RefusedAfterSignIn::kId));
}

TEST(HttpTransport, IsAskedForANonceOnceAndSendsTheSameAgain) {
  HttpBench bench;
  bench.credentials.wants_again = true;
  bench.server.play = [&](const SeenPost& post) {
    if (bench.server.seen.size() == 1) return PlayedAnswer{401, {{"DPoP-Nonce", "n-1"}}, {}, std::nullopt, false};
    return json_answer(result_text(post, kOrder));
  };
  EXPECT_TRUE(succeeded(bench.exchange()));
  EXPECT_EQ(bench.credentials.sign_ins, 0);
  EXPECT_EQ(bench.server.seen.size(), 2U);
}

TEST(HttpTransport, AScopeThatIsMissingBelongsToTheCall) {
  HttpBench bench;
  bench.server.play = [](const SeenPost&) {
    return PlayedAnswer{
        403, {{"www-authenticate", R"(Bearer error="insufficient_scope", scope="a b")"}}, {}, std::nullopt, false};
  };
  const auto no = bench.exchange();
  ASSERT_TRUE(refused(no, ScopeNeeded::kId));
  EXPECT_EQ(no.error().as<ScopeNeeded>()->scopes, "a b");
}

TEST(HttpTransport, SendsNotificationsWithoutAnId) {
  HttpBench bench;
  bench.server.play = [](const SeenPost&) { return PlayedAnswer{202, {}, {}, std::nullopt, false}; };
  const JsonRpcNotification notification{"notifications/cancelled", Json::object({{"requestId", 1}})};
  ASSERT_TRUE(succeeded(bench.transport.notify(notification, bench.env.clock.steady_now() + Milliseconds(1), {})));
  EXPECT_FALSE(bench.server.seen[0].body.has("id"));
  bench.server.play = [](const SeenPost&) { return PlayedAnswer{400, {}, {}, std::nullopt, false}; };
  EXPECT_TRUE(refused(bench.transport.notify(notification, bench.env.clock.steady_now() + Milliseconds(1), {}),
                      HttpStatus::kId));
}

}  // namespace
}  // namespace postern::bridge
