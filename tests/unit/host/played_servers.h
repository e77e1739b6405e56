// Servers beside the desk for the tests of the host: played transports, reviewed pins in a folder, and a person who
// says what a test wants.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bridge/failures.h"
#include "bridge/input_answers.h"
#include "bridge/model_text.h"
#include "host/servers.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/bridge/played_transport.h"
#include "wire/base/file.h"
#include "wire/mcp/codec.h"

namespace postern::host::played_servers {

namespace played = bridge::played;
using bridge::OutgoingRequest;
using bridge::ServerAnswer;
using test::succeeded;

class Silent final : public bridge::ElicitationHandler {
 public:
  mcp::ElicitAction show_link(const bridge::LinkRequest&, const std::stop_token&) override {
    return mcp::ElicitAction::kCancel;
  }
  void link_refused(const std::string&, const std::string&) override {}
  void still_waiting(const std::string&) override {}
};

class PlayedLink final : public ServerLink {
 public:
  explicit PlayedLink(played::Transport& transport) : session_(env_.env(), transport, {}) {}
  bridge::Session& session() override { return session_; }
  bridge::RequestAuthorizer& authorizer() override { return authorizer_; }
  bridge::InputAnswerer& answerer() override { return answers_; }
  bridge::CallObserver& observer() override { return observer_; }
  bool sleep(std::chrono::milliseconds, const std::stop_token&) override { return false; }

 private:
  test::TestEnv env_;
  bridge::Session session_;
  bridge::NoAuthorizer authorizer_;
  Silent silent_;
  bridge::ElicitationAnswers answers_{silent_, {}};
  bridge::CallObserver observer_;
};

class PlayedPerson final : public CallConsent {
 public:
  Answer says = Answer::kYes;
  std::vector<std::string> asked;
  Answer ask(const std::string& tool, const std::string& inputs, const std::stop_token&) override {
    asked.push_back(tool + " " + inputs);
    return says;
  }
};

inline Json definition_of(const std::string& name) {
  Json properties = Json::object({{"path", Json::object({{"type", "string"}})}});
  Json input = Json::object({{"type", "object"}, {"properties", std::move(properties)}});
  return Json::object({{"name", name}, {"description", "d"}, {"inputSchema", std::move(input)}});
}

inline std::string text_of(const ToolAnswer& answer) {
  if (const auto* labeled = std::get_if<bridge::LabeledResult>(&answer.content)) return labeled->text();
  return std::get<bridge::ModelText>(answer.content).text();
}

struct ServersBench {
  test::TemporaryFolder folder;
  test::TestEnv env;
  TerminalOptions quiet{true, 0, false, true, ColorChoice::kNever};
  Terminal terminal{quiet};
  PlayedPerson person;
  std::vector<ServerConfig> configs;
  std::map<std::string, played::Transport> transports;
  std::map<std::string, std::vector<Json>> served;
  std::map<std::string, Failure> unreachable;
  pins::PinFile desk_pins;
  std::unique_ptr<OtherServers> others;

  // A server whose one tool was reviewed, unless `reviewed` says otherwise.
  void add(const std::string& name, const std::string& tool, bool reviewed = true, bool confirm = true,
           std::string reviewer = "Rowan Diaz") {
    ServerConfig config;
    config.name = name;
    config.command = "/bin/" + name;
    config.pins = folder.path() + "/" + name + ".json";
    configs.push_back(config);
    served[name] = {definition_of(tool)};
    played::Transport& transport = transports[name];
    transport.is_http = false;
    transport.handle = [this, name](const OutgoingRequest& request) -> Result<ServerAnswer> {
      if (const auto dead = unreachable.find(name); dead != unreachable.end()) return dead->second;
      if (request.method == "server/discover") return played::discovered();
      if (request.method == "tools/list") {
        return played::complete(
            Json::object({{"tools", Json::array_of(served[name])}, {"ttlMs", 0}, {"cacheScope", "private"}}));
      }
      return played::complete(
          Json::object({{"content", Json::array({mcp::text_block("RF-0001 refunded, says " + name)})}}));
    };
    if (!reviewed) return;
    pins::PinFile file;
    file.server_name = name;
    file.reviewer = std::move(reviewer);
    file.reviewed_at = "2026-11-30";
    for (const Json& definition : served[name])
      file.tools.push_back({pins::pin_of(*mcp::read_tool(definition)), definition, confirm, true});
    ASSERT_TRUE(succeeded(replace_file(config.pins, pins::serialise(file))));
  }
  Status prepare() {
    OtherServersParts parts{env.env(),
                            terminal,
                            configs,
                            desk_pins,
                            [this](const ServerConfig& server) -> Result<std::unique_ptr<ServerLink>> {
                              return std::unique_ptr<ServerLink>(new PlayedLink(transports[server.name]));
                            },
                            person,
                            "0011223344556677",
                            {}};
    auto made = OtherServers::prepare(std::move(parts));
    if (!made) return made.error();
    others = *std::move(made);
    return {};
  }
  void start() {
    ASSERT_TRUE(succeeded(prepare()));
    others->connect({});
  }
  ToolAnswer answer(const std::string& tool, Json input = Json::object({{"path", "/srv/a"}})) const {
    return *others->answer({"t1", tool, std::move(input)}, {});
  }
  [[nodiscard]] std::size_t calls(const std::string& name) {
    std::size_t count = 0;
    for (const std::string& method : transports[name].methods()) count += method == "tools/call" ? 1U : 0U;
    return count;
  }
};

}  // namespace postern::host::played_servers
