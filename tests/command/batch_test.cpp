// oclide batch: many scene files, a table of what came of them, and going on after an end.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "files/hdf5_scene.hpp"
#include "process.hpp"
#include "support/temporary_folder.hpp"
#include "text/csv.hpp"

namespace oclide::test {
namespace {

namespace fs = std::filesystem;
using Table = std::vector<std::map<std::string, std::string>>;

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// With their ends.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at += lines.back().size())
    lines.push_back(text.substr(at, text.find('\n', at) + 1 - at));
  return lines;
}

// A row each, by columns.
Table table_of(const fs::path& file) {
  const auto records = read_csv(content(file));
  Table table;
  for (std::size_t k = 1; k < records.size(); ++k) {
    EXPECT_EQ(records[k].size(), records[0].size()) << "row " << k;
    for (std::size_t c = 0; c < records[0].size() && c < records[k].size(); ++c)
      table.resize(k), table.back()[records[0][c]] = records[k][c];
  }
  return table;
}

// All but what differs from run to run.
Table without_times(Table table) {
  for (auto& row : table) row.erase("milliseconds");
  return table;
}

std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename().string()] = entry.path().extension() == ".csv" ? "" : content(entry.path());
  return files;
}

class Batch : public ::testing::Test {
 protected:
  Batch() { fs::create_directory(scenes); }

  static ProcessResult batch(std::vector<std::string> arguments, const ProcessOptions& options = {}) {
    arguments.insert(arguments.begin(), {"batch", "--device", "reference"});
    return run_oclide(arguments, options);
  }
  // Refused in one line that has this text, before anything is written.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& text) const {
    const auto before = fs::exists(out) ? files_of(out) : std::map<std::string, std::string>();
    const ProcessResult result = batch(arguments);
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_EQ(result.error_lines(), 1U) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_EQ(fs::exists(out) ? files_of(out) : (std::map<std::string, std::string>()), before);
  }
  [[nodiscard]] std::string scene(const std::string& name) const { return (fs::path(scenes) / name).string(); }

  TemporaryFolder folder;
  std::string scenes = folder.file("scenes");
  std::string out = folder.file("out");
  std::string table = (fs::path(out) / "summary.csv").string();
};

TEST_F(Batch, FindsWhatRunFinds) {
  Hdf5Scene(scene("b.h5")).put<std::uint32_t>("/bodies/flags", {4}, {4, 0, 0, 0});
  Hdf5Scene{scene("a, \"first\".h5")};
  Hdf5Scene(scene("moved.h5")).put<double>("/bodies/position", {4, 3}, {0, 0, 0.4, 3, 0, 0.2, 0, 2, 0.1, 5, 5, 5});
  const Json said = printed_json(batch({scenes, "-o", out, "--json"}));
  EXPECT_EQ(said.at("files"), 3);
  EXPECT_EQ(said.at("done"), 3);
  EXPECT_EQ(said.at("failed"), 0);
  const Table rows = table_of(table);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("file"), scene("a, \"first\".h5"));
  EXPECT_EQ(rows[1].at("file"), scene("b.h5"));
  EXPECT_NE(rows[1].at("contact_hash"), rows[2].at("contact_hash"));
  for (const auto& row : rows) {
    const std::string file = row.at("file"), alone = folder.file("alone.h5");
    const Json run = printed_json(run_oclide({"run", file, "-o", alone, "--device", "reference", "--json"}));
    EXPECT_EQ(row.at("contact_hash"), run.at("contact_hash").get<std::string>());
    for (const char* number : {"bodies", "frames", "pairs", "contacts"})
      EXPECT_EQ(row.at(number), run.at(number).dump()) << number;
    EXPECT_EQ(std::stof(row.at("max_depth")), run.at("max_depth").get<float>());
    EXPECT_EQ(row.at("device"), run.at("device").get<std::string>());
    EXPECT_EQ(content(fs::path(out) / fs::path(file).filename()), content(alone));
  }
}

