// On a GPU, after the kernels of shapes: what the ground says to the claims that they have found, the lifts (kind 6 of
// docs/terrain_contacts.md), and the numbers of contacts.
//
// A work-group has TERRAIN_GROUP candidates, of any shapes. First it settles their claims, one work-item a claim
// whosever it is. Then each work-item gives the contacts of its candidate their numbers, and offers the lifts in the
// order in which a CPU does that while it finds the contacts (<shape>_terrain.cl).
#define ALL_SHAPES
#include "narrow_phase/slot_contacts.clh"
#include "terrain/candidate.clh"
#include "terrain/element_terrain.clh"
#include "terrain/lift_terrain.clh"
#include "terrain/site_edge.clh"
#pragma OPENCL FP_CONTRACT OFF

#if OCLIDE_LANES == 1
float3 centre_of(__global const ClaimRecord* claim) {
  return (float3)(claim->centre[0], claim->centre[1], claim->centre[2]);
}

// Makes a claim of what is to be looked for beyond the range of sites. False where there is nothing.
OUTLINED bool find_far_claim(GroundRef g, __global ContactRecord* contact, __global ClaimRecord* claim) {
  Claim c = claim_of(point_of(contact), point_of(contact), contact->depth, feature_id(0, 0, 0u, claim->body), 0u);
  c.centre = centre_of(claim);
  c.radius = claim->radius;
  if (!find_far(g, &c)) return false;
  place_contact(contact, c.point, c.normal, c.depth, c.material);
  claim->radius = 0.0f;
  claim->i = c.feature.i;
  claim->j = c.feature.j;
  return true;
}

OUTLINED void settle_stored(GroundRef g, __global ContactRecord* contact, __global ClaimRecord* claim) {
  const uint flags = claim->flags;
  if ((flags & CLAIM_FOOTLESS) || ((flags & CLAIM_FAR) && !find_far_claim(g, contact, claim))) return;
  const uint answer = answer_of_ground(g, point_of(contact), normal_of(contact), contact->depth, flags,
                                       centre_of(claim), claim->radius);
  claim->flags = flags | answer;
  if (answer == CLAIM_AGREED) contact->feature = number_of(g, claim->i, claim->j, claim->ground, claim->body);
}

// Settles the claims of the group's candidates. `ends`: for each work-item the number of claims of its own and all
// before it.
INLINED void settle_of_group(__local const Ground* grounds, __local uint* ends, uint own, uint capacity,
                             __global ContactRecord* store, __global ClaimRecord* claims) {
  const uint item = (uint)get_local_id(0), items = (uint)get_local_size(0);
  ends[item] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1u; step < items; step <<= 1) {
    const uint before = item >= step ? ends[item - step] : 0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    ends[item] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  ROLLED
  for (uint k = item; k < ends[items - 1u]; k += items) {
    uint owner = 0u;
    for (uint last = items - 1u; owner < last;) {
      const uint middle = (owner + last) >> 1;
      if (ends[middle] > k)
        last = middle;
      else
        owner = middle + 1u;
    }
    uint at = grounds[owner].first_claim;
    for (uint left = k - (owner > 0u ? ends[owner - 1u] : 0u); left > 0u; --left) at = claims[at].next;
    settle_stored(grounds + owner, store + at, claims + at);
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

// Gives the contacts among a candidate's claims their numbers, and offers the lifts of the claims. Returns the number
// of contacts.
OUTLINED uint number_contacts(Site* s, uint shape, const Body* b, uint first, uint capacity,
                              __global ContactRecord* store, __global const ClaimRecord* claims,
                              __global uint* store_candidates) {
  uint count = 0u;
  ROLLED
  for (uint at = first; at < capacity; at = claims[at].next) {
    const uint flags = claims[at].flags, answer = flags & (CLAIM_AGREED | CLAIM_FOOTLESS);
    if (answer == CLAIM_AGREED)
      store[at].manifold = count++;
    else
      store_candidates[at] = NO_CANDIDATE;
    Claim c = claim_of(point_of(store + at), normal_of(store + at), store[at].depth, feature_id(0, 0, 0u, 0u),
                       store[at].material);
    c.flags = flags;
    c.centre = centre_of(claims + at);
    c.radius = claims[at].radius;
    lift_by_claim(s, shape, b, &c, answer);
  }
  return count;
}

OUTLINED void lift_site_edge(GroundRef g, Site* s, uint k, uint shape, const Body* b, float margin) {
  Edge e;
  if (edge_at(g, s, k, shape, b, margin, &e)) lift_edge(s, shape, b, &e);
}
INLINED void lift_site(GroundRef g, Site* s, uint shape, const Body* b, float margin) {
  if (!s->above_1) {
    ROLLED
    EACH_BIT(k, REACHED_EDGES(s->features)) {
      lift_site_edge(g, s, k, shape, b, margin);
    }
    if (s->features & REACH_VERTEX) lift_vertex(g, s, shape, b);
  }
  lift_centre(g, s, shape, b);
}

// Not across work-items: see terrain/candidate.clh.
__attribute__((vec_type_hint(float4))) __kernel void narrow_phase_claims_on_terrain(
    TERRAIN_ARGUMENTS, const uint first_slot, const uint last_slot, __global const uint* first_candidate,
    __global const uint* candidate_slots, __global const uint* candidate_sites, __global uint* counts,
    const uint capacity, __global uint* stored, __global uint* store_candidates, __global ContactRecord* store,
    __global ClaimRecord* claims) {
  const uint first = first_candidate[first_slot], count = first_candidate[last_slot] - first;
  CANDIDATES_OF_ITEM(run, first, count, candidate_sites)
  const bool at_work = run.first != run.last;
  const uint candidate = run.first;
  uint own = 0u;
  if (at_work) {
    const uint slot = candidate_slots[candidate];
    PLACE_NAMED_GROUND(ground, bodies[slot].terrain, grid_poses[slot])
    ground->first_claim = counts[candidate] - 1u;
    for (uint at = ground->first_claim; at < capacity; at = claims[at].next) ++own;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  settle_of_group(grounds, dealt, own, capacity, store, claims);
  if (!at_work) return;

  const uint slot = candidate_slots[candidate];
  const BodyRecord record = bodies[slot];
  const GridPose grid_pose = grid_poses[slot];
  const Body body = load_body(record, grid_pose, record.shape, hulls);
  Site site;
  load_site(ground, &grid_pose, record.shape, &body, candidate_sites[candidate], grid_pose.margin, &site);
  uint contacts =
      number_contacts(&site, record.shape, &body, ground->first_claim, capacity, store, claims, store_candidates);
  if (!site.flat) lift_site(ground, &site, record.shape, &body, grid_pose.margin);
  if (asks_for_lift(&site)) {
    const uint at = atomic_inc(stored);
    if (at < capacity) {
      place_contact(store + at, site.lift_point, (float3)(0.0f, 0.0f, 1.0f), site.lift_gap,
                    site.lift_material | CONTACT_LIFT);
      store[at].feature = feature_number(0u, 0u, FEATURE_LIFT, 0u);
      store[at].manifold = contacts;
      store_candidates[at] = candidate;
    }
    ++contacts;
  }
  counts[candidate] = contacts;
}
#endif
