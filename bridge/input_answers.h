// ElicitationAnswers: the product's answers to what one server asks before it goes on with a call: elicitation/create,
// in URL mode and in form mode (MCP 2026-07-28 client/elicitation).
//
// Links are held against the policy, forms are read strictly, and both are then for the person. A link is shown once,
// however often the server repeats it. What a person wrote goes into the answer of that question and nowhere else.
// One for a server and a run. One thread; the handler must outlive it.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/elicitation_handler.h"
#include "bridge/elicitation_policy.h"
#include "bridge/input_answerer.h"

namespace postern::bridge {

struct ElicitationOptions {
  AskingServer server;
  LinkPolicy links;
  // The links of this server lead to a page where somebody else decides (the desk's approvals).
  bool links_for_somebody_else = false;
};

class ElicitationAnswers final : public InputAnswerer {
 public:
  ElicitationAnswers(ElicitationHandler& handler, ElicitationOptions options);

  [[nodiscard]] Status understands(const mcp::InputRequest& request) const override;
  [[nodiscard]] InputAnswer answer(std::string_view tool, const mcp::InputRequest& request,
                                   const std::stop_token& stop) override;
  [[nodiscard]] std::optional<mcp::ElicitAction> withdrawn() override;

  // What a client says of itself in every request: {"elicitation":{"form":{},"url":{}}}, or without "form" when there
  // is nobody to fill one in.
  [[nodiscard]] static Json capabilities(bool forms);

 private:
  [[nodiscard]] InputAnswer answer_link(std::string_view tool, const mcp::ElicitRequestUrlParams& params,
                                        const std::stop_token& stop);
  [[nodiscard]] InputAnswer answer_form(std::string_view tool, const mcp::ElicitRequestFormParams& params,
                                        const std::stop_token& stop);

  ElicitationHandler& handler_;
  ElicitationOptions options_;
  std::map<std::string, std::string, std::less<>> shown_;  // the newest message by its link
};

// A form came, or a link that needs a yes, and nobody is there.
struct NobodyToAsk {
  static constexpr std::string_view kId = "elicitation.nobody_to_ask";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string server;
  std::string tool;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
