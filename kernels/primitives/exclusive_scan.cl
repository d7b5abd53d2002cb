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

// The sum of one number of each work-item before this one in the group, to be reached by all; `all`: of each of the
// group. First within rows, then over rows. `partial`: one a work-item and one a row.
ulong sum_before(ulong own, __local ulong* partial, ulong* all) {
  const uint item = get_local_id(0);
  const uint items = get_local_size(0);
  const uint row = item / SCAN_ROW;
  __local ulong* rows = partial + items;
  partial[item] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong before = 0;
  for (uint k = row * SCAN_ROW; k < item; ++k) before += partial[k];
  if (item % SCAN_ROW == SCAN_ROW - 1u || item == items - 1u) rows[row] = before + own;
  barrier(CLK_LOCAL_MEM_FENCE);
  ulong sum = 0;
  for (uint k = 0; k * SCAN_ROW < items; ++k) {
    if (k == row) before += sum;
    sum += rows[k];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  *all = sum;
  return before;
}

// What the work-item adds to the sum of a chunk: the group's items have all of it together.
ulong part_of_chunk(__global const uint* in, ulong begin, ulong end) {
  ulong own = 0;
  for (ulong i = begin + get_local_id(0); i < end; i += get_local_size(0)) own += in[i];
  return own;
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
// `partial`: as for sum_before(); `is_missing`: one a work-item.
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
  ulong sum_of_own;
  sum_before(part_of_chunk(in, begin, end), partial, &sum_of_own);
  if (item == 0) say_sum(words_of_array + own_chunk * SCAN_WORDS, run, sum_of_own);
#endif

  // The work-item's part of the sum of all chunks before: what it hears of every so many-th, and its elements of those
  // that nobody has said.
  ulong part = 0;
  for (uint first = 0; first < own_chunk; first += items) {
    const uint before = first + item;
    ulong said = 0;
    is_missing[item] = before < own_chunk && !hear_sum(words_of_array + before * SCAN_WORDS, run, &said) ? 1u : 0u;
    part += said;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < items; ++k) {
      const ulong missing = (ulong)(first + k) * chunk;
      if (is_missing[k] != 0u) part += part_of_chunk(in, missing, missing + chunk);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  ulong carry;
  sum_before(part, partial, &carry);

  for (ulong tile = begin; tile < end; tile += items * TILE_ITEMS) {
    const ulong first = tile + item * TILE_ITEMS;
    uint value[TILE_ITEMS];
    ulong own = 0;
    for (uint k = 0; k < TILE_ITEMS; ++k) {
      value[k] = first + k < end ? in[first + k] : 0;
      own += value[k];
    }

    ulong sum_of_tile;
    ulong sum = carry + sum_before(own, partial, &sum_of_tile);
    for (uint k = 0; k < TILE_ITEMS; ++k) {
      if (first + k < end) out[first + k] = (SCAN)sum;
      sum += value[k];
    }
    carry += sum_of_tile;
  }
  if (end < n || item != 0) return;
  out[n] = (SCAN)carry;
  total[ARRAY] = carry;
}

#endif
