// What counts as an operation, for the plugins of Oclgrind that count: an arithmetic instruction, floating point or
// integer, a comparison, a selection, or a call of a built-in function such as floor or clz. Loads, stores, branches,
// addresses, conversions and barriers are none. A vector instruction counts once.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace oclide::bench {

// Built-in functions that count as an operation, by their names before mangling.
inline bool is_arithmetic(std::string_view mangled) {
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

inline bool is_arithmetic(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
    case llvm::Instruction::Select:
      return true;
    case llvm::Instruction::Call: {
      const llvm::Function* function = llvm::cast<llvm::CallInst>(instruction).getCalledFunction();
      return function != nullptr && is_arithmetic(std::string_view(function->getName()));
    }
    default:
      return instruction.isBinaryOp() || instruction.isUnaryOp();
  }
}

}  // namespace oclide::bench
