// What people allowed clients before, so that they are not asked again for the same.
//
// For clients that the operator configured only: whoever registers itself, or names a document, cannot be told from
// another one that does the same. By person, client and resource. In memory; bounded: the oldest leaves when there are
// too many. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>

#include "issuer/authorization_request.h"
#include "wire/base/mutex.h"

namespace postern::issuer {

class Consents {
 public:
  static constexpr std::size_t kConsentsMax = 1024;

  // Whether that person has to be asked: not for the operator's own clients, nor for what the same person allowed
  // before, unless the client wants it asked anew (prompt=consent). A device always, because somebody else may have
  // sent its code.
  [[nodiscard]] bool must_ask(const Person& person, const AuthorizationRequest& request) POSTERN_EXCLUDES(mutex_);
  void remember(const Person& person, const AuthorizationRequest& request) POSTERN_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  std::unordered_map<std::string, ScopeSet> allowed_ POSTERN_GUARDED_BY(mutex_);
  std::deque<std::string> order_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::issuer
