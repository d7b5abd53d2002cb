// oclide run and oclide validate: the contacts of a scene's frames, summed up, written, recorded, validated.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "commands.hpp"
#include "files/contact_file.hpp"
#include "files/frame_range.hpp"
#include "files/recording.hpp"
#include "files/scene_file.hpp"
#include "frame_stream.hpp"
#include "frame_times.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "oclide/validation.hpp"
#include "output_file.hpp"
#include "remote_frames.hpp"
#include "terminal.hpp"

namespace oclide::command {
namespace {

using Stage = StageOf<StageTimes>;
constexpr std::array<Stage, 6> kStages{{{"upload", &StageTimes::upload},
                                        {"broad_phase", &StageTimes::broad_phase},
                                        {"narrow_phase", &StageTimes::narrow_phase},
                                        {"contact_reduction", &StageTimes::contact_reduction},
                                        {"download", &StageTimes::download},
                                        {"total", &StageTimes::total}}};
constexpr Stage kTracking{"tracking", &StageTimes::tracking};
constexpr std::array<StageOf<SweepTimes>, 5> kSweepStages{{{"upload", &SweepTimes::upload},
                                                           {"broad_phase", &SweepTimes::broad_phase},
                                                           {"narrow_phase", &SweepTimes::narrow_phase},
                                                           {"download", &SweepTimes::download},
                                                           {"total", &SweepTimes::total}}};

// What the impacts of all frames come to.
struct ImpactSummary {
  void add(const FrameImpacts& found, bool compiled) {
    times.add(found.milliseconds, compiled);
    candidates += found.candidates;
    impacts += found.impacts.size();
    for (const Impact& impact : found.impacts) {
      with_terrain += impact.body_b == kTerrain ? 1 : 0;
      at_start += impact.time == 0.0 ? 1 : 0;
    }
    hash = impact_hash(found.impacts, hash);
  }

  FrameTimes<SweepTimes> times;
  std::uint64_t candidates = 0, impacts = 0, with_terrain = 0, at_start = 0, hash = 0;
};

// What all frames come to.
struct Summary {
  void add(const FinishedFrame& done) {
    const FrameContacts& frame = done.contacts;
    times.add(frame.milliseconds, done.compiled);
    ++frames;
    pairs += frame.pairs;
    body_pairs += frame.body_pairs;
    candidates += frame.candidates;
    body_candidates += frame.body_candidates;
    unreduced += frame.unreduced;
    moved_bodies += frame.moved_bodies;
    contacts += frame.contacts.size();
    for (const Contact& c : frame.contacts)
      if (deepest.body_a == kTerrain || c.depth > deepest.depth) deepest = c;
    hash = contact_hash(frame.contacts, hash);
    for (const ManifoldEvent& e : frame.events)
      ++(e.change == Change::begin ? begun : e.change == Change::persist ? persisted : ended);
    for (const std::uint32_t previous : frame.previous) matched += previous == kNone ? 0 : 1;
    sweep.add(done.impacts, done.compiled);
  }

