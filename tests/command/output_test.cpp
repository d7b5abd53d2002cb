// Output files are whole or not there, whatever happens while they are written.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "files/hdf5_scene.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

class Output : public ::testing::Test {
 protected:
  void expect_refused(const ProcessResult& result, std::size_t files, const std::string& at_fault) const {
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.error_lines(), 1U) << result.err;
    EXPECT_NE(result.err.find(at_fault), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(folder.count(), files);
  }

  // Spheres, which the reference does quickly; a file of contacts, however few, has more than 80 kB.
  void make_scene() const {
    ASSERT_EQ(run_oclide({"generate", "boulders", "-o", scene, "--bodies", "100", "--frames", "2"}).status, 0);
  }

  TemporaryFolder folder;
  std::string scene = folder.file("scene.h5");
  std::string contacts = folder.file("contacts.h5");
};

TEST_F(Output, UnwritableNamesAreRefused) {
  Hdf5Scene{scene};
  for (const std::string& name :
       {folder.file("none/contacts.h5"), folder.file(""), std::string("/dev/null"), std::string("/proc/contacts.h5")}) {
    expect_refused(run_oclide({"run", scene, "-o", name, "--device", "reference"}), 1, name);
    expect_refused(run_oclide({"generate", "barrels", "-o", name}), 1, name);
  }
}

// What each command writes, under a name of ours. A picture needs a name without an ending of another kind.
std::vector<std::vector<std::string>> commands_that_write(const std::string& scene, const std::string& to) {
  return {
      {"run", scene, "-o", to, "--device", "reference"},
      {"generate", "barrels", "-o", to, "--bodies", "2", "--frames", "1"},
      {"picture", scene, "-o", to, "--device", "reference", "--width", "16", "--height", "16"},
      {"batch", scene, "--summary-only", "--summary", to, "--device", "reference"},
      {"bench", "--scenario", "pile", "--bodies", "2", "--device", "reference", "--csv", to},
#ifdef OCLIDE_HAS_VIEWER
      {"view", scene, "-o", to},
#endif
  };
}

TEST_F(Output, PipesAreRefusedAndStay) {
  Hdf5Scene{scene};
  const std::string pipe = folder.file("pipe"), link = folder.file("link");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", link);
  auto commands = commands_that_write(scene, pipe);
  commands.push_back(commands[3]);
  commands.back().push_back("--resume");  // which reads the table before
  for (const auto& command : commands)
    expect_refused(run_oclide(command), 3, pipe + ": cannot be written: is not a regular file");
  for (const auto& command : commands_that_write(scene, link))
    expect_refused(run_oclide(command), 3, link + ": cannot be written: is not a regular file");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  const std::string texts = folder.file("texts");
  std::filesystem::create_directory(texts);
  ASSERT_EQ(::mkfifo((texts + "/programs.json").c_str(), 0600), 0);
  expect_refused(run_oclide({"devices", "--kernels", texts}), 4, "programs.json: cannot be written: is not a regular");
  EXPECT_TRUE(std::filesystem::is_fifo(texts + "/programs.json"));
}

TEST_F(Output, LinksAreFollowedAndStay) {
  Hdf5Scene{scene};
  const std::string link = folder.file("link"), real = folder.file("real");
  const std::string loop = folder.file("loop");
  std::filesystem::create_symlink("real", folder.file("through"));
  std::filesystem::create_symlink("through", link);
  std::filesystem::create_symlink("loop", loop);
  for (const bool is_there : {true, false})
    for (const auto& command : commands_that_write(scene, link)) {
      std::filesystem::remove(real);
      if (is_there) std::ofstream(real) << "old";
      const ProcessResult result = run_oclide(command);
      EXPECT_EQ(result.status, 0) << command[0] << result.err;
      EXPECT_TRUE(std::filesystem::is_symlink(link)) << command[0];
      ASSERT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(real))) << command[0];
      EXPECT_GT(std::filesystem::file_size(real), 10U) << command[0];
      EXPECT_EQ(folder.count(), 5U) << command[0];
    }
  for (const auto& command : commands_that_write(scene, loop)) expect_refused(run_oclide(command), 5, loop);
}

