#include "tests/lab/attack/attack_command.h"

namespace postern::lab {

int attack_command(const AttackOptions&) {
  return 3;
}

}  // namespace postern::lab
