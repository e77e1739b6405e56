// How a server program of ours is started and stopped.
//
//   postern-desk serve --config FILE   for people and systemd: the launch document is a file, mode 0600, as it names
//                                      secrets
//   postern-desk serve --config -      for a parent: the document is the first line of stdin, which then stays open
//                                      as the lifeline
//
// After the document a parent may write the line "stay until SECONDS" (Unix time): from then on the end of stdin is no
// reason to stop, and the program ends by itself at that time. Otherwise end of file on stdin, SIGTERM or SIGINT end
// it. A program says that it is ready by answering on its sockets, which its parent bound before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/transport/listening_socket.h"

namespace postern {

struct Launch {
  Json document;                     // an object
  std::vector<NamedSocket> sockets;  // inherited; empty when started by hand
  bool from_stdin = false;

  // The inherited socket of that name, or one bound to `port`. REQUIRES that it was not taken before.
  [[nodiscard]] Result<ListeningSocket> take_socket(std::string_view name, std::uint16_t port);
};

// `config` is "-" or a path. Refuses a document that is not a JSON object, and a file that others may read.
[[nodiscard]] Result<Launch> read_launch(const std::string& config);

// Ignores SIGPIPE and blocks SIGTERM and SIGINT in this thread and those it starts. Call before any thread is started.
void prepare_signals();

// Blocks the main thread until it is time to stop (see above). `from_stdin` as in Launch.
void wait_until_told_to_stop(const Clock& clock, bool from_stdin);

// A typed reader over a launch document: keeps the first thing that is wrong, and refuses members that nobody asked
// for.
class LaunchReader {
 public:
  explicit LaunchReader(const Json& document) : document_(document) {}
  // Required members; no string is empty.
  std::string string(std::string_view name);
  // Optional ones.
  std::string string_or(std::string_view name, std::string_view fallback);
  std::int64_t integer_or(std::string_view name, std::int64_t fallback);
  const Json* json(std::string_view name);  // null when absent
  // After the last read: the first member that was missing or of a wrong type, or one that is not known.
  [[nodiscard]] Status finish() const;

 private:
  const Json* look(std::string_view name);
  const Json& document_;
  std::vector<std::string> known_;
  std::string wrong_;
};

struct BadLaunchDocument {
  static constexpr std::string_view kId = "own.bad_launch_document";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
