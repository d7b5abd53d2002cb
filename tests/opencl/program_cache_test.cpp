#include "opencl/program_cache.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "environment_variable.hpp"
#include "opencl/buffer.hpp"
#include "opencl/launch.hpp"
#include "opencl_fixture.hpp"

namespace oclide::test {
namespace {

namespace fs = std::filesystem;
using opencl::Buffer;
using opencl::Digest;
using opencl::digest_of;
using opencl::ProgramCache;
using opencl::Stage;
using Bytes = std::vector<unsigned char>;

Bytes read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

TEST(Digest, TellsPartsAndTheirBordersApart) {
  EXPECT_EQ(digest_of({"ab", "c"}), digest_of({"ab", "c"}));
  EXPECT_NE(digest_of({"ab", "c"}), digest_of({"a", "bc"}));
  EXPECT_NE(digest_of({"abc"}), digest_of({"abc", ""}));
  const std::string text(1000, 'x');
  for (std::size_t i = 0; i < text.size(); i += 37) {
    std::string other = text;
    other[i] = 'y';
    EXPECT_NE(digest_of({text})[0], digest_of({other})[0]) << i;
    EXPECT_NE(digest_of({text})[1], digest_of({other})[1]) << i;
  }
}

class CacheFile : public testing::Test {
 protected:
  CacheFile() { settings_.cache_directory = (folder_.path() / "made/on/demand").string(); }

  TemporaryFolder folder_;
  Settings settings_;
  const Digest key_ = digest_of({"key"});
  const Bytes binary_ = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 255};
};

TEST_F(CacheFile, GivesBackWhatWasStored) {
  const ProgramCache cache(settings_);
  EXPECT_EQ(cache.load(key_), std::nullopt);
  cache.store(key_, binary_);
  EXPECT_EQ(cache.load(key_), binary_);
  EXPECT_EQ(ProgramCache(settings_).load(key_), binary_);
  EXPECT_EQ(cache.load(digest_of({"other"})), std::nullopt);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache.folder()), {}), 1);  // nothing temporary is left
  cache.remove(key_);
  EXPECT_EQ(cache.load(key_), std::nullopt);
}

TEST_F(CacheFile, CutOrAlteredAnywhereCountsAsMissing) {
  const ProgramCache cache(settings_);
  cache.store(key_, binary_);
  const Bytes whole = read(cache.file(key_));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(cache.file(key_), Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    EXPECT_EQ(cache.load(key_), std::nullopt) << length << " bytes";
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    Bytes altered = whole;
    altered[i] ^= 0x40;
    write(cache.file(key_), altered);
    EXPECT_EQ(cache.load(key_), std::nullopt) << "byte " << i;
  }
  Bytes longer = whole;
  longer.push_back(0);
  write(cache.file(key_), longer);
  EXPECT_EQ(cache.load(key_), std::nullopt);
  cache.store(key_, binary_);  // replaces the bad file
  EXPECT_EQ(cache.load(key_), binary_);
}

TEST_F(CacheFile, OfAnotherKeyCountsAsMissing) {
  const ProgramCache cache(settings_);
  const Digest other = digest_of({"other"});
  cache.store(key_, binary_);
  fs::copy_file(cache.file(key_), cache.file(other));
  EXPECT_EQ(cache.load(other), std::nullopt);
}

TEST_F(CacheFile, FolderThatCannotBeWrittenIsDoneWithout) {
  // A file in the place of the folder: not even root can write below it.
  write(folder_.path() / "file", {1});
  settings_.cache_directory = (folder_.path() / "file" / "below").string();
  const ProgramCache cache(settings_);
  cache.store(key_, binary_);
  EXPECT_EQ(cache.load(key_), std::nullopt);
}

TEST_F(CacheFile, FolderFollowsSettingsThenEnvironment) {
  const auto folder_with = [](const Settings& settings) { return ProgramCache(settings).folder(); };
  const EnvironmentVariable own("OCLIDE_CACHE_DIR"), of_caches("XDG_CACHE_HOME"), home("HOME");
  own.set("/OCLIDE_CACHE_DIR");
  of_caches.set("/XDG_CACHE_HOME");
  home.set("/HOME");
  EXPECT_EQ(folder_with(settings_), settings_.cache_directory);
  EXPECT_EQ(folder_with({}), "/OCLIDE_CACHE_DIR");
  own.set(std::nullopt);
  EXPECT_EQ(folder_with({}), "/XDG_CACHE_HOME/oclide");
  of_caches.set(std::nullopt);
  EXPECT_EQ(folder_with({}), "/HOME/.cache/oclide");
  home.set(std::nullopt);
  EXPECT_EQ(folder_with({}), "");
  settings_.use_cache = false;
  EXPECT_EQ(folder_with(settings_), "");
}

TEST_F(CacheFile, ProcessesThatWriteAndReadAtOnceSeeWholeFilesOnly) {
  // Four writers of two contents under one key; a reader must see one of them, or none at the start.
  const ProgramCache cache(settings_);
  const Bytes contents[2] = {Bytes(200'000, 1), Bytes(300'000, 2)};
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      bool good = true;
      for (int i = 0; i < 50; ++i) {
        cache.store(key_, contents[child % 2]);
        const auto loaded = cache.load(key_);
        good = good && loaded && (*loaded == contents[0] || *loaded == contents[1]);
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = -1;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(cache.folder()), {}), 1);
}

