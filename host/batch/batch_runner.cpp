#include "batch/batch_runner.hpp"

#include <sys/stat.h>

#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include "files/contact_file.hpp"
#include "files/frame_range.hpp"
#include "scene/unused_terrains.hpp"

namespace oclide {
namespace {

// What is read beside work on the device has so many bytes at least: handing less to another thread takes longer than
// reading it.
constexpr std::size_t kBytesWorthAThread = 1U << 20U;

// Of its last change, such as 2026-01-31T12:00:00.123456789Z; empty where there is no such file.
std::string time_of(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  std::tm time{};
  ::gmtime_r(&status.st_mtim.tv_sec, &time);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &time);
  const std::string nanoseconds = std::to_string(status.st_mtim.tv_nsec);
  return text.data() + ("." + std::string(9 - nanoseconds.size(), '0')) + nanoseconds + "Z";
}

void add_frame(const FrameContacts& found, BatchRow& row) {
  ++row.frames;
  row.pairs += found.pairs;
  for (const Contact& c : found.contacts)
    if (row.contacts++ == 0 || c.depth > row.max_depth) row.max_depth = c.depth;
  row.contact_hash = contact_hash(found.contacts, row.contact_hash);
}

}  // namespace

BatchRow row_to_do(const std::string& scene, const std::string& frames, double margin) {
  return {.file = scene, .modified = time_of(scene), .range = frames, .margin = margin};
}

BatchRunner::BatchRunner(const Settings& settings, const std::string& frames) : settings_(settings), frames_(frames) {
  (void)parse_frame_range(frames, "batch", std::numeric_limits<std::size_t>::max());
  settings_.on_warning = say_nothing;  // the row does
  collider_.emplace(settings_);
}

BatchRow BatchRunner::run(const std::string& scene, const std::string& contacts, const std::string& next) {
  if (!collider_) collider_.emplace(settings_);
  const BatchRow empty = row_to_do(scene, frames_, settings_.margin);
  BatchRow row = empty;
  const auto begin = std::chrono::steady_clock::now();
  const auto fail = [&](const char* message) {
    row = empty;
    row.message = message;
  };
  try {
    find_contacts(contacts, next, row);
    row.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    row.done = true;
  } catch (const Error& error) {
    fail(error.what());
    if (error.kind() == ErrorKind::device) collider_.reset();
  } catch (const std::bad_alloc&) {
    fail("out of memory");
    collider_.reset();
  } catch (const std::system_error& error) {
    fail(error.what());  // no thread, say
  }
  return row;
}

void BatchRunner::find_contacts(const std::string& contacts, const std::string& next, BatchRow& row) {
  const auto read_next = [&] {
    std::error_code none;
    const std::uintmax_t bytes = next.empty() ? 0 : std::filesystem::file_size(next, none);
    if (none || bytes < kBytesWorthAThread) return;
    next_ = next;
    next_modified_ = time_of(next);
    next_reader_ = std::async(std::launch::async, [next] { return std::make_unique<SceneReader>(next); });
  };
  std::unique_ptr<SceneReader> reader;
  try {
    reader = open(row);
  } catch (...) {
    read_next();
    throw;
  }
  read_next();
  // Beside the work on a large file; it has just been read, or is about to be.
  std::error_code none;
  const bool is_large = std::filesystem::file_size(row.file, none) >= kBytesWorthAThread;
  std::future<FileDigest> digest =
      std::async(is_large ? std::launch::async : std::launch::deferred, file_digest, row.file);
  const FrameRange range = parse_frame_range(frames_, row.file, reader->frames());
  const Scene& scene = reader->scene();
  collider_->set_scene(scene);
  row.device = collider_->device().name;
  row.bodies = scene.bodies.count();
  row.message = note_of_unused(row.file, scene);

  std::optional<ContactWriter> writer;
  if (!contacts.empty()) writer.emplace(contacts, row.device, std::filesystem::path(row.file).filename().string());
  if (writer && !scene.compounds.empty()) writer->with_shapes();
  if (writer && !scene.meshes.empty()) writer->with_elements();
  if (writer && !scene.bodies.flags.empty()) writer->with_flags();

  // While a large frame is at work the next is read.
  const bool ahead = row.bodies * 7 * sizeof(double) >= kBytesWorthAThread;
  std::array<Frame, 2> frames;
  reader->read_frame(range.first, frames[0]);
  for (std::size_t k = range.first; k < range.end; ++k) {
    const Frame& frame = frames[(k - range.first) % 2];
    Frame& frame_after = frames[(k - range.first + 1) % 2];
    std::future<void> read_after;
    if (k + 1 < range.end)
      read_after = std::async(ahead ? std::launch::async : std::launch::deferred,
                              [&, k] { reader->read_frame(k + 1, frame_after); });
    const FrameContacts& found = collider_->update(frame.poses());
    if (writer) writer->append(found.contacts);
    add_frame(found, row);
    if (read_after.valid()) read_after.get();
  }
  row.scene = digest.get();
  if (time_of(row.file) != row.modified)
    throw Error(ErrorKind::invalid_input, row.file + ": was written to while it was read");
  if (writer) writer->finish();
}

std::unique_ptr<SceneReader> BatchRunner::open(BatchRow& row) {
  if (!next_reader_.valid() || row.file != next_) return std::make_unique<SceneReader>(row.file);
  row.modified = next_modified_;
  return next_reader_.get();
}

}  // namespace oclide
