#include "wire/transport/http_server.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "wire/base/check.h"
#include "wire/base/log.h"
#include "wire/transport/descriptor_limit.h"
#include "wire/transport/event_loop.h"

namespace postern {
namespace {

// Left for everything that is no connection: databases, requests to other services, logs.
constexpr std::size_t kOwnDescriptors = 64;

}  // namespace

struct HttpServer::Impl {
  Impl(std::vector<HttpListener> listeners, Env env) : core(std::move(listeners), env) {}

  // Connections that fit into the limit of open files are served, and no more.
  void fit_descriptors() {
    const HttpLimits& limits = core.listeners.front().limits;
    const std::size_t limit = raise_descriptor_limit();
    const std::size_t kept =
        open_descriptors() + kOwnDescriptors + 2 * static_cast<std::size_t>(limits.blocking_threads);
    const std::size_t room = limit > kept ? limit - kept : 0;
    std::size_t wanted = 0;
    for (const HttpListener& listener : core.listeners) wanted += listener.limits.connections_max;
    if (wanted <= room) return;
    std::size_t served = 0;
    for (std::size_t i = 0; i < core.listeners.size(); ++i) {
      const double share = static_cast<double>(core.listeners[i].limits.connections_max) / static_cast<double>(wanted);
      core.connections_max[i] = std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(room)));
      served += core.connections_max[i];
    }
    log_warning("at most " + std::to_string(served) + " connections are served at once and not " +
                std::to_string(wanted) + ": this process may open " + std::to_string(limit) +
                " files (raise LimitNOFILE, or ulimit -n)");
  }

  ServerCore core;
  std::vector<std::function<void()>> last_words;
  std::vector<std::unique_ptr<EventLoop>> loops;
  std::vector<std::thread> threads;
};

HttpServer::HttpServer(std::vector<HttpListener> listeners, Env env) {
  POSTERN_CHECK(!listeners.empty());
  impl_ = std::make_unique<Impl>(std::move(listeners), env);
}

HttpServer::~HttpServer() {
  drain(std::chrono::seconds(1));
}

void HttpServer::start() {
  POSTERN_CHECK(impl_->loops.empty());
  ServerCore& core = impl_->core;
  impl_->fit_descriptors();
  const int count = std::max(1, core.listeners.front().limits.loop_threads);
  for (int i = 0; i < count; ++i) core.mailboxes.push_back(std::make_shared<EventMailbox>());
  core.accepting = core.mailboxes.size();
  for (const auto& mailbox : core.mailboxes) impl_->loops.push_back(std::make_unique<EventLoop>(core, mailbox));
  for (const auto& loop : impl_->loops) impl_->threads.emplace_back([running = loop.get()] { running->run(); });
}

void HttpServer::on_drain(std::function<void()> last_words) {
  impl_->last_words.push_back(std::move(last_words));
}

void HttpServer::drain(std::chrono::milliseconds deadline) {
  const SteadyTime until = SystemClock().steady_now() + deadline;
  if (!impl_->loops.empty() && !impl_->core.closing.exchange(true)) {
    for (const auto& speak : std::exchange(impl_->last_words, {})) speak();
  }
  for (const auto& mailbox : impl_->core.mailboxes) mailbox->post_drain(until);
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
  impl_->core.lane.stop();
}

}  // namespace postern
