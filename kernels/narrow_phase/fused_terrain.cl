// Symmetric shapes against terrain under one kernel, for few candidates of several shapes: there a command to the
// device takes longer than what it does. Other shapes have kernels of their own: a scene without them compiles nothing
// of them. The functions are those of the shapes' own files, to the bit.
//
// Launch and output: kernels/terrain/candidate.clh.
#define OCLIDE_FUSED_TERRAIN
#include "narrow_phase/box_terrain.cl"
#include "narrow_phase/capsule_terrain.cl"
#include "narrow_phase/cylinder_terrain.cl"
#include "narrow_phase/sphere_terrain.cl"
#pragma OPENCL FP_CONTRACT OFF

#define CASE(NAME, name)        \
  case SHAPE_##NAME:            \
    name##_site(g, s, b, sink); \
    break;

void site_of_any_shape(uint shape, GroundRef g, Site* s, const Body* b, Sink* sink) {
  switch (shape) { OCLIDE_SYMMETRIC_SHAPES(CASE) }
}

TERRAIN_KERNEL_OF(narrow_phase_fused_terrain, record.shape,
                  site_of_any_shape(record.shape, ground, &site, &body, &sink))
