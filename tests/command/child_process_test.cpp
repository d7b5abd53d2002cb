// Programs in processes of their own: what goes in, what comes out, how they end.
#include "process/child_process.hpp"

#include <gtest/gtest.h>

#include <system_error>

namespace oclide::process {
namespace {

Program shell(const std::string& script) {
  return {.command = {"sh", "-c", script}};
}

TEST(ChildProcess, TellsStatusOrSignal) {
  EXPECT_EQ(to_string(run(shell("exit 7")).ending), "exit status 7");
  EXPECT_EQ(run(shell("kill -9 $$")).ending.signal, 9);
  EXPECT_EQ(run(shell("kill -9 $$")).ending.status, -1);
  EXPECT_THROW(run({.command = {"/no/such/program"}}), std::system_error);
}

TEST(ChildProcess, KeepsBothStreamsHoweverLong) {
  const Finished done = run(shell("head -c 1000000 /dev/zero >&2; head -c 2000000 /dev/zero; echo end"));
  EXPECT_EQ(done.errors.size(), 1000000U);
  EXPECT_EQ(done.output.size(), 2000004U);
}

TEST(ChildProcess, HasTheEnvironmentThatItIsGiven) {
  Program program = shell("echo \"$HOME $OTHER\"");
  program.environment = {"HOME=first", "OTHER=second"};
  EXPECT_EQ(run(program).output, "first second\n");
}

TEST(ChildProcess, AnswersLineByLineAndIsOverdueInTime) {
  Program program = shell("while read x; do echo \"<$x>\"; done; printf rest");
  program.input = Stream::piped;
  ChildProcess child(program);
  std::string line;
  ASSERT_TRUE(child.send("one\ntwo\n"));
  ASSERT_EQ(child.receive(line, 60.0), Line::complete);
  EXPECT_EQ(line, "<one>");
  ASSERT_EQ(child.receive(line, 60.0), Line::complete);
  EXPECT_EQ(line, "<two>");
  EXPECT_EQ(child.receive(line, 0.05), Line::overdue);
  EXPECT_EQ(child.finish().output, "rest");
}

TEST(ChildProcess, KilledHasNoLineLeft) {
  ChildProcess child(shell("exec sleep 60"));
  child.kill();
  std::string line;
  EXPECT_EQ(child.receive(line, 60.0), Line::none);
  EXPECT_EQ(child.finish().ending.signal, 9);
}

}  // namespace
}  // namespace oclide::process
