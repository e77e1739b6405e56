#include "host/help_text.h"

#include "wire/base/json.h"
#include "wire/mcp/types.h"

namespace postern::host {
namespace {

constexpr std::string_view kVersion = "0.1.0";
constexpr std::string_view kModelApiVersion = "2026-10-21";

struct Topic {
  std::string_view name;
  std::string_view text;
};

constexpr Topic kTopics[] = {
    {"environment",
     "POSTERN_PROFILE   profile, as --profile\n"
     "POSTERN_CONFIG    configuration file of the user, as --config\n"
     "POSTERN_SERVER    MCP endpoint, as --server\n"
     "POSTERN_ISSUER    authorization server of that endpoint\n"
     "POSTERN_MODEL     model id, as --model\n"
     "POSTERN_QUIET     1: as --quiet\n"
     "POSTERN_VERBOSE   1 or 2: as -v, -vv\n"
     "POSTERN_NO_INPUT  1: as --no-input\n"
     "NO_COLOR          any value: no colour; CLICOLOR_FORCE=1: always\n"
     "ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL   the model service\n"
     "XDG_CONFIG_HOME, XDG_STATE_HOME   where configuration and runs are kept\n"
     "Flags win over the environment, the environment over files.\n"},
    {"exit-codes",
     "0    done; the answer is yes. Also a case that rightly needed no refund\n"
     "1    the command worked and the answer is no: a pin differs, a ticket is not this desk's, final and desk "
     "disagree\n"
     "2    wrong use or bad configuration\n"
     "3    could not reach, or could not talk\n"
     "4    sign-in needed or refused\n"
     "5    finished, but a pinned tool was refused\n"
     "6    money refused: denied, expired, over the limit\n"
     "7    the model failed\n"
     "8    still pending: nobody decided in the time of --wait\n"
     "70   a bug in postern\n"
     "130, 143   Ctrl-C, SIGTERM\n"},
    {"files",
     "$XDG_CONFIG_HOME/postern/config.json    the user's configuration\n"
     "./.postern/config.json                  of a project: output and ticket defaults only\n"
     "/etc/postern/config.json                of the machine\n"
     "$XDG_CONFIG_HOME/postern/pins/NAME.json  reviewed definitions of a server of mcpServers\n"
     "$XDG_STATE_HOME/postern/runs/RUN/       one run: run.json, wire.jsonl, transcript.bin, world/\n"
     "$XDG_STATE_HOME/postern/credentials.json  sign-ins, when the session has no keyring\n"
     "Folders are made with mode 0700, files with 0600.\n"},
    {"formatting",
     "Results go to stdout, everything else to stderr. --json prints one JSON document with a \"schema\" member; "
     "fields may be added to "
     "a schema, never changed. A command that could not do its work prints its reason on stderr and no document.\n"
     "Text of models, servers and tickets is shown with marks such as [U+202E] in place of characters that cannot be "
     "seen.\n"},
    {"pins",
     "A pin is the digest of a tool's definition as a person reviewed it. A tool whose definition is not exactly that "
     "is not shown to the "
     "model.\n"
     "  postern pins list            what was reviewed\n"
     "  postern pins verify          whether the server still serves that\n"
     "  postern pins diff TOOL       what changed\n"
     "  postern pins review -o FILE  what the server serves now, to be reviewed\n"
     "With --server-name NAME they are about a server of mcpServers. Nothing of such a server is used before\n"
     "  postern pins review --server-name NAME                    read what it serves\n"
     "  postern pins accept --server-name NAME --reviewer \"...\"   put your name to it\n"
     "See: postern help servers\n"},
    {"servers",
     "Servers beside the desk stand in the user's configuration, in the form that other programs have too:\n"
     "  {\"mcpServers\": {\"files\": {\"command\": \"/usr/bin/mcp-files\", \"args\": [\"/srv\"], \"era\": \"auto\"}}}\n"
     "Each is reviewed before its first use (postern help pins). A model calls its tools as files__TOOL, and only "
     "after "
     "your yes at the terminal, unless the review says \"confirm\": false for the tool.\n"
     "  postern servers                     what there is, and what is missing\n"
     "  postern call files TOOL '{...}'     try one tool by hand\n"
     "All keys and rules: docs/servers.md\n"},
    {"wire",
     "Each run keeps what crossed the boundary, with secrets taken out before anything is written.\n"
     "  postern wire                        the ladder of the newest run: bytes, envelope, http, schema, model\n"
     "  postern wire --layer http --all     each entry of one rung\n"
     "  postern wire show RUN SEQ           one entry\n"},
    {"sign-in",
     "A server that wants to know who you are is signed in at when it says so, or ahead of that:\n"
     "  postern login                  the desk, with your browser\n"
     "  postern login tickets          a server of mcpServers\n"
     "  postern login --device         type a code on another device\n"
     "  postern login --no-browser     use a browser on another machine and paste its answer\n"
     "  postern whoami                 who is signed in where, until when, and where that is kept\n"
     "  postern logout --all           revoke and forget everything\n"
     "Sign-ins are kept in the keyring of the session (Secret Service, by secret-tool) when there is one, otherwise in "
     "a file that only you can read. Each is used at the server and issuer that it was made for.\n"},
    {"security",
     "The model never sees a case handle, a token, or a byte of a server that is not labeled as untrusted data. Money "
     "moves only after a "
     "supervisor decided on a page with a sign-in of their own; nothing typed here approves anything.\n"},
};

}  // namespace

std::string overview_text() {
  return "Resolve a support ticket with a model, pinned tools and a supervisor who approves.\n"
         "\n"
         "  postern run T-1042           resolve one ticket\n"
         "  postern resume RUN           go on with a run that waits or was stopped\n"
         "  postern wire                 what crossed the wire in the newest run\n"
         "  postern pins verify          are the tools still what was reviewed?\n"
         "  postern servers              what other servers there are\n"
         "  postern whoami               who is signed in where (login, logout)\n"
         "\n"
         "Commands: run, resume, runs, wire, pins, servers, call, login, logout, whoami, help, version\n"
         "Flags of all: -q -v --json --color auto|always|never --no-input --config FILE --profile NAME\n"
         "More: postern help COMMAND, or postern help "
         "environment|exit-codes|files|formatting|pins|servers|sign-in|wire|security\n";
}

std::string version_text() {
  return "postern " + std::string(kVersion) + "\nMCP " + std::string(mcp::kProtocolVersion) + "\nMessages API " +
         std::string(kModelApiVersion) + "\n";
}

std::string version_json() {
  Json json = Json::object({{"schema", "postern.version/1"}, {"version", kVersion}, {"mcp", mcp::kProtocolVersion}});
  return json.set("model_api", kModelApiVersion).dump() + "\n";
}

std::string topic_text(std::string_view topic) {
  for (const Topic& row : kTopics) {
    if (row.name == topic) return std::string(row.text);
  }
  return {};
}

std::vector<std::string> topics() {
  std::vector<std::string> names;
  for (const Topic& row : kTopics) names.emplace_back(row.name);
  return names;
}

}  // namespace postern::host
