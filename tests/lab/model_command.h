// postern-lab model serve: the model double as a program.
#pragma once

#include <string>

namespace postern::lab {

// The exit code: 0 after an orderly stop, 2 for a launch document that cannot be used. `config` is "-" or a path.
//   {"script": "honest", "record_file": "requests.jsonl"?, "port": 0?}; socket "model".
int serve_model(const std::string& config);

}  // namespace postern::lab
