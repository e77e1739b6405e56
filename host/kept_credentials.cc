#include "host/kept_credentials.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "host/credentials_file.h"
#include "host/secret_service_store.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::chrono::milliseconds kLockPause{20};  // a change takes a few

// Given back when the program ends, however it ends.
class CredentialsLock {
 public:
  static Result<CredentialsLock> take(const std::string& folder, std::chrono::milliseconds at_most) {
    POSTERN_TRY_VOID(make_folder(folder));
    const std::string path = folder + "/credentials.lock";
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return FileFailed{visible_line(path, 300), "write", std::strerror(errno), errno};
    CredentialsLock lock(descriptor);
    for (int i = 0; ::flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++i) {
      if (i >= at_most / kLockPause) return CredentialsBusy{visible_line(path, 300)};
      ::poll(nullptr, 0, static_cast<int>(kLockPause.count()));
    }
    return lock;
  }
  CredentialsLock(CredentialsLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  CredentialsLock& operator=(CredentialsLock&&) = delete;
  ~CredentialsLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  explicit CredentialsLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

bool is_kept_beyond_a_run(const bridge::StoredTokens& tokens) {
  return tokens.token_type != "DPoP" && tokens.expires_at.has_value();
}

}  // namespace

KeptCredentials::KeptCredentials(std::unique_ptr<CredentialsPlace> place, std::string folder,
                                 std::chrono::milliseconds lock_ms_max)
    : place_(std::move(place)), folder_(std::move(folder)), lock_ms_max_(lock_ms_max) {}

Result<CredentialsDocument> KeptCredentials::read() {
  POSTERN_TRY(std::optional<std::string> text, place_->read());
  if (!text) return CredentialsDocument();
  auto document = CredentialsDocument::parse(*text);
  wipe(*text);
  if (!document) {
    const auto* malformed = document.error().as<CredentialsMalformed>();
    return CredentialsMalformed{malformed->reason + " (" + place_->name() + ")"};
  }
  return document;
}

template <class Change>
Status KeptCredentials::change(const Change& change) {
  POSTERN_TRY(const CredentialsLock lock, CredentialsLock::take(folder_, lock_ms_max_));
  POSTERN_TRY(CredentialsDocument document, read());
  change(document);
  // What is empty leaves nothing behind: no file, no item in a keyring.
  if (document.empty()) return place_->remove();
  std::string text = document.text();
  const Status written = place_->write(text);
  wipe(text);
  return written;
}

Result<std::optional<bridge::StoredTokens>> KeptCredentials::tokens(const bridge::TokenKey& key) {
  const MutexLock guard(mutex_);
  POSTERN_TRY(auto of_this_run, of_this_run_.tokens(key));
  if (of_this_run) return of_this_run;
  POSTERN_TRY(const CredentialsLock lock, CredentialsLock::take(folder_, lock_ms_max_));
  POSTERN_TRY(const CredentialsDocument document, read());
  return document.tokens(key);
}

Status KeptCredentials::keep(const bridge::TokenKey& key, const bridge::StoredTokens& tokens) {
  const MutexLock guard(mutex_);
  if (!is_kept_beyond_a_run(tokens)) {
    POSTERN_TRY_VOID(of_this_run_.keep(key, tokens));
    // What is in the place is older than this.
    return change([&](CredentialsDocument& document) { document.forget(key); });
  }
  POSTERN_TRY_VOID(of_this_run_.forget(key));
  return change([&](CredentialsDocument& document) { document.keep(key, tokens); });
}

Status KeptCredentials::forget(const bridge::TokenKey& key) {
  const MutexLock guard(mutex_);
  POSTERN_TRY_VOID(of_this_run_.forget(key));
  return change([&](CredentialsDocument& document) { document.forget(key); });
}

Result<std::vector<bridge::TokenKey>> KeptCredentials::keys() {
  const MutexLock guard(mutex_);
  POSTERN_TRY(std::vector<bridge::TokenKey> keys, of_this_run_.keys());
  POSTERN_TRY(const CredentialsLock lock, CredentialsLock::take(folder_, lock_ms_max_));
  POSTERN_TRY(const CredentialsDocument document, read());
  for (bridge::TokenKey& key : document.keys()) keys.push_back(std::move(key));
  return keys;
}

Result<std::optional<bridge::ClientIdentity>> KeptCredentials::client(const std::string& issuer) {
  const MutexLock guard(mutex_);
  POSTERN_TRY(const CredentialsLock lock, CredentialsLock::take(folder_, lock_ms_max_));
  POSTERN_TRY(const CredentialsDocument document, read());
  return document.client(issuer);
}

Status KeptCredentials::keep_client(const bridge::ClientIdentity& client) {
  const MutexLock guard(mutex_);
  return change([&](CredentialsDocument& document) { document.keep_client(client); });
}

Status KeptCredentials::forget_client(const std::string& issuer) {
  const MutexLock guard(mutex_);
  return change([&](CredentialsDocument& document) { document.forget_client(issuer); });
}

Status KeptCredentials::forget_all() {
  const MutexLock guard(mutex_);
  POSTERN_TRY(const std::vector<bridge::TokenKey> keys, of_this_run_.keys());
  for (const bridge::TokenKey& key : keys) POSTERN_TRY_VOID(of_this_run_.forget(key));
  return change([](CredentialsDocument& document) { document = CredentialsDocument(); });
}

std::unique_ptr<KeptCredentials> open_credentials(const std::string& state_home, const std::string& search_path,
                                                  const std::string& session_bus) {
  const std::string folder = state_home + "/postern";
  const std::string path = folder + "/credentials.json";
  std::unique_ptr<CredentialsPlace> place;
  if (!session_bus.empty() && !file_exists(path)) place = SecretService::find(search_path, session_bus);
  if (place == nullptr) place = std::make_unique<CredentialsFile>(path);
  return std::make_unique<KeptCredentials>(std::move(place), folder);
}

std::string CredentialsBusy::text() const {
  return "Another program of yours holds " + path + ". Nothing was changed. Try again when it has ended.";
}

}  // namespace postern::host
