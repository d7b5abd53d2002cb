// Which device "auto" takes: the choice from given calibrations, their cache, and a Collider among two OpenCL devices.
#include "devices/calibration.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "devices/choose_device.hpp"
#include "opencl/first_device.hpp"
#include "support/on_each_device.hpp"
#include "support/temporary_folder.hpp"
#include "support/terrains.hpp"

namespace oclide::test {
namespace {

namespace fs = std::filesystem;

// As a CPU and a GPU may be: the one begins at once, the other is fast with many bodies.
const Calibration kCpu{{{32, 0.2}, {1000, 4.0}, {10000, 40.0}}};
const Calibration kGpu{{{32, 1.0}, {1000, 1.1}, {10000, 2.0}}};

TEST(Calibration, IsStraightBetweenSamplesAndBeyondThem) {
  EXPECT_DOUBLE_EQ(kCpu.milliseconds(32), 0.2);
  EXPECT_DOUBLE_EQ(kCpu.milliseconds(1000), 4.0);
  EXPECT_DOUBLE_EQ(kCpu.milliseconds(5500), 22.0);
  EXPECT_DOUBLE_EQ(kCpu.milliseconds(100000), 400.0);
  EXPECT_DOUBLE_EQ(kCpu.milliseconds_per_body(), 0.004);
  EXPECT_NEAR(kGpu.fixed_milliseconds(), 1.0 - 32 * 0.1 / 968, 1e-12);
  EXPECT_EQ(Calibration({{{32, 1.0}, {1000, 50.0}}}).fixed_milliseconds(), 0.0) << "never less than nothing";
}

TEST(Calibration, SmallScenesGoToTheCpuAndLargeOnesToTheGpu) {
  for (const bool turned : {false, true}) {
    const std::vector<Calibration> both = turned ? std::vector{kGpu, kCpu} : std::vector{kCpu, kGpu};
    const std::size_t cpu = turned ? 1 : 0, gpu = 1 - cpu;
    for (std::uint64_t n : {0, 1, 32, 100}) EXPECT_EQ(fastest_device(both, n), cpu) << n;
    for (std::uint64_t n : {1000, 10000, 1000000}) EXPECT_EQ(fastest_device(both, n), gpu) << n;
  }
}

TEST(Calibration, OfEqualsTheFirstIsTaken) {
  EXPECT_EQ(fastest_device(std::vector{kCpu, kCpu, kCpu}, 500), 0U);
  EXPECT_EQ(by_expected_time(std::vector{kGpu, kCpu, kCpu}, 10), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_THROW((void)fastest_device({}, 1), Error);
}

TEST(Calibration, BreakEvenIsTheFirstNumberOfBodiesThatTheNextDeviceIsFasterWith) {
  const Calibration steady{{{32, 3.0}, {1000, 3.0}, {10000, 3.0}}};
  const std::vector<Calibration> all{kGpu, kCpu, steady};
  const std::vector<FastestFrom> changes = break_even(all);
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].bodies, 0U);
  EXPECT_EQ(changes[0].index, 1U);
  EXPECT_EQ(changes[1].index, 0U);
  EXPECT_EQ(changes[2].index, 2U);
  EXPECT_EQ(changes[2].bodies, 20001U) << "2 ms at 10,000 and 0.1 us a body more";
  for (std::size_t k = 1; k < changes.size(); ++k) {
    EXPECT_EQ(fastest_device(all, changes[k].bodies), changes[k].index);
    EXPECT_EQ(fastest_device(all, changes[k].bodies - 1), changes[k - 1].index);
  }
  EXPECT_TRUE(break_even({}).empty());
  EXPECT_EQ(break_even(std::vector{kCpu}).size(), 1U);
}

// ------------------------------------------------------------------------------------------------------------ cache

class CalibrationCache : public testing::Test {
 protected:
  CalibrationCache() {
    device.id = "opencl:0";
    device.name = "Some device";
    device.driver = "1.2.3";
    settings.cache_directory = folder.file("cache");
  }

  [[nodiscard]] fs::path file() const { return opencl::ProgramCache(settings).file(calibration_key(device)); }

