#include "serve.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>

#include "files/scene_file.hpp"
#include "oclide/validation.hpp"
#include "scenes.hpp"

namespace oclide::bench {
namespace {

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

void say(const std::string& line) {
  std::cout << line << std::endl;  // the other side waits for it
}

template <class Number>
std::string number_or_dash(const std::optional<Number>& value) {
  return value ? std::to_string(*value) : "-";
}

void introduce(const PeerInfo& info) {
  say("engine=" + info.engine);
  say("version=" + info.version);
  say("settings=" + one_line(info.settings));
  say("note=" + one_line(info.note));
  say("device=" + info.device);
  say("device_id=" + info.device_id);
  say("driver=" + one_line(info.driver));
  say("threads=" + std::to_string(info.threads));
  say("ready");
}

std::string collide(Peer& peer, const Poses& poses) {
  const auto begin = std::chrono::steady_clock::now();
  const PeerFrame frame = peer.collide(poses);
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
  std::ostringstream line;
  line.precision(9);
  line << "frame " << ms.count() << " " << frame.points << " ";
  if (frame.device_ms)
    line << *frame.device_ms;
  else
    line << "-";
  for (const auto& [name, time] : frame.stages) line << " " << name << "=" << time;
  return line.str();
}

void write_touches(const Peer& peer, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  for (const Touch& t : peer.touching()) {
    out.write(reinterpret_cast<const char*>(t.bodies.data()), sizeof t.bodies);
    out.write(reinterpret_cast<const char*>(&t.depth), sizeof t.depth);
  }
  out.close();
  if (!out) throw Error(ErrorKind::invalid_input, file + ": cannot be written");
}

// A larger scene is checked in part, for the reference takes its time.
std::string check(const Scene& scene, const Frame& frame, std::size_t bodies, const std::string& device) {
  Frame part_frame;
  const Scene part = part_of(scene, frame, bodies, part_frame);
  Settings settings;
  settings.device = device;
  Collider collider(settings);
  collider.set_scene(part);
  const FrameContacts found = collider.collide(part_frame.poses());
  Validator validator(part, 0.0);
  validator.add_frame(part_frame.poses(), found.contacts);
  const ValidationReport& report = validator.report();
  const std::string why = report.holds() || report.examples.empty() ? "" : " " + one_line(report.examples[0]);
  return "checked " + std::to_string(part.bodies.count()) + (report.holds() ? " 1" : " 0") + why;
}

// The peak of this program alone. That of getrusage() may be the one of the program that started it.
std::optional<std::uint64_t> peak_host_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::stoull(line.substr(6)) * 1024;
  return {};
}

void answer_requests(const std::string& engine, const std::string& scene_file, const PeerOptions& options) {
  SceneReader reader(scene_file);
  std::vector<Frame> frames(reader.frames());
  for (std::size_t k = 0; k < frames.size(); ++k) reader.read_frame(k, frames[k]);
  const std::unique_ptr<Peer> peer = make_peer(engine, options);
  peer->set_scene(reader.scene(), frames[0].poses());
  introduce(peer->info());
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string request;
    words >> request;
    if (request == "collide") {
      std::size_t k = 0;
      words >> k;
      say(collide(*peer, frames.at(k).poses()));
    } else if (request == "touching") {
      std::string file;
      std::getline(words >> std::ws, file);
      write_touches(*peer, file);
      say("touched " + number_or_dash(peer->candidates()));
    } else if (request == "check" && engine == "oclide") {
      std::size_t bodies = 0;
      words >> bodies;
      say(check(reader.scene(), frames[0], bodies, peer->info().device_id));
    } else if (request == "memory") {
      say("memory " + number_or_dash(peak_host_bytes()) + " " + number_or_dash(peer->peak_device_bytes()));
    } else {
      say("error unknown request '" + line + "'");
    }
  }
}

}  // namespace

int serve(const std::string& engine, const std::string& scene_file, const PeerOptions& options) {
  try {
    answer_requests(engine, scene_file, options);
    return 0;
  } catch (const Error& e) {
    const bool is_refused = e.kind() == ErrorKind::invalid_input;
    say((is_refused ? "refused " : "error ") + one_line(e.what()));
    return is_refused ? 2 : 3;
  } catch (const std::bad_alloc&) {
    say("error out of memory");
  } catch (const std::exception& e) {
    say("error " + one_line(e.what()));
  }
  return 3;
}

}  // namespace oclide::bench
