// mesh_oracle SCENE.h5 CONTACTS.h5 [--margin M] [--json] [--worst N]: judges the contacts of bodies with triangle
// meshes. mesh_oracle --self-test: judges the judge. Exit status 0: everything holds; 1: something does not; 2: the
// files cannot be read.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "mesh_checks.hpp"
#include "report.hpp"
#include "self_test.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> files;
  bool json = false;
  std::size_t worst = 5;
  double margin = 0.0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--self-test") return oracle::mesh_self_test();
    if (word == "--json") {
      json = true;
    } else if (word == "--margin" && i + 1 < argc) {
      margin = std::atof(argv[++i]);
    } else if (word == "--worst" && i + 1 < argc) {
      worst = static_cast<std::size_t>(std::atol(argv[++i]));
    } else {
      files.push_back(word);
    }
  }
  if (files.size() != 2) {
    std::fprintf(stderr, "usage: mesh_oracle SCENE.h5 CONTACTS.h5 [--margin M] [--json] [--worst N]\n");
    return 2;
  }
  try {
    const oracle::SceneFile scene = oracle::read_scene(files[0]);
    const oracle::ContactFile contacts = oracle::read_contacts(files[1]);
    oracle::Findings findings = oracle::check_order(scene, contacts);
    if (findings.violations.empty() || findings.violations[0].category != "OFFSETS")
      for (std::size_t f = 0; f < scene.frames; ++f)
        findings.add(oracle::check_meshes(scene, contacts, f, margin, std::thread::hardware_concurrency()));
    oracle::report(findings, json, worst);
    return findings.violations.empty() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