  TemporaryFolder folder;
  Settings settings;
  DeviceInfo device;
};

bool same(const Calibration& a, const Calibration& b) {
  return std::equal(
      a.samples.begin(), a.samples.end(), b.samples.begin(), b.samples.end(),
      [](const auto& p, const auto& q) { return p.bodies == q.bodies && p.milliseconds == q.milliseconds; });
}

TEST_F(CalibrationCache, GivesBackWhatWasStoredForThisDeviceAndDriverAlone) {
  EXPECT_FALSE(load_calibration(device, settings));
  store_calibration(kGpu, device, settings);
  const auto found = load_calibration(device, settings);
  ASSERT_TRUE(found);
  EXPECT_TRUE(same(*found, kGpu));
  DeviceInfo other = device;
  other.driver = "1.2.4";
  EXPECT_FALSE(load_calibration(other, settings));
  other = device;
  other.name = "Another device";
  EXPECT_FALSE(load_calibration(other, settings));
  other = device;
  other.id = "opencl:7";
  EXPECT_TRUE(load_calibration(other, settings)) << "its place in the list is no matter";
}

TEST_F(CalibrationCache, KeepsNothingWhereItIsOff) {
  settings.use_cache = false;
  store_calibration(kGpu, device, settings);
  EXPECT_FALSE(load_calibration(device, settings));
  EXPECT_EQ(folder.count(), 0U);
}

TEST_F(CalibrationCache, TakesNoFileThatIsDamagedOrForeign) {
  store_calibration(kGpu, device, settings);
  std::ifstream in(file(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_GT(whole.size(), 48U);
  const auto write = [&](const std::string& content) {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << content;
  };
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write(damaged);
    EXPECT_FALSE(load_calibration(device, settings)) << "byte " << at;
    write(whole.substr(0, at));
    EXPECT_FALSE(load_calibration(device, settings)) << "cut at " << at;
  }
  write("calibration");
  EXPECT_FALSE(load_calibration(device, settings));
  write(whole);
  EXPECT_TRUE(load_calibration(device, settings));
}

TEST_F(CalibrationCache, TakesNoTimesThatCannotBe) {
  for (const Calibration& wrong :
       {Calibration{{{32, 1.0}, {1000, 0.5}, {10000, 2.0}}}, Calibration{{{32, -1.0}, {1000, 0.5}, {10000, 2.0}}},
        Calibration{{{31, 0.1}, {1000, 0.5}, {10000, 2.0}}}, Calibration{{{32, 0.1}, {1000, 0.5}}},
        Calibration{{{32, 0.1}, {1000, 0.5}, {10000, std::numeric_limits<double>::quiet_NaN()}}}}) {
    store_calibration(wrong, device, settings);
    EXPECT_FALSE(load_calibration(device, settings));
  }
}

TEST_F(CalibrationCache, IsWholeWhoeverWritesItAtOnce) {
  const Calibration other{{{32, 0.5}, {1000, 0.6}, {10000, 0.7}}};
  store_calibration(kGpu, device, settings);
  std::vector<std::thread> writers;
  for (const Calibration& c : {kGpu, other, kCpu})
    writers.emplace_back([&, c] {
      for (int k = 0; k < 50; ++k) store_calibration(c, device, settings);
    });
  for (int k = 0; k < 200; ++k) {
    const auto found = load_calibration(device, settings);
    ASSERT_TRUE(found);
    EXPECT_TRUE(same(*found, kGpu) || same(*found, other) || same(*found, kCpu));
  }
  for (std::thread& writer : writers) writer.join();
}

// ----------------------------------------------------------------------------------------------------------- devices

class CalibrationOnOpenCl : public OnOpenCl {};

// A cache of the test's own, without calibrations of these devices: other tests that run meanwhile measure them too. It
// begins with the kernels that the common one has.
Settings own_cache(const TemporaryFolder& folder, const std::vector<DeviceInfo>& measured) {
  Settings settings;
  settings.cache_directory = folder.file("cache");
  fs::create_directory(settings.cache_directory);
  if (const fs::path common = opencl::ProgramCache(Settings()).folder(); fs::is_directory(common))
    for (const fs::directory_entry& file : fs::directory_iterator(common)) {
      std::error_code gone;  // since it was listed
      if (file.path().extension() == ".clbin")
        fs::copy_file(file, fs::path(settings.cache_directory) / file.path().filename(), gone);
    }
  for (const DeviceInfo& device : measured) opencl::ProgramCache(settings).remove(calibration_key(device));
  return settings;
}

TEST_F(CalibrationOnOpenCl, IsMeasuredOnceAndThenTakenFromTheCache) {
  const DeviceInfo device = collider_on("opencl").device();
  const TemporaryFolder folder;
  const Settings settings = own_cache(folder, {device});
  EXPECT_FALSE(load_calibration(device, settings));
  const Calibration measured = calibrate(device, settings);
  ASSERT_EQ(measured.samples.size(), 3U);
  EXPECT_GT(measured.samples[0].milliseconds, 0.0);
  EXPECT_TRUE(same(calibrate(device, settings), measured));
}

TEST(CalibrationOfTheReference, IsAnError) {
  EXPECT_THROW((void)calibrate(devices().back()), Error);
}

TestScene pile(std::size_t bodies) {
  TestScene scene(rough({41, 51, {-2.0, -2.0}, {0.5, 0.5}}, 0.1, 71));
  scene.bodies_meet = true;
  for (std::size_t k = 0; k < bodies; ++k) {
    const dvec3 at(0.9 * static_cast<double>(k % 20), 0.9 * static_cast<double>(k / 20 % 20), 0.4);
    scene.add(k % 2 == 0 ? sphere(0.5, at) : box({0.5, 0.5, 0.5}, at));
  }
  return scene;
}

// Thrown for the first thing that is not so: the process ends with its number.
struct Failed {
  int number;
};

void expect_or_fail(bool holds, int number) {
  if (!holds) throw Failed{number};
}

constexpr int kNoTwoDevices = 77;

// With two OpenCL devices: really calibrates, and goes with given calibrations from one to the other and back.
void choose_among_two() {
  std::vector<DeviceInfo> usable;
  for (const DeviceInfo& d : devices())
    if (d.usable && !d.is_reference) usable.push_back(d);
  expect_or_fail(!usable.empty() && is_pocl(usable.front()), kNoTwoDevices);
  expect_or_fail(usable.size() == 2, 10);
  // One thread and one a core; with one core they are equal, and the first is as good.
  const std::uint32_t most = std::max(usable[0].compute_units, usable[1].compute_units);
  expect_or_fail(choose_device("auto").compute_units == most, 21);

  const TemporaryFolder folder;
  Settings settings = own_cache(folder, usable);
  std::vector<Calibration> measured;
  for (const DeviceInfo& d : usable) measured.push_back(calibrate(d, settings));
  const TestScene small = pile(20), large = pile(400);
  Collider real(settings);
  real.set_scene(large.scene);
  expect_or_fail(real.device().id == usable[fastest_device(measured, 400)].id, 11);

  // Calibrations of this test's own.
  store_calibration({{{32, 0.1}, {1000, 10.0}, {10000, 100.0}}}, usable[0], settings);
  store_calibration({{{32, 1.0}, {1000, 1.1}, {10000, 1.2}}}, usable[1], settings);
  Collider chosen(settings);
  chosen.set_scene(small.scene);
  expect_or_fail(chosen.device().id == usable[0].id, 12);
  const Collider::StagedPoses stale = chosen.stage(small.poses());
  const FrameContacts few = chosen.collide(small.poses());
  chosen.set_scene(large.scene);
  expect_or_fail(chosen.device().id == usable[1].id, 13);
  const FrameContacts many = chosen.collide(large.poses());
  expect_or_fail(few.contacts.size() > 20 && many.contacts.size() > few.contacts.size(), 14);
  try {
    (void)chosen.collide_staged(stale);
    throw Failed{15};
  } catch (const Error& e) {
    expect_or_fail(e.kind() == ErrorKind::invalid_input, 16);
  }
  chosen.set_scene(small.scene);
  expect_or_fail(chosen.device().id == usable[0].id, 17);

  // The choice changes no bit.
  for (const DeviceInfo& d : usable) {
    settings.device = d.id;
    Collider fixed(settings);
    fixed.set_scene(large.scene);
    expect_or_fail(bool(same_bits(fixed.collide(large.poses()).contacts, many.contacts)), 18);
    expect_or_fail(fixed.device().id == d.id, 19);
  }

  // A calibration that is damaged is measured anew: then the times are real ones.
  settings.device = "auto";
  std::ofstream(opencl::ProgramCache(settings).file(calibration_key(usable[1])), std::ios::trunc) << "damaged";
  Collider again(settings);
  again.set_scene(large.scene);
  const auto anew = load_calibration(usable[1], settings);
  expect_or_fail(anew && anew->samples[0].milliseconds != 1.0, 20);
}

// In a process of its own: the driver looks for its devices once.
TEST(CalibrationDeathTest, AutoTakesTheDeviceExpectedToBeTheFastest) {
  bool had_two = true;
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("POCL_DEVICES", "pthread basic", 1);
        setenv("OCLIDE_OPTIMIZE_KERNELS", "0", 1);  // compiling is most of the time
        try {
          choose_among_two();
        } catch (const Failed& failed) {
          std::exit(failed.number);
        } catch (const std::exception& e) {
          std::cerr << e.what() << "\n";
          std::exit(9);
        }
        std::exit(0);
      },
      [&](int status) {
        had_two = !testing::ExitedWithCode(kNoTwoDevices)(status);
        return !had_two || testing::ExitedWithCode(0)(status);
      },
      "");
  if (!had_two) GTEST_SKIP() << "needs PoCL, which can show two devices";
}

}  // namespace
}  // namespace oclide::test
