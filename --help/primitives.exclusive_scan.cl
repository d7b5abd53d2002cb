#pragma OPENCL FP_CONTRACT OFF
#line 1 "kernels/primitives/exclusive_scan.cl"
// Exclusive prefix sum of uints: out[i] = in[0] + ... + in[i-1], out[n] = the sum of all.
//
//   in      |  chunk 0  |  chunk 1  | ... |   one chunk a work-group
//   sums    |     s0    |     s1    | ... |   1. scan_sums_*: the sum of each chunk
//   out     |  0 a a+b  | s0 ...    | ... |   2. scan_chunks_*: each chunk again, from the sum of all before it on
//
// Two launches for any n, the second one alone where there is one chunk. Each group adds up the sums before its own by
// itself: there are few chunks, and to wait for a group that does it for all takes longer. *_serial: work-groups of one
// work-item that walks its chunk, for CPUs. *_group: work-groups of a power of two of work-items, tile by tile through
// local memory, for GPUs. -DSERIAL=1 and 0 compile the ones or the others alone. Sums are 64 bits wide, and so is the
// total; out is SCAN wide (uint: the low 32 bits). Integer sums: the result does not depend on the split. Host:
// host/primitives/exclusive_scan.cpp.
#line 1 "kernels/shared/limits.h"
// Numbers that kernels and host both count with. Includable from C++ and from OpenCL C.
#ifndef OCLIDE_SHARED_LIMITS_H
#define OCLIDE_SHARED_LIMITS_H

// Work-items of a group that one work-group kernels are launched with, at most.
#define LONE_GROUP 64
#define TERRAIN_GROUP 256  // at most, of a narrow-phase kernel of bodies against terrain, on a GPU

// The tree over the boxes of bodies: kernels/broad_phase/body_tree.clh.
#define GROUP_WIDTH 8u          // boxes of a group
#define GROUP_FLOATS 64u        // numbers of a group
#define LEAF_SPHERE_FLOATS 16u  // numbers of a group of leaves that are not boxes
#define SHAPE_BITS 4u           // of the word that has a leaf's shape and the number of its move
#define MAX_LEVELS 11           // of a tree over 2^31 bodies

// Terrain.
#define BOUNDS_SHIFT 2    // level 1 of the pyramid covers 4 x 4 cells, each further level 4 x 4 of the level below
#define RANGE_BODIES 16u  // bodies of a work-item of broad_phase/terrain_range.cl
#define CHUNK_SITES 64u   // sites of a chunk of broad_phase/terrain_candidates.cl

// Primitives.
#define TILE_ITEMS 4         // elements that a work-item takes of a tile
#define SERIAL_DIGIT_BITS 8  // of a digit of radix_sort.cl, where one work-item sorts a chunk
#define GROUP_DIGIT_BITS 4   // where a work-group does

// Compound bodies: numbers of a part's pose in its body, its position and a unit quaternion w, x, y, z.
#define LOCAL_POSE_NUMBERS 7u

#endif

#line 14 "kernels/primitives/exclusive_scan.cl"

#ifndef SCAN
#define SCAN uint
#endif

#if !defined(SERIAL) || SERIAL
// ---------------------------------------------------------------- one work-item a chunk

__kernel void scan_sums_serial(__global const uint* in, ulong n, ulong chunk, __global ulong* sums) {
  const ulong begin = (ulong)get_group_id(0) * chunk;
  const ulong end = min(begin + chunk, n);
  ulong sum = 0;
  for (ulong i = begin; i < end; ++i) sum += in[i];
  sums[get_group_id(0)] = sum;
}

__kernel void scan_chunks_serial(__global const uint* in, ulong n, ulong chunk, __global const ulong* sums,
                                 __global SCAN* out, __global ulong* total) {
  const ulong begin = (ulong)get_group_id(0) * chunk;
  const ulong end = min(begin + chunk, n);
  ulong sum = 0;
  for (uint k = 0; k < get_group_id(0); ++k) sum += sums[k];
  for (ulong i = begin; i < end; ++i) {
    out[i] = (SCAN)sum;
    sum += in[i];
  }
  if (end < n) return;
  out[n] = (SCAN)sum;
  total[0] = sum;
}

#endif
#if !defined(SERIAL) || !SERIAL
// ---------------------------------------------------------------- one work-group a chunk

// The sum of one number of each work-item of the group, to be reached by all.
ulong sum_in_group(ulong own, __local ulong* partial) {
  const uint item = get_local_id(0);
  partial[item] = own;
  for (uint width = get_local_size(0) / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width) partial[item] += partial[item + width];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const ulong sum = partial[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return sum;
}

__kernel void scan_sums_group(__global const uint* in, ulong n, ulong chunk, __global ulong* sums,
                              __local ulong* partial) {
  const ulong begin = (ulong)get_group_id(0) * chunk;
  const ulong end = min(begin + chunk, n);
  ulong own = 0;
  for (ulong i = begin + get_local_id(0); i < end; i += get_local_size(0)) own += in[i];
  const ulong sum = sum_in_group(own, partial);
  if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
}

__kernel void scan_chunks_group(__global const uint* in, ulong n, ulong chunk, __global const ulong* sums,
                                __global SCAN* out, __global ulong* total, __local ulong* partial) {
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const ulong begin = (ulong)get_group_id(0) * chunk;
  const ulong end = min(begin + chunk, n);
  ulong carry = 0;
  for (uint k = item; k < get_group_id(0); k += items) carry += sums[k];
  carry = sum_in_group(carry, partial);
  for (ulong tile = begin; tile < end; tile += items * TILE_ITEMS) {
    const ulong first = tile + item * TILE_ITEMS;
    uint value[TILE_ITEMS];
    ulong own = 0;
    for (uint k = 0; k < TILE_ITEMS; ++k) {
      value[k] = first + k < end ? in[first + k] : 0;
      own += value[k];
    }

    // Inclusive scan of the work-items' sums.
    partial[item] = own;
    for (uint distance = 1; distance < items; distance *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const ulong before = item >= distance ? partial[item - distance] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      partial[item] += before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    ulong sum = carry + partial[item] - own;
    for (uint k = 0; k < TILE_ITEMS; ++k) {
      if (first + k < end) out[first + k] = (SCAN)sum;
      sum += value[k];
    }
    carry += partial[items - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (end < n || item != 0) return;
  out[n] = (SCAN)carry;
  total[0] = carry;
}

#endif

