#include "tests/lab/attack/process_stack.h"

#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "host/local_world.h"
#include "tests/lab/attack/attacker_keys.h"
#include "tests/lab/attack/mcp_call.h"
#include "tests/lab/attack/relay.h"
#include "tests/lab/attack/target.h"
#include "tests/support/raw_connection.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"
#include "wire/transport/child_process.h"

namespace postern::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kReadyMax{20};
constexpr std::chrono::seconds kAnswerMax{20};
constexpr std::chrono::seconds kPaidMax{15};
constexpr std::size_t kArtefactBytesMax = 64U << 20U;

// One program of the stack: what it is started with, and the sockets that it is handed down.
struct Part {
  std::string name;  // "desk"
  Json document;
  std::vector<std::pair<std::string, int>> sockets;
};

class ProcessStack final : public ProductStack {
 public:
  ProcessStack(ProcessStackOptions options, std::string folder)
      : options_(std::move(options)),
        folder_(std::move(folder)),
        client_(make_http_client(Env{clock_, random_, tap_}, {})),
        world_(host::LocalWorld::make(random_, folder_)),
        sign_secret_(random_token(random_, "sign_", 32)) {}
  ~ProcessStack() override;
  [[nodiscard]] Status start();

  [[nodiscard]] Env env() override { return Env{clock_, random_, tap_}; }
  [[nodiscard]] HttpClient& http() override { return *client_; }
  [[nodiscard]] std::string origin(std::string_view name) const override { return world_.origin(name); }
  [[nodiscard]] std::string headless_secret() const override { return world_.headless_secret; }
  [[nodiscard]] Json desk_document() const override { return world_.desk_document(); }
  [[nodiscard]] Result<std::string> sign_as_issuer(const Json& header, const Json& claims) override;
  [[nodiscard]] std::string own_keys_url() const override { return own_keys_->url(); }
  [[nodiscard]] Result<std::string> raw(std::string_view bytes) override { return raw_to(port_of("desk"), bytes); }
  [[nodiscard]] Result<std::map<std::string, std::string>> artefacts() override;
  [[nodiscard]] Result<std::vector<HttpResponse>> at_once(const HttpRequest& request) override;
  [[nodiscard]] Result<HttpResponse> after_crash(const HttpRequest& request) override;

 private:
  [[nodiscard]] std::uint16_t port_of(const std::string& name) const { return world_.ports.find(name)->second; }
  [[nodiscard]] int descriptor_of(std::string_view name) const;
  [[nodiscard]] Result<std::string> raw_to(std::uint16_t port, std::string_view bytes) const;
  // The product's program, or the laboratory's part when some of its controls are removed.
  [[nodiscard]] std::vector<std::string> command_of(const std::string& name, Json& document) const;
  [[nodiscard]] Result<ChildProcess> spawn(const Part& part) const;
  [[nodiscard]] Status wait_ready(const Part& part, std::string_view origin, ChildProcess& child);
  [[nodiscard]] Part desk_part(int descriptor) const;
  [[nodiscard]] Status start_second_desk();
  [[nodiscard]] std::string last_words_of(const std::string& name) const;

  ProcessStackOptions options_;
  std::string folder_;
  SystemClock clock_;
  SystemRandomSource random_;
  NoTap tap_;
  std::unique_ptr<HttpClient> client_;
  host::LocalWorld world_;
  std::string sign_secret_;           // of the issuer's part: who knows it may have anything signed
  std::vector<NamedSocket> sockets_;  // kept: a desk that was ended comes back at its address
  std::optional<ListeningSocket> second_socket_;
  std::unique_ptr<Relay> payments_relay_;
  std::unique_ptr<Relay> approvals_relay_;
  std::unique_ptr<AttackerKeys> own_keys_;
  std::map<std::string, ChildProcess> children_;
};

