// oclide trace: moving points that are reflected by what they meet.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>

#include "commands.hpp"
#include "files/hit_file.hpp"
#include "files/ray_file.hpp"
#include "files/scene_file.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "oclide/trace.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace oclide::command {

int run_trace(const TraceOptions& options) {
  check_different(options.output, options.scene, "scene file");
  check_different(options.output, options.points, "file with the points");
  if (options.bounces > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::invalid_input, "--bounces must be at most " +
                                              std::to_string(std::numeric_limits<std::uint32_t>::max()) + ", got " +
                                              std::to_string(options.bounces));
  SceneReader reader(options.scene);
  if (options.frame >= reader.frames())
    throw Error(ErrorKind::invalid_input, options.scene + ": --frame " + std::to_string(options.frame) +
                                              " is not in the file, which has " + std::to_string(reader.frames()) +
                                              (reader.frames() == 1 ? " frame" : " frames"));
  const PointList points = read_points(reader, options.points);
  const Scene& scene = reader.scene();
  Frame frame;
  reader.read_frame(options.frame, frame);

  const Settings settings = device_settings(options.device, options.memory_limit);
  Collider collider(settings);
  const DeviceInfo device = open_scene(collider, settings, scene);

  // The output comes before the work: what cannot be written should not be computed.
  std::unique_ptr<PathWriter> writer;
  if (!options.output.empty())
    writer = std::make_unique<PathWriter>(options.output, device.name,
                                          std::filesystem::path(options.scene).filename().string());
  TraceSettings trace_settings;
  trace_settings.bounces = static_cast<std::uint32_t>(options.bounces);
  trace_settings.friction = options.friction;
  trace_settings.restitution = options.restitution;
  const Paths paths = trace(collider, frame.poses(), points.points(), trace_settings);
  if (writer) writer->write(paths);
  warn_of_unused(options.scene, scene);

  const auto count_of = [&](PathEnd end) { return std::count(paths.end.begin(), paths.end.end(), end); };
  const auto arrived = count_of(PathEnd::arrived), stopped = count_of(PathEnd::stopped);
  const auto in_solids = count_of(PathEnd::in_solid);
  const CastTimes& times = paths.milliseconds;
  if (options.json) {
    Json json{{"scene", options.scene},
              {"device", device.name},
              {"device_id", device.id},
              {"points", paths.end.size()},
              {"reflections", paths.reflections},
              {"arrived", arrived},
              {"stopped", stopped},
              {"in_solids", in_solids},
              {"casts", paths.casts},
              {"milliseconds",
               {{"upload", times.upload},
                {"tree", times.tree},
                {"cast", times.cast},
                {"download", times.download},
                {"total", times.total}}}};
    if (!options.output.empty()) json["output"] = options.output;
    std::cout << text_of(json) << "\n";
    return kDone;
  }
  line("scene", options.scene + ": " + counted(scene.bodies.count(), "body", "bodies") + ", " +
                    counted(scene.terrains.size(), "terrain", "terrains") + ", frame " + std::to_string(options.frame));
  line("device", device.name + " (" + device.id + ")");
  line("points", grouped(paths.end.size()) + (options.points.empty() ? "" : ", of " + options.points));
  line("reflections", grouped(paths.reflections) + ", in " + counted(paths.casts, "cast", "casts"));
  line("arrived", grouped(arrived));
  line("stopped", grouped(stopped) + " at a surface, with some way left");
  line("in solids", counted(in_solids, "point begins", "points begin") + " in one");
  line("milliseconds", fixed(times.total, 3));
  if (!options.output.empty()) line("written to", options.output);
  return kDone;
}

}  // namespace oclide::command