const char* const kMixBits = R"(
__kernel void mix_bits(__global uint* out, uint n) {
  const size_t i = get_global_id(0);
  if (i < n) out[i] = as_uint((float)i * 1.1f) ^ (uint)i;
}
)";

// Devices that take compiled kernels from the cache.
class DeviceCache : public OpenCl {
 protected:
  void SetUp() override {
    OpenCl::SetUp();
    if (IsSkipped()) return;
    for (const auto& entry : fs::directory_iterator(cache_folder_.path())) of_opening_.push_back(entry.path());
  }

  static std::vector<std::uint32_t> results(opencl::Device& device) {
    cl::Kernel kernel(device.build("test/mix", kMixBits), "mix_bits");
    Buffer<std::uint32_t> out(device, "out", 1000);
    opencl::launch(device, kernel, nullptr, Stage::narrow_phase, 1000, 1, out, std::uint32_t{1000});
    std::vector<std::uint32_t> values(1000);
    out.download(values);
    return values;
  }

  /// Without those of the programs that opening a device takes.
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(cache_folder_.path()))
      if (std::find(of_opening_.begin(), of_opening_.end(), entry.path()) == of_opening_.end())
        all.push_back(entry.path());
    return all;
  }

  // What a file of the cache is named after.
  static Digest key_of(const fs::path& file) {
    const std::string digits = file.stem().string();
    return {std::stoull(digits.substr(0, 16), nullptr, 16), std::stoull(digits.substr(16), nullptr, 16)};
  }

  std::vector<fs::path> of_opening_;
};

TEST_F(DeviceCache, HitGivesTheSameResults) {
  const auto first = results(*device_);
  ASSERT_EQ(files().size(), 1U);
  const auto written = fs::last_write_time(files()[0]);
  EXPECT_EQ(results(*open()), first);
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(fs::last_write_time(files()[0]), written);  // not built again
  EXPECT_EQ(first[10], 0x41300000U ^ 10U);              // 11.0F
}

TEST_F(DeviceCache, BadFileIsBuiltAgain) {
  const auto first = results(*device_);
  ASSERT_EQ(files().size(), 1U);
  const fs::path file = files()[0];
  const Bytes whole = read(file);
  ASSERT_GT(whole.size(), 100U);
  write(file, Bytes(whole.begin(), whole.begin() + 100));
  ASSERT_FALSE(device_->cache().load(key_of(file)));
  EXPECT_EQ(results(*open()), first);
  // Whole again, if not the same: what PoCL puts into a binary depends on what else it has compiled meanwhile.
  EXPECT_TRUE(device_->cache().load(key_of(file)));
}

TEST_F(DeviceCache, BinaryThatTheDriverRejectsIsBuiltAgain) {
  const auto first = results(*device_);
  ASSERT_EQ(files().size(), 1U);
  const fs::path file = files()[0];

  // Files that are whole, under the right key, with a content that is no program.
  const Bytes nonsense(100, 0x5A);
  ASSERT_EQ(of_opening_.size(), 1U);
  for (const fs::path& of : {file, of_opening_[0]}) {
    const Digest key = key_of(of);
    device_->cache().store(key, nonsense);
    ASSERT_EQ(device_->cache().load(key), nonsense);
    opencl::forget_contexts();  // which have the programs by now
    EXPECT_EQ(results(*open()), first);
    EXPECT_NE(device_->cache().load(key), nonsense);
  }
}

TEST_F(DeviceCache, OtherOptionsAndSourcesHaveFilesOfTheirOwn) {
  device_->build("test/mix", kMixBits);
  device_->build("test/mix", kMixBits, "-DX=1");
  device_->build("test/mix", std::string(kMixBits) + "\n");
  EXPECT_EQ(files().size(), 3U);
}

TEST_F(DeviceCache, OnlyWhatIsCompiledIsTold) {
  std::vector<std::string> told;
  settings_.on_compile = [&](const std::string& device, const std::string& kernels) {
    EXPECT_EQ(device, info_.name);
    told.push_back(kernels);
  };
  const std::vector<std::string> mix{"test/mix"};
  const auto device = open();  // from the cache
  EXPECT_TRUE(told.empty());
  device->build("test/mix", kMixBits);
  EXPECT_EQ(told, mix);
  open()->build("test/mix", kMixBits);
  EXPECT_EQ(told, mix);
  write(files().at(0), {1});
  open()->build("test/mix", kMixBits);
  EXPECT_EQ(told.size(), 2U);
}

TEST_F(DeviceCache, SwitchedOffOrNotWritableWorksWithout) {
  const auto first = results(*device_);
  fs::remove(files().at(0));
  settings_.use_cache = false;
  EXPECT_EQ(results(*open()), first);
  EXPECT_TRUE(files().empty());

  settings_.use_cache = true;
  write(cache_folder_.path() / "file", {1});
  settings_.cache_directory = (cache_folder_.path() / "file").string();
  EXPECT_EQ(results(*open()), first);
}

}  // namespace
}  // namespace oclide::test
