#include "services/mcp/requests_in_flight.h"

namespace postern::mcp {

RequestsInFlight::Request RequestsInFlight::begin(const RequestId& id) {
  auto request = std::make_shared<RequestInFlight>(id);
  const MutexLock lock(mutex_);
  return requests_.emplace(id.json().dump(), request).second ? request : nullptr;
}

bool RequestsInFlight::finish(const Request& request) {
  const MutexLock lock(mutex_);
  const auto found = requests_.find(request->id.json().dump());
  if (found == requests_.end() || found->second != request) return false;  // the second time
  requests_.erase(found);
  return !request->withdrawn->load();
}

RequestsInFlight::Request RequestsInFlight::cancel(const RequestId& id) {
  Request request;
  {
    const MutexLock lock(mutex_);
    const auto found = requests_.find(id.json().dump());
    if (found == requests_.end() || found->second->withdrawn->exchange(true)) return nullptr;
    request = found->second;
  }
  request->stop.request_stop();
  return request;
}

std::vector<RequestsInFlight::Request> RequestsInFlight::all() const {
  std::vector<Request> all;
  const MutexLock lock(mutex_);
  for (const auto& [key, request] : requests_) all.push_back(request);
  return all;
}

}  // namespace postern::mcp
