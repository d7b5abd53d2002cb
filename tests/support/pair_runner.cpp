#include "support/pair_runner.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "backend.hpp"
#include "device_scene/hull_buffers.hpp"
#include "opencl/buffer.hpp"
#include "opencl/device.hpp"
#include "opencl/launch.hpp"
#include "scene/plane_orientation.hpp"
#include "shapes/pair_table.hpp"
#include "shared/abi.h"
#include "terrain/terrain_buffers.hpp"

namespace oclide::test {
namespace {

BodyState to_state(const BodySpec& body, std::uint32_t index) {
  BodyState state{};
  const dquat q = glm::normalize(body.orientation);
  state.orientation[0] = static_cast<float>(q.w);
  for (int a = 0; a < 3; ++a) {
    const TwoFloatParts position = split_in_two(body.position[a]);
    state.position_high[a] = position.high;
    state.position_low[a] = position.low;
    state.size[a] = static_cast<float>(body.size[static_cast<std::size_t>(a)]);
    state.orientation[a + 1] = static_cast<float>(a == 0 ? q.x : (a == 1 ? q.y : q.z));
  }
  if (body.shape == Shape::half_space) {
    const auto rounded = plane_orientation({q.w, q.x, q.y, q.z});
    std::copy(rounded.begin(), rounded.end(), state.orientation);
  }
  state.shape = static_cast<std::uint32_t>(body.shape);
  state.body = index;
  return state;
}

}  // namespace

std::string pair_stem(Shape first, Shape second) {
  const auto name = [](Shape shape) {
    std::string words = to_string(shape);
    std::replace(words.begin(), words.end(), ' ', '_');
    return words;
  };
  return name(first) + "_" + name(second);
}

std::vector<std::vector<Contact>> run_pairs(std::size_t device_index, const std::string& stem,
                                            std::span<const BodyPair> pairs, double margin, const Geometry& geometry) {
  using namespace opencl;
  Device device(Settings{}, opencl_devices().at(device_index));
  // One kernel, or on a GPU, of some kinds, a second one for the manifolds of what the first has found.
  std::vector<cl::Kernel> kernels{device.kernel("narrow_phase/" + stem, "narrow_phase_" + stem)};
  for (std::uint32_t k = 0; k < kPairTable.size(); ++k)
    if (device.info().is_gpu && kPairTable[k].stem == stem && is_kind_of(PAIR_KINDS_IN_TWO, k))
      kernels.push_back(device.kernel("narrow_phase/" + stem + "_manifolds", "narrow_phase_" + stem + "_manifolds"));
  std::vector<BodyState> states;
  std::vector<std::array<cl_uint, 2>> leaves;
  std::vector<cl_uint> order;
  for (const BodyPair& pair : pairs) {
    const auto k = static_cast<cl_uint>(order.size());
    order.push_back(k);
    leaves.push_back({2 * k, 2 * k + 1});
    states.push_back(to_state(pair.first, 0));
    states.push_back(to_state(pair.second, 1));
  }
  const auto count = static_cast<cl_uint>(pairs.size());
  // Some pairs a work-item, and blocks of the store that they do not fill.
  constexpr cl_uint kRun = 3, kBlock = 9;
  const cl_uint capacity = 5 * kBlock * (count / kRun + 1);
  Buffer<BodyState> states_on(device, "states");
  Buffer<std::array<cl_uint, 2>> pairs_on(device, "pairs");
  Buffer<cl_uint> order_on(device, "order"), kinds(device, "kinds", count), found_on(device, "found");
  Buffer<PairContactRecord> store(device, "store", capacity);
  Buffer<PairResult> results_on(device, "results", RESULT_HEAD + count);
  states_on.assign(states);
  pairs_on.assign(leaves);
  order_on.assign(order);
  // All of one kind, of which alone the kernel is to find contacts.
  constexpr cl_uint kKind = 7;
  kinds.fill(kKind);
  HullBuffers hulls_on(device);
  hulls_on.set(geometry);
  found_on.assign(std::array<cl_uint, 3>{count, 0, 0});
  for (cl::Kernel& kernel : kernels)
    launch(device, kernel, nullptr, Stage::narrow_phase, count / kRun + 1, device.work_group_size(kernel, 64),
           cl_uint{0}, count, kBlock, kKind, kinds, order_on, pairs_on, states_on, hulls_on.words,
           static_cast<cl_float>(margin), cl::Buffer(), capacity, found_on, store, results_on);
  std::vector<PairResult> results(count);
  std::vector<PairContactRecord> records(capacity);
  results_on.download(results, RESULT_HEAD);
  store.download(records);
  std::uint64_t found = 0;
  for (const PairResult& result : results) found += result.count;
  if (found_on.read_one(2) != found) throw std::logic_error("the kernel counts other contacts than it stores");

  std::vector<std::vector<Contact>> contacts(count);
  for (std::size_t k = 0; k < count; ++k)
    for (cl_uint i = 0; i < results[k].count; ++i) {
      const PairContactRecord& r = records.at(results[k].first + i);
      Contact contact;
      for (int a = 0; a < 3; ++a) {
        const auto at = static_cast<std::size_t>(a);
        contact.point[at] = pairs[k].first.position[a] + static_cast<double>(r.point[a]);
        contact.normal[at] = r.normal[a];
      }
      contact.depth = r.depth;
      contact.body_a = results[k].body_a;
      contact.body_b = results[k].body_b;
      contact.feature = r.feature;
      contacts[k].push_back(contact);
    }
  return contacts;
}

}  // namespace oclide::test
