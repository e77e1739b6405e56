// The model double: a service that speaks the Messages API and plays a script.
//
// It is as strict as the service it stands for, and stricter where the host has promised something: a conversation may
// only grow, the model's own blocks come back as they were given, and the script's requirements hold for every request.
// What does not hold is answered with 400 and an error of the API's form. The same request sent again gets the same
// answer.
//
// Thread-safe. `record`, when given, gets one JSON line a request: when, the header names, the body, and the status of
// the answer. A key is never in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/lab/conversation.h"
#include "tests/lab/model_script.h"
#include "wire/base/file.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_server.h"

namespace postern::lab {

class ModelDouble {
 public:
  ModelDouble(Env env, ModelScript script, std::optional<LineFile> record);

  // POST /v1/messages; anything else is a 404 of the API's form. The routes hold a reference to this object.
  [[nodiscard]] Routes routes();
  [[nodiscard]] HttpResponse answer(const HttpRequest& request);

 private:
  // One conversation as far as it went: each message as it stood in the newest request, and what was answered.
  struct Memory {
    std::string head;                   // system, tools and the first message: what names a conversation
    std::vector<std::string> messages;  // JSON texts; the model's own last turn is the newest
    std::size_t asked = 0;              // how many messages the newest request had
    std::string reply;                  // to that request
  };

  [[nodiscard]] Result<std::string> reply_to(const HttpRequest& request);
  [[nodiscard]] Result<Memory*> recall(const Conversation& conversation, const std::vector<std::string>& messages)
      POSTERN_REQUIRES(mutex_);
  [[nodiscard]] std::string write_reply(const ModelMove& move, const Conversation& conversation, std::string& content);
  void record(const HttpRequest& request, int status) const;

  Env env_;
  ModelScript script_;
  std::optional<LineFile> record_;
  std::atomic<std::uint64_t> requests_{0};
  Mutex mutex_;
  std::vector<Memory> memories_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::lab
