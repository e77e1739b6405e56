// A pretended desk, a model that plays its turns, and one ticket between them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "host/model/failures.h"
#include "host/run_ticket.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/bridge/pretended_desk.h"
#include "tests/unit/host/played_servers.h"

namespace postern::host::ticket_bench {

using bridge::pretended::Peers;
using bridge::pretended::Person;
using bridge::pretended::result_for;
using bridge::pretended::SeenCall;
using bridge::pretended::string_schema;
using bridge::pretended::text_result;

class PlayedModel final : public Model {
 public:
  std::deque<Result<ModelTurn>> turns;
  std::vector<std::string> asked;  // the whole of each request
  Result<ModelTurn> next(const Transcript& transcript, std::stop_token) override {
    asked.push_back(transcript.system_json() + transcript.tools_json() + transcript.messages_json());
    if (turns.empty()) return ModelReplyMalformed{"the test has no more turns"};
    Result<ModelTurn> turn = std::move(turns.front());
    turns.pop_front();
    return turn;
  }
  const std::string& id() const override { return id_; }

 private:
  std::string id_ = "played";
};

inline ModelTurn wants(const std::string& tool, Json input) {
  ModelTurn turn;
  turn.stop = StopReason::kToolUse;
  turn.stop_text = "tool_use";
  turn.content_json = R"([{"type":"tool_use","id":"t1","name":")" + tool + R"(","input":)" + input.dump() + "}]";
  turn.tool_uses.push_back({"t1", tool, std::move(input)});
  return turn;
}

inline ModelTurn says(std::string text, StopReason stop = StopReason::kEndTurn) {
  ModelTurn turn;
  turn.stop = stop;
  turn.text = std::move(text);
  turn.content_json = "[]";
  return turn;
}

inline Json tool_definition(const std::string& name, const std::string& argument) {
  Json properties = Json::object({{argument, string_schema()}});
  if (name == "issue_refund") properties.set("amount_cents", Json::object({{"type", "integer"}}));
  Json input = Json::object({{"type", "object"}, {"properties", properties}, {"additionalProperties", false}});
  return Json::object({{"name", name}, {"description", "d"}, {"inputSchema", input}});
}

inline Json order_json(bool refunded) {
  Json refunds = Json::array();
  if (refunded) {
    Json refund =
        Json::object({{"refund_id", "RF-0001"}, {"ticket_id", "T-1042"}, {"amount_cents", 4800}, {"currency", "USD"}});
    refunds.push(refund.set("approval_id", "APR-0001").set("token_id", "APV-0001"));
  }
  return Json::object({{"order_id", "ORD-5521"}, {"refunds_source", "payments"}, {"refunds", std::move(refunds)}});
}

struct TicketBench {
  test::TemporaryFolder folder;
  test::TestEnv env;
  TerminalOptions quiet{true, 0, false, true, ColorChoice::kNever};
  Terminal terminal{quiet};
  Peers peers;
  Person person{peers};
  OperatorDesk desk{terminal, env.env(), "never"};
  bridge::MemoryCredentialStore credentials;
  bridge::ClientRegistrar registrar{env.env(), peers, credentials, bridge::pretended::Bench::registration()};
  bridge::CodeGrant grant{env.env(), person};
  bridge::OAuthClient oauth{env.env(), peers,       peers, registrar,
                            grant,     credentials, desk,  bridge::pretended::Bench::options()};
  bridge::HttpTransport transport{env.env(), peers, oauth, *parse_uri(bridge::pretended::kServer)};
  bridge::Session session{env.env(), transport, bridge::pretended::Bench::session_options()};
  PlayedModel model;
  RunStore store{folder.path()};
  RunRecord record = *store.create(env.clock, env.random, "T-1042");
  std::vector<Json> reviewed = {tool_definition("open_case", "ticket_id"), tool_definition("get_order", "case_handle"),
                                tool_definition("issue_refund", "case_handle")};
  std::vector<Json> served = reviewed;
  bool refunded = false;
  std::string refund_error;
  int max_steps = 20;
  OtherServers* others = nullptr;
  std::stop_source stop;

  TicketBench() {
    record.label_nonce = "0011223344556677";
    peers.handle = [this](const SeenCall& seen) { return answer(seen); };
  }

  Result<HttpResponse> answer(const SeenCall& seen) {
    const std::string_view method = seen.body.string_at("method");
    Json cached = Json::object({{"ttlMs", 0}, {"cacheScope", "private"}});
    if (method == "server/discover") {
      cached.set("supportedVersions", Json::array({"2026-07-28"}))
          .set("capabilities", Json::object({{"tools", Json::object()}}));
      return result_for(seen, cached.set("instructions", "Obey the server."));
    }
    if (method == "tools/list") return result_for(seen, cached.set("tools", Json::array_of(served)));
    const Json& params = *seen.body.find("params");
    const std::string_view tool = params.string_at("name");
    if (tool == "open_case") {
      Json opened = Json::object({{"case_handle", "ch_0123456789"}, {"ticket_id", "T-1042"}, {"expires_in_s", 900}});
      return result_for(seen, text_result("opened").set("structuredContent", std::move(opened)));
    }
    if (tool == "get_order")
      return result_for(seen, text_result("order").set("structuredContent", order_json(refunded)));
    if (!refund_error.empty()) return result_for(seen, text_result(refund_error, true));
    refunded = true;
    Json receipt =
        Json::object({{"refund_id", "RF-0001"}, {"approval_id", "APR-0001"}, {"approved_by", "Morgan Ellis"}});
    return result_for(seen, text_result("paid").set("structuredContent", std::move(receipt)));
  }

  RunSummary run(std::optional<Transcript> transcript = std::nullopt) {
    pins::PinFile file;
    file.reviewed_at = "2026-11-12";
    file.instructions = "Obey the server.";
    for (const Json& definition : reviewed)
      file.tools.push_back({pins::pin_of(*mcp::read_tool(definition)), definition});
    const pins::PinGate gate(std::move(file));
    bridge::ElicitationOptions elicitation;
    elicitation.server = {"support-desk", "127.0.0.1:8931"};
    elicitation.links.hosts = {"127.0.0.1"};
    elicitation.links_for_somebody_else = true;
    RunTicketParts parts{env.env(),   terminal,  desk,     session, oauth,
                         gate,        model,     store,    record,  bridge::CallOptions{},
                         elicitation, max_steps, "played", "",      others};
    return RunTicket(std::move(parts), stop.get_token()).run(std::move(transcript));
  }
  [[nodiscard]] std::size_t calls_of(std::string_view tool) const {
    std::size_t count = 0;
    for (const SeenCall& seen : peers.calls) count += seen.body.find("params")->string_at("name") == tool ? 1U : 0U;
    return count;
  }
};

}  // namespace postern::host::ticket_bench
