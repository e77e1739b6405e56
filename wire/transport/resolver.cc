#include "wire/transport/resolver.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace postern {
namespace {

constexpr int kLookupsMax = 8;

// Shared with the thread of the lookup, which may outlive the caller.
struct Lookup {
  std::mutex mutex;
  std::condition_variable_any done;
  bool is_done = false;
  int error = 0;
  std::vector<std::string> addresses;
};

struct Lookups {
  std::mutex mutex;
  int running = 0;
};

// Never destroyed: a lookup may still run when the program ends.
Lookups& lookups() {
  static Lookups& all = *new Lookups;
  return all;
}

void look_up(const std::string& host, Lookup& lookup) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  std::vector<std::string> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    char text[INET6_ADDRSTRLEN] = "";
    const void* bytes = one->ai_family == AF_INET
                            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(one->ai_addr)->sin_addr)
                            : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(one->ai_addr)->sin6_addr);
    if ((one->ai_family == AF_INET || one->ai_family == AF_INET6) &&
        ::inet_ntop(one->ai_family, bytes, text, sizeof text) != nullptr &&
        std::find(addresses.begin(), addresses.end(), text) == addresses.end()) {
      addresses.emplace_back(text);
    }
  }
  if (found != nullptr) ::freeaddrinfo(found);
  const std::lock_guard<std::mutex> lock(lookup.mutex);
  lookup.error = error;
  lookup.addresses = std::move(addresses);
  lookup.is_done = true;
  lookup.done.notify_all();
}

bool is_literal(const std::string& host) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

}  // namespace

Result<std::vector<std::string>> resolve(const std::string& host, const std::string& where, const Clock& clock,
                                         SteadyTime deadline, const std::stop_token& stop) {
  if (is_literal(host)) return std::vector<std::string>{host};
  if (host == "localhost") return std::vector<std::string>{"127.0.0.1", "::1"};  // RFC 6761 section 6.3
  {
    Lookups& all = lookups();
    const std::lock_guard<std::mutex> lock(all.mutex);
    if (all.running >= kLookupsMax) return Unreachable{where, "too many names are being looked up"};
    ++all.running;
  }
  auto lookup = std::make_shared<Lookup>();
  std::thread([host, lookup] {
    look_up(host, *lookup);
    Lookups& all = lookups();
    const std::lock_guard<std::mutex> lock(all.mutex);
    --all.running;
  }).detach();
  std::unique_lock<std::mutex> lock(lookup->mutex);
  while (!lookup->is_done) {
    if (stop.stop_requested()) return Cancelled{};
    const SteadyTime now = clock.steady_now();
    if (now >= deadline) return TimedOut{where};
    const auto left = std::min<SteadyTime::duration>(deadline - now, std::chrono::hours(1));
    lookup->done.wait_for(lock, stop, left, [&lookup] { return lookup->is_done; });
  }
  if (lookup->addresses.empty()) {
    return Unreachable{where,
                       lookup->error == 0 ? "the name has no address" : std::string(::gai_strerror(lookup->error))};
  }
  return lookup->addresses;
}

}  // namespace postern
