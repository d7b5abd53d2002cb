// oclide picture: a scene and what was found of it as a PNG, or a film of it (docs/view.md).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "files/whole_file.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "output_file.hpp"
#include "picture/camera.hpp"
#include "picture/drawing.hpp"
#include "picture/png.hpp"
#include "shown_files.hpp"
#include "terminal.hpp"

namespace oclide::command {
namespace {

constexpr std::size_t kMostPixelsAcross = 16384, kMostPixels = 64'000'000, kMostPicturesOfFrame = 1000;

[[noreturn]] void refuse_picture(const std::string& what) {
  throw Error(ErrorKind::invalid_input, what);
}

void check_picture(const PictureOptions& options) {
  for (const auto& [name, value] : {std::pair{"--width", options.width}, std::pair{"--height", options.height}})
    if (value < 1 || value > kMostPixelsAcross)
      refuse_picture(name + (" must be from 1 to " + std::to_string(kMostPixelsAcross)) + ", got " +
                     std::to_string(value));
  if (options.width * options.height > kMostPixels)
    refuse_picture("--width times --height must be at most " + std::to_string(kMostPixels));
  if (!(options.time >= 0.0 && options.time <= 1.0)) refuse_picture("--time must be from 0 to 1");
  if (options.film && (*options.film < 1 || *options.film > kMostPicturesOfFrame))
    refuse_picture("--film must be from 1 to " + std::to_string(kMostPicturesOfFrame));
  if (!(options.pictures_per_second > 0.0 && options.pictures_per_second <= 1000.0))
    refuse_picture("--rate must be above 0 and at most 1000");
  if (options.distance && !(*options.distance > 0.0 && std::isfinite(*options.distance)))
    refuse_picture("--distance must be positive");
  if (!std::isfinite(options.azimuth)) refuse_picture("--azimuth must be finite");
  if (!(std::abs(options.elevation) <= 90.0)) refuse_picture("--elevation must be from -90 to 90");
  for (const double v : options.target)
    if (!(std::abs(v) <= 1e9)) refuse_picture("--to must be at most 1e9 m from the origin");
  need_writable("-o", options.output);
}

Camera camera_of(const PictureOptions& options, const Scene& scene, const Frame& poses,
                 std::span<const glm::dvec4> balls) {
  const double aspect = static_cast<double>(options.width) / static_cast<double>(options.height);
  const Camera whole = camera_to_see(balls, options.azimuth, options.elevation, aspect, options.cut);
  glm::dvec3 target = whole.eye() + whole.ray(0.0, 0.0);
  double distance = whole.distance();
  if (options.body) {
    const double* at = poses.position.data() + 3 * *options.body;
    target = {at[0], at[1], at[2]};
    distance = 6.0 * std::max(1e-3, reach_of(scene, *options.body));
  } else if (!options.target.empty()) {
    target = {options.target[0], options.target[1], options.target[2]};
  }
  return {target, options.azimuth, options.elevation, options.distance.value_or(distance), aspect};
}

}  // namespace

int run_picture(const PictureOptions& options) {
  check_picture(options);
  ShownOptions opened = options;
  if (options.frame) {
    if (!options.frames.empty()) refuse_picture("--frame and --frames exclude each other");
    opened.frames = std::to_string(*options.frame) + ":" + std::to_string(*options.frame + 1);
  }
  ShownFiles files(opened);
  need_ending(options.output, {".png", ".apng"}, "a picture or film is written as PNG: .png or .apng");
  const Scene& scene = files.scene();
  const std::size_t environments = std::max<std::size_t>(1, scene.environment_terrain.size());
  if (options.environment >= environments && std::find(scene.bodies.environment.begin(), scene.bodies.environment.end(),
                                                       options.environment) == scene.bodies.environment.end())
    refuse_picture(options.scene + ": has no environment " + std::to_string(options.environment));
  if (options.body && *options.body >= scene.bodies.count())
    refuse_picture(options.scene + ": has no body " + std::to_string(*options.body));

  const FrameRange range = options.film ? files.range() : FrameRange{files.range().first, files.range().first + 1};
  const std::size_t of_frame = options.film && files.has_motion() ? *options.film : 1;
  ShownFrame frame;
  std::vector<float> depths;
  for (std::size_t f = range.first; f < range.end; ++f) {
    files.read(f, frame);
    for (const Contact& c : frame.contacts) depths.push_back(c.depth);
  }
  files.read(range.first, frame);
  const std::vector<glm::dvec4> balls = balls_of(scene, frame.poses, options.environment);

  const Settings settings = device_settings(options.device, std::nullopt);
  Collider collider(settings);
  const DeviceInfo device = open_scene(collider, settings, scene);
  Drawing drawing(collider, files, options, box_of(balls), deep_of(std::move(depths)));
  PngFile file(options.width, options.height, range.count() * of_frame, options.pictures_per_second);
  const Camera camera = camera_of(options, scene, frame.poses, balls);
  Progress progress("pictures");
  std::size_t drawn = 0;
  for (std::size_t f = range.first; f < range.end; ++f) {
    if (f > range.first) files.read(f, frame);
    for (std::size_t k = 0; k < of_frame; ++k) {
      const double time = options.film ? static_cast<double>(k) / static_cast<double>(of_frame) : options.time;
      file.add(drawing.draw(frame, time, camera));
      progress.show(++drawn, range.count() * of_frame);
    }
  }
  const std::string bytes = file.finish();
  write_file(options.output, bytes);
  if (options.json) {
    const Json json{{"scene", options.scene}, {"device", device.name},   {"device_id", device.id},
                    {"pictures", drawn},      {"width", options.width},  {"height", options.height},
                    {"bytes", bytes.size()},  {"output", options.output}};
    std::cout << text_of(json) << "\n";
    return kDone;
  }
  line("scene", options.scene + ": " + counted(scene.bodies.count(), "body", "bodies"));
  line("device", device.name + " (" + device.id + ")");
  line("written to", options.output + ": " + counted(drawn, "picture", "pictures") + ", " + byte_text(bytes.size()));
  return kDone;
}

}  // namespace oclide::command
