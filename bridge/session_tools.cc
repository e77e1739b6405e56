// Session: the list of tools (MCP 2026-07-28 server/tools, server/utilities/pagination, server/utilities/caching).
#include <algorithm>
#include <set>
#include <utility>

#include "bridge/failures.h"
#include "bridge/session.h"
#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

// A list that claims to be good for longer than that is asked for once a day all the same.
constexpr std::int64_t kFreshMsMax = 86'400'000;

bool cursor_refused(const Failure& failure) {
  const auto* error = failure.as<ServerError>();
  return error != nullptr && error->code == static_cast<std::int64_t>(ErrorCode::kInvalidParams);
}

}  // namespace

bool Session::is_fresh(const KeptTools& kept) const {
  return kept.generation == tools_generation_ && env_.clock.steady_now() < kept.fresh_until &&
         (kept.is_public || kept.authorization == transport_.authorization_context());
}

Result<std::vector<mcp::Tool>> Session::list_tools(std::stop_token stop) {
  if (kept_ && is_fresh(*kept_)) return kept_->tools;
  kept_.reset();
  unusable_.clear();
  POSTERN_TRY_VOID(be_open(stop));
  // A server that declares no tools has none: that is an answer, and nothing is asked of it.
  if (!check_offered("tools/list")) return std::vector<mcp::Tool>();
  return fetch_tools(stop, true);
}

// The page, with what cannot be used taken out and named.
Result<mcp::ListToolsResult> Session::read_page(const Json& result) {
  const Json* served = result.find("tools");
  if (served == nullptr || !served->is_array()) return mcp::read_list_tools_result(result);
  if (served->size() > options_.tools_max) return TooMany{"tools", options_.tools_max};
  Json usable = Json::array();
  for (const Json& definition : served->elements()) {
    std::string reason;
    if (const auto tool = mcp::read_tool(definition); !tool) {
      reason = tool.error().text();
    } else if (transport_.mirrors_parameters()) {
      if (const auto headers = mcp::param_headers_of(tool->input_schema); !headers) reason = headers.error().text();
    }
    if (reason.empty()) {
      usable.push(definition);
    } else {
      unusable_.push_back({visible_line(definition.string_at("name"), 128), std::move(reason)});
    }
  }
  Json page = result;
  page.set("tools", std::move(usable));
  return mcp::read_list_tools_result(page);
}

Result<std::vector<mcp::Tool>> Session::fetch_tools(const std::stop_token& stop, bool own_operation) {
  bool begun_anew = false;
  std::optional<std::string> cursor;
  std::set<std::string> seen;
  KeptTools kept;
  std::int64_t ttl_ms = kFreshMsMax;
  unusable_.clear();
  for (int page = 0; page < options_.pages_max; ++page) {
    if (own_operation) transport_.begin_operation();
    if (!cursor) {
      kept = KeptTools{{}, env_.clock.steady_now(), true, 0, tools_generation_};
      ttl_ms = kFreshMsMax;
    }
    const Json params = cursor ? Json::object({{"cursor", *cursor}}) : Json::object();
    const Result<Json> result = ask(question("tools/list", params), stop);
    if (!result && cursor && cursor_refused(result.error()) && !std::exchange(begun_anew, true)) {
      // The list changed while it was read: from its beginning, once. A half is never used.
      cursor.reset();
      seen.clear();
      unusable_.clear();
      continue;
    }
    if (!result) return result.error();
    POSTERN_TRY(mcp::ListToolsResult list, read_page(*result));
    for (mcp::Tool& tool : list.tools) kept.tools.push_back(std::move(tool));
    if (kept.tools.size() + unusable_.size() > options_.tools_max) return TooMany{"tools", options_.tools_max};
    kept.is_public = kept.is_public && list.cache_scope == "public";
    ttl_ms = std::min(ttl_ms, list.ttl_ms);
    if (!list.next_cursor) {
      kept.authorization = transport_.authorization_context();
      kept.fresh_until += Milliseconds(ttl_ms);
      kept_ = std::move(kept);
      return kept_->tools;
    }
    if (!seen.insert(*list.next_cursor).second) return BadResponse{"the list of tools runs in a circle"};
    cursor = list.next_cursor;
  }
  return TooMany{"pages of tools", static_cast<std::size_t>(options_.pages_max)};
}

}  // namespace postern::bridge
