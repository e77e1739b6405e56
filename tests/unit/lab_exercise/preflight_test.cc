// What preflight says of programs that are there, that are missing, and that do not start.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

struct Said {
  int exit = -1;
  std::string out;
};

Said preflight(const std::string& arguments) {
  const std::string command =
      std::string("exec ") + POSTERN_SOURCE_DIR + "/docs/lab/preflight.sh " + arguments + " 2>&1";
  Said said;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return said;
  char piece[4096];
  for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, pipe)) > 0;) said.out.append(piece, got);
  const int status = ::pclose(pipe);
  said.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

class Preflight : public testing::Test {
 protected:
  void program(const std::string& name, const std::string& script) {
    ASSERT_TRUE(replace_file(folder_ / name, "#!/bin/sh\n" + script + "\n").has_value());
    ASSERT_EQ(::chmod((folder_ / name).c_str(), 0755), 0);
  }
  void all_programs() {
    for (const char* name :
         {"postern", "postern-desk", "postern-approvals", "postern-payments", "postern-issuer", "postern-lab"}) {
      program(name, "echo " + std::string(name) + " 0.1.0");
    }
  }
  Said run() { return preflight("--programs " + folder_.path()); }

  test::TemporaryFolder folder_;
};

TEST_F(Preflight, FindsTheProgramsThatAreThere) {
  all_programs();
  const Said said = run();
  EXPECT_NE(said.out.find("ok       postern-lab  postern-lab 0.1.0"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("./dev build"), std::string::npos) << said.out;
}

TEST_F(Preflight, NamesEachProgramThatIsMissingAndWhatToDo) {
  const Said said = run();
  EXPECT_EQ(said.exit, 1);
  EXPECT_NE(said.out.find("MISSING  postern-desk not in"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("run ./dev build"), std::string::npos);
  EXPECT_NE(said.out.find("thing(s) missing. Nothing was changed."), std::string::npos);
}

TEST_F(Preflight, SaysThatAProgramDoesNotStartHere) {
  all_programs();
  program("postern-desk", "exit 127");
  const Said said = run();
  EXPECT_EQ(said.exit, 1);
  EXPECT_NE(said.out.find("MISSING  postern-desk it does not start here"), std::string::npos) << said.out;
}

TEST_F(Preflight, AsksForNoModelKey) {
  ::unsetenv("ANTHROPIC_API_KEY");
  EXPECT_NE(run().out.find("none is needed"), std::string::npos);
  ::setenv("ANTHROPIC_API_KEY", "planted", 1);
  const Said said = run();
  ::unsetenv("ANTHROPIC_API_KEY");
  EXPECT_NE(said.out.find("unset ANTHROPIC_API_KEY"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("planted"), std::string::npos);
}

TEST_F(Preflight, RefusesWrongUse) {
  EXPECT_EQ(preflight("--install").exit, 2);
  EXPECT_EQ(preflight("--programs").exit, 2);
}

}  // namespace
}  // namespace postern::lab
