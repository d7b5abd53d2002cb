// Moving bodies and moving meshes: when each pair first touches, and at which triangle (docs/motion.md). A work-item a
// pair that has a mesh: down the mesh's tree to the triangles that the body may come to, seen
// from the mesh. Host: host/queries/motion_sweep.cpp.
#include "math/level_bits.clh"
#include "meshes/mesh_walk.clh"
#include "motion/touch_record.clh"
#pragma OPENCL FP_CONTRACT OFF

// Of two times: is a before b, or the same and its element lower?
bool is_before(TwoFloat a, uint element, TwoFloat b, uint other) {
  const float later = (a.hi - b.hi) + (a.lo - b.lo);
  return later < 0.0f || (later == 0.0f && element < other);
}

__attribute__((vec_type_hint(float4))) __kernel void queries_sweep_meshes(const uint count, __global const uint2* pairs,
                                                                          __global const BodyState* states,
                                                                          __global const MotionRecord* motion,
                                                                          __global const uint* hulls,
                                                                          __global uint* stored,
                                                                          __global ImpactRecord* impacts) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  const uint2 pair = pairs[item];
  const bool mesh_first = states[pair.x].shape == SHAPE_TRIANGLE_MESH;
  if (!mesh_first && states[pair.y].shape != SHAPE_TRIANGLE_MESH) return;
  __global const BodyState* s = states + (mesh_first ? pair.y : pair.x);
  __global const BodyState* o = states + (mesh_first ? pair.x : pair.y);
  const Moving a = moving_body(s, motion + s->body), b = moving_body(o, motion + o->body);
  __global const uint* mesh = hull_record(hulls, b.size.x);
  const Body body = body_at(a.shape, a.size, a.orientation.x, a.orientation.y, a.orientation.z, a.orientation.w, hulls);

  // Where the body comes to, in the mesh's axes at the begin.
  const TwoFloat3 way = two_sub3(a.position, b.position), motion_of_a = two_sub3(a.displacement, b.displacement);
  TwoFloat3 begin, step;
  two_into_axes(o->orientation, &way, &begin);
  two_into_axes(o->orientation, &motion_of_a, &step);
  const float3 p = high_of(begin), d = high_of(step);
  float reach = moving_reach(&a, body.radius_bound) + 2e-4f +
                2e-6f * ((length3(p) + length3(d)) + mesh_number(mesh, MESH_RADIUS));
  float3 low = (float3)(min_f(p.x, p.x + d.x), min_f(p.y, p.y + d.y), min_f(p.z, p.z + d.z));
  float3 high = (float3)(max_f(p.x, p.x + d.x), max_f(p.y, p.y + d.y), max_f(p.z, p.z + d.z));
  if (turns(&b)) {
    // Around all that the mesh turns about.
    const float arm = length3(b.arm), around = (length3(p) + length3(d)) + 2.0f * arm;
    low = (float3)(-around, -around, -around);
    high = -low;
  }
  low -= reach;
  high += reach;

  Touch best;
  best.time = two_float(2.0f, 0.0f);
  best.normal = best.point = (float3)(0.0f, 0.0f, 0.0f);
  uint element = 0xFFFFFFFFu, material = 0u;
  if (mesh[MESH_IS_SOLID] != 0u) {
    const float3 middle = body_centre(a.shape, &body);
    const float4 back = (float4)(b.orientation.x, -b.orientation.yzw);
    const float3 in_mesh = turned_by(back, middle);
    if (winding_number(mesh, p, low_of(begin) + in_mesh) > 0) {
      best.time = two_float(0.0f, 0.0f);
      best.gap = 0.0f;
      const uint nearest = as_uint(nearest_of_mesh(mesh, p, low_of(begin) + in_mesh).w);
      set_overlap(&best, &a, hulls,
                  turned_by(b.orientation, as_float3(mesh_triangle(mesh, nearest, MESH_ROW_PLANE).xyz)));
    }
  }
  const bool is_inside = best.time.hi == 0.0f;
  MeshWalk walk;
  begin_mesh_walk(mesh, &walk);
  uint below;
  while (!is_inside && next_triangle(mesh, low, high, &walk, &below)) {
    const uint4 vertices = mesh_triangle(mesh, below, MESH_ROW_VERTICES);
    const float3 corner = mesh_vertex(mesh, vertices.x);
    Moving triangle = b;
    triangle.shape = SOLID_TRIANGLE;
    const float3 arm = turned_by(b.orientation, corner);
    triangle.position.x = two_add(b.position.x, two_float(arm.x, 0.0f));
    triangle.position.y = two_add(b.position.y, two_float(arm.y, 0.0f));
    triangle.position.z = two_add(b.position.z, two_float(arm.z, 0.0f));
    triangle.arm = b.arm + arm;
    triangle.first = mesh_vertex(mesh, vertices.y) - corner;
    triangle.second = mesh_vertex(mesh, vertices.z) - corner;
    Touch touch;
    const uint touches = first_touch(&a, &triangle, hulls, times_of_spheres(&a, &triangle, hulls), best.time, &touch);
    if (touches == TOUCHES_UNKNOWN) {
      report_unknown(stored, min(s->body, o->body));
      return;
    }
    if (touches == TOUCHES_NOT || !is_before(touch.time, vertices.w, best.time, element)) continue;
    best = touch;
    element = vertices.w;
    const uint4 plane = mesh_triangle(mesh, below, MESH_ROW_PLANE);
    material = plane.w >> MESH_FLAG_MATERIAL;
    if (best.overlaps) {
      // Of a sheet to the side that the body's middle is on.
      const float3 up = as_float3(plane.xyz);
      const float4 back = (float4)(b.orientation.x, -b.orientation.yzw);
      const float3 middle = ((p - corner) + low_of(begin)) + turned_by(back, body_centre(a.shape, &body));
      const bool is_behind = mesh[MESH_IS_SOLID] == 0u && dot3(middle, up) < 0.0f;
      set_overlap(&best, &a, hulls, turned_by(b.orientation, is_behind ? -up : up));
    }
  }
  if (best.time.hi > 1.0f) return;
  const bool mesh_is_a = o->body < s->body;
  if (mesh_is_a) turn_touch(&best);
  store_touch(impacts + atomic_inc(stored), &best, mesh_is_a ? o->body : s->body, mesh_is_a ? s->body : o->body,
              element, material);
}
