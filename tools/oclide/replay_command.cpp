// oclide replay: runs a recording again and compares bit for bit.
#include <iostream>

#include "commands.hpp"
#include "files/frame_range.hpp"
#include "files/recording.hpp"
#include "frame_stream.hpp"
#include "json.hpp"
#include "oclide/oclide.hpp"
#include "terminal.hpp"

namespace oclide::command {
namespace {

Json json_of(const FrameRecord& frame, bool with_impacts) {
  Json json{{"contacts", frame.contacts}, {"contact_hash", hash_text(frame.hash)}};
  if (with_impacts) {
    json["impacts"] = frame.impacts;
    json["impact_hash"] = hash_text(frame.impact_hash);
  }
  return json;
}

std::string shown(const FrameRecord& frame, bool with_impacts) {
  return grouped(frame.contacts) + " contacts, hash " + hash_text(frame.hash) +
         (with_impacts ? "; " + grouped(frame.impacts) + " impacts, hash " + hash_text(frame.impact_hash) : "");
}

}  // namespace

int run_replay(const ReplayOptions& options) {
  RecordingReader recording(options.recording);
  const RecordingInfo& info = recording.info();
  const FrameRange range = parse_frame_range(options.frames, options.recording, recording.scene().frames());

  Settings settings =
      device_settings(options.device.value_or(replay_device(info)), options.memory_limit.value_or(info.memory_limit));
  settings.margin = info.margin;
  Collider collider(settings);
  check_replay_device(info, collider.device(), options.recording);
  collider.set_scene(recording.scene().scene());
  warn_of_unused(options.recording, recording.scene().scene());
  const DeviceInfo device = collider.device();

  RecordingCheck check(recording);
  const bool impacts = recording.has_impacts();
  stream_frames(
      recording.scene(), range, collider, impacts ? MotionFrom::file : MotionFrom::none,
      [&](const FinishedFrame& done) { check.add(done.index, done.contacts.contacts, done.impacts.impacts); });

  const bool same = check.differing() == 0;
  const bool whole = check.frames() == recording.frames().size();
  if (options.json) {
    Json json{{"recording", options.recording},
              {"scene", info.scene},
              {"same", same},
              {"device", device.name},
              {"device_id", device.id},
              {"driver", device.driver},
              {"library_version", version()},
              {"recorded",
               {{"device", info.device_name},
                {"device_id", info.device_id},
                {"driver", info.driver},
                {"library_version", info.library_version},
                {"contact_hash", hash_text(recording.hash())}}},
              {"margin", info.margin},
              {"frames", check.frames()},
              {"frames_differing", check.differing()}};
    if (check.first())
      json["first_difference"] = {{"frame", check.first()->frame},
                                  {"scene_frame", info.first_frame + check.first()->frame},
                                  {"recorded", json_of(check.first()->recorded, impacts)},
                                  {"found", json_of(check.first()->found, impacts)}};
    json["contact_hash"] = hash_text(check.hash());
    if (impacts) {
      json["recorded"]["impact_hash"] = hash_text(recording.impact_hash());
      json["impact_hash"] = hash_text(check.impact_hash());
    }
    std::cout << text_of(json) << "\n";
    return same ? kDone : kCheckFailed;
  }
  line("recording", options.recording + ", of " + info.scene);
  const auto driver = [](const std::string& of) { return of.empty() ? std::string() : ", driver " + of; };  // reference
  line("recorded on",
       info.device_name + " (" + info.device_id + ")" + driver(info.driver) + ", oclide " + info.library_version);
  line("replayed on",
       device.name + " (" + device.id + ")" + driver(device.driver) + ", oclide " + std::string(version()));
  line("frames", grouped(check.frames()) + ", of which " + grouped(check.differing()) + " differ");
  if (check.first()) {
    const RecordingCheck::Difference& d = *check.first();
    line("first difference", "frame " + std::to_string(d.frame) + " (frame " +
                                 std::to_string(info.first_frame + d.frame) + " of the scene)");
    line("  recorded", shown(d.recorded, impacts));
    line("  found", shown(d.found, impacts));
  }
  const auto print_hash = [&](const char* name, std::uint64_t found, std::uint64_t recorded) {
    line(name, hash_text(found) + (whole ? ", recorded " + hash_text(recorded) : ""));
  };
  print_hash("contact hash", check.hash(), recording.hash());
  if (impacts) print_hash("impact hash", check.impact_hash(), recording.impact_hash());
  line("replay", same ? "the same bits" : "DIFFERS");
  return same ? kDone : kCheckFailed;
}

}  // namespace oclide::command
