// No secret of a run is anywhere that it has no business to be: logs, both output streams, databases, transcripts and
// model requests.
//
// Two nets. By shape: everything that begins like a secret of ours. By value: the secrets that the parent really made
// for a world, read from its keys.json while the world is still up, and a model key that the test plants.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>

#include "tests/e2e/program_run.h"
#include "tests/e2e/supervised.h"
#include "tests/lab/model_script.h"
#include "tests/lab/supervisor.h"
#include "wire/base/random_source.h"
#include "wire/tap/tap.h"
#include "wire/transport/child_process.h"
#include "wire/transport/http_client.h"
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

// A browser's connection that remembers what a browser keeps to itself: cookies, codes on their way back, form tokens;
// and the pages.
class KeepingHttp final : public HttpClient {
 public:
  explicit KeepingHttp(std::unique_ptr<HttpClient> inner) : inner_(std::move(inner)) {}
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    auto response = inner_->send(uri, request, deadline, stop);
    if (response) keep(uri, *response);
    return response;
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    return inner_->open(uri, request, on_head, on_bytes, deadline, stop);
  }
  std::vector<std::string> secrets;
  std::size_t cookies = 0;
  std::size_t codes = 0;
  std::size_t tokens = 0;
  std::string pages;

 private:
  void keep(const Uri& uri, const HttpResponse& response) {
    for (const std::string_view field : response.headers.all("set-cookie")) {
      const std::string_view pair = field.substr(0, field.find(';'));
      const std::string value(pair.substr(std::min(pair.size(), pair.find('=') + 1)));
      if (value.size() < 16) continue;
      secrets.push_back(value);
      ++cookies;
    }
    if (const std::string* location = response.headers.find("location")) {
      const auto target = lab::resolve(uri, *location);
      const auto fields = target ? form_decode(target->query) : Result<FormFields>(FormFields());
      for (const auto& field : *fields) {
        if (field.first != "code") continue;
        secrets.push_back(field.second);
        ++codes;
      }
    }
    for (const lab::HtmlForm& form : lab::read_html(response.body).forms) {
      for (const auto& field : form.fields) {
        // The digest of the request is in the form too, and is meant to be seen.
        if (field.first != "csrf" && field.first != "form_token") continue;
        secrets.push_back(field.second);
        ++tokens;
      }
    }
    pages += response.body;
  }
  std::unique_ptr<HttpClient> inner_;
};

TEST(Secrets, OfASupervisorsBrowserAreNowhereElse) {
  const Machine machine;
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  KeepingHttp http(make_http_client(Env{clock, random, tap}, {}));
  lab::Browser browser(http, clock);
  lab::Supervisor supervisor(browser, {});
  const Finished run = run_supervised(machine, {"run", "T-1042", "--open", "never"}, supervisor);
  ASSERT_EQ(run.exit, 0) << run.shown();
  EXPECT_GE(http.cookies, 2u);  // one of the page and one of the issuer at least
  EXPECT_GE(http.codes, 2u);    // the first sign-in and the fresh one
  EXPECT_GE(http.tokens, 3u);   // of two sign-in pages and of the confirming page
  expect_no_shape("the pages", http.pages);
  std::vector<std::pair<std::string, std::string>> places = files_below(machine.state(), {});
  places.emplace_back("stdout", run.out);
  places.emplace_back("stderr", run.err);
  for (const auto& [path, content] : places) {
    for (const std::string& secret : http.secrets) {
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
