// The limit of open files of this process, which bounds how many connections can be served.
#pragma once

#include <cstddef>

namespace postern {

// Raises the soft limit to the hard one, and gives it. Children inherit it.
[[nodiscard]] std::size_t raise_descriptor_limit();
// How many descriptors are open now.
[[nodiscard]] std::size_t open_descriptors();

}  // namespace postern
