// oclide cast: what rays hit first, in every frame of a scene.
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>

#include "commands.hpp"
#include "files/frame_range.hpp"
#include "files/hit_file.hpp"
#include "files/ray_file.hpp"
#include "files/scene_file.hpp"
#include "frame_stream.hpp"
#include "frame_times.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "oclide/validation.hpp"
#include "output_file.hpp"
#include "terminal.hpp"

namespace oclide::command {
namespace {

constexpr std::array<StageOf<CastTimes>, 5> kCastStages{{{"upload", &CastTimes::upload},
                                                         {"tree", &CastTimes::tree},
                                                         {"cast", &CastTimes::cast},
                                                         {"download", &CastTimes::download},
                                                         {"total", &CastTimes::total}}};

// One frame on its way.
struct CastJob {
  std::size_t index = 0;
  Frame frame;
  RayFrame rays;
  RayHits found;
  bool compiled = false;
};

// What all frames come to.
struct CastSummary {
  void add(const CastJob& done) {
    times.add(done.found.milliseconds, done.compiled);
    ++frames;
    hits += done.found.hit_count;
    for (const Hit& hit : done.found.hits) {
      on_terrain += hit.body == kTerrain ? 1 : 0;
      in_solid += hit.distance == 0.0 ? 1 : 0;
    }
    hash = hit_hash(done.found.hits, hash);
  }

  std::uint64_t frames = 0, hits = 0, on_terrain = 0, in_solid = 0, hash = 0;
  FrameTimes<CastTimes> times;
};

Json json_of(const RayReport& report) {
  return {{"holds", report.holds()},
          {"rays", report.rays},
          {"hits_device", report.hits_device},
          {"hits_reference", report.hits_reference},
          {"only_device", report.only_device},
          {"only_reference", report.only_reference},
          {"wrong_hits", report.wrong_hits},
          {"wrong_normals", report.wrong_normals},
          {"other_bodies", report.other_bodies},
          {"silhouettes", report.silhouettes},
          {"largest_distance_error", report.largest_distance_error},
          {"largest_normal_error", report.largest_normal_error},
          {"examples", report.examples}};
}

void print(const RayReport& report) {
  line("validation", report.holds() ? "holds: device and reference agree" : "DOES NOT HOLD");
  line("  checked", counted(report.rays, "ray", "rays") + ": " + grouped(report.hits_device) + " hits on the device, " +
                        grouped(report.hits_reference) + " in the reference");
  line("  hit by one only",
       grouped(report.only_device) + " on the device, " + grouped(report.only_reference) + " in the reference");
  line("  wrong", grouped(report.wrong_hits) + " hits, " + grouped(report.wrong_normals) + " normals");
  line("  largest errors", "distance " + fixed(1e6 * report.largest_distance_error, 2) + " um, normal " +
                               fixed(1e6 * report.largest_normal_error, 2) + " urad");
  for (const std::string& example : report.examples) line("  differs", example);
}

void print(const CastOptions& options, const DeviceInfo& device, const Scene& scene, std::size_t rays,
           const CastSummary& summary) {
  const std::string per_frame = summary.frames == 1 ? "" : " in all frames";
  line("scene", options.scene + ": " + counted(scene.bodies.count(), "body", "bodies") + ", " +
                    counted(scene.terrains.size(), "terrain", "terrains") + ", " +
                    counted(summary.frames, "frame", "frames"));
  line("rays", grouped(rays) + (summary.frames == 1 ? "" : " in each frame") +
                   (options.rays.empty() ? "" : ", of " + options.rays));
  line("device", device.name + " (" + device.id + ")");
  line("hits", grouped(summary.hits) + per_frame + ": " + grouped(summary.on_terrain) + " of terrain, " +
                   grouped(summary.hits - summary.on_terrain) + " of bodies");
  if (summary.in_solid > 0)
    line("in solids", counted(summary.in_solid, "ray begins", "rays begin") + " in one" + per_frame);
  print(summary.times, kCastStages);
  line("hit hash", hash_text(summary.hash));
  if (!options.output.empty()) line("written to", options.output);
}

}  // namespace

int run_cast(const CastOptions& options) {
  check_different(options.output, options.scene, "scene file");
  check_different(options.output, options.rays, "file with the rays");
  SceneReader reader(options.scene);
  RayReader rays(reader, options.rays);
  const FrameRange range = parse_frame_range(
      options.frames, reader.has_frames() || options.rays.empty() ? options.scene : options.rays, rays.frames());
  const Scene& scene = reader.scene();

  const Settings settings = device_settings(options.device, options.memory_limit);
  Collider collider(settings);
  const DeviceInfo device = open_scene(collider, settings, scene);

  // The output comes before the work: what cannot be written should not be computed.
  std::unique_ptr<HitWriter> writer;
  if (!options.output.empty())
    writer = std::make_unique<HitWriter>(options.output, device.name,
                                         std::filesystem::path(options.scene).filename().string(), range.count(),
                                         rays.rays(), !scene.compounds.empty());
  std::unique_ptr<Validator> validator;
  if (options.validate) validator = std::make_unique<Validator>(scene, 0.0);

  CastSummary summary;
  stream_jobs<CastJob>(
      range,
      [&](std::size_t index, CastJob& job) {
        job.index = index;
        reader.read_frame(index, job.frame);
        rays.read_frame(index, job.rays);
      },
      [&](CastJob& job) {
        const std::size_t before = compilations();
        job.found = collider.cast(job.frame.poses(), job.rays.rays());
        job.compiled = compilations() != before;
      },
      [&](const CastJob& job) {
        if (writer) writer->append(job.found.hits);
        if (validator) validator->add_cast(job.frame.poses(), job.rays.rays(), job.found.hits);
        summary.add(job);
      });
  if (writer) writer->finish();
  warn_of_unused(options.scene, scene);

  if (options.json) {
    Json json{{"scene", options.scene},
              {"device", device.name},
              {"device_id", device.id},
              {"bodies", scene.bodies.count()},
              {"terrains", scene.terrains.size()},
              {"frames", summary.frames},
              {"rays", rays.rays()},
              {"hits", summary.hits},
              {"hits_on_terrain", summary.on_terrain},
              {"in_solids", summary.in_solid},
              {"milliseconds", json_of(summary.times, kCastStages)},
              {"hit_hash", hash_text(summary.hash)}};
    if (!options.output.empty()) json["output"] = options.output;
    if (validator) json["validation"] = json_of(validator->ray_report());
    std::cout << text_of(json) << "\n";
  } else {
    print(options, device, scene, rays.rays(), summary);
    if (validator) print(validator->ray_report());
  }
  return validator && !validator->ray_report().holds() ? kCheckFailed : kDone;
}

}  // namespace oclide::command
