#include "host/loopback_user_agent.h"

#include <utility>
#include <vector>

#include "bridge/failures.h"
#include "bridge/oauth/failures.h"
#include "host/browser_opener.h"
#include "wire/base/mutex.h"
#include "wire/transport/http_server.h"

namespace postern::host {
namespace {

constexpr std::string_view kPath = "/callback";
constexpr std::chrono::milliseconds kLook{100};  // how often the person's answer and Ctrl-C are looked at
constexpr std::chrono::milliseconds kDrainMax{1'000};

HttpResponse page(int status, std::string_view sentence) {
  HttpResponse response;
  response.status = status;
  response.headers.set("Content-Type", "text/html; charset=utf-8");
  response.headers.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Referrer-Policy", "no-referrer");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.body =
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Postern: sign-in</title>\n<h1>";
  response.body += sentence;
  response.body += "</h1>\n<p>You can close this window and go back to the terminal.</p>\n</html>\n";
  return response;
}

// The state of the sign-in that a query belongs to; nothing when it names none, or more than one.
std::optional<std::string> state_of(std::string_view query) {
  const auto fields = form_decode(query);
  if (!fields) return std::nullopt;
  const auto state = sole_field(*fields, "state");
  if (!state || !*state) return std::nullopt;
  return **state;
}

}  // namespace

// Where the redirect of one sign-in arrives. Thread-safe.
class LoopbackUserAgent::Inbox {
 public:
  Inbox(std::string origin, std::string state) : origin_(std::move(origin)), state_(std::move(state)) {}

  HttpResponse receive(const HttpRequest& request) POSTERN_EXCLUDES(mutex_) {
    const auto host = request.headers.sole("Host");
    if (!host || *host == nullptr || "http://" + **host != origin_)
      return page(403, "This address is for one sign-in on this machine.");
    if (state_of(request.query()) != state_) return page(400, "This is not the answer that Postern waits for.");
    {
      const MutexLock lock(mutex_);
      if (!redirect_) redirect_ = origin_ + request.target;
    }
    came_.notify_all();
    return page(200, "The answer has arrived.");
  }

  // What has come by then.
  std::optional<std::string> wait(std::chrono::milliseconds how_long) POSTERN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (!redirect_ && how_long.count() > 0) came_.wait_for(mutex_, how_long);
    return redirect_;
  }

 private:
  const std::string origin_;
  const std::string state_;
  Mutex mutex_;
  ConditionVariable came_;
  std::optional<std::string> redirect_ POSTERN_GUARDED_BY(mutex_);
};

Result<std::string> LoopbackUserAgent::redirect_uri() {
  POSTERN_TRY(ListeningSocket socket, ListeningSocket::on_loopback(0));
  socket_.emplace(std::move(socket));
  return socket_->origin() + std::string(kPath);
}

void LoopbackUserAgent::show(const Uri& authorization) {
  terminal_.err("sign in    " + terminal_.bold(authorization.authority()) +
                " asks who you are. Open in a browser here:");
  terminal_.err("             " + authorization.text());
  if (authorization.host.find("xn--") != std::string::npos)
    terminal_.err("           Careful: the host's name holds characters that may look like others.");
  if (open_choice_ != "never" && terminal_.can_ask()) terminal_.begin_question("           Open it?");
}

Result<std::string> LoopbackUserAgent::authorize(const Uri& authorization, std::stop_token stop) {
  if (terminal_.options().no_input) return bridge::NoWayToSignIn{authorization.origin()};
  const std::optional<std::string> state = state_of(authorization.query);
  if (!state || !socket_)
    return bridge::NoWayToSignIn{authorization.origin()};  // nothing could be told from a stranger's
  const std::string origin = socket_->origin();
  const auto inbox = std::make_shared<Inbox>(origin, *state);
  Routes routes;
  routes.add("GET", std::string(kPath), [inbox](const HttpRequest& request) { return inbox->receive(request); });
  HttpLimits limits;
  limits.connections_max = 16;
  limits.loop_threads = 1;
  limits.blocking_threads = 1;
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{*std::exchange(socket_, std::nullopt), std::move(routes), limits, "host"});
  HttpServer server(std::move(listeners), env_);
  server.start();
  show(authorization);
  const SystemClock clock;  // a person's time, whatever clock the program is given
  const SteadyTime until = clock.steady_now() + wait_max_;
  std::optional<std::string> redirect;
  while (!redirect && !stop.stop_requested() && clock.steady_now() < until) {
    if (terminal_.question_open()) {
      const std::optional<bool> answer = terminal_.answer_within(kLook, stop);
      if (answer && *answer && !open_in_browser(authorization.text()))
        terminal_.err("           There is no way to open a browser here. Copy the link.");
      redirect = inbox->wait(std::chrono::milliseconds(0));
    } else {
      redirect = inbox->wait(kLook);
    }
  }
  terminal_.end_waiting();
  server.drain(kDrainMax);
  if (redirect) return *redirect;
  if (stop.stop_requested()) return bridge::StoppedByPerson{};
  return NobodyCame{authorization.origin(), std::chrono::duration_cast<std::chrono::seconds>(wait_max_)};
}

std::string NobodyCame::text() const {
  return "Nobody signed in at " + issuer + " within " + std::to_string(waited.count()) +
         " s. Nothing was sent to the model. To try again, run the command again.";
}

}  // namespace postern::host
