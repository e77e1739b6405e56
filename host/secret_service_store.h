// SecretService: the credentials in the keyring of the session (the Secret Service of freedesktop.org), spoken to by
// secret-tool, which its libsecret brings along.
//
// The text is kept in pieces, since secret-tool takes 8 KiB at a time, and one item, the head, says which pieces count:
// it is written last, so that a crash leaves the old text or the new one. The program is run with fixed arguments, the
// text goes in by its stdin and comes out by its stdout, and neither is ever an argument or in the environment. A
// keyring that is locked may show its own window; it has a minute to answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/kept_credentials.h"
#include "wire/base/result.h"

namespace postern::host {

class SecretService final : public CredentialsPlace {
 public:
  // When secret-tool is on the search path and a keyring answers it; otherwise null.
  [[nodiscard]] static std::unique_ptr<SecretService> find(const std::string& search_path,
                                                           const std::string& session_bus);
  [[nodiscard]] std::string name() const override { return "the keyring of this session (Secret Service)"; }
  // Failures: own.credentials_refused, transport.spawn_failed.
  [[nodiscard]] Result<std::optional<std::string>> read() override;
  [[nodiscard]] Status write(std::string_view text) override;
  [[nodiscard]] Status remove() override;

 private:
  struct Answer {
    int exit_status = 0;
    std::string out;
    std::string complaint;  // of its stderr, one visible line
  };
  SecretService(std::string program, std::string session_bus)
      : program_(std::move(program)), session_bus_(std::move(session_bus)) {}
  // Which pieces count: the SHA-256 of the text they make, in hex, and how many.
  struct Head {
    std::string digest;
    int pieces = 0;
  };
  [[nodiscard]] static std::string part_of(const Head& head, int piece);
  [[nodiscard]] Result<Answer> run(std::vector<std::string> verb, const std::string& part,
                                   std::string_view input) const;
  [[nodiscard]] Result<std::optional<std::string>> lookup(const std::string& part) const;
  [[nodiscard]] Status store(const std::string& part, std::string_view text) const;
  [[nodiscard]] Status clear(const std::string& part) const;
  [[nodiscard]] Result<std::optional<Head>> head() const;

  std::string program_;
  std::string session_bus_;
};

}  // namespace postern::host
