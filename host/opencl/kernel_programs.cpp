#include "opencl/kernel_programs.hpp"

#include <regex.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <string_view>

#include "opencl/arithmetic_check.hpp"
#include "opencl/embedded_kernels.hpp"

namespace oclide::opencl {
namespace {

// Of a program that is compiled in several ways, what each is compiled with.
std::vector<std::string> variants_of(std::string_view stem, bool is_gpu) {
  const std::string form = is_gpu ? " -DSERIAL=0" : " -DSERIAL=1";
  if (stem == "primitives/exclusive_scan") return {" -DSCAN=uint" + form, " -DSCAN=ulong" + form};
  if (stem == "primitives/radix_sort") return {" -DKEY=uint" + form, " -DKEY=ulong" + form};
  if (stem.starts_with("narrow_phase/") && stem.ends_with("_terrain"))
    return {"", " " + std::string(kAlternatingGround)};
  return {""};
}

// Kernels of all shapes at once, which a GPU does without (narrow_phase/pair_contacts.cpp), and what it alone has.
constexpr std::string_view kFused = "narrow_phase/fused_";
bool is_of_gpu(std::string_view stem) {
  return stem.ends_with("_on_terrain") || stem.ends_with("_manifolds") || stem == "narrow_phase/sphere_pairs";
}

// No kernels of the pipeline: what layouts are for applications.
constexpr std::string_view kText = "shared/device_layout";

std::string after_last(std::string_view text, char c) {
  return std::string(text.substr(text.rfind(c) + 1));
}

// What the last group of an extended regular expression of two groups stands for, at each place where it matches.
std::vector<std::string> matches(const std::string& text, const char* expression) {
  regex_t compiled;
  if (regcomp(&compiled, expression, REG_EXTENDED) != 0) throw std::bad_alloc();
  std::vector<std::string> all;
  std::array<regmatch_t, 3> found;
  for (const char* from = text.c_str(); regexec(&compiled, from, found.size(), found.data(), 0) == 0;
       from += found[0].rm_eo)
    all.emplace_back(from + found[2].rm_so, from + found[2].rm_eo);
  regfree(&compiled);
  return all;
}

// Kernels written out, and the one that a macro makes of the file's own stem. Of kernels in two forms, for groups of
// one work-item and of many, those of the kind.
std::vector<std::string> kernels_of(std::string_view stem, bool is_gpu) {
  const std::string source(kernel_source(stem)), own = after_last(stem, '/');
  const char* other_form = is_gpu ? "_serial" : "_group";
  std::vector<std::string> names;
  for (const std::string& name :
       matches(source, "__kernel([[:space:]]+)void[[:space:]]+([[:alnum:]_]+)[[:space:]]*[(]"))
    if (name != "name") names.push_back(name);
  for (const std::string& name : matches(source, "\n[A-Z_]+_KERNEL(_OF)?[(]([[:alnum:]_]+)"))
    if (name.ends_with("_" + own)) names.push_back(name);
  std::erase_if(names, [&](const std::string& name) { return name.ends_with(other_form); });
  return names;
}

}  // namespace

std::vector<KernelProgram> kernel_programs(bool is_gpu) {
  std::vector<KernelProgram> programs;
  const std::string common = build_options(true) + kind_options(is_gpu);
  for (const std::string_view stem : kernel_stems()) {
    if (stem == kText || (is_gpu ? stem.starts_with(kFused) : is_of_gpu(stem))) continue;
    const std::vector<std::string> kernels = kernels_of(stem, is_gpu);
    for (const std::string& variant : variants_of(stem, is_gpu))
      programs.push_back({std::string(stem), common + variant, kernels});
  }
  return programs;
}

}  // namespace oclide::opencl
