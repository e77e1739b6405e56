// stdout-noise: a print that was left in a server over stdio writes to stdout, where only messages may stand. With a
// line end it makes lines of its own; without one it stands before a message and makes a broken line of both.
#include "tests/faults/decorators.h"

namespace postern::faults {
namespace {

constexpr std::string_view kNoise = "DEBUG: loading cases...";

class NoisyLines final : public LineDecorator {
 public:
  std::string written_for(std::string_view line) override {
    return std::string(kNoise) + "\n" + std::string(line) + "\n";
  }
};

class FusedLines final : public LineDecorator {
 public:
  std::string written_for(std::string_view line) override { return std::string(kNoise) + std::string(line) + "\n"; }
};

}  // namespace

std::unique_ptr<LineDecorator> stdout_noise() {
  return std::make_unique<NoisyLines>();
}
std::unique_ptr<LineDecorator> stdout_noise_fused() {
  return std::make_unique<FusedLines>();
}

}  // namespace postern::faults
