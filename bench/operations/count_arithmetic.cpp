// A plugin of Oclgrind that counts the arithmetic instructions of each launch of a kernel; bench/operations/measure
// builds and loads it. One line a launch on standard output, in the order of execution:
//
//   operations <kernel> <count>
//
// arithmetic.hpp says what an operation is. Oclgrind's own counter (--inst-counts, 21.10) writes beyond the end of its
// list where work-groups call different functions.
#include <llvm/IR/Instructions.h>
#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Plugin.h>

#include <cstdint>
#include <iostream>
#include <unordered_map>

#include "arithmetic.hpp"
#include "registered_plugin.hpp"

namespace {

using llvm::Instruction;

class CountArithmetic : public oclgrind::Plugin {
 public:
  using Plugin::Plugin;

  // Oclgrind then executes work-groups one after another.
  [[nodiscard]] bool isThreadSafe() const override { return false; }

  void kernelBegin(const oclgrind::KernelInvocation* /*invocation*/) override {
    known_.clear();
    count_ = 0;
  }

  void instructionExecuted(const oclgrind::WorkItem* /*item*/, const Instruction* instruction,
                           const oclgrind::TypedValue& /*result*/) override {
    auto [found, is_new] = known_.try_emplace(instruction, false);
    if (is_new) found->second = oclide::bench::is_arithmetic(*instruction);
    count_ += found->second ? 1 : 0;
  }

  void kernelEnd(const oclgrind::KernelInvocation* invocation) override {
    std::cout << "operations " << invocation->getKernel()->getName() << ' ' << count_ << std::endl;
  }

 private:
  std::unordered_map<const Instruction*, bool> known_;
  std::uint64_t count_ = 0;
};

}  // namespace

extern "C" void initializePlugins(oclgrind::Context* context) {
  oclide::bench::RegisteredPlugin<CountArithmetic>::add(context);
}

extern "C" void releasePlugins(oclgrind::Context* context) {
  oclide::bench::RegisteredPlugin<CountArithmetic>::remove(context);
}