TEST_F(Batch, TakesFilesFoldersAndLists) {
  for (const char* name : {"c.h5", "a.h5", "b.h5"}) Hdf5Scene{scene(name)};
  std::ofstream(scene("notes.txt")) << "not a scene";
  fs::create_directory(scene("folder.h5"));
  Hdf5Scene{folder.file("scene without a suffix")};
  Hdf5Scene{folder.file("listed")};
  const std::string list = folder.file("list"), t = folder.file("t.csv");
  std::ofstream(list) << folder.file("listed") << "\r\n\n  \n\t\r\n"
                      << folder.file("not there");  // without an end of line
  const ProcessResult result =
      batch({list, scenes, folder.file("scene without a suffix"), "--summary-only", "--summary", t, "--frames", "1:"});
  EXPECT_EQ(result.status, 1) << result.err;
  std::vector<std::string> names;
  for (const auto& row : table_of(t)) names.push_back(fs::path(row.at("file")).filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"listed", "not there", "a.h5", "b.h5", "c.h5", "scene without a suffix"}));
  EXPECT_EQ(table_of(t)[0].at("frames"), "2");
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Batch, FileThatFailsIsARowAndTheOthersAreDone) {
  for (const char* name : {"a.h5", "d.h5"}) Hdf5Scene{scene(name)};
  Hdf5Scene(scene("b.h5")).put<double>("/bodies/size", {4, 3}, {-1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0});
  std::ofstream(scene("c.h5")) << "no HDF5";
  const ProcessResult result = batch({scenes, scene("gone.h5"), "-o", out});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, "");
  const Table rows = table_of(table);
  ASSERT_EQ(rows.size(), 5U);
  for (const std::size_t k : {0U, 3U}) EXPECT_EQ(rows[k].at("status"), "done");
  for (const std::size_t k : {1U, 2U, 4U}) {
    EXPECT_EQ(rows[k].at("status"), "failed");
    EXPECT_EQ(rows[k].at("message").find(rows[k].at("file")), 0U) << rows[k].at("message");
    EXPECT_EQ(rows[k].at("contacts"), "");
  }
  EXPECT_NE(rows[1].at("message").find("/bodies/size"), std::string::npos);
  EXPECT_EQ(files_of(out).size(), 3U);

  // What failed is done again, and stands where it stood.
  Hdf5Scene{scene("c.h5")};
  const Json said = printed_json(batch({scenes, "-o", out, "--resume", "--json"}));
  EXPECT_EQ(said.at("skipped"), 2);
  EXPECT_EQ(said.at("failures").size(), 1U);
  const Table after = table_of(table);
  ASSERT_EQ(after.size(), 5U) << "the row of a file that is not asked for now stays";
  EXPECT_EQ(after[0], rows[4]);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(after[k + 1].at("file"), rows[k].at("file"));
  EXPECT_EQ(after[3].at("status"), "done");
}

TEST_F(Batch, WhatCannotBeginChangesNothing) {
  Hdf5Scene{scene("a.h5")};
  fs::create_directory(folder.file("more"));
  Hdf5Scene{folder.file("more/a.h5")};
  fs::create_directory(folder.file("empty"));
  std::ofstream(folder.file("blank")) << "\n\n";
  std::ofstream(folder.file("binary")) << std::string("ab\0cd\n", 6);
  ASSERT_EQ(batch({scenes, "-o", out}).status, 0);
  expect_refused({scenes, folder.file("more"), "-o", out}, "has the same name as");
  expect_refused({scene("a.h5"), scenes, "-o", out}, "is given twice");
  expect_refused({folder.file("empty"), "-o", out}, "has no files *.h5");
  expect_refused({folder.file("binary"), "-o", out}, "neither a scene file nor a list");
  expect_refused({folder.file("not there"), "-o", out}, "cannot be read");
  expect_refused({scenes}, "-o");
  expect_refused({scenes, "--summary-only"}, "--summary");
  expect_refused({scenes, "-o", scenes}, "contact files need another folder");
  expect_refused({scenes, "-o", out, "--summary", scene("a.h5")}, "not a table");
  expect_refused({scenes, "-o", out, "--summary", out + "/a.h5"}, "not a table");
  expect_refused({folder.file("blank"), scenes, "-o", out, "--summary", folder.file("blank")}, "blank");
  expect_refused({scenes, "-o", out, "--frames", "x"}, "is no range of frames");
  expect_refused({scenes, "-o", out, "--margin", "-1"}, "margin");
  expect_refused({scenes, "-o", scene("a.h5") + "/out"}, "out");
  std::ofstream(folder.file("other.csv")) << "name,value\r\n1,2\r\n";
  expect_refused({scenes, "-o", out, "--summary", folder.file("other.csv"), "--resume"}, "is no table of oclide batch");
  EXPECT_EQ(content(folder.file("other.csv")), "name,value\r\n1,2\r\n");
}

