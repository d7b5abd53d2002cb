// Hits files, and paths files.
#include "files/hit_file.hpp"
#include "fuzz/hdf5_changes.hpp"
#include "fuzz/refused_or_taken.hpp"

namespace oclide {
namespace {

constexpr std::array kHitDatasets{"/hits/distance", "/hits/body",     "/hits/point", "/hits/normal",
                                  "/hits/element",  "/hits/material", "/hits/shape", "/hits"};
constexpr std::array kPathDatasets{"/paths/offset", "/paths/point", "/paths/normal", "/paths/body", "/paths"};
constexpr std::array kAttributes{test::AttributeName{"/", "format"}, test::AttributeName{"/", "version"}};

void write_hits(const std::string& file) {
  HitWriter writer(file, "a device", "scene.h5", 2, 3, true);
  for (int f = 0; f < 2; ++f) writer.append(std::vector<Hit>(3));
  writer.finish();
}

void write_paths(const std::string& file) {
  Paths paths;
  paths.offset = {0, 2, 5};
  paths.points.resize(5);
  paths.displacement.resize(2);
  paths.outgoing.resize(2);
  paths.end.resize(2);
  PathWriter(file, "a device", "scene.h5").write(paths);
}

}  // namespace
}  // namespace oclide

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace oclide;
  FuzzedDataProvider data(bytes, count);
  if (data.ConsumeBool()) {
    const std::string file = test::changed_file(write_hits, data, kHitDatasets, kAttributes);
    test::refused_or_taken(file, [&] {
      const HitReader reader(file);
      std::vector<Hit> hits;
      for (std::size_t f = 0; f < reader.frames(); ++f) {
        reader.read_frame(f, hits);
        test::require(hits.size() == reader.rays(), "a hit for each ray");
      }
    });
  } else {
    const std::string file = test::changed_file(write_paths, data, kPathDatasets, kAttributes);
    test::refused_or_taken(file, [&] {
      const Paths paths = read_paths(file);
      test::require(paths.points.size() == paths.offset.back(), "as many points as the offsets say");
    });
  }
  return 0;
}
