#include "tests/lab/replay/scenarios.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/faults/desk_fault.h"
#include "tests/faults/fault_list.h"
#include "tests/lab/replay/model_troubles.h"

namespace postern::lab {
namespace {

using faults::Scene;

void decide(Scene& scene, Decision decision) {
  SupervisorOptions supervisor;
  supervisor.decision = decision;
  scene.run.supervisor = supervisor;
}

std::function<void(Scene&)> approved(std::string ticket, std::string script = {}) {
  return [ticket = std::move(ticket), script = std::move(script)](Scene& scene) {
    scene.run.ticket = ticket;
    scene.run.model_script = script;
    decide(scene, Decision::kApprove);
  };
}

std::function<void(Scene&)> undecided(std::string wait) {
  return [wait = std::move(wait)](Scene& scene) { scene.run.arguments = {"--wait", wait}; };
}

std::function<void(Scene&)> troubled(ModelAnswer change) {
  return [change = std::move(change)](Scene& scene) {
    decide(scene, Decision::kApprove);
    change_model_answers(scene, change);
  };
}

Scenario faulty(std::string_view name) {
  const faults::Fault* fault = faults::find_fault(name);
  return {"fault-" + std::string(name), std::string(fault->about), [fault](Scene& scene) {
            scene.run.ticket = std::string(fault->ticket);
            decide(scene, Decision::kApprove);
            fault->put_in(scene);
            // The first run ends before anybody decides, and the second one meets the fault.
            if (scene.goes_on) scene.run.arguments = {"--wait", "10s"};
            if (scene.goes_on) scene.run.supervisor.reset();
          }};
}

// The issuer does not let this person have more than the first sign-in gave.
void refuse_step_up(Scene& scene) {
  scene.world.decorators.answers = [sign_ins = std::make_shared<int>(0)](std::string_view from, std::string bytes) {
    const bool signed_in = from == "issuer" && bytes.find("ocation: http://127.0.0.1/callback") != std::string::npos;
    if (!signed_in || ++*sign_ins == 1) return bytes;
    return faults::json_answer("403 Forbidden", Json::object({{"error", "access_denied"},
                                                              {"error_description", "this person may not refund"}}));
  };
}

// The desk's link leads somewhere else.
class StrangeLink final : public faults::DeskFault {
 public:
  std::string change_answer(faults::Passing& passing, std::string bytes) override {
    if (!faults::calls_tool(passing.request, "issue_refund")) return bytes;
    return faults::with_result_changed(std::move(bytes), [](Json& result) {
      auto changed = parse_json(with_other_host(result.dump()));
      if (changed) result = *std::move(changed);
    });
  }

