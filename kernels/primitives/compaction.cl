// Writes the indices of the set flags, in order. offset is the exclusive scan of flag, whose entries are 0 or 1.
// One work-item a flag. Host: host/primitives/compaction.cpp.

__kernel void compaction_scatter(__global const uint* flag, __global const uint* offset, uint n, __global uint* index) {
  const size_t i = get_global_id(0);
  if (i < n && flag[i] != 0) index[offset[i]] = (uint)i;
}
