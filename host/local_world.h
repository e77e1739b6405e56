// What a local world consists of apart from its processes: ports and keys, and the launch documents that are made of
// them.
//
// A plain value that holds secrets as text, because they go into launch documents and into world/keys.json (0600); it
// wipes them when it is destroyed. Not copyable. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "wire/base/json.h"
#include "wire/base/random_source.h"
#include "wire/base/result.h"

namespace postern::host {

class LocalWorld {
 public:
  // The sockets of a stack, in the order in which they are bound.
  static constexpr std::string_view kSockets[] = {"issuer", "payments", "page", "approvals", "desk", "model"};

  [[nodiscard]] static LocalWorld make(RandomSource& random, std::string folder);
  // Of keys.json. own.file_failed, own.stack_failed.
  [[nodiscard]] static Result<LocalWorld> load(std::string folder);
  LocalWorld(LocalWorld&&) = default;
  LocalWorld& operator=(LocalWorld&&) = default;
  LocalWorld(const LocalWorld&) = delete;
  LocalWorld& operator=(const LocalWorld&) = delete;
  ~LocalWorld();
  [[nodiscard]] Status save() const;

  std::map<std::string, std::uint16_t, std::less<>> ports;
  std::string headless_secret;

  [[nodiscard]] std::string origin(std::string_view socket) const;  // "http://127.0.0.1:PORT"
  [[nodiscard]] std::string server() const { return origin("desk") + "/mcp"; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string keys_file() const { return folder_ + "/keys.json"; }

  [[nodiscard]] Json issuer_document() const;
  [[nodiscard]] Json payments_document() const;
  [[nodiscard]] Json approvals_document() const;
  [[nodiscard]] Json desk_document() const;
  [[nodiscard]] Json model_document(std::string_view script) const;

 private:
  explicit LocalWorld(std::string folder) : folder_(std::move(folder)) {}
  // {"payments:read": sha256 of its credential}, for the operations that are named.
  [[nodiscard]] Json admitted(const std::map<std::string, std::string, std::less<>>& keys,
                              std::initializer_list<std::string_view> operations) const;
  [[nodiscard]] Json credentials(const std::map<std::string, std::string, std::less<>>& keys,
                                 std::initializer_list<std::string_view> operations) const;

  std::string folder_;
  std::string signing_seed_;  // base64url of 32 bytes: what approvals signs with
  // One credential an operation, and its own set for each of the two that call: the key that reads cannot pay.
  std::map<std::string, std::string, std::less<>> desk_keys_;
  std::map<std::string, std::string, std::less<>> approvals_keys_;
};

}  // namespace postern::host
