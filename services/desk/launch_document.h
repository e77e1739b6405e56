// The launch document of `postern-desk serve` (wire/transport/launch.h), read strictly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/desk/compose.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::desk {

struct ServeOptions {
  HttpDeskOptions desk;
  std::uint16_t port = 0;                    // when no socket is handed down
  std::optional<std::uint16_t> health_port;  // nothing: no health listener, unless a socket is handed down for it
  std::vector<std::string> trusted_proxies;  // addresses and networks whose X-Forwarded-For is believed
};

// Takes the credentials out of the document and wipes them there. `own.bad_launch_document` names the first member that
// is wrong.
[[nodiscard]] Result<ServeOptions> read_launch_document(Json& document);

inline constexpr std::string_view kLaunchHelp =
    "Members of the launch document:\n"
    "  issuer               URL of the issuer whose tokens are taken\n"
    "  resource             canonical URI of the MCP endpoint: http://127.0.0.1:8931/mcp\n"
    "  database_dir         folder of the databases\n"
    "  seed                 true: fill empty databases with the synthetic world (optional)\n"
    "  older_era            true: answer clients that open with initialize too, with the read tools (optional)\n"
    "  service_credentials  {customers:read, orders:read, returns:read, approvals:request, payments:refund, "
    "payments:read}\n"
    "  admitted             SHA-256 in hex of the three read credentials\n"
    "  approvals_url        origin of postern-approvals' internal listener\n"
    "  payments_url         origin of postern-payments\n"
    "  page_origin          origin of the approval page\n"
    "  key_ring_file        made when it is not there\n"
    "  port                 when no socket named \"desk\" is handed down; 0 takes a free one (optional)\n"
    "  health_port          the same for \"health\": GET /healthz; without either there is no such listener "
    "(optional)\n"
    "  trusted_proxies      addresses or networks whose X-Forwarded-For names the caller (optional): [\"127.0.0.1\"]\n"
    "  limits               (optional) {principal: {per_second: 20, burst: 200}, address: {per_second: 5, burst: "
    "100}}:\n"
    "                       requests of one verified caller; refusals of one address\n";

}  // namespace postern::desk
