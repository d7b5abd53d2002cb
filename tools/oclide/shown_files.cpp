#include "shown_files.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "output_file.hpp"
#include "terminal.hpp"
#include "terrain/joined_ground.hpp"

namespace oclide::command {

ShownFiles::ShownFiles(const ShownOptions& options)
    : options_(options), reader_(options.scene), scene_(without_tiles(reader_.scene())) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::invalid_input, what); };
  if (!options.rays.empty() && options.hits.empty()) refuse("--rays: rays are shown with their --hits");
  warn_of_unused(options.scene, reader_.scene());
  for (const auto& [file, what] : {std::pair{options.scene, "scene file"}, std::pair{options.contacts, "contact file"},
                                   std::pair{options.hits, "hits file"}, std::pair{options.rays, "file with the rays"},
                                   std::pair{options.paths, "paths file"}})
    check_different(options.output, file, what);
  frames_ = reader_.frames();
  if (!options.hits.empty()) {
    rays_ = std::make_unique<RayReader>(reader_, options.rays);
    frames_ = rays_->frames();
  }
  range_ = parse_frame_range(options.frames, options.scene, frames_);
  if (!options.contacts.empty()) {
    contacts_ = std::make_unique<ContactReader>(options.contacts);
    check_frames(options.contacts, "/frame_offset", contacts_->frames());
  }
  if (!options.hits.empty()) {
    hits_ = std::make_unique<HitReader>(options.hits);
    check_frames(options.hits, "/hits/distance", hits_->frames());
    if (hits_->rays() != rays_->rays())
      refuse(options.hits + ": /hits/distance is of " + std::to_string(hits_->rays()) + " rays, but " +
             (options.rays.empty() ? options.scene : options.rays) + " has " + std::to_string(rays_->rays()));
  }
  if (!options.paths.empty()) paths_ = read_paths(options.paths);
  if (options.motion == "frames" && frames_ == 1) refuse(options.scene + ": --motion frames: there is one frame");
}

bool ShownFiles::has_motion() const {
  return options_.motion == "frames" || reader_.has_displacement() || reader_.has_rotation();
}

// Files have the frames of the scene, or of --frames alone.
std::size_t ShownFiles::row_of(std::size_t index, std::size_t rows) const {
  return rows == frames_ ? index : index - range_.first;
}

void ShownFiles::check_frames(const std::string& file, const char* dataset, std::size_t rows) const {
  if (rows == frames_ || rows == range_.count()) return;
  throw Error(ErrorKind::invalid_input, file + ": " + dataset + " is of " + std::to_string(rows) +
                                            (rows == 1 ? " frame" : " frames") + ", but " + options_.scene + " has " +
                                            std::to_string(frames_) + "; --frames A:B says which they are");
}

void ShownFiles::check_body(const std::string& file, const char* of, std::size_t index, std::size_t row,
                            std::uint32_t body) const {
  if (body < scene().bodies.count()) return;
  throw Error(ErrorKind::invalid_input, file + ": " + of + "[" + std::to_string(row) + "] of frame " +
                                            std::to_string(index) + " is " + std::to_string(body) + ", but " +
                                            options_.scene + " has " + std::to_string(scene().bodies.count()) +
                                            " bodies");
}

void ShownFiles::read(std::size_t index, ShownFrame& frame) {
  reader_.read_frame(index, frame.poses);
  if (options_.motion == "frames") {
    Frame next;
    reader_.read_frame(std::min(index + 1, frames_ - 1), next);
    motion_between(frame.poses.poses(), next.poses(), frame.motion);
  } else if (has_motion()) {
    reader_.read_motion(index, frame.motion);
  }
  if (contacts_) {
    const std::size_t at = row_of(index, contacts_->frames());
    contacts_->read_frame(at, frame.contacts);
    contacts_->read_impacts(at, frame.impacts);
    const auto check = [&](const char* a, const char* b, const auto& rows) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        check_body(options_.contacts, a, index, i, rows[i].body_a);
        if (rows[i].body_b != kTerrain) check_body(options_.contacts, b, index, i, rows[i].body_b);
      }
    };
    check("/contacts/body_a", "/contacts/body_b", frame.contacts);
    check("/impacts/body_a", "/impacts/body_b", frame.impacts);
  }
  if (!hits_) return;
  rays_->read_frame(index, frame.rays);
  hits_->read_frame(row_of(index, hits_->frames()), frame.hits);
  for (std::size_t i = 0; i < frame.hits.size(); ++i)
    if (frame.hits[i].body != kTerrain && frame.hits[i].body != kNothing)
      check_body(options_.hits, "/hits/body", index, i, frame.hits[i].body);
}

RayEnds ends_of(const ShownFrame& frame, std::size_t ray) {
  const Hit& hit = frame.hits[ray];
  const double* from = frame.rays.origin.data() + 3 * ray;
  const double* along = frame.rays.direction.data() + 3 * ray;
  RayEnds ends{{from[0], from[1], from[2]}, hit.point};
  if (hit.body != kNothing) return ends;
  const double norm = std::hypot(along[0], along[1], along[2]);
  const double length = frame.rays.length.empty() ? std::numeric_limits<double>::infinity() : frame.rays.length[ray];
  for (std::size_t a = 0; a < 3; ++a) ends.end[a] = from[a] + (std::isfinite(length) ? length : 10.0) * along[a] / norm;
  return ends;
}

double deep_of(std::vector<float> depths) {
  std::erase_if(depths, [](float depth) { return !std::isfinite(depth); });
  if (depths.empty()) return 0.0;
  const auto at = depths.begin() + static_cast<std::ptrdiff_t>(98 * (depths.size() - 1) / 100);
  std::nth_element(depths.begin(), at, depths.end());
  return std::max(0.0, static_cast<double>(*at));
}

std::array<double, 3> middle_of(const Scene& scene, const Frame& frame) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::array<double, 3> low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
  const auto add = [&](const std::array<double, 3>& point) {
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], point[a]);
      high[a] = std::max(high[a], point[a]);
    }
  };
  for (std::size_t i = 0; i < scene.bodies.count(); ++i)
    if (scene.bodies.shape[i] != Shape::half_space)
      add({frame.position[3 * i], frame.position[3 * i + 1], frame.position[3 * i + 2]});
  if (low[0] > high[0])
    for (const Terrain& t : scene.terrains)
      for (const double z : t.heights) {
        if (std::isnan(z)) continue;
        add({t.origin[0], t.origin[1], z});
        add({t.origin[0] + static_cast<double>(t.cols - 1) * t.spacing[0],
             t.origin[1] + static_cast<double>(t.rows - 1) * t.spacing[1], z});
      }
  if (low[0] > high[0]) return {};
  return {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])};
}

}  // namespace oclide::command
