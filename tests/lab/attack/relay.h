// A server between the desk and one of its services: passes every call on, keeps its bytes, and can hold an answer
// back.
//
// What a downstream call carried is seen here and nowhere else, and a process that is to be ended between a payment and
// its answer is ended while the answer is held. Thread-safe; owns its threads.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"

namespace postern::lab {

class Relay {
 public:
  // On a loopback port of its own, to `behind`, which need not be there yet. `env` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Relay>> start(Env env, std::string name, Uri behind);
  ~Relay();

  [[nodiscard]] std::string origin() const { return origin_; }
  // Every call and answer so far, as one text.
  [[nodiscard]] std::string record() const;

  // The next answer to POST `path` is held until release().
  void hold_next(std::string path);
  // False when no answer is held by then.
  [[nodiscard]] bool wait_until_held(std::chrono::milliseconds at_most);
  void release();

 private:
  Relay(Env env, std::string name, Uri behind);
  [[nodiscard]] HttpReply pass_on(const HttpRequest& request);
  void keep(const HttpRequest& request, const HttpResponse& response);
  void hold_if_wanted(const HttpRequest& request);

  Env env_;
  std::string name_;
  Uri behind_;
  std::string origin_;
  std::unique_ptr<HttpClient> client_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string record_;
  std::string hold_;  // path; empty: none
  bool held_ = false;
  std::unique_ptr<HttpServer> server_;  // last: its threads use the others
};

}  // namespace postern::lab
