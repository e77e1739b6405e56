// The layers of the configuration: which wins, which may say what, and what is refused by name.
#include "host/config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

class Places {
 public:
  Places() {
    sources.environment.values["HOME"] = folder.path() + "/home";
    sources.working_folder = folder.path() + "/project";
    EXPECT_TRUE(make_folder(folder.path() + "/home/.config/postern").has_value());
    EXPECT_TRUE(make_folder(folder.path() + "/project/.postern").has_value());
  }
  void user(const std::string& text) {
    EXPECT_TRUE(replace_file(folder.path() + "/home/.config/postern/config.json", text).has_value());
  }
  void project(const std::string& text) {
    EXPECT_TRUE(replace_file(folder.path() + "/project/.postern/config.json", text).has_value());
  }

  test::TemporaryFolder folder;
  ConfigSources sources;
};

TEST(Config, NeedsNothingAtAll) {
  Places places;
  const auto config = load_config(places.sources);
  ASSERT_TRUE(succeeded(config));
  EXPECT_TRUE(config->local());
  EXPECT_EQ(config->wait, std::chrono::minutes(10));
  EXPECT_EQ(config->person, "rowan");
  EXPECT_EQ(config->state_home, places.folder.path() + "/home/.local/state");
}

TEST(Config, FlagsWinOverEnvironmentOverProjectOverUser) {
  Places places;
  places.user(R"({"wait":"1m","max_steps":5,"quiet":true,"verbose":1})");
  places.project(R"({"wait":"2m","max_steps":6,"verbose":2})");
  places.sources.environment.values["POSTERN_VERBOSE"] = "0";
  places.sources.flags["wait"] = "3m";
  const auto config = load_config(places.sources);
  ASSERT_TRUE(succeeded(config));
  EXPECT_EQ(config->wait, std::chrono::minutes(3));
  EXPECT_EQ(config->max_steps, 6);
  EXPECT_EQ(config->terminal.verbose, 0);
  EXPECT_TRUE(config->terminal.quiet);
}

// A link to a terminal or a pipe, which a cloned folder can bring, would keep the program waiting.
TEST(Config, RefusesAProjectWhoseFileIsNone) {
  for (const char* target : {"/dev/tty", "/dev/zero", "/"}) {
    Places places;
    const std::string path = places.folder.path() + "/project/.postern/config.json";
    ASSERT_EQ(::symlink(target, path.c_str()), 0);
    EXPECT_TRUE(refused(load_config(places.sources), "own.config_invalid")) << target;
  }
  Places places;
  const std::string path = places.folder.path() + "/project/.postern/config.json";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(refused(load_config(places.sources), "own.config_invalid"));
  // A link to a plain file is one.
  Places linked;
  ASSERT_TRUE(succeeded(replace_file(linked.folder.path() + "/project/wait.json", R"({"wait":"7m"})")));
  ASSERT_EQ(::symlink("../wait.json", (linked.folder.path() + "/project/.postern/config.json").c_str()), 0);
  const auto config = load_config(linked.sources);
  ASSERT_TRUE(succeeded(config));
  EXPECT_EQ(config->wait, std::chrono::minutes(7));
}

TEST(Config, RefusesAProjectThatChoosesWhereThingsGo) {
  for (const char* text : {R"({"server":"https://evil.test/mcp"})", R"({"model_url":"https://evil.test"})",
                           R"({"pins":"mine.json"})", R"({"issuer":"https://evil.test"})", R"({"profile":"x"})",
                           R"({"profiles":{}})", R"({"model_api":"script:x"})"}) {
    Places places;
    places.project(text);
    EXPECT_TRUE(refused(load_config(places.sources), "own.config_invalid")) << text;
  }
}

