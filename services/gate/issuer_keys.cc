#include "services/gate/issuer_keys.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "wire/base/mutex.h"
#include "wire/oauth/discovery.h"

namespace postern::services {
namespace {

constexpr std::chrono::milliseconds kFetchMsMax{3000};
// Threads that may wait for another one's fetch while there are keys to go on with. A stranger's made-up key id is
// enough to get here: without a bound a slow issuer would keep every thread of the lane from those whose tokens are
// known.
constexpr int kWaitingMax = 2;
constexpr std::string_view kOthersWait = "they are being fetched, and others wait for them already.";

bool same_keys(const JwkSet& a, const JwkSet& b) {
  return std::equal(a.keys().begin(), a.keys().end(), b.keys().begin(), b.keys().end(),
                    [](const Jwk& x, const Jwk& y) { return x.kid == y.kid && x.key == y.key; });
}

}  // namespace

struct IssuerKeys::Impl {
  Impl(Env env_, HttpClient& client_, std::string issuer_, std::chrono::milliseconds cool_down_)
      : env(env_), client(client_), issuer(std::move(issuer_)), cool_down(cool_down_) {}

  using Keys = std::shared_ptr<const JwkSet>;

  Result<Keys> fetch() const;
  bool fetch_is_due() const POSTERN_REQUIRES(mutex) {
    return !fetched_at || env.clock.steady_now() - *fetched_at >= cool_down;
  }
  bool enough_wait() const POSTERN_REQUIRES(mutex) { return fetching && keys != nullptr && waiting >= kWaitingMax; }
  Result<Keys> outcome() const POSTERN_REQUIRES(mutex) {
    if (last_failure) return KeysUnavailable{*last_failure};
    return keys;
  }

  Env env;
  HttpClient& client;
  const std::string issuer;
  const std::chrono::milliseconds cool_down;

  mutable Mutex mutex;
  ConditionVariable fetched;
  Keys keys POSTERN_GUARDED_BY(mutex);
  std::uint64_t generation POSTERN_GUARDED_BY(mutex) = 0;
  bool fetching POSTERN_GUARDED_BY(mutex) = false;
  int waiting POSTERN_GUARDED_BY(mutex) = 0;  // for the fetch of another thread
  std::optional<SteadyTime> fetched_at POSTERN_GUARDED_BY(mutex);
  std::optional<std::string> last_failure POSTERN_GUARDED_BY(mutex);
};

Result<IssuerKeys::Impl::Keys> IssuerKeys::Impl::fetch() const {
  POSTERN_TRY(Uri uri, parse_uri(issuer));
  const DiscoveryPolicy policy(std::move(uri));
  const SteadyTime deadline = env.clock.steady_now() + kFetchMsMax;
  POSTERN_TRY(const auto metadata, fetch_authorization_server_metadata(client, issuer, policy, deadline));
  POSTERN_TRY(JwkSet set, fetch_jwk_set(client, metadata, policy, deadline));
  return std::make_shared<const JwkSet>(std::move(set));
}

IssuerKeys::IssuerKeys(Env env, HttpClient& client, std::string issuer, std::chrono::milliseconds cool_down)
    : impl_(std::make_unique<Impl>(env, client, std::move(issuer), cool_down)) {}

IssuerKeys::~IssuerKeys() = default;

std::shared_ptr<const JwkSet> IssuerKeys::cached() const {
  const MutexLock lock(impl_->mutex);
  return impl_->keys;
}

std::uint64_t IssuerKeys::generation() const {
  const MutexLock lock(impl_->mutex);
  return impl_->generation;
}

Result<std::shared_ptr<const JwkSet>> IssuerKeys::recent() const {
  const MutexLock lock(impl_->mutex);
  if (impl_->enough_wait()) return KeysUnavailable{std::string(kOthersWait)};
  if (impl_->fetching || impl_->fetch_is_due()) return KeysNeeded{};
  return impl_->outcome();
}

Result<std::shared_ptr<const JwkSet>> IssuerKeys::refresh() {
  Impl& impl = *impl_;
  {
    const MutexLock lock(impl.mutex);
    if (impl.enough_wait()) return KeysUnavailable{std::string(kOthersWait)};
    if (impl.fetching) {
      ++impl.waiting;
      while (impl.fetching) impl.fetched.wait(impl.mutex);
      --impl.waiting;
      return impl.outcome();
    }
    if (!impl.fetch_is_due()) return impl.outcome();
    impl.fetching = true;
  }
  auto result = impl.fetch();  // without the lock: cached() stays quick while the issuer is slow
  const MutexLock lock(impl.mutex);
  impl.fetching = false;
  impl.fetched_at = impl.env.clock.steady_now();
  if (result) {
    impl.last_failure.reset();
    if (impl.keys == nullptr || !same_keys(*impl.keys, **result)) {
      impl.keys = *result;
      ++impl.generation;
    }
  } else {
    impl.last_failure = result.error().text();
  }
  impl.fetched.notify_all();
  return impl.outcome();
}

std::string KeysNeeded::text() const {
  return "The issuer's keys must be fetched first.";
}
std::string KeysUnavailable::text() const {
  return "The issuer's keys cannot be had, so no token can be checked: " + reason + " Try again in a few seconds.";
}

}  // namespace postern::services
