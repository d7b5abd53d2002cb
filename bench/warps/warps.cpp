// A plugin of Oclgrind that says what the work-items of each launch are as warps of 32: how much they issue, and what
// they ask of memory. bench/warps/measure builds and loads it. One line a launch on standard output, in the order of
// execution: the word "warps" and a JSON object.
//
//   kernel, items, group, warps   name; work-items of the launch and of a group; warps that executed anything
//   operations                    as bench/operations/arithmetic.hpp has them, of all work-items
//   lane_cost                     instructions of all work-items, each by itself (cost_of below)
//   issue_cost                    instructions that the warps issue. lane_cost / (32 issue_cost) is the efficiency
//   longest_cost, longest_requests   of the warp that issues most, and of the one with most requests
//   requests, sectors             global memory: instructions of a warp with up to 16 bytes a lane; the sectors of 32
//                                 bytes that the lanes of each touch
//   bytes, atomics                that all lanes read and write there; atomics there
//   private_bytes, local_bytes    that all lanes read and write of their own memory and of their group's
//
// Work-items run one after another here, so a warp is put together afterwards. It issues a basic block, in one place of
// the tree of calls, as often as the lane that runs it most often, and the n-th execution of an instruction is one of
// all lanes. That is the best reconvergence there can be. A device's warps part for longer, so the efficiency is an
// upper bound.
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/WorkItem.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../operations/arithmetic.hpp"
#include "../operations/registered_plugin.hpp"

