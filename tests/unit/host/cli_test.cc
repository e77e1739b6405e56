// argv to a command: what is understood, and what a person is told when it is not.
#include "host/cli.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "wire/base/json.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

Result<CommandLine> line_of(std::vector<const char*> words) {
  words.insert(words.begin(), "postern");
  return parse_command_line(static_cast<int>(words.size()), words.data());
}

TEST(Cli, TakesFlagsBeforeAndAfterTheCommand) {
  const auto line = line_of({"-q", "run", "--wait", "30s", "T-1042", "--json", "--profile", "local"});
  ASSERT_TRUE(succeeded(line));
  EXPECT_EQ(std::get<RunCommand>(line->command).ticket, "T-1042");
  EXPECT_EQ(line->flags.at("wait"), "30s");
  EXPECT_EQ(line->flags.at("quiet"), "true");
  EXPECT_EQ(line->flags.at("profile"), "local");
  EXPECT_TRUE(line->flags.contains("json"));
}

TEST(Cli, ATicketThatLooksLikeAFlagIsATicketAfterTwoDashes) {
  const auto line = line_of({"run", "--", "--help"});
  ASSERT_TRUE(succeeded(line));
  EXPECT_EQ(std::get<RunCommand>(line->command).ticket, "--help");
}

TEST(Cli, RefusesAnUnknownCommandAndNamesTheNearest) {
  const auto line = line_of({"rnu", "T-1042"});
  ASSERT_TRUE(refused(line, "usage.wrong"));
  EXPECT_EQ(line.error().text(), "There is no command \"rnu\". Did you mean: postern run");
  EXPECT_EQ(line_of({"frobnicate"}).error().text(), "There is no command \"frobnicate\". See: postern help");
}

TEST(Cli, RefusesAnUnknownFlagAndAMissingTicket) {
  EXPECT_TRUE(refused(line_of({"run", "T-1042", "--insecure"}), "usage.wrong"));
  EXPECT_TRUE(refused(line_of({"run", "T-1042", "--yes"}), "usage.wrong"));
  EXPECT_TRUE(refused(line_of({"run"}), "usage.wrong"));
}

TEST(Cli, NamesTheNearestFlagAndTheNearestSecondWord) {
  EXPECT_EQ(line_of({"run", "T-1042", "--wiat", "3s"}).error().text(),
            "There is no flag --wiat here. Did you mean --wait?\nSee: postern help run");
  EXPECT_EQ(line_of({"run", "T-1042", "--yes"}).error().text(), "There is no flag --yes here.\nSee: postern help run");
  EXPECT_EQ(line_of({"pins", "verfy"}).error().text(),
            "There is no command \"pins verfy\". Did you mean: postern pins verify");
  EXPECT_EQ(line_of({"run"}).error().text(), "ticket is required\nSee: postern help run");
}

TEST(Cli, HasNoFlagThatSkipsACheckOrTakesASecret) {
  for (const char* flag : {"--yes", "--insecure", "--token", "--skip-pins", "--supervisor", "--key"}) {
    EXPECT_TRUE(refused(line_of({"run", "T-1042", flag, "x"}), "usage.wrong")) << flag;
  }
}

TEST(Cli, ReadsTheFormsOfWire) {
  EXPECT_EQ(std::get<WireCommand>(line_of({"wire"})->command).verb, WireCommand::Verb::kLadder);
  const auto show =
      std::get<WireCommand>(line_of({"wire", "show", "http-20261130T024512-7c1e", "38", "--raw"})->command);
  EXPECT_EQ(show.verb, WireCommand::Verb::kShow);
  EXPECT_EQ(show.run, "http-20261130T024512-7c1e");
  EXPECT_EQ(show.seq, 38);
  EXPECT_TRUE(show.raw);
  const auto layer = std::get<WireCommand>(line_of({"wire", "--layer", "http", "--all"})->command);
  EXPECT_EQ(layer.layer, "http");
  EXPECT_TRUE(layer.all);
  EXPECT_TRUE(refused(line_of({"wire", "show", "a", "b", "c"}), "usage.wrong"));
}

