#include "tests/faults/faulty_command.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <thread>

#include "services/desk/compose.h"
#include "services/mcp/stdio_server.h"
#include "tests/faults/decorators.h"
#include "tests/faults/fault_list.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/clock.h"
#include "wire/base/file.h"
#include "wire/base/log.h"
#include "wire/base/mutex.h"
#include "wire/base/random_source.h"
#include "wire/tap/tap.h"
#include "wire/transport/stdio_stream.h"

namespace postern::faults {
namespace {

constexpr int kDone = 0;
constexpr int kWrongUse = 2;

class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_.data()) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    close_reading();
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] bool is_open() const { return ends_[0] >= 0; }
  [[nodiscard]] int reading() const { return ends_[0]; }
  [[nodiscard]] int writing() const { return ends_[1]; }
  void close_reading() { close_one(ends_[0]); }
  void close_writing() { close_one(ends_[1]); }

 private:
  static void close_one(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

// The two directions between this process's own descriptors and the server's, with the fault in between.
class FaultyLines {
 public:
  FaultyLines(LineDecorator& fault, Pipe& to_server, Pipe& from_server)
      : in_([this, &fault, &to_server] { carry_in(fault, to_server); }),
        out_([this, &fault, &from_server] { carry_out(fault, from_server); }) {}

 private:
  void carry_in(LineDecorator& fault, Pipe& to_server) {
    LineReader reader(STDIN_FILENO, {});
    LineWriter writer(to_server.writing(), {});
    for (;;) {
      const Result<std::string> line = reader.read_line();
      if (!line) break;
      const std::string answer = fault.answer_to(*line);
      if (!answer.empty()) {
        print(answer + "\n");
      } else if (!writer.write_line(*line)) {
        break;
      }
    }
    to_server.close_writing();
  }
  void carry_out(LineDecorator& fault, Pipe& from_server) {
    LineReader reader(from_server.reading(), {});
    for (;;) {
      const Result<std::string> line = reader.read_line();
      if (!line) return;
      print(fault.written_for(*line));
    }
  }
  void print(std::string_view bytes) POSTERN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    while (!bytes.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;  // nobody reads any more
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  Mutex mutex_;
  std::jthread in_;
  std::jthread out_;
};

Status serve(Env env, LineDecorator& fault, const std::string& person, const std::string& ticket) {
  const test::TemporaryFolder folder;
  desk::StoreOptions store = desk::own_store(env, folder.path(), true);
  store.throwaway = true;
  POSTERN_TRY(const auto desk, desk::StdioDesk::compose(env, store, ticket, true));
  POSTERN_TRY_VOID(desk->admit(person));
  const services::StdioLaunch launch(person);
  const mcp::StdioServer server(desk->server(), launch.principal(), desk->older_era());
  Pipe to_server;
  Pipe from_server;
  if (!to_server.is_open() || !from_server.is_open()) return FileFailed{"a pipe", "make", "no descriptors left", errno};
  const FaultyLines lines(fault, to_server, from_server);
  LineReader in(to_server.reading(), {&env.tap, "desk", "client"});
  LineWriter out(from_server.writing(), {&env.tap, "desk", "client"});
  const Status served = server.serve(in, out);
  from_server.close_writing();
  return served;
}

}  // namespace

int faulty_command(const std::string& name, const std::string& person, const std::string& ticket) {
  const Fault* fault = find_fault(name);
  if (fault == nullptr || fault->lines == nullptr) {
    log_error("There is no fault of lines that is called " + name + ".");
    return kWrongUse;
  }
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  const std::unique_ptr<LineDecorator> lines = fault->lines();
  const Status served = serve({clock, random, tap}, *lines, person, ticket);
  if (served) return kDone;
  log_error(served.error().text());
  return kWrongUse;
}

}  // namespace postern::faults
