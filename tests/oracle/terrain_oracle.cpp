// terrain_oracle SCENE.h5 CONTACTS.h5 [--frame F] [--json] [--worst N]: judges the terrain contacts of a file.
// terrain_oracle --self-test: judges the judge.
// Exit status 0: everything holds; 1: something does not; 2: the files cannot be read.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>
#include <thread>

#include "checks.hpp"
#include "self_test.hpp"

namespace {

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

void report(oracle::Findings& f, bool json, std::size_t worst) {
  std::map<std::string, std::vector<oracle::Violation>> by_category;
  for (const auto& v : f.violations) by_category[v.category].push_back(v);
  if (json) std::printf("{\"violations\": {");
  const char* separator = "";
  for (auto& [category, list] : by_category) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.excess > b.excess; });
    std::set<std::pair<std::size_t, std::size_t>> bodies;
    for (const auto& v : list) bodies.emplace(v.frame, v.body);
    if (json) {
      std::printf("%s%s: {\"count\": %zu, \"bodies\": %zu, \"worst\": [", separator, quoted(category).c_str(),
                  list.size(), bodies.size());
    } else {
      std::printf("%s: %zu, on %zu bodies\n", category.c_str(), list.size(), bodies.size());
    }
    separator = ", ";
    for (std::size_t i = 0; i < std::min(worst, list.size()); ++i) {
      const auto& v = list[i];
      const long long row = v.row == static_cast<std::size_t>(-1) ? -1 : static_cast<long long>(v.row);
      if (json) {
        std::printf("%s{\"frame\": %zu, \"body\": %zu, \"row\": %lld, \"excess\": %.9g, \"text\": %s}", i ? ", " : "",
                    v.frame, v.body, row, v.excess, quoted(v.text).c_str());
      } else {
        std::printf("  frame %zu body %zu row %lld: %s\n", v.frame, v.body, row, v.text.c_str());
      }
    }
    if (json) std::printf("]}");
  }
  if (json) std::printf("}, \"counts\": {");
  separator = "";
  for (const auto& [name, count] : f.counts) {
    if (json) {
      std::printf("%s%s: %zu", separator, quoted(name).c_str(), count);
    } else {
      std::printf("%s: %zu\n", name.c_str(), count);
    }
    separator = ", ";
  }
  if (json) std::printf("}, \"statistics\": {");
  separator = "";
  for (auto& [name, values] : f.statistics) {
    std::sort(values.begin(), values.end());
    const double q[] = {values.front(),         quantile(values, 0.05), quantile(values, 0.5),
                        quantile(values, 0.95), quantile(values, 0.99), values.back()};
    if (json) {
      std::printf("%s%s: [%zu, %.6g, %.6g, %.6g, %.6g, %.6g, %.6g]", separator, quoted(name).c_str(), values.size(), q[0],
                  q[1], q[2], q[3], q[4], q[5]);
    } else {
      std::printf("%s: n %zu, least %.4g, 5%% %.4g, median %.4g, 95%% %.4g, 99%% %.4g, most %.4g\n", name.c_str(),
                  values.size(), q[0], q[1], q[2], q[3], q[4], q[5]);
    }
    separator = ", ";
  }
  if (json) std::printf("}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  bool json = false;
  long frame = -1;
  std::size_t worst = 5;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--self-test") return oracle::self_test();
    if (word == "--json") {
      json = true;
    } else if (word == "--frame" && i + 1 < argc) {
      frame = std::atol(argv[++i]);
    } else if (word == "--worst" && i + 1 < argc) {
      worst = static_cast<std::size_t>(std::atol(argv[++i]));
    } else {
      files.push_back(word);
    }
  }
  if (files.size() != 2) {
    std::fprintf(stderr, "usage: terrain_oracle SCENE.h5 CONTACTS.h5 [--frame F] [--json] [--worst N]\n");
    return 2;
  }
  try {
    const oracle::SceneFile scene = oracle::read_scene(files[0]);
    const oracle::ContactFile contacts = oracle::read_contacts(files[1]);
    oracle::Findings findings = oracle::check_order(scene, contacts);
    const bool offsets_hold = findings.violations.empty() || findings.violations[0].category != "OFFSETS";
    if (offsets_hold) {
      for (std::size_t f = 0; f < scene.frames; ++f) {
        if (frame >= 0 && static_cast<std::size_t>(frame) != f) continue;
        findings.add(oracle::check_frame(scene, contacts, f, std::thread::hardware_concurrency()));
      }
    }
    report(findings, json, worst);
    return findings.violations.empty() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
