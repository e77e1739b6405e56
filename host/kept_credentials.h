// KeptCredentials: the credentials of a person between runs, in one place of this machine.
//
// Each change takes the lock that all programs of this person share, reads the place anew, changes one entry and writes
// the whole. What cannot be read is never written over. Tokens that are good for one run only (bound to this process's
// key, or without an end) stay in memory. Thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/oauth/credential_store.h"
#include "host/credentials_document.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"

namespace postern::host {

// Where one text is kept. Called with the lock held.
class CredentialsPlace {
 public:
  virtual ~CredentialsPlace() = default;
  // For people: "the file /home/rowan/.local/state/postern/credentials.json", "the keyring of this session".
  [[nodiscard]] virtual std::string name() const = 0;
  // Nothing when there is none yet.
  [[nodiscard]] virtual Result<std::optional<std::string>> read() = 0;
  [[nodiscard]] virtual Status write(std::string_view text) = 0;
  // Nothing is left of it.
  [[nodiscard]] virtual Status remove() = 0;
};

class KeptCredentials final : public bridge::CredentialStore {
 public:
  // `folder` is $XDG_STATE_HOME/postern: the lock is there, and is waited for that long.
  KeptCredentials(std::unique_ptr<CredentialsPlace> place, std::string folder,
                  std::chrono::milliseconds lock_ms_max = std::chrono::milliseconds(5'000));

  [[nodiscard]] Result<std::optional<bridge::StoredTokens>> tokens(const bridge::TokenKey& key) override;
  [[nodiscard]] Status keep(const bridge::TokenKey& key, const bridge::StoredTokens& tokens) override;
  [[nodiscard]] Status forget(const bridge::TokenKey& key) override;
  [[nodiscard]] Result<std::vector<bridge::TokenKey>> keys() override;
  [[nodiscard]] Result<std::optional<bridge::ClientIdentity>> client(const std::string& issuer) override;
  [[nodiscard]] Status keep_client(const bridge::ClientIdentity& client) override;
  [[nodiscard]] Status forget_client(const std::string& issuer) override;

  // Every token and every registration.
  [[nodiscard]] Status forget_all();

  [[nodiscard]] std::string place() const { return place_->name(); }

 private:
  [[nodiscard]] Result<CredentialsDocument> read();
  template <class Change>
  [[nodiscard]] Status change(const Change& change);

  Mutex mutex_;
  std::unique_ptr<CredentialsPlace> place_;
  std::string folder_;
  std::chrono::milliseconds lock_ms_max_;
  bridge::MemoryCredentialStore of_this_run_;  // has a lock of its own
};

// The keyring of the session when there is one that works and no file holds credentials already; otherwise the file.
// `search_path` is PATH; `session_bus` is DBUS_SESSION_BUS_ADDRESS, empty when there is none.
[[nodiscard]] std::unique_ptr<KeptCredentials> open_credentials(const std::string& state_home,
                                                                const std::string& search_path,
                                                                const std::string& session_bus);

// Another program of this person holds the lock and does not give it back.
struct CredentialsBusy {
  static constexpr std::string_view kId = "own.credentials_busy";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string path;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
