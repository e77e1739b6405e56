#include "wire/transport/peer_ledger.h"

namespace postern {

std::optional<PeerLedger::Place> PeerLedger::take(Kind kind, const IpAddress& peer, std::size_t most) {
  std::string key = static_cast<char>(kind) + peer.peer_key();
  {
    const MutexLock lock(mutex_);
    const auto found = held_.find(key);
    if ((found == held_.end() ? 0 : found->second) >= most) return std::nullopt;
    ++held_[key];
  }
  return Place(*this, std::move(key));
}

std::shared_ptr<const PeerLedger::Place> PeerLedger::take_shared(Kind kind, const IpAddress& peer, std::size_t most) {
  std::optional<Place> place = take(kind, peer, most);
  return place ? std::make_shared<const Place>(*std::move(place)) : nullptr;
}

void PeerLedger::give_back(const std::string& key) {
  const MutexLock lock(mutex_);
  const auto found = held_.find(key);
  if (--found->second == 0) held_.erase(found);
}

}  // namespace postern
