// oclide itself, behind the interface of the engines that it is compared with.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "bench/cores.hpp"
#include "peers/peer.hpp"

namespace oclide::bench {
namespace {

class OclidePeer final : public Peer {
 public:
  explicit OclidePeer(const Settings& settings) : collider_(settings) {}

  [[nodiscard]] PeerInfo info() const override {
    const DeviceInfo& d = collider_.device();
    PeerInfo info;
    info.engine = "oclide";
    info.version = version();
    info.settings = "contacts of all pairs, margin 0, in the memory of the frame before (Collider::update)";
    for (const char* name : {"POCL_DEVICES", "POCL_AFFINITY"})
      if (const char* value = std::getenv(name)) info.settings += std::string(", ") + name + "=" + value;
    info.device = d.name;
    info.device_id = d.id;
    info.driver = d.driver;
    info.threads = static_cast<unsigned>(command::available_cores());
    return info;
  }

  void set_scene(const Scene& scene, const Poses&) override { collider_.set_scene(scene); }

  PeerFrame collide(const Poses& poses) override {
    found_ = &collider_.update(poses);
    const StageTimes& t = found_->milliseconds;
    PeerFrame frame;
    frame.points = found_->contacts.size();
    frame.stages = {{"upload", t.upload},
                    {"broad_phase", t.broad_phase},
                    {"narrow_phase", t.narrow_phase},
                    {"contact_reduction", t.contact_reduction},
                    {"download", t.download}};
    double sum = 0.0;
    for (const auto& [name, ms] : frame.stages) sum += ms;
    if (!collider_.device().is_reference) frame.device_ms = sum;
    return frame;
  }

  [[nodiscard]] std::vector<Touch> touching() const override {
    std::vector<Touch> touches;
    for (const Contact& c : found_->contacts)
      if (c.depth >= 0.0F) touches.push_back({{c.body_a, c.body_b}, c.depth});
    sort_touches(touches);
    return touches;
  }

  [[nodiscard]] std::optional<std::uint64_t> candidates() const override {
    return found_->body_candidates + found_->candidates;
  }

 private:
  Collider collider_;
  const FrameContacts* found_ = nullptr;  // of the last frame
};

}  // namespace

std::unique_ptr<Peer> make_oclide_peer(const PeerOptions& options) {
  Settings settings;
  settings.device = options.device;
  return std::make_unique<OclidePeer>(settings);
}

}  // namespace oclide::bench
