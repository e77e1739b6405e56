// Session: the requests of one client to one MCP server, whatever the transport and the era.
//
// Each request of 2026-07-28 names its revision, the client and its capabilities in _meta and has an id of its own; one
// of an older era goes out in the words of that era. Which era a server speaks is asked once, kept, and asked once more
// when an answer shows that it is wrong. Nothing is sent again after an answer was lost; what a server refused before
// it ran (an unsupported version, a header that does not match, a session that has ended) is corrected and sent again
// once.
//
// Not thread-safe, but for tools_changed(). `transport` and the Env must outlive it. When it ends it ends the session
// of an older era at the server, within two seconds.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/era.h"
#include "bridge/progress.h"
#include "bridge/server_transport.h"
#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/jsonrpc/message.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"
#include "wire/mcp/types.h"

namespace postern::bridge {

// An extension of the protocol that this client speaks (basic/versioning, "Extension negotiation"). What is declared
// and what is accepted are one thing.
struct ClientExtension {
  std::string id;  // "io.modelcontextprotocol/skills"; REQUIRES is_extension_id()
  Json settings = Json::object();
  std::vector<std::string> result_types;  // beside "complete" and "input_required"
  std::vector<std::string> methods;       // beginnings, "skills/"; sent to a server that declares the extension only
};
// A name with a prefix, as keys of _meta are formed, whose prefix nobody reserved unless it is the protocol's own.
[[nodiscard]] bool is_extension_id(std::string_view id);

struct SessionOptions {
  mcp::Implementation client;
  bool names_client = true;  // clientInfo in every request
  EraChoice era = EraChoice::kPin;
  Json client_capabilities =
      Json::object({{"elicitation", Json::object({{"url", Json::object()}})}});  // without extensions
  std::vector<ClientExtension> extensions;

