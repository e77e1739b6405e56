// Verbs onto exchanges: raw requests, hosts and origins, forms, links, the MCP endpoint, and the host's session.
#include <algorithm>
#include <utility>

#include "bridge/call.h"
#include "bridge/elicitation_policy.h"
#include "bridge/input_answers.h"
#include "bridge/signs_of_life.h"
#include "services/approvals/controls.h"
#include "services/approvals/form_guard.h"
#include "services/gate/host_origin_check.h"
#include "services/mcp/http_endpoint.h"
#include "tests/public/verbs.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/bridge/played_transport.h"
#include "tests/unit/bridge/pretended_desk.h"
#include "tests/unit/mcp_server/small_server.h"
#include "wire/transport/request_framer.h"

namespace postern::test {
namespace {

std::string with_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\r\n" : std::string(1, c);
  return out;
}

// Head lines end with LF in the file and with CRLF here; the body, behind an empty line, stays as it is.
struct RawRequest {
  std::string head;
  std::string body;
};
Result<RawRequest> raw_request(const CaseFile& file) {
  POSTERN_TRY(const std::string text, section_of(file, "request"));
  const std::size_t end = text.find("\n\n");
  if (end == std::string::npos) return RawRequest{with_crlf(text) + "\r\n\r\n", ""};
  return RawRequest{with_crlf(text.substr(0, end)) + "\r\n\r\n", text.substr(end + 2)};
}

Result<HttpRequest> framed(const CaseFile& file) {
  POSTERN_TRY(RawRequest raw, raw_request(file));
  if (!raw.body.empty() && raw.head.find("\r\nContent-Length:") == std::string::npos) {
    raw.head.insert(raw.head.size() - 2, "Content-Length: " + std::to_string(raw.body.size()) + "\r\n");
  }
  RequestFramer framer{FramingLimits()};
  framer.append(raw.head + raw.body);
  const auto progress = framer.advance();
  if (progress == RequestFramer::Progress::kRefused) {
    const Status refused = answered(framer.refusal().status, std::string(framer.refusal().text));
    return refused.error();
  }
  if (progress != RequestFramer::Progress::kComplete) return AnotherValue{"a whole request", "less"};
  return framer.request();
}

Status play_frame(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const HttpRequest request, framed(file));
  return {};
}

Status play_host_origin(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const HttpRequest request, framed(file));
  const auto check = services::host_origin_check_of(*parse_uri("http://127.0.0.1:8931/mcp"));
  if (const auto refusal = check(request)) return answered(refusal->status, refusal->body);
  return {};
}

// Every row but the token's, which needs a session (tests/unit/approvals).
Status play_form(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const HttpRequest request, framed(file));
  return approvals::check_form(approvals::product_form_checks(), {request, "http://127.0.0.1:8933", nullptr, "", ""});
}

Status play_link(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const std::string url, section_of(file, "url"));
  POSTERN_TRY(const bridge::CheckedLink link, bridge::check_link(url, {{"127.0.0.1"}, false}));
  return {};
}

template <int kCode>
struct CodeAnswered {
  static constexpr std::string_view kId = kCode == -32020   ? "jsonrpc.32020"
                                          : kCode == -32021 ? "jsonrpc.32021"
                                          : kCode == -32022 ? "jsonrpc.32022"
                                          : kCode == -32600 ? "jsonrpc.32600"
                                          : kCode == -32601 ? "jsonrpc.32601"
                                          : kCode == -32602 ? "jsonrpc.32602"
                                          : kCode == -32700 ? "jsonrpc.32700"
                                                            : "jsonrpc.other";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string words;
  [[nodiscard]] std::string text() const { return words; }
};
Status code_answered(std::int64_t code, std::string words) {
  switch (code) {
    case -32020:
      return CodeAnswered<-32020>{std::move(words)};
    case -32021:
      return CodeAnswered<-32021>{std::move(words)};
    case -32022:
      return CodeAnswered<-32022>{std::move(words)};
    case -32600:
      return CodeAnswered<-32600>{std::move(words)};
    case -32601:
      return CodeAnswered<-32601>{std::move(words)};
    case -32602:
      return CodeAnswered<-32602>{std::move(words)};
    case -32700:
      return CodeAnswered<-32700>{std::move(words)};
    default:
      return CodeAnswered<0>{std::to_string(code) + " " + words};
  }
}

// A whole request to an MCP endpoint of the product's server core, from a caller with both scopes.
Status play_request(const CaseFile& file, const CaseStep& step) {
  POSTERN_TRY(const HttpRequest request, framed(file));
  SmallServer small;
  mcp::HttpEndpoint endpoint(*small.server, "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp");
  if (const auto refusal = mcp::HttpEndpoint::method_refusal(request)) return answered(refusal->status, refusal->body);
  const HttpResponse response =
      std::get<HttpResponse>(endpoint.handle_blocking(request, small.token("desk:read refunds:write"), {}));
  const auto body = parse_json(response.body);
  const Json* error = body ? body->find("error") : nullptr;
  POSTERN_TRY_VOID(same_as_named(step, "status", std::to_string(response.status)));
  if (error == nullptr) return {};
  if (small.runs > 0) return AnotherValue{"no tool runs", std::to_string(small.runs)};
  return code_answered(error->integer_at("code").value_or(0), response.body);
}

bridge::ServerAnswer played_answer(const Json& answer) {
  if (const Json* error = answer.find("error")) {
    std::optional<Json> data;
    if (const Json* given = error->find("data")) data = *given;
    return bridge::played::error(error->integer_at("code").value_or(0), std::string(error->string_at("message")), data);
  }
  return bridge::played::complete(*answer.find("result"));
}

