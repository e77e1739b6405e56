#include "tests/lab/world/objections.h"

namespace postern::lab {
namespace {

thread_local Objections* innermost = nullptr;

}  // namespace

Objections::Objections() : outer_(innermost) {
  innermost = this;
}

Objections::~Objections() {
  innermost = outer_;
}

void Objections::note(std::string_view control) {
  if (innermost != nullptr) innermost->controls_.emplace(control);
}

}  // namespace postern::lab
