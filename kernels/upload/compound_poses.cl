// Poses that an application has on the device, made those of the pipeline, in a scene with compound bodies: as
// resident_poses.cl, but that the pipeline's bodies are the shapes of the application's.
//
//   body at p, q; shape at t, r in its axes:    p + q t, q r
//
// The host works this out in double precision (host/upload/compound_bodies.cpp), and so does this, in integers: the
// same operations in the same order, to the last bit. Host: host/resident/resident_poses.cpp.
#include "shared/limits.h"
#include "shared/poses.h"
#include "upload/resident_pose.clh"
#pragma OPENCL FP_CONTRACT OFF

#define ONE 0x3FF0000000000000ul

// sum += a * b, or -= where `less`; the first summand where `first`.
void add_product(bool first, bool less, const Double* a, const Double* b, Double* sum) {
  Double product;
  double_multiply(a, b, &product);
  if (less) product.sign ^= 0x80000000u;
  if (first)
    *sum = product;
  else
    double_add(sum, &product, sum);
}

// a times b, w x y z: product[k] is the sum of +-a[j] * b[j ^ k]; of four bits for each k, those of the differences.
void multiply_quaternions(const Double* a, const Double* b, Double* product) {
  const uint less = 0x428Eu;
  for (uint k = 0u; k < 4u; ++k)
    for (uint j = 0u; j < 4u; ++j)
      add_product(j == 0u, (less >> (4u * k + j) & 1u) != 0u, a + j, b + (j ^ k), product + k);
}

void double_cross(const Double* a, const Double* b, Double* product) {
  for (uint k = 0u; k < 3u; ++k) {
    const uint i = (k + 1u) % 3u, j = (k + 2u) % 3u;
    add_product(true, false, a + i, b + j, product + k);
    add_product(false, true, a + j, b + i, product + k);
  }
}

// v turned by q of squared length `length2`: v + 2 (w (u x v) + u x (u x v)) / length2, u the vector part.
void turn_vector(const Double* q, const Double* length2, const Double* v, Double* turned) {
  Double across[3], back[3];
  double_cross(q + 1, v, across);
  double_cross(q + 1, across, back);
  for (uint a = 0u; a < 3u; ++a) {
    Double part;
    double_multiply(q, across + a, &part);
    double_add(&part, back + a, &part);
    part.e += 1;
    double_divide(&part, length2, &part);
    double_add(v + a, &part, turned + a);
  }
}

// One work-item a shape. body_of: its body; local_of: which of local_poses it has in the body's axes, 0 for a body that
// is one shape. centres: its position as a double; offsets: of its centre from the body's position, rounded, in axes of
// the world. All else is as in resident_poses.cl.
__kernel void upload_compound_poses(const uint count, __global const float* given_position,
                                    __global const float* given_low, const uint has_low,
                                    __global const float* given_orientation, __global const uint* slots,
                                    const uint step, const uint is_sorted, __global const float* sorted_at,
                                    const float cell, __global PoseRecord* poses, __global float* sample,
                                    const uint turn, __global uint* states, __global const uint* body_of,
                                    __global const uint* local_of, __global const ulong* local_poses,
                                    __global ulong* centres, __global float* offsets) {
  const uint shape = (uint)get_global_id(0);
  if (shape >= count) return;
  __global uint* status = state_of_turn(states, turn, shape);
  const uint body = body_of[shape], own_pose = local_of[shape];
  GivenPose given;
  SplitPose pose;
  read_pose(body, given_position, given_low, has_low, given_orientation, &given, status);
  const bool turns = split_pose(&given, slots[shape] == SLOT_HALF_SPACE, &pose);
  if (!turns) atomic_min(status + RESIDENT_BAD_ORIENTATION, body);

  Double centre[3];
  for (uint a = 0u; a < 3u; ++a) {
    Double low;
    double_of_float(given.high[a], centre + a);
    double_of_float(given.low[a], &low);
    if (has_low != 0u) double_add(centre + a, &low, centre + a);
    offsets[3u * shape + a] = 0.0f;
  }
  if (own_pose != 0u && turns) {
    Double q[4], length2;
    for (uint a = 0u; a < 4u; ++a) double_of_float(given.orientation[a], q + a);
    double_squared_length(q, &length2);
    __global const ulong* numbers = local_poses + (ulong)LOCAL_POSE_NUMBERS * own_pose;
    {
      Double at[3], offset[3];
      for (uint a = 0u; a < 3u; ++a) double_of_bits(numbers[a], at + a);
      turn_vector(q, &length2, at, offset);
      for (uint a = 0u; a < 3u; ++a) {
        Double from = centre[a];
        from.sign ^= 0x80000000u;
        double_add(centre + a, offset + a, centre + a);
        split_double(centre + a, &pose.high[a], &pose.low[a]);
        double_add(centre + a, &from, &from);
        offsets[3u * shape + a] = float_of_double(&from);
      }
    }
    Double turn[4];
    for (uint a = 0u; a < 4u; ++a) double_of_bits(numbers[3u + a], turn + a);
    // A shape that is not turned in the body's axes has the body's own orientation.
    if (numbers[3] != ONE || (turn[1].m | turn[2].m | turn[3].m) != 0ul) {
      Double both[4];
      multiply_quaternions(q, turn, both);
      double_squared_length(both, &length2);
      unit_of_doubles(both, &length2, pose.orientation);
    }
  }
  for (uint a = 0u; a < 3u; ++a) centres[3u * shape + a] = bits_of_double(centre + a);
  write_pose(shape, &pose, turns, step, is_sorted, sorted_at, cell, poses, sample, status);
}