  FrameTimes<StageTimes> times;
  std::uint64_t frames = 0;
  std::uint64_t pairs = 0;
  std::uint64_t body_pairs = 0;
  std::uint64_t candidates = 0;
  std::uint64_t body_candidates = 0;
  std::uint64_t unreduced = 0;
  std::uint64_t moved_bodies = 0;
  std::uint64_t contacts = 0;
  Contact deepest{.body_a = kTerrain};  ///< without contacts no body's, of depth 0
  std::uint64_t hash = 0;
  std::uint64_t begun = 0, persisted = 0, ended = 0;  ///< manifolds
  std::uint64_t matched = 0;                          ///< contacts that go on with one of the frame before
  ImpactSummary sweep;                                ///< with --continuous
};

Json json_of(const ValidationReport& report) {
  return {{"holds", report.holds()},
          {"frames", report.frames},
          {"bodies_checked", report.bodies_checked},
          {"pairs_device", report.pairs_device},
          {"pairs_reference", report.pairs_reference},
          {"only_device", report.only_device},
          {"only_reference", report.only_reference},
          {"contacts_device", report.contacts_device},
          {"contacts_reference", report.contacts_reference},
          {"unmatched_device", report.unmatched_device},
          {"unmatched_reference", report.unmatched_reference},
          {"undecided", report.undecided},
          {"largest_depth_error", report.largest_depth_error},
          {"largest_depth_error_relative", report.largest_depth_error_relative},
          {"largest_normal_error", report.largest_normal_error},
          {"largest_point_error", report.largest_point_error},
          {"examples", report.examples}};
}

// `of_shapes`: the scene has compounds, whose shapes are bodies to the validation.
void print(const ValidationReport& report, bool of_shapes) {
  const auto both = [](std::uint64_t device, std::uint64_t reference) {
    return grouped(device) + " on the device, " + grouped(reference) + " in the reference";
  };
  line("validation", report.holds() ? "holds: device and reference agree" : "DOES NOT HOLD");
  line("  checked",
       counted(report.bodies_checked, "body", "bodies") + " in " + counted(report.frames, "frame", "frames"));
  line(of_shapes ? "  pairs of shapes" : "  pairs", both(report.pairs_device, report.pairs_reference));
  line("  found by one only", both(report.only_device, report.only_reference));
  if (report.undecided > 0)
    line("  undecided", counted(report.undecided, "pair", "pairs") + " within 1e-4 m of touching, which only one has");
  line("  contacts", both(report.contacts_device, report.contacts_reference));
  line("  without a match", both(report.unmatched_device, report.unmatched_reference));
  line("  largest errors", "depth " + fixed(1e6 * report.largest_depth_error, 2) + " um, normal " +
                               fixed(1e6 * report.largest_normal_error, 2) + " urad");
  line("  points apart", "up to " + fixed(1e3 * report.largest_point_error, 3) +
                             " mm, which fails nothing: where faces or lines meet, other points are as good");
  for (const std::string& example : report.examples) line("  differs", example);
}

Json json_of(const SweepReport& report) {
  return {{"holds", report.holds()},
          {"sweeps", report.sweeps},
          {"impacts_device", report.impacts_device},
          {"impacts_reference", report.impacts_reference},
          {"only_reference", report.only_reference},
          {"wrong_impacts", report.wrong_impacts},
          {"undecided", report.undecided},
          {"largest_time_error", report.largest_time_error},
          {"examples", report.examples}};
}

void print(const SweepReport& report) {
  line("impacts found", report.holds() ? "hold: device and reference agree" : "DO NOT HOLD");
  line("  checked",
       grouped(report.impacts_device) + " on the device, " + grouped(report.impacts_reference) + " in the reference");
  line("  missing", grouped(report.only_reference) + " on the device");
  line("  wrong",
       grouped(report.wrong_impacts) + ", and " + grouped(report.undecided) + " that only one has and either may");
  line("  largest error", fixed(1e6 * report.largest_time_error, 2) + " um of the way along the normal");
  for (const std::string& example : report.examples) line("  differs", example);
}

Json json_of(const RunOptions& options, const DeviceInfo& device, const Scene& scene, const Summary& summary) {
  Json times = json_of(summary.times, kStages);
  if (options.track) times[kTracking.name] = summary.times.median(kTracking.milliseconds);
  Json json{{"scene", options.scene},
            {"device", device.name},
            {"device_id", device.id},
            {"bodies", scene.bodies.count()},
            {"terrains", scene.terrains.size()},
            {"frames", summary.frames},
            {"margin", options.margin},
            {"pairs", summary.pairs},
            {"body_pairs", summary.body_pairs},
            {"contacts", summary.contacts},
            {"candidates", summary.candidates},
            {"body_candidates", summary.body_candidates},
            {"contacts_before_reduction", summary.unreduced},
            {"moved_bodies", summary.moved_bodies},
            {"max_depth", static_cast<double>(summary.deepest.depth)},
            {"milliseconds", times},
            {"contact_hash", hash_text(summary.hash)}};
  if (options.track)
    json["tracking"] = {{"begun", summary.begun},
                        {"persisted", summary.persisted},
                        {"ended", summary.ended},
                        {"contacts_matched", summary.matched}};
  if (options.continuous) {
    const ImpactSummary& sweep = summary.sweep;
    json["impacts"] = sweep.impacts;
    json["impact_hash"] = hash_text(sweep.hash);
    json["sweep"] = {{"motion", options.motion},
                     {"impacts_on_terrain", sweep.with_terrain},
                     {"impacts_at_start", sweep.at_start},
                     {"candidates", sweep.candidates},
                     {"milliseconds", json_of(sweep.times, kSweepStages)}};
  }
  if (!options.output.empty()) json["output"] = options.output;
  if (!options.record.empty()) json["recording"] = options.record;
  return json;
}

void print(const RunOptions& options, const DeviceInfo& device, const Scene& scene, const Summary& summary) {
  std::string terrains;
  for (const Terrain& t : scene.terrains)
    if (terrains.size() < 60)
      terrains += (terrains.empty() ? " (" : ", ") + std::to_string(t.rows) + " x " + std::to_string(t.cols);
    else if (!terrains.ends_with("..."))
      terrains += ", ...";
  const std::string per_frame = summary.frames == 1 ? "" : " in all frames";
  line("scene", options.scene + ": " + counted(scene.bodies.count(), "body", "bodies") + ", " +
                    counted(scene.terrains.size(), "terrain", "terrains") + (terrains.empty() ? "" : terrains + ")") +
                    (scene.meshes.empty() ? "" : ", " + counted(scene.meshes.size(), "mesh", "meshes")) + ", " +
                    counted(summary.frames, "frame", "frames"));
  line("device", device.name + " (" + device.id + ")");
  line("pairs", grouped(summary.pairs) + per_frame + ": " + grouped(summary.pairs - summary.body_pairs) +
                    " of a body and terrain, " + grouped(summary.body_pairs) + " of two bodies");
  const std::uint64_t bodies_in_frames = summary.frames * scene.bodies.count();
  if (!options.service.address.empty()) {
    line("contacts", grouped(summary.contacts) + per_frame);
  } else if (summary.moved_bodies == bodies_in_frames) {
    line("contacts",
         grouped(summary.contacts) + per_frame + ", of " + grouped(summary.unreduced) + " before reduction");
  } else {
    line("contacts", grouped(summary.contacts) + per_frame);
    line("recomputed", "for " + grouped(summary.moved_bodies) + " of " + grouped(bodies_in_frames) +
                           " bodies in all frames; the others' poses and contacts are those of the frame before");
  }
  if (summary.contacts > 0) {
    const Contact& c = summary.deepest;
    const std::string other = c.body_b == kTerrain ? "terrain" : "body " + std::to_string(c.body_b);
    line("deepest", fixed(1e3 * static_cast<double>(c.depth), 3) + " mm, body " + std::to_string(c.body_a) + " in " +
                        other + (c.element == kNone ? "" : " at triangle " + std::to_string(c.element)));
  }
  if (options.track) {
    line("manifolds", grouped(summary.begun) + " begun, " + grouped(summary.persisted) + " persisted, " +
                          grouped(summary.ended) + " ended" + per_frame);
    line("matched", grouped(summary.matched) + " of " + grouped(summary.contacts) +
                        " contacts go on with one of the frame before");
  }
  if (options.continuous) {
    const ImpactSummary& sweep = summary.sweep;
    line("impacts", grouped(sweep.impacts) + per_frame + ": " + grouped(sweep.with_terrain) +
                        " of a body and terrain, " + grouped(sweep.impacts - sweep.with_terrain) + " of two bodies, " +
                        grouped(sweep.at_start) + " of them at the start");
  }
  print(summary.times, kStages);
  if (options.track) line("  tracking", fixed(summary.times.median(kTracking.milliseconds), 3));
  if (options.continuous) line("  sweep", fixed(summary.sweep.times.median(&SweepTimes::total), 3));
  line("contact hash", hash_text(summary.hash));
  if (options.continuous) line("impact hash", hash_text(summary.sweep.hash));
  if (!options.output.empty()) line("written to", options.output);
  if (!options.record.empty()) line("recorded to", options.record);
}

RecordingInfo recording_info(const RunOptions& options, const FrameRange& range, const Settings& settings,
                             const DeviceInfo& device) {
  RecordingInfo info;
  info.scene = std::filesystem::path(options.scene).filename().string();
  info.first_frame = range.first;
  info.library_version = version();
  info.device_id = device.id;
  info.device_name = device.name;
  info.device_version = device.version;
  info.driver = device.driver;
  info.is_reference = device.is_reference;
  info.device_asked = settings.device;
  info.margin = settings.margin;
  info.memory_limit = settings.memory_limit;
  return info;
}

}  // namespace

int run_scene(const RunOptions& options) {
  check_different(options.output, options.scene, "scene file");
  check_different(options.record, options.scene, "scene file");
  check_different(options.record, options.output, "contact file");
  SceneReader reader(options.scene);
  const FrameRange range = parse_frame_range(options.frames, options.scene, reader.frames());
  const Scene& scene = reader.scene();

  Settings settings = device_settings(options.device, options.memory_limit);
  settings.margin = options.margin;
  settings.track = options.track;
  std::optional<Collider> collider;
  std::optional<RemoteFrames> remote;
  DeviceInfo device;
  if (options.service.address.empty()) {
    device = open_scene(collider.emplace(settings), settings, scene);
  } else {
    device = remote.emplace(options, scene).device();
  }

  // The output comes before the work: what cannot be written should not be computed.
  std::unique_ptr<ContactWriter> writer;
  if (!options.output.empty())
    writer = std::make_unique<ContactWriter>(options.output, device.name,
                                             std::filesystem::path(options.scene).filename().string());
  if (writer && !scene.compounds.empty()) writer->with_shapes();
  if (writer && !scene.meshes.empty()) writer->with_elements();
  if (writer && !scene.bodies.flags.empty()) writer->with_flags();
  if (writer && options.track) writer->with_tracking();
  if (writer && options.continuous) writer->with_impacts();
  std::unique_ptr<RecordingWriter> recorder;
  if (!options.record.empty())
    recorder = std::make_unique<RecordingWriter>(options.record, scene, range.count(),
                                                 recording_info(options, range, settings, device), options.continuous);
  std::unique_ptr<Validator> validator;
  if (options.validate) validator = std::make_unique<Validator>(scene, options.margin);

  const MotionFrom motion = !options.continuous          ? MotionFrom::none
                            : options.motion == "frames" ? MotionFrom::frames
                                                         : MotionFrom::file;
  Summary summary;
  const auto finish = [&](const FinishedFrame& done) {
    const FrameContacts& found = done.contacts;
    if (writer) writer->append(found.contacts);
    if (writer && options.track) writer->append_tracking(found);
    if (writer && options.continuous) writer->append_impacts(done.impacts.impacts);
    if (recorder) recorder->append(done.frame.poses(), found.contacts, done.motion.motion(), done.impacts.impacts);
    if (validator) validator->add_frame(done.frame.poses(), found.contacts);
    if (validator && options.continuous)
      validator->add_sweep(done.frame.poses(), done.motion.motion(), done.impacts.impacts);
    summary.add(done);
  };
  if (remote)
    remote->stream(reader, range, motion, finish);
  else
    stream_frames(reader, range, *collider, motion, finish);
  if (writer) writer->finish();
  if (recorder) recorder->finish();
  warn_of_unused(options.scene, scene);

  // Without impacts their report holds.
  const bool holds = !validator || (validator->report().holds() && validator->sweep_report().holds());
  if (options.json) {
    Json json = json_of(options, device, scene, summary);
    if (validator) {
      json["validation"] = json_of(validator->report());
      json["validation"]["holds"] = holds;
      if (options.continuous) json["validation"]["impacts"] = json_of(validator->sweep_report());
    }
    std::cout << text_of(json) << "\n";
  } else {
    print(options, device, scene, summary);
    if (validator) print(validator->report(), !scene.compounds.empty());
    if (validator && options.continuous) print(validator->sweep_report());
  }
  return holds ? kDone : kCheckFailed;
}

}  // namespace oclide::command
