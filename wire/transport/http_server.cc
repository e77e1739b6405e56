#include "wire/transport/http_server.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "wire/base/check.h"
#include "wire/transport/event_loop.h"

namespace postern {

struct HttpServer::Impl {
  Impl(std::vector<HttpListener> listeners, Env env) : core(std::move(listeners), env) {}

  ServerCore core;
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
  const int count = std::max(1, core.listeners.front().limits.loop_threads);
  for (int i = 0; i < count; ++i) core.mailboxes.push_back(std::make_shared<EventMailbox>());
  core.accepting = core.mailboxes.size();
  for (const auto& mailbox : core.mailboxes) impl_->loops.push_back(std::make_unique<EventLoop>(core, mailbox));
  for (const auto& loop : impl_->loops) impl_->threads.emplace_back([running = loop.get()] { running->run(); });
}

void HttpServer::drain(std::chrono::milliseconds deadline) {
  const SteadyTime until = SystemClock().steady_now() + deadline;
  for (const auto& mailbox : impl_->core.mailboxes) mailbox->post_drain(until);
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
  impl_->core.lane.stop();
}

}  // namespace postern
