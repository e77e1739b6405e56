// Case handles: 128 random bits that stand for one open case of one caller, for 15 minutes (MCP 2026-07-28, security
// best practices, "State handle hijacking").
//
// Possession of a handle is no authentication. A case is looked up by the verified principal and the handle together;
// the handle is stored as a digest only, in desk.sqlite, which all desk processes of one store share. Thread-safe.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "services/domain/ids.h"
#include "services/gate/principal.h"
#include "services/store/database.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/secret.h"
#include "wire/env/env.h"

namespace postern::desk {

class OpenCase;
class CaseHandles;
struct CaseHandleTag {
  using RevealedBy = Reveals<OpenCase, CaseHandles>;
};
using CaseHandle = Secret<CaseHandleTag>;

struct OpenedCase {
  CaseHandle handle;
  Seconds expires_in{0};
};

// What the key of a case is made of. The product takes both parts; the lab takes one away to see which attack it stops.
struct HandleKeyPart {
  std::string_view name;  // "handle", "principal"
  std::string (*of)(const services::Principal& principal, std::string_view handle);
};
[[nodiscard]] std::span<const HandleKeyPart> product_handle_key();

class CaseHandles {
 public:
  static constexpr Seconds kLifetime{900};

  // Opens <database_dir>/desk.sqlite; `throwaway` as in ServiceOptions. `env` must outlive it. Failures: store.*.
  [[nodiscard]] static Result<std::unique_ptr<CaseHandles>> open(
      Env env, const std::string& database_dir, std::span<const HandleKeyPart> key = product_handle_key(),
      bool throwaway = false);

  // Writes, so it may wait for another writer. Forgets handles that have expired.
  [[nodiscard]] Result<OpenedCase> open_case(const services::Principal& principal, const services::TicketId& ticket_id);
  // The ticket of an open case; `case.no_such_handle` for a handle that is unknown, expired or another caller's.
  [[nodiscard]] Result<services::TicketId> find(const services::Principal& principal, std::string_view handle) const;

 private:
  CaseHandles(Env env, std::unique_ptr<services::Database> database, std::span<const HandleKeyPart> key)
      : env_(env), database_(std::move(database)), key_(key) {}
  [[nodiscard]] std::string digest(const services::Principal& principal, std::string_view handle) const;

  Env env_;
  std::unique_ptr<services::Database> database_;
  std::span<const HandleKeyPart> key_;
};

}  // namespace postern::desk