// A share of a list that has fewer files than there are shares.
TEST_F(Batch, ListWithoutFilesIsDoneAtOnce) {
  const std::string list = folder.file("share");
  for (const char* lines : {"", "\n  \n\t\r\n"}) {
    std::ofstream(list) << lines;
    fs::remove_all(out);
    for (const bool resume : {false, true}) {
      std::vector<std::string> arguments{list, "-o", out, "--json"};
      if (resume) arguments.push_back("--resume");
      const ProcessResult result = batch(arguments);
      EXPECT_EQ(result.status, 0) << result.err;
      EXPECT_EQ(result.err, "oclide: " + list + ": lists no scene files, so there is nothing to do\n");
      EXPECT_EQ(printed_json(result).at("files"), 0);
      EXPECT_EQ(lines_of(content(table)).size(), 1U) << "the header";
    }
  }
  // What others have done stays with --resume alone.
  Hdf5Scene{scene("a.h5")};
  ASSERT_EQ(batch({scenes, "-o", out}).status, 0);
  const std::string before = content(table);
  ASSERT_EQ(batch({list, "-o", out, "--resume"}).status, 0);
  EXPECT_EQ(content(table), before);
  ASSERT_EQ(batch({list, "-o", out}).status, 0);
  EXPECT_EQ(lines_of(content(table)).size(), 1U);
}

TEST_F(Batch, ResumeDoesAgainWhatIsNotTheSameWork) {
  for (const char* name : {"a.h5", "b.h5", "c.h5"}) Hdf5Scene{scene(name)};
  const auto skipped = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {scenes, "-o", out, "--resume", "--json"});
    return printed_json(batch(more)).at("skipped").get<int>();
  };
  EXPECT_EQ(skipped({}), 0);
  const auto first = files_of(out);
  EXPECT_EQ(skipped({}), 3);
  EXPECT_EQ(skipped({"--margin", "0.125"}), 0);
  EXPECT_EQ(skipped({"--margin", "0.125"}), 3);
  EXPECT_EQ(skipped({"--frames", "0:2"}), 0);
  EXPECT_EQ(skipped({}), 0);
  fs::remove(out + "/b.h5");
  EXPECT_EQ(skipped({}), 2);
  // A scene file is the same while its bytes are, whatever its time.
  const auto time = fs::last_write_time(scene("c.h5"));
  fs::last_write_time(scene("c.h5"), time + std::chrono::seconds(1));
  EXPECT_EQ(skipped({}), 3);
  const std::string whole_scene = content(scene("c.h5"));
  Hdf5Scene(scene("c.h5")).put<double>("/bodies/position", {4, 3}, {0, 0, 0.4, 3, 0, 0.2, 0, 2, 0.1, 5, 5, 5});
  std::ofstream(scene("c.h5"), std::ios::binary | std::ios::app) << std::string(8, '\0');
  fs::resize_file(scene("c.h5"), whole_scene.size());
  fs::last_write_time(scene("c.h5"), time);
  EXPECT_EQ(skipped({}), 2) << "as long, as old, and another";
  std::ofstream(scene("c.h5"), std::ios::binary) << whole_scene;
  EXPECT_EQ(skipped({}), 2);
  EXPECT_EQ(files_of(out), first);
  // What the other implementation has found is not this one's.
  std::string others = content(table);
  for (std::size_t at = 0; (at = others.find("CPU reference", at)) != std::string::npos;)
    others.replace(at, 13, "Some GPU");
  std::ofstream(table, std::ios::binary) << others;
  EXPECT_EQ(skipped({}), 0);
  // Killed when all was done, and not in its place yet.
  Table rows = table_of(table);
  ASSERT_EQ(rows.size(), 3U);
  const std::vector<std::string> lines = lines_of(content(table));
  std::ofstream(table, std::ios::binary) << lines[0] << lines[3] << lines[1] << lines[2];
  EXPECT_EQ(skipped({}), 3);
  EXPECT_EQ(table_of(table), rows);
  // A row that was not written to its end, and what another process was writing when it was killed.
  const std::string whole = content(table);
  std::ofstream(table, std::ios::binary) << whole.substr(0, whole.size() - 3);
  std::ofstream(out + "/c.h5.partial2147483646") << "unfinished";
  std::ofstream(out + "/other.h5.partial2147483646") << "not of this batch";
  EXPECT_EQ(skipped({}), 2);
  EXPECT_EQ(without_times(table_of(table)).size(), 3U);
  fs::remove(out + "/other.h5.partial2147483646");
  EXPECT_EQ(files_of(out), first);
}

