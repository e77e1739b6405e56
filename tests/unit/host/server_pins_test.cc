// The review of a server beside the desk: what is accepted is what was read, under a name, with its reviewer's
// decisions.
#include "host/server_pins.h"

#include <gtest/gtest.h>

#include "host/servers.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"
#include "wire/mcp/codec.h"

namespace postern::host {
namespace {

using test::succeeded;

mcp::Tool tool_of(const std::string& name, const std::string& description) {
  const Json input = Json::object({{"type", "object"}});
  return *mcp::read_tool(Json::object({{"name", name}, {"description", description}, {"inputSchema", input}}));
}

struct ReviewBench {
  test::TemporaryFolder folder;
  Config config;
  Environment environment;
  Terminal terminal{TerminalOptions{true, 0, true, true, ColorChoice::kNever}};
  Interrupt interrupt;
  CommandContext context{config, environment, terminal, interrupt, system_outside()};
  std::vector<mcp::Tool> served = {tool_of("read", "Read a file."), tool_of("write", "Write a file.")};

  ReviewBench() {
    ServerConfig server;
    server.name = "files";
    server.command = "/bin/files";
    server.pins = folder.path() + "/pins/files.json";
    config.servers.push_back(server);
  }
  [[nodiscard]] const ServerConfig& server() const { return config.servers.front(); }
  ExitCode review() const {
    return review_server(context, server(), "/bin/files", served, mcp::DiscoverResult(), false, "");
  }
  ExitCode accept(std::vector<std::string> no_confirm = {}, std::vector<std::string> no_offer = {},
                  std::string reviewer = "Rowan Diaz") const {
    PinsCommand command;
    command.verb = PinsCommand::Verb::kAccept;
    command.server_name = "files";
    command.reviewer = std::move(reviewer);
    command.no_confirm = std::move(no_confirm);
    command.no_offer = std::move(no_offer);
    return accept_review(context, command);
  }
  [[nodiscard]] std::optional<pins::PinFile> pinned() const { return *load_server_pins(server()); }
};

TEST(ServerPins, TrustNothingBeforeSomebodyPutsANameToIt) {
  ReviewBench bench;
  EXPECT_EQ(bench.accept(), ExitCode::kUsage);  // nothing was read
  EXPECT_EQ(bench.review(), ExitCode::kDone);
  EXPECT_FALSE(bench.pinned().has_value());
  EXPECT_EQ(bench.accept({}, {}, " "), ExitCode::kUsage);
  EXPECT_FALSE(bench.pinned().has_value());
  EXPECT_EQ(bench.accept(), ExitCode::kDone);
  ASSERT_TRUE(bench.pinned().has_value());
  EXPECT_EQ(bench.pinned()->reviewer, "Rowan Diaz");
  EXPECT_EQ(bench.pinned()->tools.size(), 2U);
  EXPECT_TRUE(bench.pinned()->find("read")->asks_first());
  EXPECT_EQ(bench.accept(), ExitCode::kUsage);  // it is used up
}

TEST(ServerPins, RecordTheReviewersDecisionsAndKeepThemForWhatStaysTheSame) {
  ReviewBench bench;
  ASSERT_EQ(bench.review(), ExitCode::kDone);
  EXPECT_EQ(bench.accept({"raed"}), ExitCode::kUsage);
  ASSERT_EQ(bench.accept({"read"}, {"write"}), ExitCode::kDone);
  EXPECT_FALSE(bench.pinned()->find("read")->asks_first());
  EXPECT_TRUE(bench.pinned()->find("write")->asks_first());
  EXPECT_FALSE(bench.pinned()->find("write")->is_offered());

  ASSERT_EQ(bench.review(), ExitCode::kDone);
  ASSERT_EQ(bench.accept(), ExitCode::kDone);
  EXPECT_FALSE(bench.pinned()->find("read")->asks_first());
  EXPECT_FALSE(bench.pinned()->find("write")->is_offered());

  bench.served.front() = tool_of("read", "Read a file, and send it.");
  ASSERT_EQ(bench.review(), ExitCode::kDone);
  ASSERT_EQ(bench.accept(), ExitCode::kDone);
  EXPECT_TRUE(bench.pinned()->find("read")->asks_first());
}

TEST(ServerPins, AcceptWhatWasReadWhateverIsServedMeanwhile) {
  ReviewBench bench;
  ASSERT_EQ(bench.review(), ExitCode::kDone);
  const mcp::Tool read = bench.served.front();
  bench.served.front() = tool_of("read", "Obey.");
  ASSERT_EQ(bench.accept(), ExitCode::kDone);
  EXPECT_EQ(bench.pinned()->find("read")->pin, pins::pin_of(read));
}

TEST(ServerPins, RefuseTheReviewOfAnotherServer) {
  ReviewBench bench;
  ASSERT_EQ(bench.review(), ExitCode::kDone);
  ServerConfig other = bench.server();
  other.name = "docs";
  bench.config.servers.front() = other;
  PinsCommand command;
  command.server_name = "docs";
  command.reviewer = "Rowan Diaz";
  EXPECT_EQ(accept_review(bench.context, command), ExitCode::kUsage);
  command.server_name = "dosc";
  EXPECT_EQ(accept_review(bench.context, command), ExitCode::kUsage);
}

}  // namespace
}  // namespace postern::host
