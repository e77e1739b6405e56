// I2: client and server agree on one pinned revision; a mismatch fails loudly, with no fallback.

#include <algorithm>

#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {
namespace {

constexpr std::string_view kRevision = "2026-07-28";
constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";

bool offers_revision(const Json& result) {
  const Json* versions = result.find("supportedVersions");
  if (versions == nullptr) return false;
  return std::any_of(versions->elements().begin(), versions->elements().end(),
                     [](const Json& version) { return version.string() != nullptr && *version.string() == kRevision; });
}

// Whether the answer says that this revision is not spoken there. 401, 403, 429 and 5xx say nothing about it.
bool is_refusal(const ServerCall& call) {
  if (call.method != "server/discover") return false;
  if (call.result.is_object()) return !offers_revision(call.result);
  if (!call.error.is_object()) return false;
  return call.status == 0 || call.status == 200 || call.status == 400 || call.status == 404;
}

void judge_request(const ServerCall& call, Judgement& judgement) {
  if (call.method == "initialize") {
    judgement.broken(*call.request, "body.method", "initialize was sent: a fallback to another revision");
    return;
  }
  const Json* meta = call.params.find("_meta");
  const std::string_view in_body = meta == nullptr ? std::string_view() : meta->string_at(kMetaVersion);
  if (in_body != kRevision) {
    judgement.broken(*call.request, "body.params._meta." + std::string(kMetaVersion),
                     in_body.empty() ? "the revision is not named" : "another revision than " + std::string(kRevision));
  }
  if (call.host == "stdio") return;
  const std::string_view in_header = header_of(*call.request, "mcp-protocol-version");
  if (in_header != kRevision || count_headers(*call.request, "mcp-protocol-version") != 1) {
    judgement.broken(*call.request, "headers.mcp-protocol-version", "not " + std::string(kRevision) + ", once");
  }
}

}  // namespace

Finding one_revision(const Evidence& evidence, const RunView& view) {
  Judgement judgement;
  const ServerCall* refused = nullptr;
  const ServerCall* agreed = nullptr;
  std::size_t count = 0;
  for (const ServerCall* call : view.desk_calls()) {
    ++count;
    judge_request(*call, judgement);
    if (refused != nullptr && call->method != "server/discover" && call->leg == refused->leg) {
      judgement.broken(*call->request, "body.method", "the host went on after the server refused the revision");
    }
    if (is_refusal(*call)) refused = call;
    if (call->method == "server/discover" && offers_revision(call->result)) {
      agreed = call;
      refused = nullptr;
    }
  }
  if (refused != nullptr && evidence.exit == 0) {
    judgement.broken(*refused->request, "exit code", "the server refused the revision and the run ended with 0");
  }
  if (refused != nullptr) {
    judgement.seen("the server refused the revision and nothing more was sent");
  } else if (agreed != nullptr) {
    judgement.seen(std::to_string(count) + " requests, all of " + std::string(kRevision) +
                   ", which the server's discovery offers");
  }
  return judgement.finding("no server answered a discovery in this run");
}

}  // namespace postern::lab
