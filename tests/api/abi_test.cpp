// Records that host and device both see have the same size and offsets on either side.
#include "shared/abi.h"

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "opencl/buffer.hpp"
#include "opencl/device.hpp"
#include "opencl/first_device.hpp"
#include "opencl/launch.hpp"
#include "support/on_each_device.hpp"

namespace oclide::test {
namespace {

struct Field {
  const char* record;
  const char* name;
  std::size_t offset, size;
};
#define OCLIDE_FIELD(Record, field) \
  { #Record, #field, offsetof(Record, field), sizeof(Record::field) }

const std::vector<Field> kFields{
    OCLIDE_FIELD(TerrainRecord, vertex_offset),
    OCLIDE_FIELD(TerrainRecord, low_offset),
    OCLIDE_FIELD(TerrainRecord, cell_offset),
    OCLIDE_FIELD(TerrainRecord, material_offset),
    OCLIDE_FIELD(TerrainRecord, bounds_offset),
    OCLIDE_FIELD(TerrainRecord, face_name_offset),
    OCLIDE_FIELD(TerrainRecord, rows),
    OCLIDE_FIELD(TerrainRecord, cols),
    OCLIDE_FIELD(TerrainRecord, origin_x_hi),
    OCLIDE_FIELD(TerrainRecord, origin_x_lo),
    OCLIDE_FIELD(TerrainRecord, origin_y_hi),
    OCLIDE_FIELD(TerrainRecord, origin_y_lo),
    OCLIDE_FIELD(TerrainRecord, spacing_x_hi),
    OCLIDE_FIELD(TerrainRecord, spacing_x_lo),
    OCLIDE_FIELD(TerrainRecord, spacing_y_hi),
    OCLIDE_FIELD(TerrainRecord, spacing_y_lo),
    OCLIDE_FIELD(TerrainRecord, cells_x_hi),
    OCLIDE_FIELD(TerrainRecord, cells_x_lo),
    OCLIDE_FIELD(TerrainRecord, cells_y_hi),
    OCLIDE_FIELD(TerrainRecord, cells_y_lo),
    OCLIDE_FIELD(TerrainRecord, has_low),
    OCLIDE_FIELD(TerrainRecord, has_material),
    OCLIDE_FIELD(TerrainRecord, has_open),
    OCLIDE_FIELD(TerrainRecord, turned),
    OCLIDE_FIELD(TerrainRecord, rising),
    OCLIDE_FIELD(TerrainRecord, unused),
    OCLIDE_FIELD(RayRecord, origin_high),
    OCLIDE_FIELD(RayRecord, origin_low),
    OCLIDE_FIELD(RayRecord, direction_high),
    OCLIDE_FIELD(RayRecord, direction_low),
    OCLIDE_FIELD(RayRecord, length),
    OCLIDE_FIELD(RayRecord, terrain),
    OCLIDE_FIELD(RayRecord, environment),
    OCLIDE_FIELD(RayRecord, mask),
    OCLIDE_FIELD(PlaneRecord, axis_high),
    OCLIDE_FIELD(PlaneRecord, axis_low),
    OCLIDE_FIELD(HitRecord, distance_high),
    OCLIDE_FIELD(HitRecord, distance_low),
    OCLIDE_FIELD(HitRecord, body),
    OCLIDE_FIELD(HitRecord, element),
    OCLIDE_FIELD(HitRecord, normal),
    OCLIDE_FIELD(HitRecord, material),
    OCLIDE_FIELD(QueryShapeRecord, position_high),
    OCLIDE_FIELD(QueryShapeRecord, position_low),
    OCLIDE_FIELD(QueryShapeRecord, orientation),
    OCLIDE_FIELD(QueryShapeRecord, size),
    OCLIDE_FIELD(QueryShapeRecord, shape),
    OCLIDE_FIELD(QueryShapeRecord, terrain),
    OCLIDE_FIELD(QueryShapeRecord, environment),
    OCLIDE_FIELD(QueryShapeRecord, mask),
    OCLIDE_FIELD(QueryShapeRecord, group),
    OCLIDE_FIELD(QueryShapeRecord, unused),
    OCLIDE_FIELD(QueryPointRecord, position_high),
    OCLIDE_FIELD(QueryPointRecord, position_low),
    OCLIDE_FIELD(QueryPointRecord, range),
    OCLIDE_FIELD(QueryPointRecord, terrain),
    OCLIDE_FIELD(QueryPointRecord, environment),
    OCLIDE_FIELD(QueryPointRecord, mask),
    OCLIDE_FIELD(MotionRecord, displacement_high),
    OCLIDE_FIELD(MotionRecord, displacement_low),
    OCLIDE_FIELD(MotionRecord, axis),
    OCLIDE_FIELD(MotionRecord, axis_low),
    OCLIDE_FIELD(MotionRecord, angle_high),
    OCLIDE_FIELD(MotionRecord, angle_low),
    OCLIDE_FIELD(MotionRecord, arm),
    OCLIDE_FIELD(MotionRecord, unused),
    OCLIDE_FIELD(ImpactRecord, time_high),
    OCLIDE_FIELD(ImpactRecord, time_low),
    OCLIDE_FIELD(ImpactRecord, body_a),
    OCLIDE_FIELD(ImpactRecord, body_b),
    OCLIDE_FIELD(ImpactRecord, point),
    OCLIDE_FIELD(ImpactRecord, element),
    OCLIDE_FIELD(ImpactRecord, normal),
    OCLIDE_FIELD(ImpactRecord, material),
    OCLIDE_FIELD(BodyRecord, body),
    OCLIDE_FIELD(BodyRecord, terrain),
    OCLIDE_FIELD(BodyRecord, shape),
    OCLIDE_FIELD(BodyRecord, size),
    OCLIDE_FIELD(GridPose, cell_i),
    OCLIDE_FIELD(GridPose, cell_j),
    OCLIDE_FIELD(GridPose, offset_x),
    OCLIDE_FIELD(GridPose, offset_y),
    OCLIDE_FIELD(GridPose, first_i),
    OCLIDE_FIELD(GridPose, first_j),
    OCLIDE_FIELD(GridPose, count_i),
    OCLIDE_FIELD(GridPose, count_j),
    OCLIDE_FIELD(GridPose, beyond),
    OCLIDE_FIELD(GridPose, lowest),
    OCLIDE_FIELD(GridPose, flags),
    OCLIDE_FIELD(GridPose, z_high),
    OCLIDE_FIELD(GridPose, z_low),
    OCLIDE_FIELD(GridPose, orientation),
    OCLIDE_FIELD(ContactRecord, point),
    OCLIDE_FIELD(ContactRecord, normal),
    OCLIDE_FIELD(ContactRecord, depth),
    OCLIDE_FIELD(ContactRecord, feature),
    OCLIDE_FIELD(ContactRecord, material),
    OCLIDE_FIELD(ContactRecord, manifold),
    OCLIDE_FIELD(ClaimRecord, centre),
    OCLIDE_FIELD(ClaimRecord, radius),
    OCLIDE_FIELD(ClaimRecord, i),
    OCLIDE_FIELD(ClaimRecord, j),
    OCLIDE_FIELD(ClaimRecord, ground),
    OCLIDE_FIELD(ClaimRecord, body),
    OCLIDE_FIELD(ClaimRecord, flags),
    OCLIDE_FIELD(ClaimRecord, next),
    OCLIDE_FIELD(PairBody, key),
    OCLIDE_FIELD(PairBody, size),
    OCLIDE_FIELD(PairBody, shape),
    OCLIDE_FIELD(PairBody, body),
    OCLIDE_FIELD(PairBody, environment),
    OCLIDE_FIELD(PairBody, group),
    OCLIDE_FIELD(PairBody, category),
    OCLIDE_FIELD(PairBody, mask),
    OCLIDE_FIELD(PairBody, rules),
    OCLIDE_FIELD(BodyState, position_high),
    OCLIDE_FIELD(BodyState, position_low),
    OCLIDE_FIELD(BodyState, orientation),
    OCLIDE_FIELD(BodyState, size),
    OCLIDE_FIELD(BodyState, shape),
    OCLIDE_FIELD(BodyState, body),
    OCLIDE_FIELD(BodyState, record),
    OCLIDE_FIELD(PoseRecord, position_high),
    OCLIDE_FIELD(PoseRecord, position_low),
    OCLIDE_FIELD(PoseRecord, orientation),
    OCLIDE_FIELD(MovedPose, pose),
    OCLIDE_FIELD(MovedPose, body),
    OCLIDE_FIELD(PairResult, body_a),
    OCLIDE_FIELD(PairResult, body_b),
    OCLIDE_FIELD(PairResult, first),
    OCLIDE_FIELD(PairResult, count),
    OCLIDE_FIELD(PairContactRecord, point),
    OCLIDE_FIELD(PairContactRecord, normal),
    OCLIDE_FIELD(PairContactRecord, depth),
    OCLIDE_FIELD(PairContactRecord, feature),
    OCLIDE_FIELD(MeshPair, orientation),
    OCLIDE_FIELD(MeshPair, mesh_orientation),
    OCLIDE_FIELD(MeshPair, centre_high),
    OCLIDE_FIELD(MeshPair, centre_low),
    OCLIDE_FIELD(MeshPair, size),
    OCLIDE_FIELD(MeshPair, shape),
    OCLIDE_FIELD(MeshPair, lower),
    OCLIDE_FIELD(MeshPair, upper),
    OCLIDE_FIELD(MeshPair, eye),
    OCLIDE_FIELD(MeshPair, mesh),
    OCLIDE_FIELD(MeshPair, out),
    OCLIDE_FIELD(MeshPair, is_inside),
    OCLIDE_FIELD(MeshPair, nearest),
    OCLIDE_FIELD(MeshPair, body),
    OCLIDE_FIELD(MeshPair, mesh_body),
    OCLIDE_FIELD(MeshPair, margin),
    OCLIDE_FIELD(MeshTag, element),
    OCLIDE_FIELD(MeshTag, material),
    OCLIDE_FIELD(TrackedManifold, body_a),
    OCLIDE_FIELD(TrackedManifold, body_b),
    OCLIDE_FIELD(TrackedManifold, shapes),
    OCLIDE_FIELD(TrackedManifold, first),
    OCLIDE_FIELD(TrackedName, first),
    OCLIDE_FIELD(TrackedName, end),
    OCLIDE_FIELD(TrackedName, last_first),
    OCLIDE_FIELD(TrackedName, last_end),
    OCLIDE_FIELD(ManifoldChange, body_a),
    OCLIDE_FIELD(ManifoldChange, body_b),
    OCLIDE_FIELD(ManifoldChange, shapes),
    OCLIDE_FIELD(ManifoldChange, change),
    OCLIDE_FIELD(ManifoldChange, manifold),
    OCLIDE_FIELD(ManifoldChange, previous),
};

struct Record {
  const char* name;
  std::size_t size, alignment;
};
const std::vector<Record> kRecords{{"TerrainRecord", sizeof(TerrainRecord), alignof(TerrainRecord)},
                                   {"BodyRecord", sizeof(BodyRecord), alignof(BodyRecord)},
                                   {"GridPose", sizeof(GridPose), alignof(GridPose)},
                                   {"ContactRecord", sizeof(ContactRecord), alignof(ContactRecord)},
                                   {"ClaimRecord", sizeof(ClaimRecord), alignof(ClaimRecord)},
                                   {"PairBody", sizeof(PairBody), alignof(PairBody)},
                                   {"BodyState", sizeof(BodyState), alignof(BodyState)},
                                   {"PoseRecord", sizeof(PoseRecord), alignof(PoseRecord)},
                                   {"MovedPose", sizeof(MovedPose), alignof(MovedPose)},
                                   {"PairResult", sizeof(PairResult), alignof(PairResult)},
                                   {"PairContactRecord", sizeof(PairContactRecord), alignof(PairContactRecord)},
                                   {"MeshPair", sizeof(MeshPair), alignof(MeshPair)},
                                   {"MeshTag", sizeof(MeshTag), alignof(MeshTag)},
                                   {"TrackedManifold", sizeof(TrackedManifold), alignof(TrackedManifold)},
                                   {"TrackedName", sizeof(TrackedName), alignof(TrackedName)},
                                   {"ManifoldChange", sizeof(ManifoldChange), alignof(ManifoldChange)},
                                   {"RayRecord", sizeof(RayRecord), alignof(RayRecord)},
                                   {"PlaneRecord", sizeof(PlaneRecord), alignof(PlaneRecord)},
                                   {"HitRecord", sizeof(HitRecord), alignof(HitRecord)},
                                   {"QueryShapeRecord", sizeof(QueryShapeRecord), alignof(QueryShapeRecord)},
                                   {"QueryPointRecord", sizeof(QueryPointRecord), alignof(QueryPointRecord)},
                                   {"MotionRecord", sizeof(MotionRecord), alignof(MotionRecord)},
                                   {"ImpactRecord", sizeof(ImpactRecord), alignof(ImpactRecord)}};

// The text of a header in kernels, without the lines that include others.
std::string header_text(const std::string& name) {
  std::ifstream file(std::string(OCLIDE_SOURCE_DIR) + "/kernels/" + name);
  std::string text;
  for (std::string line; std::getline(file, line);)
    if (line.rfind("#include \"", 0) != 0) text += line + "\n";
  return text;
}
std::string abi_text() {
  return header_text("shared/abi.h");
}

TEST(Abi, EveryFieldIsListedHereAndRecordsHaveNoHolesBetweenThem) {
  for (const Record& r : kRecords) {
    std::size_t end = 0;
    for (const Field& f : kFields) {
      if (std::string(f.record) != r.name) continue;
      EXPECT_EQ(f.offset, end) << r.name << "::" << f.name << ": a field before it is not listed, or padding";
      end = f.offset + f.size;
    }
    const std::size_t padded = (end + r.alignment - 1) / r.alignment * r.alignment;
    EXPECT_EQ(padded, r.size) << r.name << ": a field at its end is not listed";
  }
}

TEST(Abi, EveryRecordOfTheHeaderIsListedHere) {
  const std::string text = abi_text();
  std::size_t records = 0;
  for (std::size_t at = text.find("typedef struct "); at != std::string::npos;
       at = text.find("typedef struct ", at + 1))
    ++records;
  EXPECT_EQ(records, kRecords.size());
}

class DeviceAbi : public OnOpenCl {};

TEST_F(DeviceAbi, HasTheSizesAndOffsetsOfTheHost) {
  std::string source = header_text("shared/limits.h") + header_text("shared/shapes.h") + abi_text() +
                       "\n__kernel void offsets(__global uint* out, __global const char* memory) {\n";
  std::size_t k = 0;
  std::vector<std::uint32_t> expected;
  const auto add = [&](const std::string& expression, std::size_t value) {
    source += "  out[" + std::to_string(k++) + "] = (uint)(" + expression + ");\n";
    expected.push_back(static_cast<std::uint32_t>(value));
  };
  for (const Record& r : kRecords) add("sizeof(" + std::string(r.name) + ")", r.size);
  for (const Field& f : kFields)
    add("(__global const char*)&((__global const " + std::string(f.record) + "*)memory)->" + f.name + " - memory",
        f.offset);
  source += "}\n";

  opencl::Device device(Settings{}, first_device().value());
  cl::Kernel kernel(device.build("tests/api/abi", source), "offsets");
  opencl::Buffer<std::uint32_t> out(device, "offsets", expected.size());
  opencl::Buffer<std::uint8_t> memory(device, "memory", 1024);
  opencl::launch(device, kernel, nullptr, opencl::Stage::upload, 1, 1, out, memory);
  std::vector<std::uint32_t> found(expected.size());
  out.download(found);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], expected[i]) << (i < kRecords.size() ? kRecords[i].name : kFields[i - kRecords.size()].name);
}

}  // namespace
}  // namespace oclide::test
