// Two comparisons together, of some lanes, and negated: 0 and -1; in Oclgrind 21.10 the negation gives 1 and -2.
__kernel void negated_lanes(__global const float* a, __global const float* b, __global int* lanes) {
  const int8 left = vload8(0, a) > 0.0f, right = vload8(0, b) > 0.0f;
  vstore8((int8)(-1, -1, -1, -1, 0, 0, 0, 0) & left & right, 0, lanes);
  vstore8(~(left & right), 1, lanes);
}
