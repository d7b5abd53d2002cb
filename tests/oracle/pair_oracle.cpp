// pair_oracle SCENE.h5 CONTACTS.h5 [--margin M] [--frame F] [--json] [--worst N]: judges the contacts of bodies with
// bodies.
// pair_oracle --permuted CONTACTS.h5 OTHER_SCENE.h5 OTHER_CONTACTS.h5: the same bodies in another order.
// pair_oracle --self-test: judges the judge.
// Exit status 0: everything holds; 1: something does not; 2: the files cannot be read.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "pair_checks.hpp"
#include "report.hpp"
#include "self_test.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> files;
  bool json = false, permuted = false;
  long frame = -1;
  std::size_t worst = 5;
  double margin = 0.0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--self-test") return oracle::pair_self_test();
    if (word == "--json") {
      json = true;
    } else if (word == "--permuted") {
      permuted = true;
    } else if (word == "--frame" && i + 1 < argc) {
      frame = std::atol(argv[++i]);
    } else if (word == "--margin" && i + 1 < argc) {
      margin = std::atof(argv[++i]);
    } else if (word == "--worst" && i + 1 < argc) {
      worst = static_cast<std::size_t>(std::atol(argv[++i]));
    } else {
      files.push_back(word);
    }
  }
  if (files.size() != (permuted ? 3U : 2U)) {
    std::fprintf(stderr,
                 "usage: pair_oracle SCENE.h5 CONTACTS.h5 [--margin M] [--frame F] [--json] [--worst N]\n"
                 "       pair_oracle --permuted CONTACTS.h5 OTHER_SCENE.h5 OTHER_CONTACTS.h5\n");
    return 2;
  }
  try {
    oracle::Findings findings;
    if (permuted) {
      findings = oracle::check_permuted(oracle::read_contacts(files[0]), oracle::read_scene(files[1]),
                                        oracle::read_contacts(files[2]));
    } else {
      const oracle::SceneFile scene = oracle::read_scene(files[0]);
      const oracle::ContactFile contacts = oracle::read_contacts(files[1]);
      findings = oracle::check_order(scene, contacts);
      const bool offsets_hold = findings.violations.empty() || findings.violations[0].category != "OFFSETS";
      if (offsets_hold) {
        for (std::size_t f = 0; f < scene.frames; ++f) {
          if (frame >= 0 && static_cast<std::size_t>(frame) != f) continue;
          findings.add(oracle::check_pairs(scene, contacts, f, margin, std::thread::hardware_concurrency()));
        }
        if (scene.stable) findings.add(oracle::check_same_features(scene, contacts));
      }
    }
    oracle::report(findings, json, worst);
    return findings.violations.empty() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
