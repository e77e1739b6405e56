// The databases of a world that has just begun, kept in memory, because to make their tables and fill them takes longer
// than all the rest of a world.
//
// The same for every seed, since no secret and nothing by chance stands in them. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "wire/base/result.h"

namespace postern::lab {

class FreshDatabases {
 public:
  // `make_world` makes and ends one in the folder that it is given; called once in a process.
  [[nodiscard]] static const FreshDatabases& of_this_process(
      const std::function<Status(const std::string& folder)>& make_world);
  struct Which {
    bool records = true;   // the desk's: what tickets, orders and policies say
    bool payments = true;  // whose tables refuse by themselves what its controls refuse
  };
  // Into a world's folder, whose folders are there. None, when none could be made.
  [[nodiscard]] Status put_into(const std::string& folder, Which which) const;

 private:
  explicit FreshDatabases(const std::function<Status(const std::string& folder)>& make_world);
  std::map<std::string, std::string> files_;  // "desk/orders.sqlite"
};

}  // namespace postern::lab
