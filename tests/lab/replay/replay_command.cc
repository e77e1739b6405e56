#include "tests/lab/replay/replay_command.h"

namespace postern::lab {

int record_command(const RecordOptions&) {
  return 3;
}
int replay_command(const ReplayOptions&) {
  return 3;
}

}  // namespace postern::lab
