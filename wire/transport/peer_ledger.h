// How much each peer holds at the moment: connections, requests in flight, open streams.
//
// What one peer is says IpAddress::peer_key(). Only what is held is remembered, so the memory is bounded by what may be
// held in all. Thread-safe. It must outlive its places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "wire/base/mutex.h"
#include "wire/transport/ip_address.h"

namespace postern {

class PeerLedger {
 public:
  enum class Kind : char { kConnection = 'c', kRequest = 'r', kStream = 's' };

  // One thing that a peer holds; given back when it is destroyed. May be destroyed on any thread.
  class Place {
   public:
    Place(Place&& other) noexcept : ledger_(std::exchange(other.ledger_, nullptr)), key_(std::move(other.key_)) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(ledger_, other.ledger_);
      std::swap(key_, other.key_);
      return *this;
    }
    ~Place() {
      if (ledger_ != nullptr) ledger_->give_back(key_);
    }

   private:
    friend class PeerLedger;
    Place(PeerLedger& ledger, std::string key) : ledger_(&ledger), key_(std::move(key)) {}
    PeerLedger* ledger_;
    std::string key_;
  };

  PeerLedger() = default;
  PeerLedger(const PeerLedger&) = delete;
  PeerLedger& operator=(const PeerLedger&) = delete;

  // Nothing when the peer holds as many already.
  [[nodiscard]] std::optional<Place> take(Kind kind, const IpAddress& peer, std::size_t most) POSTERN_EXCLUDES(mutex_);
  // The same, for several holders: given back by the last one. Null when the peer holds as many already.
  [[nodiscard]] std::shared_ptr<const Place> take_shared(Kind kind, const IpAddress& peer, std::size_t most)
      POSTERN_EXCLUDES(mutex_);

 private:
  void give_back(const std::string& key) POSTERN_EXCLUDES(mutex_);

  Mutex mutex_;
  std::unordered_map<std::string, std::size_t> held_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern
