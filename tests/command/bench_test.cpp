// oclide bench: what is in its rows, its table and its page. How long anything took is no matter of a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "bench/row.hpp"
#include "oclide/oclide.hpp"
#include "planning/stage_traffic.hpp"
#include "process.hpp"
#include "shared/abi.h"
#include "support/temporary_folder.hpp"

namespace oclide::command {

namespace {

using test::ProcessResult;
using test::run_oclide;
using test::TemporaryFolder;

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

[[maybe_unused]] std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// Fields of each line of a CSV text (RFC 4180).
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, std::vector<std::string>(1));
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& field = lines.back().back();
    if (inside) {
      if (text[i] != '"')
        field += text[i];
      else if (i + 1 < text.size() && text[i + 1] == '"')
        field += text[++i];
      else
        inside = false;
    } else if (text[i] == '"') {
      inside = true;
    } else if (text[i] == ',') {
      lines.back().emplace_back();
    } else if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
      if (i + 1 < text.size()) lines.emplace_back(1);
    } else {
      field += text[i];
    }
  }
  EXPECT_FALSE(inside);
  return lines;
}

// A row of another engine, with everything that needs care in it.
Row awkward_row() {
  Row row;
  row.engine = "Bullet";
  row.engine_version = "3.24";
  row.settings = "margins of 1 mm, \"fast\",\r\none thread";
  row.device = row.device_id = "host";
  row.scenario = "</script><script>alert(1)</script><!-- & 'pile'.h5";
  row.bodies = 10000;
  row.repetitions = 10;
  row.hulls = 7;
  row.mesh_triangles = 12345;
  row.pairs = 26000;
  row.contacts = 28000;
  row.wall = Spread{12.5, 13.25};
  row.missed = 3;
  row.spurious = 0;
  row.checked = true;
  row.note = "edges are rounded, \xC3\xBC";
  return row;
}

Row failed_row() {
  Row row;
  row.device = "a device";
  row.device_id = "opencl:3";
  row.scenario = "pile";
  row.bodies = 7;
  row.error = "the process crashed: signal 11";
  return row;
}

TEST(BenchRow, ReadsBackAsItWasWritten) {
  Row row = awkward_row();
  row.device_time = Spread{1.0, 2.0};
  row.peak_device_bytes = 1ULL << 40;
  row.stages.push_back({"broad_phase", {0.5, 0.75}, 1e6, std::nullopt, 0.25});
  row.stages.push_back({"host", {0.1, 0.2}, std::nullopt, std::nullopt, std::nullopt});
  const Row back = row_of(Json::parse(text_of(json_of(row))), "here");
  EXPECT_EQ(text_of(json_of(back)), text_of(json_of(row)));
  EXPECT_EQ(back.settings, row.settings);
  EXPECT_EQ(back.peak_device_bytes, row.peak_device_bytes);
  ASSERT_EQ(back.stages.size(), 2U);
  EXPECT_EQ(back.stages[0].bandwidth_share, 0.25);
  EXPECT_FALSE(back.stages[0].operations);
}

TEST(BenchRow, MembersThatNobodyKnowsAreIgnored) {
  Json json = json_of(awkward_row());
  json["weather"] = {{"rain", true}};
  EXPECT_EQ(row_of(json, "here").bodies, 10000U);
}

TEST(BenchRow, WhatIsNoRowIsRefusedWithTheMemberAtFault) {
  const std::vector<std::pair<const char*, std::function<void(Json&)>>> spoilt{
      {"engine", [](Json& j) { j.erase("engine"); }},
      {"device", [](Json& j) { j["device"] = 3; }},
      {"bodies", [](Json& j) { j["bodies"] = -3; }},
      {"bodies", [](Json& j) { j["bodies"] = 2.5; }},
      {"bodies", [](Json& j) { j["bodies"] = nullptr; }},
      {"threads", [](Json& j) { j["threads"] = "two"; }},
      {"wall_ms", [](Json& j) { j["wall_ms"] = nullptr; }},
      {"wall_ms",
       [](Json& j) {
         j["wall_ms"] = {{"min", 1.0}};
       }},
      {"median",
       [](Json& j) {
         j["wall_ms"] = {{"min", 1.0}, {"median", "2"}};
       }},
      {"checked", [](Json& j) { j["checked"] = 1; }},
      {"stages", [](Json& j) { j["stages"] = "none"; }},
      {"stages[0]",
       [](Json& j) {
         j["stages"] = Json::array({Json{{"name", "upload"}}});
       }},
      {"missed", [](Json& j) { j["missed"] = -1; }}};
  for (const auto& [member, spoil] : spoilt) {
    Json json = json_of(awkward_row());
    spoil(json);
    try {
      (void)row_of(json, "rows[4]");
      ADD_FAILURE() << member << " is taken: " << json;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::invalid_input);
      EXPECT_TRUE(std::string(error.what()).starts_with("rows[4]")) << error.what();
      EXPECT_NE(std::string(error.what()).find(member), std::string::npos) << error.what();
    }
  }
}

TEST(BenchRow, CsvHasOneLineARowAndQuotesWhatNeedsIt) {
  Row own = awkward_row();
  own.stages.push_back({"narrow_phase", {1.5, 2.5}, 1000.0, 2000.0, 0.5});
  const auto lines = parse_csv(csv_of({own, failed_row()}));
  ASSERT_EQ(lines.size(), 3U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto field = [&](std::size_t line, const std::string& name) {
    const auto at = std::find(lines[0].begin(), lines[0].end(), name);
    EXPECT_NE(at, lines[0].end()) << name;
    return at == lines[0].end() ? std::string() : lines[line][static_cast<std::size_t>(at - lines[0].begin())];
  };
  EXPECT_EQ(field(1, "settings"), own.settings);
  EXPECT_EQ(field(1, "scenario"), own.scenario);
  EXPECT_EQ(field(1, "wall_ms_median"), "13.25");
  EXPECT_EQ(field(1, "narrow_phase_min_ms"), "1.5");
  EXPECT_EQ(field(1, "narrow_phase_bandwidth_share"), "0.5");
  EXPECT_EQ(field(1, "upload_min_ms"), "");
  EXPECT_EQ(field(1, "missed"), "3");
  EXPECT_EQ(field(2, "wall_ms_min"), "");
  EXPECT_EQ(field(2, "error"), failed_row().error);
  EXPECT_EQ(std::set<std::string>(lines[0].begin(), lines[0].end()).size(), lines[0].size());
}

TEST(BenchRow, MedianIsTheMiddle) {
  EXPECT_EQ(spread_of({3.0, 1.0, 2.0}).median, 2.0);
  EXPECT_EQ(spread_of({4.0, 1.0, 2.0, 3.0}).median, 2.5);
  EXPECT_EQ(spread_of({4.0, 1.0, 2.0, 3.0}).min, 1.0);
}

// Three spheres in a row over a terrain of one cell, the first two of which touch each other, the third the ground.
TEST(StageWork, CountsEveryRecordOnceInAndOnceOut) {
  Scene scene;
  Terrain& ground = scene.terrains.emplace_back();
  ground.rows = ground.cols = 2;
  ground.heights = {0.0, 0.0, 0.0, 0.0};
  scene.bodies.shape.assign(3, Shape::sphere);
  scene.bodies.size.assign(3, {0.5, 0.0, 0.0});
  FrameContacts frame;
  frame.contacts.resize(2);
  frame.contacts[0].body_b = 1;
  frame.contacts[1].body_a = 2;
  frame.pairs = 2;
  frame.body_pairs = 1;
  frame.body_candidates = 2;
  frame.candidates = 4;
  frame.unreduced = 4;  // one of the pair, three with terrain

  const auto work = stage_work(scene, frame);
  EXPECT_EQ(work[0].bytes, 3 * 40.0) << "poses";
  EXPECT_EQ(work[1].bytes, 3 * (sizeof(BodyRecord) + 40.0 + sizeof(GridPose)) + 4 * (16.0 + 8.0) +
                               3 * (sizeof(PairBody) + 40.0 + sizeof(BodyState) + 2 * (32.0 * 8.0 / 7.0 + 8.0)) +
                               2 * 16.0);
  EXPECT_EQ(work[2].bytes, 3 * (sizeof(BodyRecord) + sizeof(GridPose)) + 4 * (8.0 + 16.0 + 4.0) +
                               3 * sizeof(ContactRecord) + 3 * sizeof(BodyState) + 2 * (12.0 + sizeof(PairResult)) +
                               sizeof(PairContactRecord));
  EXPECT_EQ(work[3].bytes,
            (3 + 1) * sizeof(ContactRecord) + 3 * 12.0 + (2 + 1) * sizeof(PairResult) + 2 * sizeof(PairContactRecord));
  EXPECT_EQ(work[4].bytes,
            sizeof(ContactRecord) + 3 * 12.0 + sizeof(PairResult) + static_cast<double>(sizeof(PairContactRecord)));
  for (const StageWork& stage : work) EXPECT_TRUE(stage.operations);
  EXPECT_GT(*work[2].operations, 0.0);

  // Every candidate is of the kind that touches: another kind is another number of operations.
  const double of_spheres = *work[2].operations;
  scene.bodies.shape.assign(3, Shape::box);
  EXPECT_GT(*stage_work(scene, frame)[2].operations, of_spheres);

  // The reference reads doubles and writes contacts as they are.
  const auto reference = reference_stage_work(scene, frame);
  EXPECT_EQ(reference[0].bytes, 0.0);
  EXPECT_EQ(reference[1].bytes, 3 * (56.0 + 1.0 + 24.0) + 2 * 8.0);
  EXPECT_FALSE(reference[2].operations);
}

TEST(StageWork, AFrameWithoutBodiesMovesNothing) {
  for (const StageWork& stage : stage_work(Scene{}, FrameContacts{})) {
    EXPECT_EQ(stage.bytes, 0.0);
    EXPECT_EQ(stage.operations, 0.0);
  }
}

class Bench : public ::testing::Test {
 protected:
  // A short run on the reference; the rows that it prints.
  static std::vector<Row> measure(std::vector<std::string> more) {
    std::vector<std::string> arguments{"bench", "--json", "--cores", "1", "--warm-up", "0", "--repetitions", "10"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = run_oclide(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const Json json = Json::parse(result.out, nullptr, false);
    std::vector<Row> rows;
    if (!json.is_object() || !json.contains("rows")) {
      ADD_FAILURE() << result.out;
      return rows;
    }
    EXPECT_EQ(json.at("format"), "oclide-bench");
    EXPECT_EQ(json.at("version"), 1);
    for (const Json& row : json.at("rows")) rows.push_back(row_of(row, "row"));
    return rows;
  }

  void expect_refused(const std::vector<std::string>& arguments, const std::string& at_fault) const {
    const std::size_t before = folder.count();
    std::vector<std::string> all{"bench"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProcessResult result = run_oclide(all);
    EXPECT_EQ(result.status, 2) << at_fault << ": " << result.out << result.err;
    EXPECT_EQ(result.error_lines(), 1U) << result.err;
    EXPECT_TRUE(result.err.starts_with("oclide: ")) << result.err;
    EXPECT_NE(result.err.find(at_fault), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(folder.count(), before);
  }

  // A row whose times, counts and rates fit together.
  static void expect_sound(const Row& row) {
    EXPECT_EQ(row.error, "");
    EXPECT_TRUE(row.checked);
    EXPECT_EQ(row.engine, "oclide");
    EXPECT_EQ(row.engine_version, version());
    EXPECT_EQ(row.repetitions, 10U);
    EXPECT_NE(row.commit, "");
    EXPECT_NE(row.host_cpu, "");
    EXPECT_NE(row.settings, "");
    ASSERT_TRUE(row.wall && row.pairs && row.contacts && row.candidates && row.bodies_per_s && row.contacts_per_s);
    EXPECT_GT(row.wall->min, 0.0);
    EXPECT_LE(row.wall->min, row.wall->median);
    EXPECT_GT(*row.pairs, 0U);
    EXPECT_GE(*row.contacts, *row.pairs);
    EXPECT_NEAR(*row.bodies_per_s * row.wall->median, 1000.0 * static_cast<double>(row.bodies), 1e-3);
    EXPECT_NEAR(*row.contacts_per_s * row.wall->median, 1000.0 * static_cast<double>(*row.contacts), 1e-3);
    ASSERT_TRUE(row.copy_gb_per_s && row.peak_host_bytes);
    EXPECT_GT(*row.copy_gb_per_s, 0.0);
    EXPECT_GT(*row.peak_host_bytes, std::uint64_t{1} << 20);
    ASSERT_FALSE(row.stages.empty());
    EXPECT_EQ(row.stages.back().name, "host");
    for (const StageRow& stage : row.stages) {
      EXPECT_LE(stage.milliseconds.min, stage.milliseconds.median) << stage.name;
      EXPECT_LE(stage.milliseconds.min, row.wall->median) << stage.name;
      if (stage.name == "host" || stage.milliseconds.median == 0.0) continue;
      ASSERT_TRUE(stage.bytes && stage.bandwidth_share) << stage.name;
      EXPECT_NEAR(*stage.bandwidth_share * stage.milliseconds.median * *row.copy_gb_per_s * 1e6, *stage.bytes,
                  1e-6 * *stage.bytes)
          << stage.name;
    }
  }

  TemporaryFolder folder;
};

TEST_F(Bench, RowsOfTheReferenceAreComplete) {
  const std::vector<Row> rows = measure({"--scenario", "mixed,pile", "--bodies", "30,60", "--device", "reference"});
  ASSERT_EQ(rows.size(), 4U);
  std::set<std::pair<std::string, std::uint64_t>> found;
  for (const Row& row : rows) {
    expect_sound(row);
    EXPECT_EQ(row.device_id, "reference");
    EXPECT_EQ(row.threads, 1U);
    EXPECT_EQ(row.checked_bodies, row.bodies);
    EXPECT_FALSE(row.device_time) << "a reference has no clock of its own";
    EXPECT_FALSE(row.peak_device_bytes);
    EXPECT_EQ(row.terrain_cells_per_s.has_value(), row.scenario == "mixed");
    EXPECT_EQ(row.terrain_vertices > 0, row.scenario == "mixed");
    found.insert({row.scenario, row.bodies});
  }
  EXPECT_EQ(found.size(), 4U);
}

TEST_F(Bench, RowsSayWhatHullsAndMeshesASceneHas) {
  const std::vector<Row> rows = measure({"--scenario", "rubble,quarry", "--bodies", "12", "--device", "reference"});
  ASSERT_EQ(rows.size(), 2U);
  for (const Row& row : rows) {
    expect_sound(row);
    EXPECT_GT(row.hulls.value_or(0), 0U) << row.scenario;
    EXPECT_EQ(row.mesh_triangles.value_or(0) > 1000, row.scenario != "rubble");
    EXPECT_LE(row.hulls.value_or(0), 96U) << "each once";
  }
}

TEST_F(Bench, RowsOfAnOpenClDeviceHaveDeviceTimeTrafficAndOperations) {
  const std::vector<DeviceInfo> all = devices();
  const auto device =
      std::find_if(all.begin(), all.end(), [](const DeviceInfo& d) { return !d.is_reference && d.usable; });
  if (device == all.end()) GTEST_SKIP() << "no OpenCL device";
  const std::vector<Row> rows = measure({"--scenario", "crowd", "--bodies", "60", "--device", device->id});
  ASSERT_EQ(rows.size(), 1U);
  const Row& row = rows[0];
  expect_sound(row);
  EXPECT_EQ(row.device, device->name);
  EXPECT_EQ(row.driver, device->driver);
  EXPECT_EQ(row.environments, 3U);
  ASSERT_TRUE(row.device_time && row.peak_device_bytes);
  EXPECT_LE(row.device_time->min, row.device_time->median);
  EXPECT_GT(*row.peak_device_bytes, 60U * 40U);
  ASSERT_EQ(row.stages.size(), 6U);
  const char* const names[] = {"upload", "broad_phase", "narrow_phase", "contact_reduction", "download", "host"};
  for (std::size_t s = 0; s < 6; ++s) EXPECT_EQ(row.stages[s].name, names[s]);
  EXPECT_EQ(row.stages[0].bytes, static_cast<double>(row.bodies) * 40.0) << "a pose is ten floats";
  for (const std::size_t s : {1U, 2U}) {
    ASSERT_TRUE(row.stages[s].operations) << names[s];
    EXPECT_GT(*row.stages[s].operations, 10.0 * static_cast<double>(row.bodies)) << names[s];
  }
}

TEST_F(Bench, LargeScenesAreCheckedInASmallerSize) {
  const std::string scene = folder.file("scene.h5");
  ASSERT_EQ(run_oclide({"generate", "pile", "-o", scene, "--bodies", "40", "--frames", "1"}).status, 0);
  const std::vector<Row> rows =
      measure({"--scenario", "mixed", "--bodies", "50", "--scene", scene, "--device", "reference", "--check", "20"});
  ASSERT_EQ(rows.size(), 2U);
  for (const Row& row : rows) {
    expect_sound(row);
    EXPECT_EQ(row.bodies, row.scenario == "mixed" ? 50U : 40U);
    EXPECT_EQ(row.checked_bodies, row.scenario == "mixed" ? 20U : 21U) << "the half space under a pile stays";
  }
}

TEST_F(Bench, SceneFilesAreTimedByTheirNames) {
  const std::string scene = folder.file("two, \"spheres\".h5");
  ASSERT_EQ(run_oclide({"generate", "pile", "-o", scene, "--bodies", "30", "--frames", "2"}).status, 0);
  const std::vector<Row> rows = measure({"--scene", scene, "--device", "reference"});
  ASSERT_EQ(rows.size(), 1U);
  expect_sound(rows[0]);
  EXPECT_EQ(rows[0].scenario, "two, \"spheres\".h5");
  EXPECT_EQ(rows[0].bodies, 30U);
}

TEST_F(Bench, RastersTakeTheOptionsOfGenerate) {
  const std::string raster = folder.file("grid.asc");
  write(raster,
        "ncols 5\nnrows 5\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 1 1 1 1\n1 1 1 1 1\n1 1 1 1 1\n1 1 1 1 1\n"
        "-9999 1 1 1 1\n");
  const std::vector<std::string> work{"--scenario", "mixed", "--bodies", "40", "--device", "reference"};
  std::vector<std::string> arguments = work;
  arguments.insert(arguments.end(), {"--terrain", raster});
  expect_refused(arguments, "--nodata -9999");
  arguments.insert(arguments.end(), {"--nodata", "-9999", "--spacing", "2.5"});
  const std::vector<Row> rows = measure(arguments);
  ASSERT_EQ(rows.size(), 1U);
  expect_sound(rows[0]);
  EXPECT_EQ(rows[0].terrain_vertices, 25U);
}

TEST_F(Bench, FramesThatMoveLittleAreSaidToBeSo) {
  const std::vector<Row> rows =
      measure({"--scenario", "pile", "--bodies", "40", "--device", "reference", "--moved", "0.25"});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].moved, 0.25);
  EXPECT_NE(rows[0].settings.find("25.00 %"), std::string::npos) << rows[0].settings;
  for (const StageRow& stage : rows[0].stages) EXPECT_FALSE(stage.bytes) << stage.name;
}

TEST_F(Bench, TableAndPageHaveEveryRow) {
  const std::string others = folder.file("others.json");
  write(others, text_of(rows_file({awkward_row(), failed_row()})));
  const std::string csv = folder.file("rows.csv");
  std::vector<std::string> arguments{"--scenario", "barrels", "--bodies", "12",    "--device",
                                     "reference",  "--rows",  others,     "--csv", csv};
#ifdef OCLIDE_HAS_PLOTS
  const std::string page = folder.file("page.html");
  arguments.insert(arguments.end(), {"-o", page});
#endif
  const std::vector<Row> rows = measure(arguments);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].scenario, awkward_row().scenario);
  EXPECT_EQ(rows[2].error, failed_row().error);
  EXPECT_EQ(parse_csv(content(csv)).size(), 4U);
#ifdef OCLIDE_HAS_PLOTS
  const std::string text = content(page);
  // The rows are in it, word for word but for what could end their element.
  const std::string begin = "<script type=\"application/json\" id=\"rows\">";
  const std::size_t at = text.find(begin);
  ASSERT_NE(at, std::string::npos);
  const std::string data = text.substr(at + begin.size(), text.find("</script>", at) - at - begin.size());
  EXPECT_EQ(data.find('<'), std::string::npos);
  const Json json = Json::parse(data, nullptr, false);
  ASSERT_TRUE(json.is_object()) << data;
  EXPECT_EQ(text_of(json), text_of(rows_file(rows)));
  // Nothing of it comes from elsewhere, and the browser is told so.
  for (const char* outside : {"src=", "href=", "@import", "url("}) EXPECT_EQ(occurrences(text, outside), 0U) << outside;
  EXPECT_EQ(occurrences(text, "default-src 'none'"), 1U);
  EXPECT_EQ(occurrences(text, "{{"), 0U) << "a place in the page was not filled";
  EXPECT_EQ(occurrences(text, "</script>"), 3U);
  EXPECT_NE(text.find("Chart.js"), std::string::npos);
  EXPECT_EQ(folder.count(), 3U);
#else
  expect_refused({"--rows-only", "--rows", others, "-o", folder.file("page.html")}, "libjs-chart.js");
#endif
}

TEST_F(Bench, RowsOfOtherRunsNeedNoMeasurement) {
  const std::string others = folder.file("others.json");
  write(others, text_of(rows_file({awkward_row()})));
  const std::vector<Row> rows = measure({"--rows-only", "--rows", others});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].engine, "Bullet");
  const ProcessResult text = run_oclide({"bench", "--rows-only", "--rows", others});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("Bullet"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("13.250"), std::string::npos) << text.out;
}

TEST_F(Bench, BadArgumentsAreRefusedBeforeAnythingIsMeasured) {
  const std::string page = folder.file("page.html");
  expect_refused({"--scenario", "nothing"}, "unknown scenario 'nothing'");
  expect_refused({"--scenario", "pile", "--bodies", "0"}, "--bodies 0");
  expect_refused({"--scenario", "pile", "--bodies", "100,-5"}, "bodies");
  expect_refused({"--scenario", "pile", "--bodies", "20000001"}, "--bodies 20000001");
  expect_refused({"--device", "no such device"}, "unknown device 'no such device'");
  expect_refused({"--device", "opencl:99"}, "opencl:99");
  expect_refused({"--device", "auto"}, "unknown device 'auto'");
  expect_refused({"--cores", "0"}, "--cores 0");
  expect_refused({"--cores", "many"}, "--cores many");
  expect_refused({"--cores", "100000"}, "--cores 100000");
  expect_refused({"--repetitions", "9"}, "--repetitions 9");
  expect_refused({"--repetitions", "-1"}, "repetitions");
  expect_refused({"--check", "0"}, "--check 0");
  expect_refused({"--moved", "1.5"}, "--moved");
  expect_refused({"--moved", "nan"}, "--moved");
  expect_refused({"--terrain", folder.file("none.tif")}, "none.tif");
  expect_refused({"--nodata", "-9999"}, "bench: --nodata is for the raster given with --terrain");
  expect_refused({"--spacing", "2"}, "bench: --spacing is for the raster given with --terrain");
  expect_refused({"--scene", folder.file("none.h5")}, "none.h5");
  expect_refused({"--rows-only"}, "--rows");
  expect_refused({"--csv", folder.file("none/rows.csv")}, "none/rows.csv");
  expect_refused({"--csv", folder.file("")}, "Is a directory");
  expect_refused({"--worker", "no task"}, "--worker");
  expect_refused({"--repetitions", "1000001"}, "--repetitions 1000001");
  // What is read is not written over.
  const std::string rows = folder.file("rows.json");
  write(rows, text_of(rows_file({awkward_row()})));
  expect_refused({"--rows-only", "--rows", rows, "--csv", folder.file("./rows.json")}, "is the file of rows itself");
  EXPECT_EQ(content(rows), text_of(rows_file({awkward_row()})));
  std::filesystem::remove(rows);
#ifdef OCLIDE_HAS_PLOTS
  expect_refused({"-o", folder.file("none/page.html")}, "none/page.html");
  expect_refused({"-o", folder.file("")}, "Is a directory");
  expect_refused({"-o", page, "--csv", page}, "is the page itself");
  expect_refused({"-o", folder.file("page.csv")}, "--csv writes a table");
#endif
}