namespace {

using llvm::Instruction;

constexpr std::size_t kWarp = 32;          // lanes of a warp on NVIDIA's devices
constexpr std::size_t kSector = 32;        // bytes that NVIDIA's caches and memory move at once
constexpr std::size_t kWidestAccess = 16;  // bytes of a lane that one instruction moves

// Instructions of sm_90 for what is none: those that one more adds to the code of ptxas 13.0, less the call that both
// roundings keep for rare numbers.
constexpr double kDivision = 10;
constexpr double kRoot = 8;
constexpr double kUnsignedDivision = 18;
constexpr double kSignedDivision = 26;

double elements(const llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

double accesses(const Instruction& instruction, const llvm::Type* type) {
  const llvm::DataLayout& layout = instruction.getModule()->getDataLayout();
  const std::size_t bytes = layout.getTypeStoreSize(const_cast<llvm::Type*>(type)).getFixedSize();
  return static_cast<double>((bytes + kWidestAccess - 1) / kWidestAccess);
}

// Scalar instructions of a lane. What only names, widens or moves a value between registers is none.
double cost_of(const Instruction& instruction) {
  const double width = elements(instruction.getType());
  switch (instruction.getOpcode()) {
    case Instruction::PHI:
    case Instruction::BitCast:
    case Instruction::AddrSpaceCast:
    case Instruction::IntToPtr:
    case Instruction::PtrToInt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
    case Instruction::ShuffleVector:
    case Instruction::ExtractValue:
    case Instruction::InsertValue:
    case Instruction::Freeze:
    case Instruction::Alloca:
    case Instruction::Unreachable:
      return 0;
    case Instruction::GetElementPtr:
      return llvm::cast<llvm::GetElementPtrInst>(instruction).hasAllConstantIndices() ? 0 : 1;
    case Instruction::FDiv:
      return kDivision * width;
    case Instruction::UDiv:
    case Instruction::URem:
      return kUnsignedDivision * width;
    case Instruction::SDiv:
    case Instruction::SRem:
      return kSignedDivision * width;
    case Instruction::ICmp:
    case Instruction::FCmp:
      return elements(instruction.getOperand(0)->getType());
    case Instruction::Load:
      return accesses(instruction, instruction.getType());
    case Instruction::Store:
      return accesses(instruction, instruction.getOperand(0)->getType());
    case Instruction::Call: {
      const llvm::Function* function = llvm::cast<llvm::CallInst>(instruction).getCalledFunction();
      if (function == nullptr || !function->isDeclaration()) return 1;
      const llvm::StringRef name = function->getName();
      if (name.startswith("llvm.dbg") || name.startswith("llvm.lifetime") || name.contains("noalias.scope")) return 0;
      return (name.contains("sqrt") ? kRoot : 1) * width;
    }
    default:
      return width;
  }
}

// What a basic block is, whoever runs it.
struct BlockKind {
  double cost = 0;
  std::uint64_t operations = 0;
};

struct Block {
  BlockKind kind;
  std::vector<std::uint32_t> runs;  // of each lane of the group
};

struct Request {
  std::size_t bytes = 0;  // of the lane with most
  std::vector<std::uint64_t> sectors;
};

// An instruction in one place of the tree of calls.
struct Access {
  std::vector<std::size_t> executions;        // of each lane of the group
  std::vector<std::vector<Request>> of_warp;  // each warp's, by execution
};

// A place in the tree of calls.
struct Place {
  std::unordered_map<const llvm::BasicBlock*, Block> blocks;
  std::unordered_map<const Instruction*, Access> accesses;
};

struct Lane {
  std::vector<std::size_t> places{0};                        // from the kernel down
  std::vector<std::pair<std::size_t, std::size_t>> touched;  // addresses and bytes of the instruction being executed
};

struct Counts {
  std::uint64_t warps = 0, operations = 0, longest_requests = 0, requests = 0, sectors = 0, bytes = 0, atomics = 0,
                private_bytes = 0, local_bytes = 0;
  double lane_cost = 0, issue_cost = 0, longest_cost = 0;
};

class Warps : public oclgrind::Plugin {
 public:
  using Plugin::Plugin;

  // Oclgrind then executes work-groups one after another.
  [[nodiscard]] bool isThreadSafe() const override { return false; }

  void kernelBegin(const oclgrind::KernelInvocation* invocation) override {
    local_ = invocation->getLocalSize();
    kinds_.clear();
    numbers_.clear();
    count_ = {};
  }

  void workGroupBegin(const oclgrind::WorkGroup* /*group*/) override {
    lanes_.assign(local_.x * local_.y * local_.z, {});
    places_.clear();
  }

  void instructionExecuted(const oclgrind::WorkItem* item, const Instruction* instruction,
                           const oclgrind::TypedValue& /*result*/) override {
    const std::size_t index = lane_of(item);
    Lane& lane = lanes_[index];
    Place& place = places_[lane.places.back()];
    if (const llvm::BasicBlock* block = instruction->getParent(); &block->front() == instruction) {
      Block& runs = place.blocks[block];
      if (runs.runs.empty()) runs = {kind_of(block), std::vector<std::uint32_t>(lanes_.size())};
      ++runs.runs[index];
    }
    if (!lane.touched.empty()) {
      take_request(place.accesses[instruction], index, lane.touched);
      lane.touched.clear();
    }
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(instruction)) {
      const llvm::Function* function = call->getCalledFunction();
      if (function != nullptr && !function->isDeclaration()) lane.places.push_back(below(lane.places.back(), call));
    } else if (llvm::isa<llvm::ReturnInst>(instruction) && lane.places.size() > 1) {
      lane.places.pop_back();
    }
  }

  void memoryLoad(const oclgrind::Memory* memory, const oclgrind::WorkItem* item, std::size_t address,
                  std::size_t size) override {
    touch(memory, item, address, size);
  }

  void memoryStore(const oclgrind::Memory* memory, const oclgrind::WorkItem* item, std::size_t address,
                   std::size_t size, const std::uint8_t* /*data*/) override {
    touch(memory, item, address, size);
  }

  void memoryAtomicLoad(const oclgrind::Memory* memory, const oclgrind::WorkItem* item, oclgrind::AtomicOp /*op*/,
                        std::size_t address, std::size_t size) override {
    touch(memory, item, address, size);
    if (memory->getAddressSpace() == oclgrind::AddrSpaceGlobal) ++count_.atomics;
  }

  void workGroupComplete(const oclgrind::WorkGroup* /*group*/) override {
    for (std::size_t first = 0; first < lanes_.size(); first += kWarp)
      add_warp(first, std::min(first + kWarp, lanes_.size()));
  }

  void kernelEnd(const oclgrind::KernelInvocation* invocation) override {
    const oclgrind::Size3 global = invocation->getGlobalSize();
    const nlohmann::ordered_json counts{{"kernel", invocation->getKernel()->getName()},
                                        {"items", global.x * global.y * global.z},
                                        {"group", local_.x * local_.y * local_.z},
                                        {"warps", count_.warps},
                                        {"operations", count_.operations},
                                        {"lane_cost", count_.lane_cost},
                                        {"issue_cost", count_.issue_cost},
                                        {"longest_cost", count_.longest_cost},
                                        {"longest_requests", count_.longest_requests},
                                        {"requests", count_.requests},
                                        {"sectors", count_.sectors},
                                        {"bytes", count_.bytes},
                                        {"atomics", count_.atomics},
                                        {"private_bytes", count_.private_bytes},
                                        {"local_bytes", count_.local_bytes}};
    std::cout << "warps " << counts.dump() << std::endl;
  }

 private:
  std::size_t lane_of(const oclgrind::WorkItem* item) const {
    const oclgrind::Size3 id = item->getLocalID();
    return id.x + local_.x * (id.y + local_.y * id.z);
  }

  // The place that a call in a place leads to.
  std::size_t below(std::size_t place, const llvm::CallInst* call) {
    return numbers_.try_emplace({place, call}, numbers_.size() + 1).first->second;
  }

  const BlockKind& kind_of(const llvm::BasicBlock* block) {
    const auto [found, is_new] = kinds_.try_emplace(block);
    if (is_new)
      for (const Instruction& each : *block) {
        found->second.cost += cost_of(each);
        found->second.operations += oclide::bench::is_arithmetic(each) ? 1 : 0;
      }
    return found->second;
  }

  void touch(const oclgrind::Memory* memory, const oclgrind::WorkItem* item, std::size_t address, std::size_t size) {
    switch (memory->getAddressSpace()) {
      case oclgrind::AddrSpacePrivate:
        count_.private_bytes += size;
        break;
      case oclgrind::AddrSpaceLocal:
        count_.local_bytes += size;
        break;
      case oclgrind::AddrSpaceGlobal:
        count_.bytes += size;
        lanes_[lane_of(item)].touched.emplace_back(address, size);
        break;
      default:
        break;  // constants: a cache of their own
    }
  }

  void take_request(Access& access, std::size_t lane, const std::vector<std::pair<std::size_t, std::size_t>>& touched) {
    if (access.executions.empty()) {
      access.executions.resize(lanes_.size());
      access.of_warp.resize((lanes_.size() + kWarp - 1) / kWarp);
    }
    std::vector<Request>& requests = access.of_warp[lane / kWarp];
    const std::size_t execution = access.executions[lane]++;
    if (requests.size() <= execution) requests.resize(execution + 1);
    Request& request = requests[execution];
    std::size_t bytes = 0;
    for (const auto& [address, size] : touched) {
      bytes += size;
      for (std::size_t sector = address / kSector; sector <= (address + size - 1) / kSector; ++sector)
        if (std::ranges::find(request.sectors, sector) == request.sectors.end()) request.sectors.push_back(sector);
    }
    request.bytes = std::max(request.bytes, bytes);
  }

  void add_warp(std::size_t first, std::size_t last) {
    double issued = 0;
    double lanes = 0;
    std::uint64_t requests = 0;
    for (const auto& [number, place] : places_) {
      for (const auto& [which, block] : place.blocks) {
        std::uint32_t most = 0;
        std::uint64_t sum = 0;
        for (std::size_t lane = first; lane < last; ++lane) {
          most = std::max(most, block.runs[lane]);
          sum += block.runs[lane];
        }
        issued += most * block.kind.cost;
        lanes += static_cast<double>(sum) * block.kind.cost;
        count_.operations += sum * block.kind.operations;
      }
      for (const auto& [which, access] : place.accesses)
        for (const Request& request : access.of_warp[first / kWarp]) {
          requests += (request.bytes + kWidestAccess - 1) / kWidestAccess;
          count_.sectors += request.sectors.size();
        }
    }
    count_.warps += lanes > 0 ? 1 : 0;
    count_.lane_cost += lanes;
    count_.issue_cost += issued;
    count_.longest_cost = std::max(count_.longest_cost, issued);
    count_.requests += requests;
    count_.longest_requests = std::max(count_.longest_requests, requests);
  }

  oclgrind::Size3 local_;
  std::vector<Lane> lanes_;  // of the group being executed
  std::unordered_map<std::size_t, Place> places_;
  std::unordered_map<const llvm::BasicBlock*, BlockKind> kinds_;                  // of the launch
  std::map<std::pair<std::size_t, const llvm::CallInst*>, std::size_t> numbers_;  // of its places; 0 is the kernel
  Counts count_;
};

}  // namespace

extern "C" void initializePlugins(oclgrind::Context* context) {
  oclide::bench::RegisteredPlugin<Warps>::add(context);
}

extern "C" void releasePlugins(oclgrind::Context* context) {
  oclide::bench::RegisteredPlugin<Warps>::remove(context);
}
