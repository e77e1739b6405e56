// CredentialsFile: the credentials in one file of their person, who alone may read it.
//
// Mode 0600 in a folder of mode 0700. A file or folder that others may use is refused with the line that takes it from
// them, because what is in it may be somebody else's by then; so is anything that is no plain file of this person.
// Replaced whole (wire/base/file.h), so that a crash leaves the old text or the new one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/kept_credentials.h"
#include "wire/base/result.h"

namespace postern::host {

class CredentialsFile final : public CredentialsPlace {
 public:
  explicit CredentialsFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] std::string name() const override;
  // Failures: own.credentials_refused, own.file_failed.
  [[nodiscard]] Result<std::optional<std::string>> read() override;
  [[nodiscard]] Status write(std::string_view text) override;
  [[nodiscard]] Status remove() override;

 private:
  // False when there is no file.
  [[nodiscard]] Result<bool> check() const;
  std::string path_;
};

// What is kept must not be believed, or cannot be had. It was left as it is.
struct CredentialsRefused {
  static constexpr std::string_view kId = "own.credentials_refused";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string where;
  std::string reason;  // a sentence without its end
  std::string remedy;  // a command; empty: none
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
