// The parameters of the requests beside tools/call, as a server reads them (MCP 2026-07-28, schema.ts).
//
// Every reader refuses what is not of the shape with mcp.malformed_params (-32602) and leaves members that it does not
// know alone. Thread-safe, without state.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"

namespace postern::mcp {

// What the client answered to an earlier input_required (basic/patterns/mrtr). A response may be any JSON value: one
// that is not what was asked for counts as missing, and whoever asked asks again.
struct InputRound {
  std::vector<InputResponse> input_responses;
  std::optional<std::string> request_state;                        // opaque to the client: echoed byte for byte
  [[nodiscard]] const Json* response(std::string_view key) const;  // null when it was not answered
};
[[nodiscard]] Result<InputRound> read_input_round(const Json& params);

struct ReadResourceParams {
  std::string uri;
  InputRound input;
};
[[nodiscard]] Result<ReadResourceParams> read_read_resource_params(const Json& params);

struct GetPromptParams {
  std::string name;
  std::vector<std::pair<std::string, std::string>> arguments;  // names are distinct
  InputRound input;
  [[nodiscard]] const std::string* argument(std::string_view argument_name) const;  // null when it is absent
};
[[nodiscard]] Result<GetPromptParams> read_get_prompt_params(const Json& params);

struct CompleteParams {
  enum class Ref { kPrompt, kResource };
  Ref ref = Ref::kPrompt;
  std::string target;  // the prompt's name or the template's URI
  std::string argument;
  std::string value;                                         // as typed so far
  std::vector<std::pair<std::string, std::string>> context;  // arguments that are known already
};
[[nodiscard]] Result<CompleteParams> read_complete_params(const Json& params);

// What a subscription asks for, and what of it is honoured.
struct SubscriptionFilter {
  bool tools_list_changed = false;
  bool prompts_list_changed = false;
  bool resources_list_changed = false;
  std::vector<std::string> resource_subscriptions;  // URIs
};
inline constexpr std::size_t kSubscriptionUrisMax = 256;
[[nodiscard]] Result<SubscriptionFilter> read_listen_params(const Json& params);
// Only what is set.
[[nodiscard]] Json to_json(const SubscriptionFilter& filter);

}  // namespace postern::mcp
