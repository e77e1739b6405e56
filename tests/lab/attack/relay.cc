#include "tests/lab/attack/relay.h"

#include <algorithm>
#include <utility>

namespace postern::lab {
namespace {

constexpr std::chrono::seconds kAnswerMax{20};
constexpr std::chrono::seconds kHoldMax{60};  // nobody holds longer; an end all the same, should a test die

bool is_of_the_connection(const std::string& name) {
  return equal_ignoring_case(name, "Host") || equal_ignoring_case(name, "Content-Length") ||
         equal_ignoring_case(name, "Connection") || equal_ignoring_case(name, "Transfer-Encoding");
}

}  // namespace

Relay::Relay(Env env, std::string name, Uri behind)
    : env_(env), name_(std::move(name)), behind_(std::move(behind)), client_(make_http_client(env, {})) {}

Relay::~Relay() {
  release();
}

Result<std::unique_ptr<Relay>> Relay::start(Env env, std::string name, Uri behind) {
  std::unique_ptr<Relay> relay(new Relay(env, std::move(name), std::move(behind)));
  POSTERN_TRY(ListeningSocket socket, ListeningSocket::on_loopback(0));
  relay->origin_ = socket.origin();
  Routes routes;
  routes.fallback([self = relay.get()](const HttpRequest& request) -> HttpReply {
    return Blocking{[self, request](const std::stop_token&) { return self->pass_on(request); }};
  });
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), std::move(routes), HttpLimits{}, "relay"});
  relay->server_ = std::make_unique<HttpServer>(std::move(listeners), env);
  relay->server_->start();
  return relay;
}

HttpReply Relay::pass_on(const HttpRequest& request) {
  HttpRequest onward;
  onward.method = request.method;
  onward.target = request.target;
  onward.body = request.body;
  for (const HeaderField& field : request.headers.fields()) {
    if (!is_of_the_connection(field.name)) onward.headers.add(field.name, field.value);
  }
  const auto answer = client_->send(behind_, onward, env_.clock.steady_now() + kAnswerMax);
  if (!answer) return text_response(502, "The relay reached nobody.\n");
  keep(request, *answer);
  hold_if_wanted(request);
  HttpResponse back;
  back.status = answer->status;
  back.body = answer->body;
  for (const HeaderField& field : answer->headers.fields()) {
    if (!is_of_the_connection(field.name)) back.headers.add(field.name, field.value);
  }
  return back;
}

void Relay::keep(const HttpRequest& request, const HttpResponse& response) {
  const std::lock_guard<std::mutex> lock(mutex_);
  record_ += request.method + " " + request.target + "\n";
  for (const HeaderField& field : request.headers.fields()) record_ += field.name + ": " + field.value + "\n";
  record_ += request.body + "\n" + std::to_string(response.status) + " " + response.body + "\n";
}

void Relay::hold_if_wanted(const HttpRequest& request) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (hold_.empty() || request.method != "POST" || request.path() != hold_) return;
  held_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, kHoldMax, [this] { return hold_.empty(); });
  held_ = false;
}

std::string Relay::record() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return record_;
}

void Relay::hold_next(std::string path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  hold_ = std::move(path);
}

bool Relay::wait_until_held(std::chrono::milliseconds at_most) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, at_most, [this] { return held_; });
}

void Relay::release() {
  const std::lock_guard<std::mutex> lock(mutex_);
  hold_.clear();
  changed_.notify_all();
}

}  // namespace postern::lab