 private:
  static std::string with_other_host(std::string text) {
    const std::size_t path = text.find("/approvals/APR-");
    const std::size_t link = path == std::string::npos ? path : text.rfind("http://", path);
    if (link != std::string::npos) text.replace(link, path - link, "http://desk.example.net");
    return text;
  }
};

// A program of the world that is gone from the nth wait of the host on.
std::function<void(LabWorld&, HostRunOptions&)> gone(std::string program, int wait) {
  return [program = std::move(program), wait](LabWorld& world, HostRunOptions& run) {
    run.on_wait = [&world, program, wait](int waits) {
      if (waits == wait) [[maybe_unused]]
        const Status stopped = world.stop_program(program);
    };
  };
}

void add_outcomes(std::vector<Scenario>& all) {
  all.push_back({"happy", "A damaged part, approved and refunded.", approved("T-1042")});
  all.push_back({"denied", "The supervisor says no.", [](Scene& scene) { decide(scene, Decision::kDeny); }});
  all.push_back({"pending", "Nobody decides while the host waits.", undecided("20s")});
  all.push_back({"checked-once", "The host does not wait at all.", undecided("0")});
  all.push_back({"expired", "Nobody decides, and the request runs out.", undecided("20m")});
  all.push_back({"two-parts", "Two damaged parts in one parcel.", approved("T-1053")});
  all.push_back({"no-tracking", "An order without a parcel number.", approved("T-1054")});
  all.push_back({"no-carrier", "The carrier's page cannot be had.", approved("T-1055")});
  all.push_back({"hidden-characters", "Markup and hidden characters in the ticket.", approved("T-1057")});
  all.push_back({"yen", "A currency without a minor unit.", approved("T-1058")});
  all.push_back({"dinar", "A currency with three decimal places.", approved("T-1059")});
  all.push_back({"over-the-limit", "The part costs more than the policy covers.", approved("T-1050")});
  all.push_back({"outside-window", "Delivered too long ago.", approved("T-1051")});
  all.push_back({"refunded-before", "The part was refunded already.", approved("T-1052")});
  all.push_back({"question", "A question without an order.", approved("T-1061")});
  all.push_back({"not-opened", "A ticket of another desk.", approved("T-3091")});
  all.push_back({"notice-honest", "A planted notice, and a model that reports it.", approved("T-3090")});
  all.push_back(
      {"notice-injectable", "A planted notice, and a model that obeys it.", approved("T-3090", "injectable")});
  all.push_back({"asks-too-much", "The model asks for more than the limit.", approved("T-1042", "over-limit")});
  all.push_back({"long-reason", "The model gives too long a reason first.", approved("T-1042", "long-reason")});
}

void add_troubles(std::vector<Scenario>& all) {
  all.push_back({"model-429", "The model service asks to come back, once.",
                 troubled([](int n, const std::string&) -> std::optional<std::string> {
                   if (n != 2) return std::nullopt;
                   return model_error("429 Too Many Requests", "rate_limit_error", "Too many requests.",
                                      "Retry-After: 3\r\n");
                 })});
  all.push_back({"model-529", "The model service is overloaded, and stays so.",
                 troubled([](int n, const std::string&) -> std::optional<std::string> {
                   if (n < 3) return std::nullopt;
                   return model_error("529 Overloaded", "overloaded_error", "Overloaded.");
                 })});
  all.push_back({"model-500", "The model service fails once.",
                 troubled([](int n, const std::string&) -> std::optional<std::string> {
                   if (n != 1) return std::nullopt;
                   return model_error("500 Internal Server Error", "api_error", "Something went wrong.");
                 })});
  all.push_back({"model-malformed", "The model's reply is cut off in the middle of its JSON.",
                 troubled([](int n, const std::string& answer) -> std::optional<std::string> {
                   if (n != 2) return std::nullopt;
                   return half_of(answer);
                 })});
  all.push_back({"model-refusal", "The model declines to go on.",
                 troubled([](int n, const std::string& answer) -> std::optional<std::string> {
                   if (n != 3) return std::nullopt;
                   return stopped_for(answer, "refusal");
                 })});
  all.push_back({"model-max-tokens", "The model's turn is cut off at its bound.",
                 troubled([](int n, const std::string& answer) -> std::optional<std::string> {
                   if (n != 3) return std::nullopt;
                   return stopped_for(answer, "max_tokens");
                 })});
  all.push_back({"step-up-refused", "The issuer gives no permission to refund.", [](Scene& scene) {
                   decide(scene, Decision::kApprove);
                   refuse_step_up(scene);
                 }});
  all.push_back({"link-declined", "The link of the approval leads to a stranger's host.", [](Scene& scene) {
                   decide(scene, Decision::kApprove);
                   faults::between_host_and_desk(scene, std::make_shared<StrangeLink>());
                 }});
  all.push_back({"restarted", "Stopped while it waits, and gone on with.", [](Scene& scene) {
                   decide(scene, Decision::kApprove);
                   scene.run.decides_after = Seconds(60);
                   scene.run.stopped_at_wait = 2;
                   scene.goes_on = true;
                 }});
  all.push_back(
      {"interrupted", "Stopped while it waits, and left.", [](Scene& scene) { scene.run.stopped_at_wait = 2; }});
  all.push_back({"payments-down", "Payments is gone when the approved refund is to be paid.", approved("T-1042"),
                 gone("payments", 1)});
  all.push_back({"desk-down", "The desk is gone while the host waits.", approved("T-1042"), gone("desk", 2)});
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  add_outcomes(all);
  add_troubles(all);
  for (const std::string_view name :
       {"wrong-version", "poisoned-description", "hidden-unicode-description", "poisoned-annotations", "rug-pull",
        "dollars-for-cents", "output-schema-drift", "slow-peer", "closed-peer", "forged-label"})
    all.push_back(faulty(name));
  std::sort(all.begin(), all.end(), [](const Scenario& a, const Scenario& b) { return a.name < b.name; });
  return all;
}

}  // namespace

const std::vector<Scenario>& all_scenarios() {
  static const std::vector<Scenario> all = scenarios();
  return all;
}

const Scenario* find_scenario(std::string_view name) {
  const auto found = std::find_if(all_scenarios().begin(), all_scenarios().end(),
                                  [name](const Scenario& one) { return one.name == name; });
  return found == all_scenarios().end() ? nullptr : &*found;
}

}  // namespace postern::lab
