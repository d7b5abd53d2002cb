// Exclusive prefix sum of uints: out[i] = in[0] + ... + in[i-1], out[n] = the sum of all.
//
//   in      |  chunk 0  |  chunk 1  | ... |   one chunk a work-group
//   sums    |     s0    |     s1    | ... |   1. the sum of each chunk
//   out     |  0 a a+b  | s0 ...    | ... |   2. each chunk again, from the sum of all before it on
//
// *_serial: work-groups of one work-item that walks its chunk, for CPUs: two launches for any n, the second one alone
// where there is one chunk. scan_group: work-groups of a power of two of work-items, tile by tile through local memory,
// for GPUs: one launch, in which each group says the sum of its chunk to all others. None waits for another: a sum that
// is not there yet is added up once more. -DSERIAL=1 and 0 compile the ones or the other alone. Sums are 64 bits wide,
// and so is the total; out is SCAN wide (uint: the low 32 bits). Integer sums: the result does not depend on the split.
// Host: host/primitives/exclusive_scan.cpp.
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

// The sum of the elements of a chunk, to be reached by all.
ulong sum_of_chunk(__global const uint* in, ulong begin, ulong end, __local ulong* partial) {
  ulong own = 0;
  for (ulong i = begin + get_local_id(0); i < end; i += get_local_size(0)) own += in[i];
  return sum_in_group(own, partial);
}

// What a group says: the sum of its chunk in SCAN_WORDS words, each with the number of the run above some bits of it.
// Whatever an earlier run left there has another number.
#define WORD_BITS 22u
#define WORD_MASK ((1u << WORD_BITS) - 1u)
typedef char numbers_of_runs_fit[SCAN_RUNS <= 1u << (32u - WORD_BITS) ? 1 : -1];
typedef char sums_fit[SCAN_WORDS * WORD_BITS >= 64u ? 1 : -1];
#define LOOKS 32u  // at a sum that is not there yet

void say_sum(volatile __global uint* words, uint run, ulong sum) {
  for (uint k = 0; k < SCAN_WORDS; ++k)
    atomic_xchg(words + k, run << WORD_BITS | ((uint)(sum >> k * WORD_BITS) & WORD_MASK));
}

// What a group has said; false, and 0, where it has not.
bool hear_sum(volatile __global uint* words, uint run, ulong* sum) {
  ulong said = 0;
  uint known = 0;
  for (uint look = 0; look < LOOKS && known < SCAN_WORDS; ++look) {
    const uint word = atomic_or(words + known, 0u);
    if (word >> WORD_BITS != run) continue;
    said |= (ulong)(word & WORD_MASK) << known * WORD_BITS;
    known += 1;
  }
  *sum = known == SCAN_WORDS ? said : 0;
  return known == SCAN_WORDS;
}

// `run`: its number, from 1 to below SCAN_RUNS, another one than any run's that `words` were for since they were 0.
// `is_missing`: one a work-item.
__kernel void scan_group(__global const uint* in_1, __global const uint* in_2, ulong n, ulong chunk, uint chunks,
                         uint run, volatile __global uint* words, __global SCAN* out_1, __global SCAN* out_2,
                         __global ulong* total, __local ulong* partial, __local uint* is_missing) {
  __global const uint* in = OF_ARRAY(in_1, in_2);
  __global SCAN* out = OF_ARRAY(out_1, out_2);
  volatile __global uint* words_of_array = words + ARRAY * chunks * SCAN_WORDS;
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const uint own_chunk = CHUNK;
  const ulong begin = (ulong)own_chunk * chunk;
  const ulong end = min(begin + chunk, n);
#ifndef OCLIDE_SCAN_SAYS_NOTHING
  const ulong sum_of_own = sum_of_chunk(in, begin, end, partial);
  if (item == 0) say_sum(words_of_array + own_chunk * SCAN_WORDS, run, sum_of_own);
#endif

  ulong carry = 0;
  for (uint first = 0; first < own_chunk; first += items) {
    const uint before = first + item;
    ulong said = 0;
    is_missing[item] = before < own_chunk && !hear_sum(words_of_array + before * SCAN_WORDS, run, &said) ? 1u : 0u;
    carry += sum_in_group(said, partial);
    for (uint k = 0; k < items; ++k) {
      if (is_missing[k] == 0u) continue;
      const ulong missing = (ulong)(first + k) * chunk;
      carry += sum_of_chunk(in, missing, missing + chunk, partial);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

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
