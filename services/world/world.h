// The synthetic world as it is embedded: its documents, and their days made absolute.
//
// The documents are fixtures/world. A reader of one service maps them to that service's records (services/seed,
// services/payments), so that payments sees policies and refunds only. Broken fixtures end the process: they are part
// of the program.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/clock.h"
#include "wire/base/json.h"

namespace postern::services {

class World {
 public:
  // `now` is the moment of seeding.
  explicit World(WallTime now) : now_(now) {}

  // "tickets.json", parsed. REQUIRES that it is embedded.
  [[nodiscard]] Json document(std::string_view name) const;
  // "pages/PP-77001.txt" with its days filled in. REQUIRES that it is embedded.
  [[nodiscard]] std::string page(std::string_view name) const;
  [[nodiscard]] WallTime days_ago(std::int64_t days) const;
  // "{{6 days ago}}" becomes "2026-11-24".
  [[nodiscard]] std::string with_days(std::string_view text) const;

 private:
  WallTime now_;
};

// Members that must be there.
[[nodiscard]] std::string text_at(const Json& json, std::string_view name);
[[nodiscard]] std::int64_t number_at(const Json& json, std::string_view name);

}  // namespace postern::services