ProcessStack::~ProcessStack() {
  for (auto& [name, child] : children_) child.close_stdin();
  children_.clear();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

int ProcessStack::descriptor_of(std::string_view name) const {
  for (const NamedSocket& socket : sockets_) {
    if (socket.name == name) return socket.socket.descriptor();
  }
  return -1;
}

std::string ProcessStack::last_words_of(const std::string& name) const {
  const auto log = read_file(folder_ + "/" + name + ".log", kArtefactBytesMax);
  if (!log || log->empty()) return "it said nothing";
  return "its last words: " + visible_line(log->substr(log->size() > 200 ? log->size() - 200 : 0), 200);
}

std::vector<std::string> ProcessStack::command_of(const std::string& name, Json& document) const {
  Json removed = Json::array();
  for (const std::string& control : options_.controls_removed) {
    if (control.substr(0, name.size() + 1) == name + ".") removed.push(control);
  }
  if (name == "issuer") document.set("sign_secret", world_.headless_secret);
  if (name == "issuer" || removed.size() > 0) {
    if (removed.size() > 0) document.set("controls_removed", std::move(removed));
    return {options_.program_folder + "/postern-lab", "part", name, "--config", "-"};
  }
  return {options_.program_folder + "/postern-" + name, "serve", "--config", "-"};
}

Result<ChildProcess> ProcessStack::spawn(const Part& part) const {
  Json document = part.document;
  ChildOptions child;
  child.argv = command_of(part.name, document);
  if (!file_exists(child.argv.front())) {
    return AttackFailed{"postern-" + part.name + " is not beside postern-lab, in " + options_.program_folder};
  }
  child.sockets = part.sockets;
  child.stderr_file = folder_ + "/" + part.name + ".log";
  POSTERN_TRY(ChildProcess started, ChildProcess::spawn(child));
  if (!started.write(document.dump() + "\n")) {
    return AttackFailed{part.name + " ended before it could be told its task; " + last_words_of(part.name)};
  }
  return started;
}

Status ProcessStack::wait_ready(const Part& part, std::string_view origin, ChildProcess& child) {
  POSTERN_TRY(const Uri uri, parse_uri(std::string(origin) + "/"));
  HttpRequest request;
  request.method = "GET";
  request.target = "/";
  const SteadyTime until = clock_.steady_now() + kReadyMax;
  while (!client_->send(uri, request, clock_.steady_now() + std::chrono::milliseconds(500))) {
    if (const auto status = child.exit_status()) {
      return AttackFailed{part.name + " ended with exit code " + std::to_string(*status) + "; " +
                          last_words_of(part.name)};
    }
    if (clock_.steady_now() >= until)
      return AttackFailed{part.name + " gave no answer in 20 s; " + last_words_of(part.name)};
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return {};
}

Part ProcessStack::desk_part(int descriptor) const {
  Part part{"desk", world_.desk_document(), {{"desk", descriptor}}};
  part.document.set("approvals_url", approvals_relay_->origin()).set("payments_url", payments_relay_->origin());
  return part;
}

Status ProcessStack::start() {
  for (const char* name : {"/payments", "/approvals", "/desk"}) POSTERN_TRY_VOID(make_folder(folder_ + name));
  for (const std::string_view name : host::LocalWorld::kSockets) {
    POSTERN_TRY(ListeningSocket socket, ListeningSocket::on_loopback(0));
    world_.ports.insert_or_assign(std::string(name), socket.port());
    sockets_.push_back({std::string(name), std::move(socket)});
  }
  POSTERN_TRY(payments_relay_, Relay::start(env(), "payments", *parse_uri(origin("payments"))));
  POSTERN_TRY(approvals_relay_, Relay::start(env(), "approvals", *parse_uri(origin("approvals"))));
  POSTERN_TRY(own_keys_, AttackerKeys::serve(env()));
  const std::vector<Part> parts = {{"issuer", world_.issuer_document(), {{"issuer", descriptor_of("issuer")}}},
                                   {"payments", world_.payments_document(), {{"payments", descriptor_of("payments")}}},
                                   desk_part(descriptor_of("desk")),
                                   {"approvals",
                                    world_.approvals_document(),
                                    {{"page", descriptor_of("page")}, {"approvals", descriptor_of("approvals")}}}};
  for (const Part& part : parts) {
    POSTERN_TRY(ChildProcess child, spawn(part));
    children_.emplace(part.name, std::move(child));
  }
  for (const Part& part : parts) POSTERN_TRY_VOID(wait_ready(part, origin(part.name), children_.at(part.name)));
  return {};
}

Result<std::string> ProcessStack::raw_to(std::uint16_t port, std::string_view bytes) const {
  test::RawConnection connection(port);
  if (!connection.connected()) return AttackFailed{"nobody listens at port " + std::to_string(port)};
  // A peer that has refused the head may have hung up before the body was out: its answer is there all the same.
  connection.send(bytes);
  return connection.read_to_end();
}

Result<std::string> ProcessStack::sign_as_issuer(const Json& header, const Json& claims) {
  POSTERN_TRY(const Uri uri, parse_uri(origin("issuer") + "/lab/sign"));
  HttpRequest request;
  request.method = "POST";
  request.target = uri.target();
  request.headers.add("Content-Type", "application/json");
  request.headers.add("Authorization", "Bearer " + world_.headless_secret);
  request.headers.add("Authorization", "Bearer " + sign_secret_);
  request.body = Json::object({{"header", header}, {"claims", claims}}).dump();
  POSTERN_TRY(const HttpResponse response, client_->send(uri, request, clock_.steady_now() + kAnswerMax));
  const auto json = parse_json(response.body);
  if (response.status != 200 || !json || json->string_at("token").empty()) {
    return AttackFailed{"the laboratory's issuer signs nothing: " + std::to_string(response.status) + " " +
                        visible_line(response.body, 200)};
  }
  return std::string(json->string_at("token"));
}

Result<std::map<std::string, std::string>> ProcessStack::artefacts() {
  std::map<std::string, std::string> all;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    const std::string path = at->path().string();
    POSTERN_TRY(std::string text, read_file(path, kArtefactBytesMax));
    all.emplace(path.substr(folder_.size() + 1), std::move(text));
  }
  if (error) return AttackFailed{"the files of the stack cannot be listed: " + error.message()};
  all.emplace("calls of the desk to payments", payments_relay_->record());
  all.emplace("calls of the desk to approvals", approvals_relay_->record());
  return all;
}

Status ProcessStack::start_second_desk() {
  if (children_.count("second desk") > 0) return {};
  POSTERN_TRY(second_socket_, ListeningSocket::on_loopback(0));
  const Part part = desk_part(second_socket_->descriptor());
  POSTERN_TRY(ChildProcess child, spawn(part));
  ChildProcess& kept = children_.emplace("second desk", std::move(child)).first->second;
  return wait_ready(part, second_socket_->origin(), kept);
}

Result<std::vector<HttpResponse>> ProcessStack::at_once(const HttpRequest& request) {
  POSTERN_TRY_VOID(start_second_desk());
  POSTERN_TRY(const Uri desk, parse_uri(origin("desk")));
  const std::uint16_t ports[] = {desk.port, second_socket_->port()};
  // Each has the caller's token verified and the issuer's keys at hand before: what is left of both calls is the race.
  HttpRequest warm = request;
  warm.body = "{}";
  for (const std::uint16_t port : ports) POSTERN_TRY_VOID(raw_to(port, bytes_of(warm, desk.authority(), {}, {})));
  const std::string bytes = bytes_of(request, desk.authority(), {}, {});
  std::vector<Result<std::string>> answers(2, AttackFailed{"nothing came"});
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 2; ++i) {
      threads.emplace_back([&, i] { answers[i] = raw_to(ports[i], bytes); });
    }
  }
  std::vector<HttpResponse> responses;
  for (const Result<std::string>& answer : answers) {
    if (!answer) return answer.error();
    responses.push_back(response_of_bytes(*answer));
  }
  return responses;
}