TEST_F(Batch, KilledAndResumedIsAsUndisturbed) {
  constexpr std::size_t kFrames = 300;
  for (int k = 0; k < 6; ++k) {
    std::vector<double> position;
    for (std::size_t value = 0; value < kFrames * 12; ++value)
      position.push_back(0.001 * static_cast<double>(static_cast<std::size_t>(k) + value % 97));
    Hdf5Scene(scene(std::to_string(k) + ".h5")).put<double>("/bodies/position", {kFrames, 4, 3}, position);
  }
  std::ofstream(scene("1a.h5")) << "no HDF5";
  const std::string undisturbed = folder.file("undisturbed");
  ASSERT_EQ(batch({scenes, "-o", undisturbed}).status, 1);
  ProcessOptions options;
  options.while_running = [&](pid_t child) {
    // In the middle of a file.
    const auto in_the_middle = [&] {
      bool partial = false;
      std::size_t whole = 0;
      std::error_code none;
      for (const auto& entry : fs::directory_iterator(out, none)) {
        partial = partial || entry.path().string().find(".h5.partial") != std::string::npos;
        whole += entry.path().extension() == ".h5" ? 1 : 0;
      }
      return partial && whole >= 2;
    };
    for (int k = 0; k < 20000 && !in_the_middle(); ++k) std::this_thread::sleep_for(std::chrono::microseconds(500));
    ::kill(child, SIGKILL);
  };
  ASSERT_EQ(batch({scenes, "-o", out}, options).signal, SIGKILL);
  const std::size_t rows = table_of(table).size();
  ASSERT_GE(rows, 2U);
  ASSERT_LT(rows, 7U);
  const Json said = printed_json(batch({scenes, "-o", out, "--resume", "--json"}));
  EXPECT_GE(said.at("skipped").get<std::size_t>() + 1, rows - 1) << "at most the file at work, and the one that failed";
  EXPECT_EQ(files_of(out), files_of(undisturbed));
  EXPECT_EQ(without_times(table_of(table)), without_times(table_of(undisturbed + "/summary.csv")));
}

TEST_F(Batch, FullDiskIsARowThatFails) {
  for (const char* name : {"a.h5", "b.h5"}) Hdf5Scene{scene(name)};
  ProcessOptions options;
  options.largest_file = 20'000;
  const ProcessResult result = batch({scenes, "-o", out}, options);
  EXPECT_EQ(result.status, 1) << result.err;
  for (const auto& row : table_of(table))
    EXPECT_NE(row.at("message").find("cannot be written: File too large"), std::string::npos) << row.at("message");
  EXPECT_EQ(files_of(out).size(), 1U);
}

}  // namespace
}  // namespace oclide::test