TEST_F(Bench, BadRowsAreRefusedWithFileAndPlace) {
  const std::string file = folder.file("rows.json");
  const auto refused = [&](const std::string& text, const std::string& at_fault) {
    write(file, text);
    expect_refused({"--rows-only", "--rows", file}, file + ": " + at_fault);
  };
  expect_refused({"--rows-only", "--rows", folder.file("none.json")}, "none.json: No such file");
  expect_refused({"--rows-only", "--rows", folder.file("")}, "is a folder");
  refused("", "is no JSON object");
  refused("[1, 2", "is no JSON object");
  refused("[]", "is no JSON object");
  refused("{}", "has no format");
  refused(R"({"format": "oclide-scene", "version": 1, "rows": []})", "format is not 'oclide-bench'");
  refused(R"({"format": "oclide-bench", "version": 2, "rows": []})", "version is not 1");
  refused(R"({"format": "oclide-bench", "version": 1})", "has no list of rows");
  refused(R"({"format": "oclide-bench", "version": 1, "rows": [3]})", "rows[0]: is no object");
  Json json = rows_file({awkward_row(), awkward_row()});
  json["rows"][1]["wall_ms"] = "fast";
  refused(text_of(json), "rows[1]: wall_ms");
}

}  // namespace
}  // namespace oclide::command
