// A process that may open few files: it serves fewer connections, says so, refuses the others, and does not spin.
#include "wire/transport/descriptor_limit.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"

namespace postern {
namespace {

using test::RawConnection;
using test::statuses_in;

constexpr std::string_view kHealth = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";

void limit_descriptors(rlim_t soft, rlim_t hard) {
  const rlimit limit{soft, hard};
  setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(DescriptorLimit, IsRaisedToWhatIsAllowed) {
  const pid_t child = fork();
  if (child == 0) {
    limit_descriptors(50, 100);
    const std::size_t before = open_descriptors();
    const int one_more = open("/dev/null", O_RDONLY);
    const bool counted = open_descriptors() == before + 1;
    close(one_more);
    rlimit limit{};
    const bool raised = raise_descriptor_limit() == 100;
    getrlimit(RLIMIT_NOFILE, &limit);
    _exit(counted && raised && limit.rlim_cur == 100 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A server in a child process whose stderr goes to a pipe. It lives until it is told to end.
class ChildServer {
 public:
  // `prepare` runs in the child, before the server starts and after.
  ChildServer(const std::function<void()>& before, const std::function<void()>& after) {
    auto socket = ListeningSocket::on_loopback(0);
    port_ = socket->port();
    int log[2] = {-1, -1};
    int end[2] = {-1, -1};
    int ready[2] = {-1, -1};
    EXPECT_EQ(pipe(log), 0);
    EXPECT_EQ(pipe(end), 0);
    EXPECT_EQ(pipe(ready), 0);
    child_ = fork();
    if (child_ == 0) {
      dup2(log[1], STDERR_FILENO);
      for (const int each : {log[0], log[1], end[1], ready[0]}) close(each);
      before();
      serve(*std::move(socket), after, ready[1], end[0]);
    }
    for (const int each : {log[1], end[0], ready[1]}) close(each);
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    log_ = log[0];
    end_ = end[1];
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // What it used of the processor, and what it logged. Once.
  double stop(std::string* logged) {
    close(end_);
    char bytes[4096];
    for (ssize_t got = 0; (got = read(log_, bytes, sizeof bytes)) > 0;) logged->append(bytes, static_cast<size_t>(got));
    close(log_);
    int status = 0;
    rusage used{};
    wait4(child_, &status, 0, &used);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
  }

 private:
  [[noreturn]] static void serve(ListeningSocket socket, const std::function<void()>& after, int ready, int end) {
    {
      SystemClock clock;
      SystemRandomSource random;
      NoTap tap;
      Routes routes;
      routes.add("GET", "/health", [](const HttpRequest&) { return text_response(200, "ok"); });
      std::vector<HttpListener> listeners;
      listeners.push_back(HttpListener{std::move(socket), std::move(routes), {}, "server"});
      HttpServer server(std::move(listeners), Env{clock, random, tap});
      server.start();
      after();
      char byte = 'r';
      while (write(ready, &byte, 1) < 0) {
      }
      while (read(end, &byte, 1) > 0) {
      }
    }
    _exit(0);
  }

  std::uint16_t port_ = 0;
  pid_t child_ = -1;
  int log_ = -1;
  int end_ = -1;
};

struct Crowd {
  std::vector<RawConnection> served;
  int refused = 0;
};

// Opens `count` connections and asks on each; every one is answered.
Crowd come_to(std::uint16_t port, int count) {
  Crowd crowd;
  for (int i = 0; i < count; ++i) {
    RawConnection connection(port);
    connection.send(kHealth);
    const auto reply = connection.reply();
    if (!reply) {
      ADD_FAILURE() << "no answer to connection " << i;
    } else if (reply->status == 503) {
      ++crowd.refused;
      EXPECT_NE(reply->head.find("Retry-After: 1"), std::string::npos);
    } else if (reply->status == 200) {
      crowd.served.push_back(std::move(connection));
    }
  }
  return crowd;
}

TEST(FewDescriptors, LowerTheBoundOfConnectionsAndSaySo) {
  ChildServer child([] { limit_descriptors(150, 200); }, [] {});
  Crowd crowd = come_to(child.port(), 200);
  EXPECT_GT(crowd.served.size(), 40u);   // more than the soft limit would have admitted
  EXPECT_LT(crowd.served.size(), 120u);  // and enough is left for other things
  EXPECT_EQ(static_cast<int>(crowd.served.size()) + crowd.refused, 200);
  for (RawConnection& each : crowd.served) {
    each.send(kHealth);
    EXPECT_EQ(each.reply()->status, 200);
  }
  const std::size_t served = crowd.served.size();
  crowd.served.clear();
  std::string logged;
  child.stop(&logged);
  EXPECT_NE(logged.find("at most " + std::to_string(served) + " connections are served at once and not 4096"),
            std::string::npos)
      << logged;
}

TEST(FewDescriptors, ThatTheProgramUsesUpItselfRefuseConnectionsAndDoNotSpin) {
  ChildServer child([] { limit_descriptors(300, 300); },
                    [] {
                      // What a handler might do: everything but three is taken.
                      std::vector<int> taken;
                      for (int each = 0; (each = open("/dev/null", O_RDONLY)) >= 0;) taken.push_back(each);
                      for (int i = 0; i < 3; ++i) {
                        close(taken.back());
                        taken.pop_back();
                      }
                    });
  {
    const Crowd crowd = come_to(child.port(), 100);
    EXPECT_EQ(crowd.served.size(), 3u);
    EXPECT_EQ(crowd.refused, 97);
  }
  for (;;) {  // as soon as the server has seen that they are gone
    RawConnection next(child.port());
    next.send(kHealth);
    const auto reply = next.reply();
    if (reply && reply->status == 200) break;
  }
  std::string logged;
  const double processor_seconds = child.stop(&logged);
  EXPECT_LT(processor_seconds, 2.0);
}

TEST(ManyDescriptors, SayNothing) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < 5000) GTEST_SKIP() << "needs 5,000 descriptors";
  ChildServer child([] {}, [] {});
  EXPECT_EQ(come_to(child.port(), 3).served.size(), 3u);
  std::string logged;
  child.stop(&logged);
  EXPECT_EQ(logged, "");
}

}  // namespace
}  // namespace postern