TEST(Cli, ReadsTheFormsOfPinsAndRuns) {
  EXPECT_EQ(std::get<PinsCommand>(line_of({"pins", "verify"})->command).verb, PinsCommand::Verb::kVerify);
  const auto diff = std::get<PinsCommand>(line_of({"pins", "diff", "get_order", "get_policy"})->command);
  EXPECT_EQ(diff.verb, PinsCommand::Verb::kDiff);
  EXPECT_EQ(diff.tools.size(), 2U);
  const auto removal = std::get<RunsCommand>(line_of({"runs", "rm", "a", "b"})->command);
  EXPECT_EQ(removal.verb, RunsCommand::Verb::kRemove);
  EXPECT_EQ(removal.runs.size(), 2U);
  EXPECT_EQ(std::get<RunsCommand>(line_of({"runs"})->command).verb, RunsCommand::Verb::kList);
}

TEST(Cli, ReadsTheFormsOfServers) {
  EXPECT_TRUE(std::holds_alternative<ServersCommand>(line_of({"servers"})->command));
  const auto call =
      std::get<CallCommand>(line_of({"call", "files", "read_text_file", R"({"path":"/srv/a"})"})->command);
  EXPECT_EQ(call.server, "files");
  EXPECT_EQ(call.tool, "read_text_file");
  EXPECT_EQ(call.arguments, R"({"path":"/srv/a"})");
  EXPECT_TRUE(refused(line_of({"call", "files"}), "usage.wrong"));
  EXPECT_EQ(std::get<PinsCommand>(line_of({"pins", "diff", "--server-name", "files"})->command).server_name, "files");
  const auto accept =
      std::get<PinsCommand>(line_of({"pins", "accept", "--server-name", "files", "--reviewer", "Rowan Diaz",
                                     "--no-confirm", "read", "--no-confirm", "list", "--no-offer", "write"})
                                ->command);
  EXPECT_EQ(accept.verb, PinsCommand::Verb::kAccept);
  EXPECT_EQ(accept.reviewer, "Rowan Diaz");
  EXPECT_EQ(accept.no_confirm, (std::vector<std::string>{"read", "list"}));
  EXPECT_EQ(accept.no_offer, std::vector<std::string>{"write"});
  EXPECT_TRUE(refused(line_of({"pins", "accept", "--server-name", "files"}), "usage.wrong"));
}

TEST(Cli, HelpAndVersionAreWholeAnswers) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {}, {"--help"}, {"help"}, {"run", "--help"}, {"help", "exit-codes"}, {"--version"}}) {
    const auto line = line_of(words);
    ASSERT_TRUE(succeeded(line));
    EXPECT_FALSE(std::get<PrintCommand>(line->command).text.empty());
  }
  EXPECT_EQ(line_of({"help", "exitcodes"}).error().text(),
            "There is no help on \"exitcodes\". Did you mean: postern help exit-codes");
}

TEST(Cli, HelpOfACommandSaysWhatToType) {
  const auto help = [](std::vector<const char*> words) {
    return std::get<PrintCommand>(line_of(std::move(words))->command).text;
  };
  EXPECT_NE(help({"help", "run"}).find("Usage: postern run [OPTIONS] ticket"), std::string::npos)
      << help({"help", "run"});
  EXPECT_NE(help({"runs", "rm", "-h"}).find("Usage: postern runs rm [OPTIONS] run"), std::string::npos);
  // A topic with the name of a command is followed by its flags.
  EXPECT_NE(help({"help", "wire"}).find("what crossed the boundary"), std::string::npos);
  EXPECT_NE(help({"help", "wire"}).find("--layer"), std::string::npos);
}

TEST(Cli, VersionIsAJsonDocumentWhenAsked) {
  const auto line = line_of({"version", "--json"});
  ASSERT_TRUE(succeeded(line));
  const auto json = parse_json(std::get<PrintCommand>(line->command).text);
  ASSERT_TRUE(succeeded(json));
  EXPECT_EQ(json->string_at("schema"), "postern.version/1");
  EXPECT_EQ(json->string_at("mcp"), "2026-07-28");
}

TEST(Cli, KnowsATicketIdFromAnythingElse) {
  for (const char* good : {"T-1042", "T-0001", "T-123456789012"}) EXPECT_TRUE(is_ticket_id(good)) << good;
  for (const std::string& bad : {std::string("T-104"), std::string("t-1042"), std::string("T-1042;rm"),
                                 std::string("../x"), std::string("--help"), std::string("T-1042 "),
                                 std::string("T-10é2"), std::string(), "T-" + std::string(10'000, '1')}) {
    EXPECT_FALSE(is_ticket_id(bad)) << bad.substr(0, 20);
  }
}

}  // namespace
}  // namespace postern::host