Result<HttpResponse> ProcessStack::after_crash(const HttpRequest& request) {
  POSTERN_TRY(const Uri desk, parse_uri(origin("desk")));
  payments_relay_->hold_next("/refunds");
  const std::string bytes = bytes_of(request, desk.authority(), {}, {});
  std::jthread first([&] { static_cast<void>(raw_to(desk.port, bytes)); });
  const bool held = payments_relay_->wait_until_held(kPaidMax);
  ChildProcess& child = children_.at("desk");
  child.signal(SIGKILL);
  child.stop();
  payments_relay_->release();
  first.join();
  if (!held) return AttackFailed{"the desk never asked payments to pay"};
  children_.erase("desk");
  const Part part = desk_part(descriptor_of("desk"));
  POSTERN_TRY(ChildProcess again, spawn(part));
  ChildProcess& kept = children_.emplace("desk", std::move(again)).first->second;
  POSTERN_TRY_VOID(wait_ready(part, origin("desk"), kept));
  POSTERN_TRY(const std::string answer, raw_to(desk.port, bytes));
  return response_of_bytes(answer);
}

}  // namespace

Result<std::unique_ptr<ProductStack>> start_process_stack(const ProcessStackOptions& options) {
  std::string name = (fs::temp_directory_path() / "postern-attack-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    return AttackFailed{"no folder can be made in " + fs::temp_directory_path().string()};
  auto stack = std::make_unique<ProcessStack>(options, name);
  POSTERN_TRY_VOID(stack->start());
  return std::unique_ptr<ProductStack>(std::move(stack));
}

}  // namespace postern::lab
