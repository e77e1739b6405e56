// The four servers of a world, each composed as its own program composes it, on an in-process network.
//
// Each has its launch document (host/local_world.h), its own randomness, and clients of the network in place of
// sockets. What the program would do on a thread of its own (writing down what was settled) is done when the owner says
// so. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/local_world.h"
#include "tests/lab/world/control_set.h"
#include "tests/lab/world/decorators.h"
#include "tests/lab/world/in_process_network.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

// All that the programs are composed of. References outlive them.
struct WorldParts {
  const Clock& clock;
  InProcessNetwork& network;
  const host::LocalWorld& world;  // ports, keys and documents
  const ControlSet& controls;
  const Decorators& decorators;
  const Json& planted;
  std::string seed;
};

class WorldPrograms {
 public:
  explicit WorldPrograms(WorldParts parts);
  ~WorldPrograms();
  WorldPrograms(const WorldPrograms&) = delete;
  WorldPrograms& operator=(const WorldPrograms&) = delete;

  // "issuer", "payments", "desk", "approvals". On the databases that are there. Failures: those of the program's
  // composition; lab.no_such_program.
  [[nodiscard]] Status start(std::string_view name);
  // It is not there any more, as after kill -9. lab.no_such_program.
  [[nodiscard]] Status stop(std::string_view name);
  // One round of what postern-approvals does by itself. Nothing when it is stopped.
  void settle();
  // A compact JWS under the key that the issuer signs with. REQUIRES that it was started.
  [[nodiscard]] std::string sign_as_issuer(const Json& header, const Json& claims) const;

 private:
  struct Issuer;
  struct Payments;
  struct Desk;
  struct Approvals;
  [[nodiscard]] Status start_issuer();
  [[nodiscard]] Status start_payments();
  [[nodiscard]] Status start_desk();
  [[nodiscard]] Status start_approvals();
  // Randomness of a program that starts: another one each time.
  [[nodiscard]] std::string seed_of(std::string_view name);

  WorldParts parts_;
  int starts_ = 0;
  std::unique_ptr<Issuer> issuer_;
  std::unique_ptr<Payments> payments_;
  std::unique_ptr<Desk> desk_;
  std::unique_ptr<Approvals> approvals_;
};

struct NoSuchProgram {
  static constexpr std::string_view kId = "lab.no_such_program";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string name;
  [[nodiscard]] std::string text() const {
    return "A world has the programs issuer, payments, desk and approvals, and no \"" + name + "\".";
  }
};

}  // namespace postern::lab
