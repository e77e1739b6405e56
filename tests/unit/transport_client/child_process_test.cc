// Children: what they get, what they do not, and that none is left.
#include "wire/transport/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/support/refused.h"
#include "wire/base/file.h"
#include "wire/transport/listening_socket.h"

namespace postern {
namespace {

ChildOptions shell(std::string script) {
  ChildOptions options;
  options.argv = {"/bin/sh", "-c", std::move(script)};
  options.pipe_stdout = true;
  return options;
}

std::string read_to_end(int descriptor) {
  std::string out;
  char bytes[4096];
  for (;;) {
    const ssize_t got = ::read(descriptor, bytes, sizeof bytes);
    if (got <= 0) return out;
    out.append(bytes, static_cast<std::size_t>(got));
  }
}

TEST(ChildProcess, TalksOverItsPipes) {
  auto child = ChildProcess::spawn(shell("cat"));
  ASSERT_TRUE(test::succeeded(child));
  EXPECT_TRUE(test::succeeded(child->write("hello\n")));
  child->close_stdin();
  EXPECT_EQ(read_to_end(child->stdout_descriptor()), "hello\n");
  EXPECT_EQ(child->wait(std::chrono::seconds(20)), 0);
}

TEST(ChildProcess, GetsACleanEnvironment) {
  ::setenv("POSTERN_PLANTED_SECRET", "sk-planted", 1);
  ChildOptions options = shell("env");
  options.environment = {{"GIVEN", "yes"}};
  auto child = ChildProcess::spawn(options);
  ASSERT_TRUE(test::succeeded(child));
  const std::string environment = read_to_end(child->stdout_descriptor());
  ::unsetenv("POSTERN_PLANTED_SECRET");
  EXPECT_EQ(environment.find("PLANTED"), std::string::npos);
  EXPECT_NE(environment.find("GIVEN=yes\n"), std::string::npos);
  EXPECT_NE(environment.find("PATH="), std::string::npos);
  EXPECT_EQ(environment.find("LISTEN_FDS"), std::string::npos);
}

TEST(ChildProcess, GetsItsSocketsInOrderAndNoOtherDescriptor) {
  auto first = ListeningSocket::on_loopback(0);
  auto second = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(test::succeeded(first));
  ASSERT_TRUE(test::succeeded(second));
  const int leaked = ::open("/dev/null", O_RDONLY);  // without close-on-exec, on purpose
  ChildOptions options = shell("echo $LISTEN_FDS $LISTEN_FDNAMES; ls -l /proc/$$/fd");
  // In the order opposite to their numbers, so that a careless move would overwrite one.
  options.sockets = {{"page", second->descriptor()}, {"desk", first->descriptor()}};
  auto child = ChildProcess::spawn(options);
  ASSERT_TRUE(test::succeeded(child));
  const std::string out = read_to_end(child->stdout_descriptor());
  ::close(leaked);
  EXPECT_EQ(out.substr(0, 12), "2 page:desk\n") << out;
  const auto inode = [](int descriptor) {
    struct stat status {};
    ::fstat(descriptor, &status);
    return "socket:[" + std::to_string(status.st_ino) + "]";
  };
  EXPECT_NE(out.find(" 3 -> " + inode(second->descriptor())), std::string::npos) << out;
  EXPECT_NE(out.find(" 4 -> " + inode(first->descriptor())), std::string::npos) << out;
  EXPECT_EQ(out.find(" 5 -> "), std::string::npos) << out;
}

TEST(ChildProcess, LeadsAGroupOfItsOwnWithSignalsAsTheyCome) {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto handler = ::signal(SIGPIPE, SIG_IGN);
  auto child = ChildProcess::spawn(shell("exec grep -E 'Sig(Blk|Ign)' /proc/self/status"));
  ::signal(SIGPIPE, handler);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(test::succeeded(child));
  const std::string out = read_to_end(child->stdout_descriptor());
  EXPECT_NE(out.find("SigBlk:\t0000000000000000"), std::string::npos) << out;
  const std::size_t ignored = out.find("SigIgn:\t");
  ASSERT_NE(ignored, std::string::npos) << out;
  EXPECT_EQ(std::stoull(out.substr(ignored + 8, 16), nullptr, 16) & 0x7FFFFFFF, 0U)
      << out;  // 32 and 33 are the C library's own
  EXPECT_EQ(::getpgid(child->process_id()), child->process_id());
}

TEST(ChildProcess, SaysHowItEnded) {
  auto by_exit = ChildProcess::spawn(shell("exit 7"));
  ASSERT_TRUE(test::succeeded(by_exit));
  EXPECT_EQ(by_exit->wait(std::chrono::seconds(20)), 7);
  EXPECT_EQ(by_exit->exit_status(), 7);
  auto by_signal = ChildProcess::spawn(shell("kill -9 $$"));
  ASSERT_TRUE(test::succeeded(by_signal));
  EXPECT_EQ(by_signal->wait(std::chrono::seconds(20)), 128 + 9);
  auto running = ChildProcess::spawn(shell("cat"));
  ASSERT_TRUE(test::succeeded(running));
  EXPECT_EQ(running->exit_status(), std::nullopt);
}

TEST(ChildProcess, StopsAtTheEndOfItsStdin) {
  auto child = ChildProcess::spawn(shell("cat; exit 3"));
  ASSERT_TRUE(test::succeeded(child));
  EXPECT_EQ(child->stop(std::chrono::seconds(20)), 3);
}

TEST(ChildProcess, IsEndedBySignalsWhenItDoesNotStop) {
  auto deaf_to_stdin =
      ChildProcess::spawn(shell("trap 'exit 4' TERM; echo up; while :; do read x </dev/null; sleep 0.01; done"));
  ASSERT_TRUE(test::succeeded(deaf_to_stdin));
  char byte[4];
  ASSERT_GT(::read(deaf_to_stdin->stdout_descriptor(), byte, sizeof byte), 0);
  EXPECT_EQ(deaf_to_stdin->stop(std::chrono::milliseconds(1000)), 4);
  auto deaf = ChildProcess::spawn(shell("trap '' TERM; echo up; while :; do sleep 0.01; done"));
  ASSERT_TRUE(test::succeeded(deaf));
  ASSERT_GT(::read(deaf->stdout_descriptor(), byte, sizeof byte), 0);
  EXPECT_EQ(deaf->stop(std::chrono::milliseconds(200)), 128 + SIGKILL);
}

TEST(ChildProcess, EndsWhatItsChildStarted) {
  auto child = ChildProcess::spawn(shell("sleep 60 & echo $!; wait"));
  ASSERT_TRUE(test::succeeded(child));
  char bytes[32] = "";
  ASSERT_GT(::read(child->stdout_descriptor(), bytes, sizeof bytes - 1), 0);
  const int grandchild = std::atoi(bytes);
  ASSERT_EQ(::kill(grandchild, 0), 0);
  EXPECT_EQ(child->stop(std::chrono::milliseconds(500)), 128 + SIGTERM);
  // Its end of our pipe closes when it is gone.
  EXPECT_EQ(read_to_end(child->stdout_descriptor()), "");
}

TEST(ChildProcess, LeavesNobodyBehind) {
  int pid = 0;
  {
    auto child = ChildProcess::spawn(shell("cat"));
    ASSERT_TRUE(test::succeeded(child));
    pid = child->process_id();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::kill(pid, 0), -1);  // neither running nor a zombie
}

TEST(ChildProcess, MovesWithItsOwner) {
  auto child = ChildProcess::spawn(shell("cat"));
  ASSERT_TRUE(test::succeeded(child));
  const int pid = child->process_id();
  ChildProcess moved = std::move(*child);
  EXPECT_EQ(moved.process_id(), pid);
  EXPECT_EQ(moved.exit_status(), std::nullopt);
}

TEST(ChildProcess, LivesOnWhenReleased) {
  auto child = ChildProcess::spawn(shell("trap '' PIPE; while read x; do :; done; echo after; exec sleep 60"));
  ASSERT_TRUE(test::succeeded(child));
  const int pid = child->process_id();
  {
    ChildProcess released = std::move(*child);
    released.release();
  }
  EXPECT_EQ(::kill(pid, 0), 0);
  ::kill(pid, SIGKILL);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

TEST(ChildProcess, WritesItsErrorsToItsFile) {
  char folder[] = "/tmp/postern-child-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  ChildOptions options = shell("echo one; echo two >&2");
  options.pipe_stdout = false;
  options.stderr_file = std::string(folder) + "/log";
  for (int i = 0; i < 2; ++i) {
    auto child = ChildProcess::spawn(options);
    ASSERT_TRUE(test::succeeded(child));
    EXPECT_EQ(child->stdout_descriptor(), -1);
    EXPECT_EQ(child->wait(std::chrono::seconds(20)), 0);
  }
  EXPECT_EQ(read_file(options.stderr_file, 1000).value_or(""), "one\ntwo\none\ntwo\n");
  EXPECT_EQ(file_mode(options.stderr_file).value_or(0), 0600U);
  ::unlink(options.stderr_file.c_str());
  ::rmdir(folder);
}

TEST(ChildProcess, GivesItsErrorsToAReader) {
  ChildOptions options = shell("echo out; echo err >&2");
  options.pipe_stderr = true;
  auto child = ChildProcess::spawn(options);
  ASSERT_TRUE(test::succeeded(child));
  EXPECT_EQ(read_to_end(child->stdout_descriptor()), "out\n");
  EXPECT_EQ(read_to_end(child->stderr_descriptor()), "err\n");
}

TEST(ChildProcess, RefusesAProgramThatIsNotThere) {
  ChildOptions options;
  options.argv = {"/nonexistent/program"};
  const auto child = ChildProcess::spawn(options);
  EXPECT_TRUE(test::refused(child, "transport.spawn_failed"));
  EXPECT_EQ(child.error().text(), "Cannot start /nonexistent/program: No such file or directory.");
}

TEST(ChildProcess, RefusesToWriteToAChildThatIsGone) {
  auto child = ChildProcess::spawn(shell("exec <&-; echo closed; exec sleep 60"));
  ASSERT_TRUE(test::succeeded(child));
  char byte[8];
  ASSERT_GT(::read(child->stdout_descriptor(), byte, sizeof byte), 0);
  EXPECT_TRUE(test::refused(child->write("x"), "transport.closed"));
}

}  // namespace
}  // namespace postern
