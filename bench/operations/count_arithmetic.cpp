// A plugin of Oclgrind that counts the arithmetic instructions of each launch of a kernel; bench/operations/measure
// builds and loads it. One line a launch on standard output, in the order of execution:
//
//   operations <kernel> <count>
//
// An operation is an arithmetic instruction: floating point or integer, a comparison, a selection, or a call of a
// built-in function such as floor or clz. Loads, stores, branches, addresses, conversions and barriers are none. A
// vector instruction counts once. Oclgrind's own counter (--inst-counts, 21.10) writes beyond the end of its list where
// work-groups call different functions.
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Plugin.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <iostream>
#include <string_view>
#include <unordered_map>

namespace {

using llvm::Instruction;

// Built-in functions that count as an operation, by their names before mangling.
bool is_arithmetic(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return false;  // a function of the kernels: what it executes counts
  std::size_t at = 2;
  std::size_t length = 0;
  while (at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at])) != 0)
    length = 10 * length + static_cast<std::size_t>(mangled[at++] - '0');
  const std::string_view name = mangled.substr(at, length);
  constexpr std::array kNames{"sqrt", "fabs",   "fmin",   "fmax",     "floor",  "ceil",  "rint", "min", "max",
                              "abs",  "mad_hi", "mul_hi", "popcount", "select", "clamp", "sign", "clz", "copysign"};
  for (const std::string_view known : kNames)
    if (name == known) return true;
  return false;
}

bool is_arithmetic(const Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::ICmp:
    case Instruction::FCmp:
    case Instruction::Select:
      return true;
    case Instruction::Call: {
      const llvm::Function* function = llvm::cast<llvm::CallInst>(instruction).getCalledFunction();
      return function != nullptr && is_arithmetic(std::string_view(function->getName()));
    }
    default:
      return instruction.isBinaryOp() || instruction.isUnaryOp();
  }
}

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
    if (is_new) found->second = is_arithmetic(*instruction);
    count_ += found->second ? 1 : 0;
  }

  void kernelEnd(const oclgrind::KernelInvocation* invocation) override {
    std::cout << "operations " << invocation->getKernel()->getName() << ' ' << count_ << std::endl;
  }

 private:
  std::unordered_map<const Instruction*, bool> known_;
  std::uint64_t count_ = 0;
};

CountArithmetic* the_plugin = nullptr;

}  // namespace

extern "C" void initializePlugins(oclgrind::Context* context) {
  the_plugin = new CountArithmetic(context);
  context->registerPlugin(the_plugin);
}

extern "C" void releasePlugins(oclgrind::Context* context) {
  context->unregisterPlugin(the_plugin);
  delete the_plugin;
  the_plugin = nullptr;
}
