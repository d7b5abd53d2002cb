// Exclusive prefix sum of uints: out[i] = in[0] + ... + in[i-1], out[n] = the sum of all.
//
//   in      |  chunk 0  |  chunk 1  | ... |   one chunk a work-group
//   sums    |     s0    |     s1    | ... |   1. scan_sums_*: the sum of each chunk
//   out     |  0 a a+b  | s0 ...    | ... |   2. scan_chunks_*: each chunk again, from the sum of all before it on
//
// Two launches for any n, the second one alone where there is one chunk. Each group adds up the sums before its own by
// itself: there are few chunks, and to wait for a group that does it for all takes longer. Of few elements each group
// of work-items adds up all before its chunk: that is done sooner than another launch, and there is one alone.
// *_serial: work-groups of one work-item that walks its chunk, for CPUs. *_group: work-groups of a power of two of
// work-items, tile by tile through local memory, for GPUs. -DSERIAL=1 and 0 compile the ones or the others alone. Sums
// are 64 bits wide, and so is the total; out is SCAN wide (uint: the low 32 bits). Integer sums: the result does not
// depend on the split. Host: host/primitives/exclusive_scan.cpp.
#include "shared/limits.h"

#ifndef SCAN
#define SCAN uint
#endif

// One array, or two of the same length at once, each with `chunks` groups: the group's array, chunk and first sum.
#define ARRAY (get_group_id(0) / chunks)
#define CHUNK (get_group_id(0) % chunks)
#define OF_ARRAY(first, second) (ARRAY == 0 ? (first) : (second))

#if !defined(SERIAL) || SERIAL
// ---------------------------------------------------------------- one work-item a chunk

__kernel void scan_sums_serial(__global const uint* in_1, __global const uint* in_2, ulong n, ulong chunk, uint chunks,
                               __global ulong* sums) {
  __global const uint* in = OF_ARRAY(in_1, in_2);
  const ulong begin = (ulong)CHUNK * chunk;
  const ulong end = min(begin + chunk, n);
  ulong sum = 0;
  for (ulong i = begin; i < end; ++i) sum += in[i];
  sums[get_group_id(0)] = sum;
}

__kernel void scan_chunks_serial(__global const uint* in_1, __global const uint* in_2, ulong n, ulong chunk,
                                 uint chunks, __global const ulong* sums, __global SCAN* out_1, __global SCAN* out_2,
                                 __global ulong* total) {
  __global const uint* in = OF_ARRAY(in_1, in_2);
  __global SCAN* out = OF_ARRAY(out_1, out_2);
  const ulong begin = (ulong)CHUNK * chunk;
  const ulong end = min(begin + chunk, n);
  ulong sum = 0;
  for (uint k = ARRAY * chunks; k < get_group_id(0); ++k) sum += sums[k];
  for (ulong i = begin; i < end; ++i) {
    out[i] = (SCAN)sum;
    sum += in[i];
  }
  if (end < n) return;
  out[n] = (SCAN)sum;
  total[ARRAY] = sum;
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

__kernel void scan_sums_group(__global const uint* in_1, __global const uint* in_2, ulong n, ulong chunk, uint chunks,
                              __global ulong* sums, __local ulong* partial) {
  __global const uint* in = OF_ARRAY(in_1, in_2);
  const ulong begin = (ulong)CHUNK * chunk;
  const ulong end = min(begin + chunk, n);
  ulong own = 0;
  for (ulong i = begin + get_local_id(0); i < end; i += get_local_size(0)) own += in[i];
  const ulong sum = sum_in_group(own, partial);
  if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
}

// `has_sums`: scan_sums_group was there before.
__kernel void scan_chunks_group(__global const uint* in_1, __global const uint* in_2, ulong n, ulong chunk, uint chunks,
                                uint has_sums, __global const ulong* sums, __global SCAN* out_1, __global SCAN* out_2,
                                __global ulong* total, __local ulong* partial) {
  __global const uint* in = OF_ARRAY(in_1, in_2);
  __global SCAN* out = OF_ARRAY(out_1, out_2);
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const ulong begin = (ulong)CHUNK * chunk;
  const ulong end = min(begin + chunk, n);
  ulong carry = 0;
  if (has_sums != 0u)
    for (uint k = ARRAY * chunks + item; k < get_group_id(0); k += items) carry += sums[k];
  else
    for (ulong k = item; k < begin; k += items) carry += in[k];
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
  total[ARRAY] = carry;
}

#endif
