// Contact files.
#include "files/contact_file.hpp"
#include "fuzz/hdf5_changes.hpp"
#include "fuzz/refused_or_taken.hpp"

namespace oclide {
namespace {

constexpr std::array kDatasets{
    "/frame_offset",     "/contacts/body_a",   "/contacts/body_b",  "/contacts/point",       "/contacts/normal",
    "/contacts/depth",   "/contacts/manifold", "/contacts/feature", "/contacts/material",    "/contacts/shape_a",
    "/contacts/shape_b", "/contacts/element",  "/contacts",         "/impacts/frame_offset", "/impacts/body_a",
    "/impacts/body_b",   "/impacts/time",      "/impacts/point",    "/impacts/normal",       "/impacts/feature",
    "/impacts/material", "/impacts/element",   "/impacts/shape_a",  "/impacts/shape_b",      "/impacts"};
constexpr std::array kAttributes{test::AttributeName{"/", "format"}, test::AttributeName{"/", "version"},
                                 test::AttributeName{"/", "device"}, test::AttributeName{"/", "scene"}};

void write_contacts(const std::string& file) {
  ContactWriter writer(file, "a device", "scene.h5");
  writer.with_shapes();
  writer.with_elements();
  writer.with_impacts();
  for (std::size_t f = 0; f < 3; ++f) {
    writer.append(std::vector<Contact>(2 * f));
    writer.append_impacts(std::vector<Impact>(f));
  }
  writer.finish();
}

}  // namespace
}  // namespace oclide

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace oclide;
  FuzzedDataProvider data(bytes, count);
  const std::string file = test::changed_file(write_contacts, data, kDatasets, kAttributes);
  test::refused_or_taken(file, [&] {
    const ContactReader reader(file);
    std::vector<Contact> contacts;
    std::vector<Impact> impacts;
    std::uint64_t all = 0, all_impacts = 0;
    for (std::size_t f = 0; f < reader.frames(); ++f) {
      reader.read_frame(f, contacts);
      all += contacts.size();
      reader.read_impacts(f, impacts);
      all_impacts += impacts.size();
    }
    test::require(all == reader.contacts(), "as many contacts as the file says");
    test::require(all_impacts == reader.impacts(), "as many impacts as the file says");
  });
  return 0;
}
