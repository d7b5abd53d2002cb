#include "files/ray_file.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <sstream>

#include "files/framed_dataset.hpp"
#include "files/hdf5_file.hpp"

namespace oclide {
namespace {

// The scene's file, or one of its own.
class Source {
 public:
  Source(const SceneReader& scene, const std::string& name) : scene_(scene) {
    if (!name.empty()) own_.emplace(name);
  }
  [[nodiscard]] const hdf5::InputFile& file() const { return own_ ? *own_ : scene_.file(); }

  // Environments, which the scene must have where it says which there are.
  [[nodiscard]] std::vector<std::uint32_t> environments(const std::string& path, std::size_t count,
                                                        const std::string& why) const {
    std::vector<std::uint32_t> found = optional_integers(path, count, why);
    const std::size_t known = scene_.scene().environment_terrain.size();
    for (std::size_t i = 0; known > 0 && i < found.size(); ++i)
      if (found[i] >= known)
        file().fail(path + "[" + std::to_string(i) + "] is " + std::to_string(found[i]) +
                    ", and /environments/terrain has " + std::to_string(known) + " entries");
    return found;
  }
  [[nodiscard]] std::vector<std::uint32_t> optional_integers(const std::string& path, std::size_t count,
                                                             const std::string& why) const {
    if (!file().exists(path)) return {};
    return file().read_integers<std::uint32_t>(path, std::array<hsize_t, 1>{count}, why);
  }

 private:
  const SceneReader& scene_;
  std::optional<hdf5::InputFile> own_;
};

std::string direction_fault(const double* d) {
  return d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0 ? "is zero" : "";
}

std::vector<double> read_lengths(const hdf5::InputFile& file, std::size_t rays) {
  const std::string path = "/rays/length";
  if (!file.exists(path)) return {};
  const hdf5::Dataset data = file.open_real(path);
  if (data.extent != std::vector<hsize_t>{rays})
    file.fail_extent(data, "(" + std::to_string(rays) + "), one entry for each of /rays/origin");
  std::vector<double> length;
  file.make_room(data, rays, length);
  file.read(data, length);
  for (std::size_t i = 0; i < rays; ++i) {
    if (length[i] >= 0.0) continue;
    std::ostringstream got;
    got << length[i];
    file.fail(path + "[" + std::to_string(i) + "] must be at least 0, got " + got.str());
  }
  return length;
}

std::string frames_of(const std::string& what, std::size_t frames) {
  return what + " has " + std::to_string(frames) + (frames == 1 ? " frame" : " frames");
}

}  // namespace

struct RayReader::State {
  State(const SceneReader& scene, const std::string& name)
      : source(scene, name),
        origin(source.file(), "/rays/origin", 3),
        direction(source.file(), "/rays/direction", 3, origin.things(), ", one entry for each of /rays/origin",
                  direction_fault) {}

  Source source;
  hdf5::FramedDataset origin, direction;
  std::vector<double> length;
  std::vector<std::uint32_t> environment, mask;
  std::size_t frames = 1;
};

RayReader::RayReader(const SceneReader& scene, const std::string& name) {
  const hdf5::Session session;
  state_ = std::make_unique<State>(scene, name);
  State& s = *state_;
  const hdf5::InputFile& file = s.source.file();
  const std::string why = ", one entry for each of /rays/origin";
  s.length = read_lengths(file, rays());
  s.environment = s.source.environments("/rays/environment", rays(), why);
  s.mask = s.source.optional_integers("/rays/mask", rays(), why);

  if (s.origin.has_frames() && s.direction.has_frames() && s.origin.frames() != s.direction.frames())
    file.fail(frames_of("/rays/direction", s.direction.frames()) + ", but " +
              frames_of("/rays/origin", s.origin.frames()));
  const hdf5::FramedDataset& framed = s.origin.has_frames() ? s.origin : s.direction;
  if (scene.has_frames() && framed.has_frames() && scene.frames() != framed.frames())
    file.fail(frames_of(framed.path(), framed.frames()) + ", but " + frames_of("the scene", scene.frames()));
  s.frames = framed.has_frames() ? framed.frames() : scene.frames();
}

RayReader::~RayReader() {
  const hdf5::Session session;
  state_.reset();
}

std::size_t RayReader::rays() const {
  return state_->origin.things();
}
std::size_t RayReader::frames() const {
  return state_->frames;
}

void RayReader::read_frame(std::size_t index, RayFrame& frame) {
  const State& s = *state_;
  s.origin.read(index, frame.origin);
  s.direction.read(index, frame.direction);
  frame.length = s.length;
  frame.environment = s.environment;
  frame.mask = s.mask;
}

PointList read_points(const SceneReader& scene, const std::string& name) {
  const hdf5::Session session;
  const Source source(scene, name);
  const hdf5::InputFile& file = source.file();
  const std::string why = ", one entry for each of /points/position";
  const auto read = [&](const char* path, std::optional<hsize_t> points) {
    const hdf5::FramedDataset data(file, path, 3, points, why);
    if (data.has_frames()) file.fail(std::string(path) + " has a frames axis, but must be of one frame");
    std::vector<double> numbers;
    data.read(0, numbers);
    return numbers;
  };
  PointList list;
  list.position = read("/points/position", {});
  const std::size_t points = list.position.size() / 3;
  list.displacement = read("/points/displacement", points);
  list.environment = source.environments("/points/environment", points, why);
  return list;
}

}  // namespace oclide
