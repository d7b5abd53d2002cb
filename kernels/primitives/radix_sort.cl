// One pass of a stable radix sort of (key, value), by the digit (key >> shift) & mask, least significant digit first.
//
//   keys     |   chunk 0   |   chunk 1   | ...        one chunk a work-group
//   counts   | 0: c0 c1 .. | 1: c0 c1 .. | ...        1. radix_count_*: how often each digit stands in each chunk
//   offsets  exclusive scan of counts                 2. (exclusive_scan.cl) where each chunk's first key of a digit
//   goes keys     |  all 0  |  all 1  | ...                3. radix_scatter_*: each chunk in order, digit by digit
//
// counts[digit * chunks + chunk]. *_serial: work-groups of one work-item, for CPUs, any number of digits up to 256.
// *_group: work-groups of a power of two of work-items, for GPUs, DIGITS digits. -DSERIAL=1 and 0 compile the ones or
// the others alone. All counts are exact, every key's index follows from the keys alone, and so the result is the same
// from any split. Host: host/primitives/radix_sort.cpp.
#include "shared/limits.h"

#ifndef KEY
#define KEY uint
#endif

#define SERIAL_DIGITS (1 << SERIAL_DIGIT_BITS)
#define DIGITS (1 << GROUP_DIGIT_BITS)

#if !defined(SERIAL) || SERIAL
// ---------------------------------------------------------------- one work-item a chunk

__kernel void radix_count_serial(__global const KEY* keys, uint n, uint chunk, uint chunks, uint shift, uint mask,
                                 __global uint* counts) {
  const uint group = get_group_id(0);
  const uint begin = group * chunk;
  const uint end = begin + min(chunk, n - begin);
  uint count[SERIAL_DIGITS];
  for (uint digit = 0; digit <= mask; ++digit) count[digit] = 0;
  for (uint i = begin; i < end; ++i) count[(uint)(keys[i] >> shift) & mask] += 1;
  for (uint digit = 0; digit <= mask; ++digit) counts[digit * chunks + group] = count[digit];
}

__kernel void radix_scatter_serial(__global const KEY* keys, __global const uint* values, uint n, uint chunk,
                                   uint chunks, uint shift, uint mask, __global const uint* offsets,
                                   __global KEY* sorted_keys, __global uint* sorted_values) {
  const uint group = get_group_id(0);
  const uint begin = group * chunk;
  const uint end = begin + min(chunk, n - begin);
  uint next[SERIAL_DIGITS];
  for (uint digit = 0; digit <= mask; ++digit) next[digit] = offsets[digit * chunks + group];
  for (uint i = begin; i < end; ++i) {
    const KEY key = keys[i];
    const uint to = next[(uint)(key >> shift) & mask]++;
    sorted_keys[to] = key;
    sorted_values[to] = values[i];
  }
}

#endif
#if !defined(SERIAL) || !SERIAL
// ---------------------------------------------------------------- one work-group a chunk

// count: DIGITS entries a work-item.
__kernel void radix_count_group(__global const KEY* keys, uint n, uint chunk, uint chunks, uint shift, uint mask,
                                __global uint* counts, __local uint* count) {
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const uint group = get_group_id(0);
  const uint begin = group * chunk;
  const uint left = min(chunk, n - begin);  // keys of this chunk
  for (uint digit = 0; digit < DIGITS; ++digit) count[digit * items + item] = 0;
  for (uint i = item; i < left; i += items) count[((uint)(keys[begin + i] >> shift) & mask) * items + item] += 1;

  // Sum over the work-items, all digits side by side.
  for (uint width = items / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = item; k < DIGITS * width; k += items) {
      const uint at = k / width * items + k % width;
      count[at] += count[at + width];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint digit = item; digit < DIGITS; digit += items) counts[digit * chunks + group] = count[digit * items];
}

// count: DIGITS entries a work-item; partial: one a work-item; next: DIGITS, where the tile's keys of a digit go.
__kernel void radix_scatter_group(__global const KEY* keys, __global const uint* values, uint n, uint chunk,
                                  uint chunks, uint shift, uint mask, __global const uint* offsets,
                                  __global KEY* sorted_keys, __global uint* sorted_values, __local uint* count,
                                  __local uint* partial, __local uint* next) {
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const uint group = get_group_id(0);
  const uint begin = group * chunk;
  const uint left = min(chunk, n - begin);  // keys of this chunk
  for (uint digit = item; digit < DIGITS; digit += items) next[digit] = offsets[digit * chunks + group];

  for (uint tile = 0; tile < left; tile += items * TILE_ITEMS) {
    // Each work-item counts the digits of its own keys; they stand in order, item after item.
    for (uint digit = 0; digit < DIGITS; ++digit) count[digit * items + item] = 0;
    const uint first = tile + item * TILE_ITEMS;
    KEY key[TILE_ITEMS];
    uint rank[TILE_ITEMS];  // among the item's own keys of the same digit
    for (uint k = 0; k < TILE_ITEMS; ++k) {
      if (first + k < left) {
        key[k] = keys[begin + first + k];
        const uint at = ((uint)(key[k] >> shift) & mask) * items + item;
        rank[k] = count[at];
        count[at] = rank[k] + 1;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Exclusive scan of all counts, digit by digit and then item by item; DIGITS consecutive entries a work-item.
    uint own = 0;
    for (uint k = 0; k < DIGITS; ++k) own += count[item * DIGITS + k];
    partial[item] = own;
    for (uint distance = 1; distance < items; distance *= 2) {
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint before = item >= distance ? partial[item - distance] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      partial[item] += before;
    }
    uint sum = partial[item] - own;
    for (uint k = 0; k < DIGITS; ++k) {
      const uint at = item * DIGITS + k;
      const uint value = count[at];
      count[at] = sum;
      sum += value;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // A key goes to where its digit continues, plus its rank within the tile and digit.
    for (uint k = 0; k < TILE_ITEMS; ++k) {
      if (first + k < left) {
        const uint digit = (uint)(key[k] >> shift) & mask;
        const uint to = next[digit] + (count[digit * items + item] - count[digit * items]) + rank[k];
        sorted_keys[to] = key[k];
        sorted_values[to] = values[begin + first + k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint digit = item; digit < DIGITS; digit += items) {
      const uint end = digit + 1 < DIGITS ? count[(digit + 1) * items] : min(left - tile, items * TILE_ITEMS);
      next[digit] += end - count[digit * items];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

#endif
