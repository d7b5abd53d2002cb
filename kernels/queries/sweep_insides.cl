// Moving bodies and moving solid meshes: a body whose middle is inside at the begin touches there (docs/motion.md). A
// work-item a pair that has a mesh. Of such a pair the impact is stored, and it becomes SWEPT, so that sweep_meshes.cl
// passes it over. Host: host/queries/motion_sweep.cpp.
#define SWEEPS_TRIANGLES
#include "meshes/mesh_query.clh"
#include "queries/in_mesh.clh"
#pragma OPENCL FP_CONTRACT OFF

__kernel void queries_sweep_insides(const uint count, __global uint2* pairs, __global const BodyState* states,
                                    __global const MotionRecord* motion, __global const uint* hulls,
                                    __global uint* stored, __global ImpactRecord* impacts) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const bool mesh_first = states[pairs[item].x].shape == SHAPE_TRIANGLE_MESH;
  __global const BodyState* s = states + (mesh_first ? pairs[item].y : pairs[item].x);
  __global const BodyState* o = states + (mesh_first ? pairs[item].x : pairs[item].y);
  if (o->shape != SHAPE_TRIANGLE_MESH) return;
  __global const uint* mesh = mesh_of(o, hulls);
  if (mesh[MESH_IS_SOLID] == 0u) return;
  Mover body, other;
  set_mover(&body, s, motion + s->body);
  set_mover(&other, o, motion + o->body);
  InMesh at;
  place_in_mesh(&body, &other, o->orientation, hulls, &at);
  if (!(winding_number(mesh, at.high, at.low + at.middle) > 0)) return;
  const uint nearest = as_uint(nearest_of_mesh(mesh, at.high, at.low + at.middle).w);
  Touch touch;
  touch.time = two_float(0.0f, 0.0f);
  set_overlap(&touch, &body, hulls, out_of_mesh(o->orientation, mesh, nearest, false));
  if (o->body < s->body) turn_touch(&touch);
  store_touch(impacts + atomic_inc(stored), &touch, min(s->body, o->body), max(s->body, o->body), 0xFFFFFFFFu, 0u);
  pairs[item].x = SWEPT;
}