TEST_F(Output, FolderWithoutPermissionIsRefused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  Hdf5Scene{scene};
  std::filesystem::create_directory(folder.file("locked"));
  ::chmod(folder.file("locked").c_str(), 0500);
  expect_refused(run_oclide({"run", scene, "-o", folder.file("locked/c.h5"), "--device", "reference"}), 2, "locked");
}

TEST_F(Output, SceneIsNeverOverwrittenByItsContacts) {
  Hdf5Scene{scene};
  const auto size = std::filesystem::file_size(scene);
  expect_refused(run_oclide({"run", scene, "-o", scene, "--device", "reference"}), 1, scene);
  EXPECT_EQ(std::filesystem::file_size(scene), size);
}

TEST_F(Output, FullDiskWhileWritingContactsLeavesNothing) {
  make_scene();
  // From a limit that is hit at once to one that is hit late.
  for (std::uint64_t limit : {0U, 1000U, 20'000U, 60'000U, 80'000U}) {
    ProcessOptions options;
    options.largest_file = limit;
    options.standard_output = "/dev/null";
    const ProcessResult result = run_oclide({"run", scene, "-o", contacts, "--device", "reference"}, options);
    EXPECT_EQ(result.status, 2) << "limit " << limit << ", signal " << result.signal << ", " << result.err;
    if (limit > 0) {  // standard error is a file too
      EXPECT_EQ(result.error_lines(), 1U) << limit << " " << result.err;
      EXPECT_NE(result.err.find(contacts + ": cannot be written: File too large"), std::string::npos) << result.err;
    }
    EXPECT_EQ(folder.count(), 1U) << limit;
  }
}

TEST_F(Output, FullDiskWhileGeneratingLeavesNothing) {
  for (std::uint64_t limit : {1000U, 20'000U, 1'000'000U}) {
    ProcessOptions options;
    options.largest_file = limit;
    options.standard_output = "/dev/null";
    const ProcessResult result = run_oclide({"generate", "mixed", "-o", scene, "--bodies", "4000"}, options);
    EXPECT_EQ(result.status, 2) << "limit " << limit << ", signal " << result.signal << ", " << result.err;
    EXPECT_EQ(result.error_lines(), 1U) << limit << " " << result.err;
    EXPECT_NE(result.err.find(scene + ": cannot be written: File too large"), std::string::npos) << result.err;
    EXPECT_EQ(folder.count(), 0U) << limit;
  }
}

TEST_F(Output, FullDiskKeepsTheFileBefore) {
  make_scene();
  ASSERT_EQ(run_oclide({"run", scene, "-o", contacts, "--device", "reference", "--frames", "0:1"}).status, 0);
  const auto size = std::filesystem::file_size(contacts);
  ProcessOptions options;
  options.largest_file = 40'000;
  EXPECT_EQ(run_oclide({"run", scene, "-o", contacts, "--device", "reference"}, options).status, 2);
  EXPECT_EQ(std::filesystem::file_size(contacts), size);
  EXPECT_EQ(folder.count(), 2U);
}

TEST_F(Output, StandardOutputThatCannotBeWrittenIsAnError) {
  ProcessOptions options;
  options.standard_output = "/dev/full";
  const ProcessResult result = run_oclide({"devices"}, options);
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

TEST_F(Output, InterruptLeavesNothing) {
  for (int signal : {SIGINT, SIGTERM}) {
    ProcessOptions options;
    options.while_running = [&](pid_t child) {
      // Once it has begun to write.
      for (int k = 0; k < 500 && folder.count() == 0; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(folder.count(), 1U) << "nothing was begun";
      ::kill(child, signal);
    };
    const ProcessResult result =
        run_oclide({"generate", "mixed", "-o", scene, "--bodies", "20000", "--frames", "1000"}, options);
    EXPECT_EQ(result.signal, signal) << result.status << result.err;
    EXPECT_EQ(folder.count(), 0U);
  }
}

}  // namespace
}  // namespace oclide::test
