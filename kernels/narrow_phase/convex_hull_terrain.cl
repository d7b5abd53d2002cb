#include "terrain/candidate.clh"
#pragma OPENCL FP_CONTRACT OFF

void convex_hull_site(const Ground* g, Site* s, const Body* b, Sink* sink) {
  (void)g;
  (void)s;
  (void)b;
  (void)sink;
}

TERRAIN_KERNEL(narrow_phase_convex_hull_terrain, SHAPE_CONVEX_HULL, convex_hull_site)
