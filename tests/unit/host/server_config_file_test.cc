// Servers of the configuration: the form that people know, and each thing in it that is refused with what to write
// instead.
#include "host/server_config_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/config.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

Result<std::map<std::string, ServerConfig>> read(const std::string& text, std::string path = "/nowhere/config.json") {
  return read_servers(*parse_json(text),
                      {std::move(path), "config.json", "/home/rowan/.config/postern/pins", "/usr/bin:/bin"});
}
Result<ServerConfig> read_one(const std::string& text) {
  auto servers = read(R"({"files":)" + text + "}");
  if (!servers) return servers.error();
  return servers->at("files");
}

TEST(ServerConfigFile, ReadsAProgramWithItsDefaults) {
  const auto server = read_one(R"({"command":"/usr/bin/mcp-files","args":["--readonly",""],"env":{"ROOT":"/srv"},
      "env_from":["API_KEY"],"cwd":"/srv"})");
  ASSERT_TRUE(succeeded(server));
  EXPECT_EQ(server->name, "files");
  EXPECT_EQ(server->args, (std::vector<std::string>{"--readonly", ""}));
  EXPECT_EQ(server->environment.front(), (std::pair<std::string, std::string>{"ROOT", "/srv"}));
  EXPECT_EQ(server->environment_from, std::vector<std::string>{"API_KEY"});
  EXPECT_EQ(server->pins, "/home/rowan/.config/postern/pins/files.json");
  EXPECT_EQ(server->era, bridge::EraChoice::kPin);
  EXPECT_EQ(server->calls_max, 100);
  EXPECT_TRUE(server->enabled);
  EXPECT_FALSE(server->is_http());
}

TEST(ServerConfigFile, ReadsAnEndpointWithEverything) {
  const auto server = read_one(R"({"type":"http","url":"https://tickets.example.test/mcp","ca_file":"/etc/ca.pem",
      "era":"auto","pins":"/srv/pins.json","enabled":false,
      "oauth":{"issuer":"https://login.example.test","client_id":"postern","scopes":"a b","flow":"device","dpop":true},
      "limits":{"request":"2m","silence":"10s","response_bytes":65536,"calls":3}})");
  ASSERT_TRUE(succeeded(server));
  EXPECT_TRUE(server->is_http());
  EXPECT_EQ(server->oauth.client_id, "postern");
  EXPECT_EQ(server->oauth.scopes_max->text(), "a b");
  EXPECT_EQ(server->oauth.flow, OAuthConfig::Flow::kDevice);
  EXPECT_EQ(server->request_ms_max, std::chrono::minutes(2));
  EXPECT_EQ(server->silence_ms_max, std::chrono::seconds(10));
  EXPECT_EQ(server->response_bytes_max, 65536U);
  EXPECT_EQ(server->calls_max, 3);
  EXPECT_FALSE(server->enabled);
}