  std::chrono::milliseconds request_ms_max{60'000};  // of one request, whatever progress it reports
  std::chrono::milliseconds silence_ms_max{0};       // between two signs of life; 0: only request_ms_max counts
  std::chrono::milliseconds probe_ms_max{
      20'000};  // until a process that does not answer server/discover counts as older
  std::map<std::string, std::chrono::milliseconds, std::less<>> request_ms_of;  // by tool or by method, instead
  std::function<void(const ProgressReport&)> on_progress;                       // for people; at most ten a second

  int pages_max = 32;
  std::size_t tools_max = 512;
};

// A definition in a list of tools that cannot be used, and why. The other tools of the list stay.
struct UnusableTool {
  std::string name;    // made visible; empty when it has none
  std::string reason;  // for people
};

class Session {
 public:
  Session(Env env, ServerTransport& transport, SessionOptions options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // What a run calls first: server/discover, or initialize, as the era of the options demands. Failures:
  // bridge.version_not_offered (pin), bridge.no_common_version (otherwise), and those of a request.
  [[nodiscard]] Result<mcp::DiscoverResult> connect(const std::stop_token& stop);
  // server/discover, and no other era whatever the options say. Failures: bridge.version_not_offered, and those of a
  // request.
  [[nodiscard]] Result<mcp::DiscoverResult> discover(std::stop_token stop);
  // tools/list, all pages; from memory while the server says that it is fresh and nothing changed. Empty, and nothing
  // is sent, when the server declares no tools.
  [[nodiscard]] Result<std::vector<mcp::Tool>> list_tools(std::stop_token stop);
  // Of the newest list: what was left out of it.
  [[nodiscard]] const std::vector<UnusableTool>& unusable_tools() const { return unusable_; }
  // tools/call, once. `claims` go to params._meta["dev.postern/run"]; null for none. Failures: bridge.scope_needed,
  // bridge.server_error, bridge.http_status, transport.*, mcp.*, sign_in.*.
  [[nodiscard]] Result<mcp::CallToolOutcome> call(const mcp::CallToolParams& params,
                                                  const std::vector<mcp::ParamHeader>& param_headers,
                                                  const Json& claims, std::stop_token stop);
  // Any other request: `params` is null or an object without _meta. The result as it came, of a resultType that was
  // declared. Failures: bridge.not_offered, bridge.resource_not_found, mcp.unexpected_result_type, and those of a call.
  [[nodiscard]] Result<Json> request(std::string_view method, const Json& params, const std::stop_token& stop);

  // The list of tools is not what it was (notifications/tools/list_changed). From any thread.
  void tools_changed() { ++tools_generation_; }
  // The _meta of a request that is sent beside this session, by a subscription for example.
  [[nodiscard]] Json request_meta() const;

  // What is spoken, once it is known: "2026-07-28", "2025-11-25".
  [[nodiscard]] const std::string& protocol_version() const { return protocol_version_; }
  [[nodiscard]] bool older_era() const { return era_ == Era::kOlder; }
  // What the server declared; null before connect().
  [[nodiscard]] const Json& server_capabilities() const { return capabilities_; }
  // For people: the URL, or the command.
  [[nodiscard]] const std::string& where() const { return transport_.where(); }
  [[nodiscard]] ServerTransport& transport() { return transport_; }

 private:
  enum class Era { kUnknown, kNewest, kOlder };
  static constexpr std::chrono::milliseconds kFarewellMax{2'000};  // for ending a session of an older era
  // One request before it has its _meta.
  struct Question {
    std::string_view method;
    Json params;  // an object
    Json claims;  // null: none
    std::vector<mcp::ParamHeader> headers;
    std::chrono::milliseconds ms_max{0};
  };
  struct KeptTools {
    std::vector<mcp::Tool> tools;
    SteadyTime fresh_until;
    bool is_public = false;
    std::uint64_t authorization = 0;
    std::uint64_t generation = 0;
  };

  [[nodiscard]] Question question(std::string_view method, Json params) const;
  [[nodiscard]] mcp::RequestMeta meta(const Json& claims) const;
  [[nodiscard]] Json meta_of(const Json& claims, std::int64_t progress_token) const;
  // One exchange in the era that is spoken.
  [[nodiscard]] Result<ServerAnswer> send(const Question& question, const std::stop_token& stop);
  // With the corrections that the head of this file names.
  [[nodiscard]] Result<Json> ask(const Question& question, const std::stop_token& stop);
  [[nodiscard]] Result<ServerAnswer> corrected(const Question& question, const std::stop_token& stop);
  [[nodiscard]] Status be_open(const std::stop_token& stop);
  [[nodiscard]] Status check_offered(std::string_view method) const;
  [[nodiscard]] Status check_result_type(const Json& result) const;

  [[nodiscard]] Result<ServerAnswer> probe(const std::stop_token& stop);
  [[nodiscard]] bool may_be_older(const Result<ServerAnswer>& answer) const;
  [[nodiscard]] bool shows_another_era(const Result<ServerAnswer>& answer) const;
  [[nodiscard]] Result<mcp::DiscoverResult> take_discovered(const Json& result);
  [[nodiscard]] Result<mcp::DiscoverResult> connect_to_either(const std::stop_token& stop);
  [[nodiscard]] Result<mcp::DiscoverResult> open_older_era(const std::stop_token& stop);
  void use_newest_era();

  [[nodiscard]] Result<std::vector<mcp::Tool>> fetch_tools(const std::stop_token& stop, bool own_operation);
  [[nodiscard]] Result<mcp::ListToolsResult> read_page(const Json& result);
  [[nodiscard]] bool is_fresh(const KeptTools& kept) const;

  Env env_;
  ServerTransport& transport_;
  SessionOptions options_;
  Era era_ = Era::kUnknown;
  bool older_session_open_ = false;
  std::string protocol_version_;
  Json capabilities_;
  std::int64_t next_progress_token_ = 1;
  std::optional<KeptTools> kept_;
  std::vector<UnusableTool> unusable_;
  std::atomic<std::uint64_t> tools_generation_{0};
};

}  // namespace postern::bridge
