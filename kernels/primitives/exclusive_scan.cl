// Exclusive prefix sum of uints: out[i] = in[0] + ... + in[i-1], out[n] = the sum of all.
//
//   in      |  chunk 0  |  chunk 1  | ... |      one chunk a work-group
//   sums    |     s0    |     s1    | ... |      1. scan_sums_*: the sum of each chunk
//           |     0     |     s0    | s0+s1 |    2. scan_totals_*: one work-group scans the sums, writes the total
//   out     |  0 a a+b  | s0 ...    | ... |      3. scan_chunks_*: each chunk again, from its sum on
//
// Three launches for any n, the last one alone where there is one chunk. *_serial: work-groups of one work-item that
// walks its chunk, for CPUs. *_group: work-groups of a power of two of work-items, tile by tile through local memory,
// for GPUs. -DSERIAL=1 and 0 compile the ones or the others alone. Sums are 64 bits wide, and so is the total; out is
// SCAN wide (uint: the low 32 bits). Integer sums: the result does not depend on the split. Host:
// host/primitives/exclusive_scan.cpp.
#include "shared/limits.h"

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

__kernel void scan_totals_serial(__global ulong* sums, uint chunks, __global SCAN* out, ulong n,
                                 __global ulong* total) {
  ulong sum = 0;
  for (uint i = 0; i < chunks; ++i) {
    const ulong own = sums[i];
    sums[i] = sum;
    sum += own;
  }
  out[n] = (SCAN)sum;
  total[0] = sum;
}

// `alone`: there is one chunk, and no sums.
__kernel void scan_chunks_serial(__global const uint* in, ulong n, ulong chunk, __global const ulong* sums,
                                 __global SCAN* out, uint alone, __global ulong* total) {
  const ulong begin = (ulong)get_group_id(0) * chunk;
  const ulong end = min(begin + chunk, n);
  ulong sum = alone != 0 ? 0 : sums[get_group_id(0)];
  for (ulong i = begin; i < end; ++i) {
    out[i] = (SCAN)sum;
    sum += in[i];
  }
  if (alone == 0) return;
  out[n] = (SCAN)sum;
  total[0] = sum;
}

#endif
#if !defined(SERIAL) || !SERIAL
// ---------------------------------------------------------------- one work-group a chunk

__kernel void scan_sums_group(__global const uint* in, ulong n, ulong chunk, __global ulong* sums,
                              __local ulong* partial) {
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const ulong begin = (ulong)get_group_id(0) * chunk;
  const ulong end = min(begin + chunk, n);
  ulong sum = 0;
  for (ulong i = begin + item; i < end; i += items) sum += in[i];

  partial[item] = sum;
  for (uint width = items / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < width) partial[item] += partial[item + width];
  }
  if (item == 0) sums[get_group_id(0)] = partial[0];
}

__kernel void scan_totals_group(__global ulong* sums, uint chunks, __global SCAN* out, ulong n, __global ulong* total,
                                __local ulong* partial) {
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  ulong carry = 0;
  for (uint tile = 0; tile < chunks; tile += items) {
    const ulong own = tile + item < chunks ? sums[tile + item] : 0;
    partial[item] = own;
    for (uint distance = 1; distance < items; distance *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const ulong before = item >= distance ? partial[item - distance] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      partial[item] += before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tile + item < chunks) sums[tile + item] = carry + partial[item] - own;
    carry += partial[items - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) {
    out[n] = (SCAN)carry;
    total[0] = carry;
  }
}

// `alone`: there is one chunk, and no sums.
__kernel void scan_chunks_group(__global const uint* in, ulong n, ulong chunk, __global const ulong* sums,
                                __global SCAN* out, uint alone, __global ulong* total, __local ulong* partial) {
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const ulong begin = (ulong)get_group_id(0) * chunk;
  const ulong end = min(begin + chunk, n);
  ulong carry = alone != 0 ? 0 : sums[get_group_id(0)];
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
  if (alone == 0 || item != 0) return;
  out[n] = (SCAN)carry;
  total[0] = carry;
}

#endif