TEST(Config, RefusesAnUnknownKeyAndNamesTheNearest) {
  Places places;
  places.user(R"({"serever":"https://desk.test/mcp"})");
  const auto config = load_config(places.sources);
  ASSERT_TRUE(refused(config, "own.config_invalid"));
  const std::string text = config.error().text();
  EXPECT_EQ(text.substr(text.find("): ") + 3), "\"serever\" is no key; did you mean \"server\"?");
  // Nothing is near: all of them.
  places.user(R"({"zzzzzz":1})");
  EXPECT_NE(load_config(places.sources).error().text().find("\"zzzzzz\" is no key. The keys: profile, server,"),
            std::string::npos);
}

TEST(Config, RefusesValuesThatAreNotOfTheForm) {
  for (const auto& [key, value] : std::map<std::string, std::string>{{"wait", "soon"},
                                                                     {"wait", "-1s"},
                                                                     {"max_steps", "0"},
                                                                     {"open", "always"},
                                                                     {"color", "blue"},
                                                                     {"server", "ftp://x"},
                                                                     {"model_api", "openai"},
                                                                     {"model_api", "script:../x"},
                                                                     {"as", "a b"}}) {
    Places places;
    places.sources.flags[key] = value;
    EXPECT_TRUE(refused(load_config(places.sources), "own.config_invalid")) << key << " " << value;
  }
}

TEST(Config, TakesAProfileOfTheUsersFile) {
  Places places;
  places.user(
      R"({"wait":"1m","profiles":{"prod":{"server":"https://desk.test/mcp","issuer":"https://issuer.test","wait":"2m"}}})");
  places.sources.flags["profile"] = "prod";
  const auto config = load_config(places.sources);
  ASSERT_TRUE(succeeded(config));
  EXPECT_EQ(config->server, "https://desk.test/mcp");
  EXPECT_EQ(config->wait, std::chrono::minutes(2));
  EXPECT_FALSE(config->local());
}

TEST(Config, RefusesAProfileThatNobodyDescribed) {
  Places places;
  places.sources.flags["profile"] = "prod";
  EXPECT_TRUE(refused(load_config(places.sources), "own.config_invalid"));
}

TEST(Config, RefusesLocalThingsInAnotherProfile) {
  for (const auto& [key, value] : std::map<std::string, std::string>{{"as", "quinn"}, {"model_api", "script:honest"}}) {
    Places places;
    places.user(R"({"profiles":{"prod":{"server":"https://desk.test/mcp"}}})");
    places.sources.flags["profile"] = "prod";
    places.sources.flags[key] = value;
    EXPECT_TRUE(refused(load_config(places.sources), "own.config_invalid")) << key;
  }
}

TEST(Config, RefusesANamedFileThatIsNotThereAndOneThatIsNoJson) {
  Places missing;
  missing.sources.flags["config"] = missing.folder.path() + "/none.json";
  EXPECT_TRUE(refused(load_config(missing.sources), "own.config_invalid"));
  Places broken;
  broken.user("{");
  EXPECT_TRUE(refused(load_config(broken.sources), "own.config_invalid"));
}

TEST(Config, IgnoresRelativeXdgFoldersAndRefusesToGuessAHome) {
  Places places;
  places.sources.environment.values["XDG_STATE_HOME"] = "relative";
  EXPECT_EQ(load_config(places.sources)->state_home, places.folder.path() + "/home/.local/state");
  places.sources.environment.values.erase("HOME");
  EXPECT_TRUE(refused(load_config(places.sources), "own.config_invalid"));
}

TEST(Config, ReadsDurations) {
  EXPECT_EQ(parse_duration("30s"), std::chrono::seconds(30));
  EXPECT_EQ(parse_duration("10m"), std::chrono::minutes(10));
  EXPECT_EQ(parse_duration("24h"), std::chrono::hours(24));
  EXPECT_EQ(parse_duration("0"), std::chrono::seconds(0));
  for (const char* bad : {"", "10", "m", "1d", "25h", "-1s", "1.5m", "10 m", "99999999999999999999s"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(Config, NearestIsWithinTwoEdits) {
  EXPECT_EQ(nearest("rnu", {"run", "runs", "wire"}), "run");
  EXPECT_EQ(nearest("pin", {"pins", "run"}), "pins");
  EXPECT_EQ(nearest("frobnicate", {"run", "wire"}), "");
}

}  // namespace
}  // namespace postern::host
