#include "contact_reduction/mesh_reduction.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "frame/slice.hpp"

namespace oclide {

using opencl::Stage;
using opencl::StageTimer;

namespace {

constexpr Stage kMeshReduction = Stage::contact_reduction;
constexpr cl_uint contacts_of_one_ = 256;    // of a pair: more are reduced by all work-items together
constexpr std::size_t kGroupsAtMost = 4096;  // work-groups at most that share pairs or manifolds
constexpr int kRounds = 3;                   // in which parts wait for each other; most are decided in the first

opencl::LazyKernel of_many(opencl::Device& device, const char* name) {
  return {device, "contact_reduction/many_mesh_contacts", std::string("contact_reduction_many_") + name};
}

}  // namespace

MeshReduction::ManyKernels::ManyKernels(opencl::Device& device)
    : keys(of_many(device, "keys")),
      ties(of_many(device, "ties")),
      gather(of_many(device, "gather")),
      openers(of_many(device, "openers")),
      members(of_many(device, "members")),
      parts(of_many(device, "parts")),
      drop(of_many(device, "drop")),
      drop_last(of_many(device, "drop_last")),
      left(of_many(device, "left")),
      choose(of_many(device, "choose")),
      store(of_many(device, "store")),
      rests(of_many(device, "rests")),
      search(of_many(device, "search")),
      finish(of_many(device, "finish")) {}

MeshReduction::MeshReduction(opencl::Device& device, const opencl::Buffer<std::uint32_t>& hulls,
                             cl_uint contacts_of_one, std::size_t group_size)
    : device_(device),
      hulls_(hulls),
      contacts_of_one_(contacts_of_one),
      group_size_(group_size),
      scan_(device),
      sort_(device),
      reduce_kernel_(device, "contact_reduction/mesh_contacts", "contact_reduction_mesh_contacts"),
      many_kernels_(device),
      rests_(device, "mesh contacts left over"),
      kept_(device, "mesh contacts kept"),
      kept_offsets_(device, "mesh contacts kept, offsets"),
      manifold_counts_(device, "mesh manifolds"),
      manifold_offsets_(device, "mesh manifolds, offsets"),
      found_(device, "touching pairs with meshes"),
      kept_total_(device, "total of mesh contacts"),
      manifold_total_(device, "total of mesh manifolds"),
      total_(device, "total"),
      found_host_(device),
      totals_host_(device),
      many_(device, "many mesh contacts"),
      many_offsets_(device, "many mesh contacts, offsets"),
      keys_(device, "many mesh contacts, keys"),
      order_(device, "many mesh contacts, order"),
      openers_(device, "many mesh contacts, openers"),
      opens_(device, "many mesh contacts, whether they open"),
      ranks_(device, "many mesh contacts, parts or manifolds before"),
      left_(device, "many mesh contacts, those that are left"),
      heads_(device, "many mesh contacts, cells"),
      next_(device, "many mesh contacts, lists"),
      chosen_(device, "many mesh contacts, chosen"),
      sizes_(device, "many mesh manifolds, sizes"),
      firsts_(device, "many mesh parts, first contacts"),
      fates_(device, "many mesh parts, fates"),
      next_fates_(device, "many mesh parts, next fates"),
      sizes_before_(device, "many mesh manifolds, contacts before"),
      searches_(device, "many mesh contacts, rests looked for"),
      found_rests_(device, "many mesh contacts, rests found"),
      sorted_(device, "many mesh contacts, sorted"),
      ways_(device, "many mesh parts, ways out"),
      middles_(device, "many mesh parts, middles") {
  found_host_.resize(2);
  totals_host_.resize(2);
}

void MeshReduction::begin(const Found& found, opencl::Transfers& transfers, StageTimer& timer) {
  rests_.resize(found.count);
  kept_.resize(found.count);
  manifold_counts_.resize(found.count);
  many_.resize(found.count);
  found_.resize(2);
  found_.fill(0, 0, 2, &timer, kMeshReduction);
  opencl::launch(device_, reduce_kernel_, &timer, kMeshReduction, found.count, kGroup, found.count, found.pairs, hulls_,
                 found.first_candidate, found.offsets, static_cast<cl_uint>(found.contacts.size()), found.contacts,
                 rests_, contacts_of_one_, kept_, manifold_counts_, many_, found_);
  sum(found.count, transfers, timer);
}

void MeshReduction::finish(const Found& found, StageTimer& timer) {
  if (found_host_[1] > 0) {
    reduce_many(found, timer);
    opencl::Transfers transfers;
    sum(found.count, transfers, timer);
    transfers.wait();
  }
  contacts_ = checked(totals_host_[0], "contacts with meshes");
  manifolds_ = checked(totals_host_[1], "manifolds with meshes");
}

// Where what stays of each pair goes, and what there is of it in all.
void MeshReduction::sum(std::uint32_t pairs, opencl::Transfers& transfers, StageTimer& timer) {
  scan_.run_u32(kept_, kept_offsets_, pairs, kept_total_, kMeshReduction, &timer);
  scan_.run_u32(manifold_counts_, manifold_offsets_, pairs, manifold_total_, kMeshReduction, &timer);
  kept_total_.download_later(std::span(totals_host_.data(), 1), transfers, 0, &timer, kMeshReduction);
  manifold_total_.download_later(std::span(totals_host_.data() + 1, 1), transfers, 0, &timer, kMeshReduction);
  found_.download_later(found_host_, transfers, 0, &timer, kMeshReduction);
}

// Brings order_ into the order of pairs, classes and contacts.
void MeshReduction::sort_many(const Found& found, std::uint32_t contacts, StageTimer& timer) {
  const std::array bits{32U, 32U, static_cast<unsigned>(std::bit_width(4 * found.count))};
  for (cl_uint step = 0; step < bits.size(); ++step) {
    opencl::launch(device_, many_kernels_.keys, &timer, kMeshReduction, contacts, kGroup, contacts, step, found.count,
                   many_offsets_, found.first_candidate, found.offsets, found.contacts, keys_, order_);
    sort_.run_u32(keys_, order_, contacts, bits[step], kMeshReduction, &timer);
  }
  opencl::launch(device_, many_kernels_.ties, &timer, kMeshReduction, contacts, kGroup, contacts, many_offsets_,
                 found.first_candidate, found.offsets, found.contacts, keys_, order_);
}

void MeshReduction::reduce_many(const Found& found, StageTimer& timer) {
  const std::uint32_t pairs = found.count;
  scan_.run_u32(many_, many_offsets_, pairs, total_, kMeshReduction, &timer);
  const std::uint32_t n = checked(total_.read_one(0, &timer, kMeshReduction), "contacts of bodies with many");
  for (auto* buffer : {&keys_, &order_, &openers_, &opens_, &heads_, &next_, &sizes_, &fates_, &next_fates_, &left_})
    buffer->resize(n);
  firsts_.resize(n + std::size_t{1});
  chosen_.resize(std::size_t{4} * n);
  sorted_.resize(n);
  ways_.resize(n);
  middles_.resize(n);
  searches_.resize(pairs);
  found_rests_.resize(pairs);
  const auto run = [&](opencl::LazyKernel& lazy, std::size_t items, const auto&... arguments) {
    opencl::launch(device_, lazy, &timer, kMeshReduction, items, kGroup, arguments...);
  };
  const auto run_groups = [&](opencl::LazyKernel& lazy, std::size_t groups, const auto&... arguments) {
    cl::Kernel& kernel = lazy.get();
    const std::size_t group =
        group_size_ > 0 ? device_.work_group_size(kernel, group_size_) : device_.lone_group_size(kernel, kGroup);
    opencl::launch(device_, kernel, &timer, kMeshReduction, group * std::min(groups, kGroupsAtMost), group,
                   arguments...);
  };
  sort_many(found, n, timer);
  run(many_kernels_.gather, n, n, many_offsets_, found.first_candidate, found.offsets, found.contacts, keys_, order_,
      sorted_, openers_, opens_, heads_, left_);
  // The members of each part or manifold in `order_`, by its number in `heads_`.
  const auto group_contacts = [&](cl_uint of_parts) {
    run_groups(many_kernels_.openers, pairs, pairs, of_parts, found.pairs, hulls_, many_offsets_, keys_, sorted_, left_,
               heads_, next_, openers_, opens_);
    scan_.run_u32(opens_, ranks_, n, total_, kMeshReduction, &timer);
    run(many_kernels_.members, n, n, openers_, ranks_, heads_, order_);
    sort_.run_u32(heads_, order_, n, static_cast<unsigned>(std::bit_width(n)), kMeshReduction, &timer);
  };
  group_contacts(1);
  run_groups(many_kernels_.parts, n, n, found.pairs, hulls_, keys_, sorted_, ranks_, heads_, order_, firsts_, ways_,
             middles_, fates_);
  // A work-item that goes through all of a pair's from the shallowest on asks less than those that wait for each other:
  // where there are few processors that is faster.
  const int rounds = device_.info().is_gpu || group_size_ > 1 ? kRounds : 0;
  for (int round = 0; round < rounds; ++round) {
    run(many_kernels_.drop, n, n, found.pairs, hulls_, many_offsets_, keys_, sorted_, ranks_, order_, firsts_, ways_,
        middles_, fates_, next_fates_);
    std::swap(fates_, next_fates_);
  }
  run(many_kernels_.drop_last, pairs, pairs, found.pairs, hulls_, many_offsets_, keys_, sorted_, ranks_, order_,
      firsts_, ways_, middles_, fates_);
  run(many_kernels_.left, n, n, ranks_, fates_, openers_, opens_, heads_, left_);
  group_contacts(0);
  sizes_.fill(0, 0, n, &timer, kMeshReduction);
  run_groups(many_kernels_.choose, n, n, sorted_, ranks_, heads_, order_, chosen_, sizes_);
  scan_.run_u32(sizes_, sizes_before_, n, total_, kMeshReduction, &timer);
  run(many_kernels_.store, n, n, many_offsets_, found.first_candidate, found.offsets, keys_, sorted_, ranks_, chosen_,
      sizes_before_, found.contacts);
  run_groups(many_kernels_.rests, pairs, pairs, found.pairs, hulls_, many_offsets_, found.first_candidate,
             found.offsets, keys_, sorted_, ranks_, sizes_before_, found.contacts, searches_, found_rests_);
  run(many_kernels_.search, n, n, found.pairs, hulls_, many_offsets_, found.first_candidate, found.offsets, keys_,
      sorted_, ranks_, sizes_before_, found.contacts, searches_, found_rests_);
  run(many_kernels_.finish, pairs, pairs, found.pairs, hulls_, many_offsets_, keys_, sorted_, ranks_, sizes_before_,
      searches_, found_rests_, rests_, kept_, manifold_counts_, found_);
}

void MeshReduction::free() {
  for (auto* buffer : {&kept_,   &kept_offsets_, &manifold_counts_, &manifold_offsets_,
                       &found_,  &many_,         &many_offsets_,    &keys_,
                       &order_,  &openers_,      &opens_,           &ranks_,
                       &heads_,  &next_,         &chosen_,          &sizes_,
                       &firsts_, &fates_,        &next_fates_,      &sizes_before_,
                       &left_,   &searches_,     &found_rests_})
    buffer->free();
  rests_.free();
  sorted_.free();
  ways_.free();
  middles_.free();
  scan_.free();
  sort_.free();
}

}  // namespace oclide
