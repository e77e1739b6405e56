#include "tests/nginx/front.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <thread>
#include <utility>

#include "tests/support/refused.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/base/file.h"
#include "wire/base/uri.h"
#include "wire/transport/listening_socket.h"

namespace postern::nginx {
namespace {

using test::succeeded;

constexpr std::chrono::seconds kAnswerIn{20};
constexpr std::chrono::seconds kRequestIn{10};

std::string path_of(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"}) {
    if (::access((folder + name).c_str(), X_OK) == 0) return folder + name;
  }
  return {};
}

// Runs a program to its end; what it printed, or nothing when it failed.
std::optional<std::string> output_of(std::vector<std::string> argv, const std::string& log) {
  argv.front() = path_of(argv.front());
  ChildOptions options;
  options.argv = std::move(argv);
  options.pipe_stdout = true;
  options.stderr_file = log;
  auto child = ChildProcess::spawn(options);
  if (!child) return std::nullopt;
  child->close_stdin();
  std::string out;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(child->stdout_descriptor(), buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  if (child->wait(kAnswerIn) != 0) return std::nullopt;
  return out;
}

void replace_all(std::string& text, std::string_view name, const std::string& value) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

HttpClientOptions client_options(std::string ca_file = {}) {
  HttpClientOptions options;
  options.ca_file = std::move(ca_file);
  return options;
}

// A port that was free a moment ago: nginx binds for itself.
std::uint16_t free_port() {
  const auto socket = ListeningSocket::on_loopback(0);
  return socket ? socket->port() : std::uint16_t{0};
}

HttpRequest form_post(const FormFields& fields) {
  HttpRequest request;
  request.method = "POST";
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  request.body = form_encode(fields);
  return request;
}

}  // namespace

std::string missing_program() {
  for (const char* name : {"nginx", "openssl", "curl"}) {
    if (path_of(name).empty()) return name;
  }
  return {};
}

Front::Front(const FrontOptions& options)
    : world_(host::LocalWorld::make(random_, folder_.path())),
      port_(free_port()),
      plain_(make_http_client({clock_, random_, tap_}, client_options())) {
  up_ = make_certificates() && start_programs(options) && start_fixtures() && start_nginx();
}

Front::~Front() {
  for (ChildProcess& proxy : proxy_) EXPECT_EQ(proxy.stop(std::chrono::milliseconds(5000)), 0);
  for (ChildProcess& desk : desks_) desk.close_stdin();
  for (ChildProcess& service : services_) service.close_stdin();
}

std::string Front::origin() const {
  return "https://localhost:" + std::to_string(port_);
}
std::string Front::resource() const {
  return origin() + "/mcp";
}
std::string Front::desk_address(std::size_t which) const {
  return "127.0.0.1:" + std::to_string(desk_ports_[which]);
}

bool Front::make_certificates() {
  const std::string log = folder_ / "openssl.log";
  EXPECT_TRUE(succeeded(replace_file(folder_ / "names.cnf", "subjectAltName=DNS:localhost,IP:127.0.0.1\n")));
  const std::vector<std::string> key = {"-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"};
  std::vector<std::string> authority = {
      "openssl",          "req",  "-x509",           "-days", "2", "-subj", "/CN=Test authority", "-keyout",
      folder_ / "ca.key", "-out", folder_ / "ca.pem"};
  authority.insert(authority.end(), key.begin(), key.end());
  std::vector<std::string> wish = {
      "openssl", "req", "-subj", "/CN=localhost", "-keyout", folder_ / "server.key", "-out", folder_ / "server.csr"};
  wish.insert(wish.end(), key.begin(), key.end());
  const std::vector<std::string> sign = {"openssl",
                                         "x509",
                                         "-req",
                                         "-days",
                                         "2",
                                         "-in",
                                         folder_ / "server.csr",
                                         "-CA",
                                         folder_ / "ca.pem",
                                         "-CAkey",
                                         folder_ / "ca.key",
                                         "-CAcreateserial",
                                         "-out",
                                         folder_ / "server.pem",
                                         "-extfile",
                                         folder_ / "names.cnf"};
  for (const auto& argv : {authority, wish, sign}) {
    if (!output_of(argv, log)) {
      ADD_FAILURE() << "openssl made no certificate: " << read_file(log, 1 << 16).value_or("");
      return false;
    }
  }
  secure_ = make_http_client({clock_, random_, tap_}, client_options(ca_file()));
  return true;
}

std::uint16_t Front::bind(const std::string& socket) {
  auto bound = ListeningSocket::on_loopback(0);
  EXPECT_TRUE(succeeded(bound)) << socket;
  const std::uint16_t port = bound->port();
  sockets_.emplace(socket, *std::move(bound));
  return port;
}

// `handed`: the name that the program knows, and which socket it gets.
bool Front::spawn(std::vector<ChildProcess>& into, const std::string& program, const Json& document,
                  const std::vector<std::pair<std::string, std::string>>& handed) {
  ChildOptions options;
  options.argv = {std::string(POSTERN_BIN_DIR) + "/" + program, "serve", "--config", "-"};
  for (const auto& [name, socket] : handed)
    options.sockets.emplace_back(name, sockets_.find(socket)->second.descriptor());
  options.stderr_file = folder_ / (program + ".log");
  auto child = ChildProcess::spawn(options);
  EXPECT_TRUE(succeeded(child)) << program;
  if (!child) return false;
  EXPECT_TRUE(succeeded(child->write(document.dump() + "\n"))) << program;
  into.push_back(*std::move(child));
  return true;
}

bool Front::start_programs(const FrontOptions& options) {
  for (const char* part : {"/payments", "/approvals", "/desk"})
    EXPECT_TRUE(succeeded(make_folder(folder_.path() + part)));
  for (const char* name : {"issuer", "payments", "page", "approvals"}) world_.ports.emplace(name, bind(name));
  world_.ports.emplace("desk", port_);  // where its clients find it: nginx
  for (const std::size_t which : {0U, 1U}) {
    desk_ports_[which] = bind("desk " + std::to_string(which));
    health_ports_[which] = bind("health " + std::to_string(which));
  }
  Json issuer_document = world_.issuer_document();
  Json clients = *issuer_document.find("clients");
  Json host_client = clients.elements().front();
  host_client.set("resources", Json::array({resource()}));
  issuer_document.set("clients", Json::array({std::move(host_client), clients.elements()[1]}));
  Json desk_document = world_.desk_document();
  desk_document.set("resource", resource()).set("trusted_proxies", Json::array({"127.0.0.1"})).set("health_port", 0);
  if (!options.limits.is_null()) desk_document.set("limits", options.limits);

  bool all = spawn(services_, "postern-issuer", issuer_document, {{"issuer", "issuer"}}) &&
             spawn(services_, "postern-payments", world_.payments_document(), {{"payments", "payments"}}) &&
             spawn(services_, "postern-approvals", world_.approvals_document(),
                   {{"page", "page"}, {"approvals", "approvals"}});
  // Both at once, on a store that is empty and a key ring that is not there.
  for (const std::string which : {"0", "1"})
    all =
        all && spawn(desks_, "postern-desk", desk_document, {{"desk", "desk " + which}, {"health", "health " + which}});
  sockets_.clear();  // from here on only the children hold them
  for (const char* name : {"issuer", "payments", "page", "approvals"}) all = all && answers(world_.origin(name));
  for (const std::size_t which : {0U, 1U}) all = all && answers("http://" + desk_address(which));
  return all;
}

bool Front::start_fixtures() {
  ChildOptions options;
  options.argv = {std::string(POSTERN_BIN_DIR) + "/postern-conformance-server", "--port", "0", "--until-eof"};
  options.pipe_stdout = true;
  options.stderr_file = folder_ / "postern-conformance-server.log";
  auto child = ChildProcess::spawn(options);
  EXPECT_TRUE(succeeded(child));
  if (!child) return false;
  std::string line;
  for (char byte = 0; ::read(child->stdout_descriptor(), &byte, 1) == 1 && byte != '\n';) line += byte;
  const auto url = parse_uri(line);
  EXPECT_TRUE(succeeded(url)) << line << words();
  if (!url) return false;
  fixtures_port_ = url->port;
  services_.push_back(*std::move(child));
  return true;
}

bool Front::start_nginx() {
  auto text = read_file(std::string(POSTERN_SOURCE_DIR) + "/tests/nginx/nginx.conf.in", 1 << 16);
  EXPECT_TRUE(succeeded(text));
  if (!text) return false;
  replace_all(*text, "@FOLDER@", folder_.path());
  replace_all(*text, "@PORT@", std::to_string(port_));
  replace_all(*text, "@FIXTURES@", std::to_string(fixtures_port_));
  replace_all(*text, "@DESK_A@", std::to_string(desk_ports_[0]));
  replace_all(*text, "@DESK_B@", std::to_string(desk_ports_[1]));
  EXPECT_TRUE(succeeded(replace_file(folder_ / "nginx.conf", *text)));
  ChildOptions options;
  // nginx does not look at its stdin, so a shell does: it ends with this process, however that ends.
  options.argv = {"/bin/sh", "-c", R"("$@" & proxy=$!; cat >/dev/null; kill $proxy; wait $proxy)", "sh"};
  options.argv.insert(options.argv.end(), {path_of("nginx"), "-p", folder_.path(), "-e", folder_ / "nginx.log", "-c",
                                           folder_ / "nginx.conf"});
  options.stderr_file = folder_ / "nginx.stderr";
  auto child = ChildProcess::spawn(options);
  EXPECT_TRUE(succeeded(child));
  if (!child) return false;
  proxy_.push_back(*std::move(child));
  return answers(origin());
}

// Any answer of HTTP will do.
bool Front::answers(const std::string& origin) {
  HttpRequest request;
  request.method = "GET";
  request.target = "/";
  HttpClient& client = origin.starts_with("https") ? *secure_ : *plain_;
  const SteadyTime until = clock_.steady_now() + kAnswerIn;
  while (clock_.steady_now() < until) {
    if (client.send(*parse_uri(origin), request, clock_.steady_now() + Milliseconds(500))) return true;
    std::this_thread::sleep_for(Milliseconds(10));
  }
  ADD_FAILURE() << "nobody answers at " << origin << ": " << words();
  return false;
}

std::string Front::words() const {
  std::string all;
  for (const char* name : {"postern-issuer.log", "postern-payments.log", "postern-approvals.log", "postern-desk.log",
                           "nginx.log", "nginx.stderr"}) {
    all += std::string("\n--- ") + name + "\n" + read_file(folder_ / name, 1 << 20).value_or("");
  }
  return all;
}

HttpResponse Front::send_to(const std::string& origin, const HttpRequest& request) {
  HttpClient& client = origin.starts_with("https") ? *secure_ : *plain_;
  auto response = client.send(*parse_uri(origin), request, clock_.steady_now() + kRequestIn);
  EXPECT_TRUE(succeeded(response)) << request.method << " " << origin << request.target << words();
  return response ? *std::move(response) : HttpResponse{0, {}, ""};
}

HttpResponse Front::send(const HttpRequest& request) {
  return send_to(origin(), request);
}

Front::FirstBytes Front::first_bytes_of(const HttpRequest& request) {
  FirstBytes first;
  const auto on_head = [&](const HttpResponse& head) {
    first.head = head;
    return true;
  };
  const auto on_bytes = [&](std::string_view bytes) {
    first.bytes += bytes;
    return first.bytes.find("\n\n") == std::string::npos;
  };
  static_cast<void>(
      secure_->open(*parse_uri(origin()), request, on_head, on_bytes, clock_.steady_now() + Milliseconds(5000)));
  return first;
}

HttpResponse Front::health(std::size_t which) {
  HttpRequest request;
  request.method = "GET";
  request.target = "/healthz";
  return send_to("http://127.0.0.1:" + std::to_string(health_ports_[which]), request);
}

std::string Front::token(std::string_view person, std::string_view scope) {
  const std::string verifier = random_token(random_, "", 48);
  const std::string redirect = "http://127.0.0.1/callback";
  HttpRequest sign_in = form_post({{"response_type", "code"},
                                   {"client_id", "postern-host"},
                                   {"redirect_uri", redirect},
                                   {"state", random_token(random_, "", 16)},
                                   {"code_challenge", base64url(sha256(verifier))},
                                   {"code_challenge_method", "S256"},
                                   {"resource", resource()},
                                   {"scope", std::string(scope)},
                                   {"person", std::string(person)},
                                   {"secret", world_.headless_secret}});
  sign_in.target = "/headless";
  const HttpResponse signed_in = send_to(issuer(), sign_in);
  const std::string* location = signed_in.headers.find("Location");
  EXPECT_NE(location, nullptr) << signed_in.status << " " << signed_in.body;
  if (location == nullptr) return {};
  const auto answer = form_decode(parse_uri(*location)->query);
  const auto code = sole_field(*answer, "code");
  HttpRequest exchange = form_post({{"grant_type", "authorization_code"},
                                    {"code", code->value_or("")},
                                    {"redirect_uri", redirect},
                                    {"client_id", "postern-host"},
                                    {"code_verifier", verifier},
                                    {"resource", resource()}});
  exchange.target = "/token";
  const HttpResponse response = send_to(issuer(), exchange);
  const Json body = parse_json(response.body).value_or(Json());
  EXPECT_NE(body.string_at("access_token"), "") << response.status << " " << response.body;
  return std::string(body.string_at("access_token"));
}

std::vector<int> Front::statuses_of_strangers(const std::string& address, int count, const std::string& header) {
  std::vector<std::string> argv = {"curl",        "--silent",
                                   "--output",    "/dev/null",
                                   "--write-out", "%{http_code}\n",
                                   "--cacert",    ca_file(),
                                   "--interface", address,
                                   "--request",   "POST",
                                   "--header",    "Authorization: Bearer nobody.issued.this"};
  if (!header.empty()) argv.insert(argv.end(), {"--header", header});
  argv.push_back(resource() + "?[1-" + std::to_string(count) + "]");
  const auto out = output_of(argv, folder_ / "curl.log");
  EXPECT_TRUE(out.has_value()) << read_file(folder_ / "curl.log", 1 << 16).value_or("");
  std::vector<int> statuses;
  std::istringstream lines(out.value_or(""));
  for (int status = 0; lines >> status;) statuses.push_back(status);
  return statuses;
}

void Front::stop_desk(std::size_t which) {
  EXPECT_EQ(desks_[which].stop(std::chrono::milliseconds(5000)), 0);
}

}  // namespace postern::nginx