// A client of the pinned revision that asks a server which revisions it speaks.
Status play_discover(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const Json answer, json_of(file, "answer"));
  bridge::played::Bench bench;
  bench.server.handle = [&](const bridge::OutgoingRequest&) -> Result<bridge::ServerAnswer> {
    return played_answer(answer);
  };
  const auto discovered = bench.session().discover({});
  const auto methods = bench.server.methods();
  if (std::find(methods.begin(), methods.end(), "initialize") != methods.end())
    return AnotherValue{"no initialize", "one"};
  if (!discovered) return discovered.error();
  return {};
}

// A client that reads a list of tools; the answers are given page by page, the last one for ever.
Status play_pages(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const Json answers, json_of(file, "answers"));
  bridge::played::Bench bench;
  std::size_t page = 0;
  bench.server.handle = [&](const bridge::OutgoingRequest&) -> Result<bridge::ServerAnswer> {
    Json answer = answers.elements()[std::min(page++, answers.size() - 1)];
    if (Json* result = answer.find("result"); result != nullptr && result->string_at("nextCursor") == "fresh") {
      result->set("nextCursor", "p" + std::to_string(page));
      result->set("tools", Json::array({bridge::played::tool("t" + std::to_string(page))}));
    }
    return played_answer(answer);
  };
  const auto tools = bench.session().list_tools({});
  if (!tools) return tools.error();
  return {};
}

class Nobody final : public bridge::ElicitationHandler {
 public:
  mcp::ElicitAction show_link(const bridge::LinkRequest&, const std::stop_token&) override {
    return mcp::ElicitAction::kCancel;
  }
  void link_refused(const std::string&, const std::string&) override {}
  void still_waiting(const std::string&) override {}
};

Result<HttpResponse> peer_answer(const CaseStep& server, const bridge::pretended::SeenCall& seen) {
  if (server.words.front() == "silent") return TimedOut{"the answer"};
  if (server.words.front() == "redirects") {
    HttpResponse response = bridge::pretended::reply(307, Json::object());
    response.headers.add("Location", "http://127.0.0.1:39999/mcp");
    return response;
  }
  bridge::pretended::SeenCall answered_call = seen;
  if (server.words.front() == "late") answered_call.body.set("id", *seen.body.find("id")->integer() - 1);
  return bridge::pretended::result_for(answered_call, bridge::pretended::text_result("the order"));
}

// One call of the host to a desk that does what is given: "server silent", "server late", "server redirects",
// "server never-enough".
Status play_call(const CaseFile& file, const CaseStep& step) {
  POSTERN_TRY(const CaseStep server, given_of(file, "server"));
  bridge::pretended::Bench bench;
  Nobody nobody;
  bridge::ElicitationAnswers answers{nobody, {}};
  const pins::PinnedTool tool = bridge::pretended::pinned_tool(step.words.front(), Json::object());
  const bridge::ResultValidator validator({tool});
  bridge::Call call(bench.env.env(), bench.session, bench.oauth, validator, answers, bench.observed,
                    bridge::CallOptions{}, [&bench](std::chrono::milliseconds how_long, const std::stop_token& token) {
                      bench.env.clock.advance(how_long);
                      return token.stop_requested();
                    });
  bench.peers.refuse_scope_for_ever = server.words.front() == "never-enough";
  bench.peers.handle = [&server](const bridge::pretended::SeenCall& seen) { return peer_answer(server, seen); };
  const auto result = call.run(tool, Json::object(), {}, {});
  std::size_t sent = 0;
  for (const auto& seen : bench.peers.calls) sent += seen.token.empty() ? 0 : 1;
  if (const auto bound = step.parameters.find("sent");
      bound != step.parameters.end() && std::to_string(sent) != bound->second) {
    return AnotherValue{bound->second + " calls", std::to_string(sent)};
  }
  for (const std::string& url : bench.peers.fetched) {
    if (url.find(":39999") != std::string::npos) return AnotherValue{"no request to another origin", url};
  }
  if (!result) return result.error();
  return {};
}

// A request that may take 10 s, with 1 s of silence; reports of progress come as given, until 20 s have passed or the
// answer is there.
Status play_wait(const CaseFile& file, const CaseStep& step) {
  POSTERN_TRY(const CaseStep given, given_of(file, "progress"));
  ManualClock clock;
  bridge::OutgoingRequest request;
  request.method = "tools/call";
  request.params = *parse_json(R"({"_meta":{"progressToken":"t"}})");
  request.deadline = clock.steady_now() + Milliseconds(10'000);
  request.silence_ms_max = Milliseconds(1'000);
  bridge::SignsOfLife life(clock, request);
  const std::int64_t every = std::stoll(given.parameters.at("every_ms"));
  const std::int64_t answer = std::stoll(step.parameters.at("answer_ms"));
  for (std::int64_t now = every; now <= 20'000; now += every) {
    if (answer < now) clock.advance(Milliseconds(answer - (now - every)));
    if (answer >= now) clock.advance(Milliseconds(every));
    if (clock.steady_now() >= life.deadline()) return life.failure();
    if (answer < now) return {};
    Json params = Json::object({{"progressToken", given.parameters.at("token")}, {"progress", now}});
    life.take({"notifications/progress", std::move(params)});
  }
  return {};
}

constexpr Verb kVerbs[] = {
    {"frame", play_frame},     {"check-host", play_host_origin}, {"check-form", play_form},  {"check-link", play_link},
    {"request", play_request}, {"discover", play_discover},      {"list-tools", play_pages}, {"call", play_call},
    {"wait", play_wait}};

}  // namespace

std::span<const Verb> exchange_verbs() {
  return kVerbs;
}

}  // namespace postern::test