TEST(ServerConfigFile, TakesATokenFromTheEnvironmentOnly) {
  for (const char* text : {R"({"url":"https://s.test/mcp","bearer_token_env":"S_TOKEN"})",
                           R"({"url":"https://s.test/mcp","headers":{"authorization":"Bearer ${S_TOKEN}"}})"}) {
    const auto server = read_one(text);
    ASSERT_TRUE(succeeded(server)) << text;
    EXPECT_EQ(server->bearer_token_env, "S_TOKEN");
  }
  for (const char* text : {R"({"url":"https://s.test/mcp","headers":{"Authorization":"Bearer abcdef0123456789"}})",
                           R"({"url":"https://s.test/mcp","headers":{"X-Api-Key":"${S_TOKEN}"}})",
                           R"({"url":"https://s.test/mcp","headers":{"Authorization":"Bearer ${A}","X-B":"c"}})",
                           R"({"url":"https://s.test/mcp","headers":{"Authorization":"Bearer ${A-b}"}})",
                           R"({"url":"https://s.test/mcp","token":"abc"})",
                           R"({"url":"https://s.test/mcp","bearer_token_env":"not a name"})",
                           R"({"url":"https://s.test/mcp","bearer_token_env":"A","oauth":{"client_id":"x"}})"}) {
    const auto server = read_one(text);
    EXPECT_TRUE(refused(server, "own.config_invalid")) << text;
    EXPECT_EQ(server.error().text().find("abcdef0123456789"), std::string::npos);
  }
}

TEST(ServerConfigFile, RefusesWhatIsNoServerWithWhatToWriteInstead) {
  struct Case {
    const char* text;
    const char* says;
  };
  const Case cases[] = {
      {R"({})", "needs either \"command\""},
      {R"({"command":"/bin/a","url":"https://s.test/mcp"})", "needs either \"command\""},
      {R"({"command":"sh"})", "On the path it is /usr/bin/sh"},
      {R"({"command":"./server"})", "is not an absolute path"},
      {R"({"command":"no-such-program-here"})", "wherever this one is started from."},
      {R"({"command":"/bin/a","type":"http"})", "\"type\" is http"},
      {R"({"url":"https://s.test/mcp","type":"sse"})", "2024-11-05"},
      {R"({"url":"https://s.test/mcp","type":"streamable-http"})", "called \"http\" here"},
      {R"({"url":"http://s.test/mcp"})", "http is for servers on this machine"},
      {R"({"url":"ftp://s.test/mcp"})", "is not an http or https URL"},
      {R"({"url":"https://s.test/mcp","args":["a"]})", "are for a server with a \"command\""},
      {R"({"command":"/bin/a","oauth":{}})", "oauth is for a server with a \"url\""},
      {R"({"command":"/bin/a","args":["${HOME}/x"]})", "is not expanded here"},
      {R"({"command":"/bin/a","env":{"A":"${B:-c}"}})", "is not expanded here"},
      {R"({"command":"/bin/a","comand":"b"})", "did you mean \"command\"?"},
      {R"({"command":"/bin/a","disabled":true})", "write \"enabled\": false"},
      {R"({"command":"/bin/a","autoApprove":["x"]})", "\"confirm\": false"},
      {R"({"command":"/bin/a","limits":{"request":"1 day"}})", "it is not a duration"},
      {R"({"command":"/bin/a","limits":{"request":"10s","silence":"20s"}})", "\"silence\" is longer"},
      {R"({"command":"/bin/a","limits":{"calls":0}})", "from 1 to 10000"},
      {R"({"command":"/bin/a","cwd":"work"})", "is not an absolute path"},
      {R"({"command":"/bin/a","era":"2025"})", "it is not pin, auto or legacy"},
      {R"({"url":"https://s.test/mcp","oauth":{"scope":"a"}})", "did you mean \"scopes\"?"},
      {R"("files")", "it is not an object"},
  };
  for (const Case& one : cases) {
    const auto server = read_one(one.text);
    ASSERT_TRUE(refused(server, "own.config_invalid")) << one.text;
    EXPECT_NE(server.error().text().find(one.says), std::string::npos) << server.error().text();
  }
  EXPECT_TRUE(succeeded(read_one(R"({"url":"http://127.0.0.1:4000/mcp"})")));
  EXPECT_TRUE(succeeded(read_one(R"({"command":"/bin/a","args":["$HOME","${}","a{b}"]})")));
}

TEST(ServerConfigFile, NamesServersSoThatNoNameEndsWhereAnotherBegins) {
  for (const char* name :
       {"Files", "my_files", "a--b", "-a", "a-", "2files", "", "files.x", "abcdefghijklmnopqrstuvwxyzabcdefg"}) {
    EXPECT_TRUE(refused(read("{\"" + std::string(name) + R"(":{"command":"/bin/a"}})"), "own.config_invalid")) << name;
  }
  EXPECT_TRUE(succeeded(read(R"({"my-files2":{"command":"/bin/a"}})")));
}

TEST(ServerConfigFile, ShowsNoArgumentThatCouldHoldAPassword) {
  const auto place = [](const std::string& text) { return place_of(*read_one(text)); };
  EXPECT_EQ(place(R"({"command":"/bin/a"})"), "/bin/a");
  EXPECT_EQ(place(R"({"command":"/bin/node","args":["/opt/index.js","--url=mongodb://u:p@host"]})"),
            "/bin/node /opt/index.js …");
  EXPECT_EQ(place(R"({"command":"/bin/a","args":["secret"]})"), "/bin/a …");
  EXPECT_EQ(place(R"({"url":"https://s.test/mcp?key=abc"})"), "https://s.test/mcp?…");
}

ServerConfig named(const std::string& name) {
  ServerConfig server;
  server.name = name;
  server.where = "config.json";
  return server;
}

TEST(ServerConfigFile, RefusesNamesThatLookAlikeOrLikeTheDesk) {
  EXPECT_TRUE(succeeded(check_server_names({named("files"), named("docs"), named("file")})));
  const Status alike = check_server_names({named("web1"), named("webl")});
  ASSERT_TRUE(refused(alike, "own.config_invalid"));
  EXPECT_NE(alike.error().text().find("\"web1\" and \"webl\" look alike"), std::string::npos);
  for (const char* taken : {"support-desk", "desk", "server", "issuer", "lssuer"})
    EXPECT_TRUE(refused(check_server_names({named(taken)}), "own.config_invalid")) << taken;
}

TEST(ServerConfigFile, RefusesProgramsOfAFileThatOthersCanWrite) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path() + "/config.json";
  ASSERT_TRUE(succeeded(replace_file(path, "{}")));
  const std::string text = R"({"files":{"command":"/bin/a"}})";
  EXPECT_TRUE(succeeded(read(text, path)));
  ASSERT_EQ(chmod(path.c_str(), 0664), 0);
  const auto servers = read(text, path);
  ASSERT_TRUE(refused(servers, "own.config_invalid"));
  EXPECT_NE(servers.error().text().find("chmod go-w " + path), std::string::npos);
  EXPECT_TRUE(succeeded(read(R"({"docs":{"url":"https://s.test/mcp"}})", path)));
}

class Files {
 public:
  Files() {
    sources.environment.values["HOME"] = folder.path() + "/home";
    sources.working_folder = folder.path() + "/project";
    EXPECT_TRUE(succeeded(make_folder(folder.path() + "/home/.config/postern")));
    EXPECT_TRUE(succeeded(make_folder(folder.path() + "/project/.postern")));
  }
  void user(const std::string& text) const {
    EXPECT_TRUE(succeeded(replace_file(folder.path() + "/home/.config/postern/config.json", text)));
  }
  void project(const std::string& text) const {
    EXPECT_TRUE(succeeded(replace_file(folder.path() + "/project/.postern/config.json", text)));
  }
  test::TemporaryFolder folder;
  ConfigSources sources;
};

// "python -m", npx and the like take modules and settings from where they are started: a cloned folder must not be
// that.
TEST(ServerConfigFile, ProgramsAreNotStartedInTheFolderThatThisProgramHappensToBeIn) {
  Files files;
  files.user(R"({"mcpServers":{"files":{"command":"/bin/a"},"own":{"command":"/bin/a","cwd":"/srv"},
      "web":{"url":"https://s.test/mcp"}}})");
  auto config = load_config(files.sources);
  ASSERT_TRUE(succeeded(config));
  EXPECT_EQ(config->find_server("files")->working_folder, files.folder.path() + "/home");
  EXPECT_EQ(config->find_server("own")->working_folder, "/srv");
  EXPECT_EQ(config->find_server("web")->working_folder, "");
  files.sources.flags["config"] = files.folder.path() + "/home/.config/postern/config.json";
  for (const std::string home : {"", "relative", "/nonexistent"}) {
    files.sources.environment.values["HOME"] = home;
    files.sources.environment.values["XDG_STATE_HOME"] = files.folder.path();
    config = load_config(files.sources);
    ASSERT_TRUE(succeeded(config));
    EXPECT_EQ(config->find_server("files")->working_folder, "/");
  }
}

TEST(ServerConfigFile, IsTheUsersAndNeverAProjects) {
  const std::string servers = R"({"mcpServers":{"files":{"command":"/bin/a"}}})";
  Files files;
  files.user(servers);
  const auto config = load_config(files.sources);
  ASSERT_TRUE(succeeded(config));
  ASSERT_NE(config->find_server("files"), nullptr);
  EXPECT_EQ(config->find_server("files")->pins, files.folder.path() + "/home/.config/postern/pins/files.json");
  EXPECT_EQ(config->find_server("file"), nullptr);

  files.user("{}");
  files.project(servers);
  const auto cloned = load_config(files.sources);
  ASSERT_TRUE(refused(cloned, "own.config_invalid"));
  EXPECT_NE(cloned.error().text().find("must not start programs"), std::string::npos);

  files.project("{}");
  files.user(R"({"profiles":{"local":)" + servers + "}}");
  EXPECT_TRUE(refused(load_config(files.sources), "own.config_invalid"));
}

}  // namespace
}  // namespace postern::host
