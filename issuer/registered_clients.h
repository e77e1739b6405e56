// Clients that registered themselves (RFC 7591), in memory.
//
// Anybody can register, so the register is bounded: when it is full, the oldest of those leaves that nobody ever signed
// in with, and when there is none of those, the one that was used longest ago. Secrets are kept by SHA-256 only.
// Thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "issuer/clients.h"
#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"

namespace postern::issuer {

class RegisteredClients {
 public:
  static constexpr std::size_t kClientsMax = 256;

  explicit RegisteredClients(Env env) : env_(env) {}

  struct Registered {
    ClientRef client;
    std::string secret;  // empty for a public client
  };
  // Gives it a client_id ("cl_" and 128 bits) and, unless it authenticates by nothing, a secret ("cs_" and 256 bits).
  [[nodiscard]] Registered add(Client client) POSTERN_EXCLUDES(mutex_);
  // Null when there is none.
  [[nodiscard]] ClientRef find(std::string_view client_id) POSTERN_EXCLUDES(mutex_);
  // Somebody got tokens with it: it stays longer than those that nobody uses.
  void note_use(std::string_view client_id) POSTERN_EXCLUDES(mutex_);

 private:
  struct Entry {
    ClientRef client;
    WallTime at{};  // of its registration, or of its last use
    bool used = false;
  };
  void make_room() POSTERN_REQUIRES(mutex_);
  Env env_;
  Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::issuer
