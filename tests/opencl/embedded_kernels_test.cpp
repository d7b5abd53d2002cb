#include "opencl/embedded_kernels.hpp"

#include <bit>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "oclide/oclide.hpp"
#include "opencl/arithmetic_check.hpp"
#include "opencl/kernel_programs.hpp"
#include "process/child_process.hpp"
#include "shared/pairs.h"
#include "support/temporary_folder.hpp"

namespace oclide::test {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

// Runs the embedding script over a folder of kernels; the expanded text is the literal of its output.
class EmbeddingScript : public testing::Test {
 protected:
  process::Finished run(const std::string& stem) {
    return process::run(
        {.command = {OCLIDE_CMAKE, "-D", "ROOT=" + folder_.path().string(), "-D", "STEM=" + stem, "-D", "SYMBOL=s",
                     "-D", "OUTPUT=" + output().string(), "-D", "DEPFILE=" + output().string() + ".d", "-P",
                     OCLIDE_SOURCE_DIR "/tools/cmake/embed_kernel.cmake"}});
  }
  [[nodiscard]] fs::path output() const { return folder_.path() / "out.cpp"; }
  [[nodiscard]] std::string expanded() const {
    const std::string text = read(output()), begin = "R\"kernel(";
    const std::size_t first = text.find(begin) + begin.size();
    return text.substr(first, text.find(")kernel\"") - first);
  }

  TemporaryFolder folder_;
};

TEST_F(EmbeddingScript, ExpandsEachIncludeOnceWithLines) {
  write(folder_.path() / "a/main.cl", "// [one]; \\n\n#include \"common/x.clh\"\n#include \"common/y.clh\"\nlast\n");
  write(folder_.path() / "common/x.clh", "#pragma once\nx;\n");
  write(folder_.path() / "common/y.clh", "#  include \"common/x.clh\"  // again\n#include <system.h>\ny\n");
  const process::Finished done = run("a/main");
  ASSERT_EQ(done.ending.status, 0) << done.errors;
  EXPECT_EQ(expanded(),
            "#pragma OPENCL FP_CONTRACT OFF\n"
            "#line 1 \"kernels/a/main.cl\"\n// [one]; \\n\n"
            "#line 1 \"kernels/common/x.clh\"\n\nx;\n\n"
            "#line 3 \"kernels/a/main.cl\"\n"
            "#line 1 \"kernels/common/y.clh\"\n"
            "#line 2 \"kernels/common/y.clh\"\n#include <system.h>\ny\n\n"
            "#line 4 \"kernels/a/main.cl\"\nlast\n\n");
  const std::string dependencies = read(output().string() + ".d");
  for (const char* file : {"a/main.cl", "common/x.clh", "common/y.clh"})
    EXPECT_NE(dependencies.find((folder_.path() / file).string()), std::string::npos) << file;
}

TEST_F(EmbeddingScript, NamesTheLineOfAMissingInclude) {
  write(folder_.path() / "a/main.cl", "\n\n#include \"common/missing.clh\"\n");
  const process::Finished done = run("a/main");
  EXPECT_NE(done.ending.status, 0);
  const std::string& errors = done.errors;
  EXPECT_NE(errors.find("kernels/a/main.cl:3: cannot find \"common/missing.clh\""), std::string::npos) << errors;
}

TEST(EmbeddedKernels, AreWholeTexts) {
  ASSERT_FALSE(kernel_stems().empty());
  for (const std::string_view stem : kernel_stems()) {
    const std::string_view source = kernel_source(stem);
    EXPECT_NE(source.find("#line 1 \"kernels/" + std::string(stem) + ".cl\""), std::string_view::npos) << stem;
    EXPECT_EQ(source.back(), '\n') << stem;
    EXPECT_EQ(source.find('\0'), std::string_view::npos) << stem;
  }
}

TEST(EmbeddedKernels, UnknownStemIsAnError) {
  try {
    kernel_source("no/such_kernel");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::device);
    EXPECT_NE(std::string(e.what()).find("no/such_kernel"), std::string::npos);
  }
}

TEST(KernelPrograms, OfAGpuHaveOneLaneAndPrimitivesOfTheirOwn) {
  std::vector<opencl::KernelProgram> gpu = opencl::kernel_programs(true), cpu = opencl::kernel_programs(false);
  // A GPU does without the kernels of all shapes at once, those on terrain in two programs. It alone has one that
  // settles claims on terrain, in two as well, some for manifolds of pairs, and one for pairs of spheres.
  EXPECT_EQ(std::erase_if(cpu, [](const auto& p) { return p.stem.starts_with("narrow_phase/fused_"); }), 3U);
  EXPECT_EQ(std::erase_if(gpu, [](const auto& p) { return p.stem == "narrow_phase/claims_on_terrain"; }), 2U);
  EXPECT_EQ(std::erase_if(gpu, [](const auto& p) { return p.stem.ends_with("_manifolds"); }),
            static_cast<std::size_t>(std::popcount(PAIR_KINDS_IN_TWO)));
  EXPECT_EQ(std::erase_if(gpu, [](const auto& p) { return p.stem == "narrow_phase/sphere_pairs"; }), 1U);
  ASSERT_EQ(gpu.size(), cpu.size());
  for (std::size_t k = 0; k < gpu.size(); ++k) {
    EXPECT_EQ(gpu[k].stem, cpu[k].stem);
    EXPECT_FALSE(gpu[k].kernels.empty()) << gpu[k].stem;
    EXPECT_EQ(std::set(gpu[k].kernels.begin(), gpu[k].kernels.end()).size(), gpu[k].kernels.size()) << gpu[k].stem;
    EXPECT_NE(gpu[k].options.find("-DOCLIDE_LANES=1"), std::string::npos) << gpu[k].stem;
    EXPECT_EQ(cpu[k].options.find("OCLIDE_LANES"), std::string::npos) << gpu[k].stem;
    const bool is_primitive = gpu[k].options.find("SERIAL") != std::string::npos;
    // A scan of a GPU is one launch, of a CPU two; and what finds pairs there counts those of each kind.
    const bool counts_kinds = gpu[k].stem == "broad_phase/body_pairs";
    const std::size_t fewer = counts_kinds || gpu[k].stem == "primitives/exclusive_scan" ? 1 : 0;
    EXPECT_EQ(is_primitive || counts_kinds, gpu[k].kernels != cpu[k].kernels) << gpu[k].stem;
    EXPECT_EQ(gpu[k].kernels.size() + fewer, cpu[k].kernels.size()) << gpu[k].stem;
  }
}

}  // namespace
}  // namespace oclide::test
