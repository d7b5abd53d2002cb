#include "files/recording.hpp"

#include <array>
#include <cmath>

#include "files/hdf5_file.hpp"

namespace oclide {
namespace {

constexpr const char* kGroup = "/recording";
constexpr const char* kHashes = "/recording/hash";
constexpr const char* kContacts = "/recording/contacts";
// The same three of impacts, where the run was --continuous.
constexpr const char* kImpactGroup = "/recording/impacts";
constexpr const char* kImpactHashes = "/recording/impacts/hash";
constexpr const char* kImpactCounts = "/recording/impacts/count";
constexpr const char* kImpactHash = "/recording/impacts/impact_hash";
constexpr std::int64_t kRecordingVersion = 1;

}  // namespace

FrameRecord frame_record(std::span<const Contact> contacts, std::span<const Impact> impacts) {
  return {contacts.size(), contact_hash(contacts), impacts.size(), impact_hash(impacts)};
}

// -------------------------------------------------------------------------------------------------- RecordingWriter

RecordingWriter::RecordingWriter(const std::string& file, const Scene& scene, std::size_t frames,
                                 const RecordingInfo& info, bool with_impacts)
    : scene_(file, scene, frames, HeightType::float64), with_impacts_(with_impacts) {
  if (with_impacts) scene_.with_motion();
  hdf5::OutputFile& to = scene_.file();
  to.make_group(kGroup);
  to.write_attribute(kGroup, "version", kRecordingVersion);
  to.write_attribute(kGroup, "scene", info.scene);
  to.write_attribute(kGroup, "first_frame", static_cast<std::int64_t>(info.first_frame));
  to.write_attribute(kGroup, "library_version", info.library_version);
  to.write_attribute(kGroup, "device_id", info.device_id);
  to.write_attribute(kGroup, "device", info.device_name);
  to.write_attribute(kGroup, "device_version", info.device_version);
  to.write_attribute(kGroup, "driver", info.driver);
  to.write_attribute(kGroup, "reference", std::int64_t{info.is_reference ? 1 : 0});
  to.write_attribute(kGroup, "device_asked", info.device_asked);
  to.write_attribute(kGroup, "margin", info.margin);
  to.write_attribute(kGroup, "memory_limit", static_cast<std::int64_t>(info.memory_limit));
}

void RecordingWriter::append(const Poses& poses, std::span<const Contact> contacts, const Motion& motion,
                             std::span<const Impact> impacts) {
  const std::vector<double> zeros(poses.position.size(), 0.0);
  const auto or_zeros = [&](std::span<const double> numbers) { return numbers.empty() ? zeros : numbers; };
  scene_.append(poses, {or_zeros(motion.displacement), or_zeros(motion.rotation)});
  frames_.push_back(frame_record(contacts, impacts));
  hash_ = contact_hash(contacts, hash_);
  impact_hash_ = impact_hash(impacts, impact_hash_);
}

void RecordingWriter::finish() {
  const hdf5::Session session;
  hdf5::OutputFile& to = scene_.file();
  const auto put = [&](const char* path, const std::vector<std::uint64_t>& values) {
    hdf5::Handle data = to.make_dataset(path, H5T_STD_U64LE, std::array<hsize_t, 1>{values.size()});
    to.write(data, H5T_NATIVE_UINT64, values.data());
    to.close(data);
  };
  const auto put_of_frames = [&](const char* path, std::uint64_t FrameRecord::*member) {
    std::vector<std::uint64_t> values;
    for (const FrameRecord& frame : frames_) values.push_back(frame.*member);
    put(path, values);
  };
  put_of_frames(kHashes, &FrameRecord::hash);
  put_of_frames(kContacts, &FrameRecord::contacts);
  put("/recording/contact_hash", {hash_});
  if (with_impacts_) {
    to.make_group(kImpactGroup);
    put_of_frames(kImpactHashes, &FrameRecord::impact_hash);
    put_of_frames(kImpactCounts, &FrameRecord::impacts);
    put(kImpactHash, {impact_hash_});
  }
  scene_.finish();
}

// -------------------------------------------------------------------------------------------------- RecordingReader

RecordingReader::RecordingReader(const std::string& name) : scene_(name) {
  const hdf5::InputFile& file = scene_.file();
  if (!file.exists(kGroup))
    file.fail(std::string(kGroup) + ": group is missing; the file is a scene, but no recording (oclide run --record)");
  const std::int64_t found = file.integer_attribute(kGroup, "version");
  if (found != kRecordingVersion)
    file.fail(std::string(kGroup) + ": attribute 'version' is " + std::to_string(found) +
              ", but this program reads version " + std::to_string(kRecordingVersion));
  const auto not_negative = [&](const char* attribute) {
    const std::int64_t value = file.integer_attribute(kGroup, attribute);
    if (value < 0)
      file.fail(std::string(kGroup) + ": attribute '" + attribute + "' is " + std::to_string(value) +
                ", but must not be negative");
    return static_cast<std::uint64_t>(value);
  };
  info_.scene = file.text_attribute(kGroup, "scene");
  info_.first_frame = not_negative("first_frame");
  info_.library_version = file.text_attribute(kGroup, "library_version");
  info_.device_id = file.text_attribute(kGroup, "device_id");
  info_.device_name = file.text_attribute(kGroup, "device");
  info_.device_version = file.text_attribute(kGroup, "device_version");
  info_.driver = file.text_attribute(kGroup, "driver");
  info_.is_reference = not_negative("reference") != 0;
  info_.device_asked = file.text_attribute(kGroup, "device_asked");
  info_.margin = file.real_attribute(kGroup, "margin");
  if (!std::isfinite(info_.margin) || info_.margin < 0.0)
    file.fail(std::string(kGroup) + ": attribute 'margin' must be finite and not negative");
  info_.memory_limit = not_negative("memory_limit");

  const std::array<hsize_t, 1> frames{scene_.frames()};
  const std::string why = ", one entry for each frame";
  const auto hashes = file.read_integers<std::uint64_t>(kHashes, frames, why);
  const auto contacts = file.read_integers<std::uint64_t>(kContacts, frames, why);
  for (std::size_t f = 0; f < hashes.size(); ++f)
    frames_.push_back({contacts[f], hashes[f], 0, oclide::impact_hash({})});
  const auto read_one = [&](const char* path) {
    return file.read_integers<std::uint64_t>(path, std::array<hsize_t, 1>{1}, "").front();
  };
  hash_ = read_one("/recording/contact_hash");
  has_impacts_ = file.exists(kImpactGroup);
  if (!has_impacts_) return;
  const auto impact_hashes = file.read_integers<std::uint64_t>(kImpactHashes, frames, why);
  const auto impacts = file.read_integers<std::uint64_t>(kImpactCounts, frames, why);
  for (std::size_t f = 0; f < frames_.size(); ++f) {
    frames_[f].impacts = impacts[f];
    frames_[f].impact_hash = impact_hashes[f];
  }
  impact_hash_ = read_one(kImpactHash);
}

// --------------------------------------------------------------------------------------------------- RecordingCheck

void RecordingCheck::add(std::size_t index, std::span<const Contact> contacts, std::span<const Impact> impacts) {
  const FrameRecord recorded = recording_->frames().at(index), found = frame_record(contacts, impacts);
  ++frames_;
  hash_ = contact_hash(contacts, hash_);
  impact_hash_ = oclide::impact_hash(impacts, impact_hash_);
  if (found == recorded) return;
  ++differing_;
  if (!first_) first_ = {index, recorded, found};
}

std::string replay_device(const RecordingInfo& info) {
  if (info.is_reference) return "reference";
  const std::vector<DeviceInfo> all = devices();
  const auto is_it = [&](const DeviceInfo& d) { return d.usable && d.name == info.device_name; };
  for (const DeviceInfo& d : all)
    if (is_it(d) && d.id == info.device_id) return d.id;
  for (const DeviceInfo& d : all)
    if (is_it(d)) return d.id;
  return "auto";
}

void check_replay_device(const RecordingInfo& info, const DeviceInfo& device, const std::string& file) {
  if (info.is_reference == device.is_reference) return;
  throw Error(ErrorKind::invalid_input,
              file + ": " + kGroup + " was made by " +
                  (info.is_reference ? "the reference, whose bits no OpenCL device gives"
                                     : "an OpenCL device, whose bits the reference does not give") +
                  "; oclide validate compares " + (info.is_reference ? "a device" : "the two") +
                  " within tolerances; " + device.name + " cannot replay it");
}

}  // namespace oclide
