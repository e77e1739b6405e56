// No secret of a run is anywhere that it has no business to be: logs, both output streams, databases, transcripts and
// model requests.
//
// Two nets. By shape: everything that begins like a secret of ours. By value: the secrets that the parent really made
// for a world, read from its keys.json while the world is still up, and a model key that the test plants.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/e2e/program_run.h"
#include "tests/lab/model_script.h"
#include "wire/transport/child_process.h"
#include "wire/transport/listening_socket.h"

namespace postern::e2e {
namespace {

const std::vector<std::string> kShapes = {"ch_", "eyJ", "apt_", "svc_", "ac_", "hs_", "sk-ant-"};
// What holds keys by design, mode 0600, for as long as a run can be resumed.
const std::vector<std::string> kKeyFiles = {"keys.json", "key_ring.json", "key_ring", "desk_keys.json"};

void expect_no_shape(const std::string& where, const std::string& content) {
  const auto found = lab::secret_shape_in(content, kShapes);
  EXPECT_FALSE(found.has_value()) << where << " holds " << found.value_or("");
}

void strings_in(const Json& value, std::vector<std::string>& into) {
  if (value.string() != nullptr && value.string()->size() >= 20 && value.string()->find("://") == std::string::npos)
    into.push_back(*value.string());
  for (const Json& one : value.elements()) strings_in(one, into);
  for (const auto& one : value.members()) strings_in(one.second, into);
}

TEST(Secrets, AreNowhereAfterAPaidRun) {
  const Machine machine;
  const Finished run = machine.lab_run({"T-1042", "--supervisor", "approve"});
  ASSERT_EQ(run.exit, 0) << run.shown();
  expect_no_shape("stdout", run.out);
  expect_no_shape("stderr", run.err);
  const auto files = files_below(machine.state(), kKeyFiles);
  std::size_t logs = 0;
  for (const auto& [path, content] : files) {
    expect_no_shape(path, content);
    if (path.ends_with("wire.jsonl")) {
      ++logs;
      // Redaction was at work: without this the absence above could be an empty log.
      EXPECT_NE(content.find("<token:"), std::string::npos);
      EXPECT_GT(json_lines(content).size(), 20u);
    }
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 077u, 0u) << path << " can be read by others";
  }
  EXPECT_EQ(logs, 1u);
  EXPECT_GT(files.size(), 8u);
}

TEST(Secrets, OfAWorldThatIsUpAreInItsKeyFileAlone) {
  const Machine machine;
  const Finished run = machine.lab_run({"T-1042", "--supervisor", "none"});
  ASSERT_EQ(run.exit, 8) << run.shown();
  const auto keys = parse_json(content_of(machine.runs().back() + "/world/keys.json"));
  ASSERT_TRUE(keys.has_value());
  std::vector<std::string> secrets;
  strings_in(*keys, secrets);
  ASSERT_GE(secrets.size(),
            7u);  // a credential for each service and set of operations, the signing seed, the headless secret
  std::vector<std::pair<std::string, std::string>> places = files_below(machine.state(), kKeyFiles);
  places.emplace_back("stdout", run.out);
  places.emplace_back("stderr", run.err);
  for (const auto& [path, content] : places) {
    for (const std::string& secret : secrets) {
      EXPECT_EQ(content.find(secret), std::string::npos) << path << " holds " << secret.substr(0, 6);
    }
  }
}

TEST(Secrets, AModelKeyGoesToTheModelServiceAlone) {
  const Machine machine;
  auto port = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(port.has_value());
  ChildOptions options;
  options.argv = {program("postern-lab"), "model", "serve", "--config", "-"};
  options.sockets = {{"model", port->descriptor()}};
  options.stderr_file = machine.folder() + "/model.log";
  auto model = ChildProcess::spawn(options);
  ASSERT_TRUE(model.has_value());
  const std::string record = machine.folder() + "/requests.jsonl";
  ASSERT_TRUE(model->write(Json::object({{"script", "honest"}, {"record_file", record}}).dump() + "\n").has_value());
  // Shaped like nothing that the redactor knows, so that only its place protects it.
  const std::string key = "planted-model-key-0123456789";
  const Finished run = machine.postern({"run", "T-1060", "--open", "never", "--model", "claude-sonnet-5-5"},
                                       {{"ANTHROPIC_API_KEY", key}, {"ANTHROPIC_BASE_URL", port->origin()}});
  EXPECT_EQ(run.exit, 0) << run.shown();
  EXPECT_NE(run.out.find("final: Nothing was refunded: ticket T-1060 is closed."), std::string::npos) << run.shown();
  const std::vector<Json> requests = json_lines(content_of(record));
  ASSERT_FALSE(requests.empty());
  EXPECT_EQ(requests[0].find("headers")->string_at("x-api-key"), "<key>");
  EXPECT_EQ(requests[0].find("body")->string_at("model"), "claude-sonnet-5-5");
  std::vector<std::pair<std::string, std::string>> places = files_below(machine.folder(), {});
  places.emplace_back("stdout", run.out);
  places.emplace_back("stderr", run.err);
  for (const auto& [path, content] : places) EXPECT_EQ(content.find(key), std::string::npos) << path;
}

}  // namespace
}  // namespace postern::e2e
