// terrain_oracle SCENE.h5 CONTACTS.h5 [--frame F] [--json] [--worst N]: judges the terrain contacts of a file.
// terrain_oracle --self-test: judges the judge.
// Exit status 0: everything holds; 1: something does not; 2: the files cannot be read.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "checks.hpp"
#include "report.hpp"
#include "self_test.hpp"

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
    oracle::report(findings, json, worst);
    return findings.violations.empty() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
