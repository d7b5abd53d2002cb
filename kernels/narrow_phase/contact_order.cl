// Brings stored contacts into the order of candidates, and of each candidate's own contacts: the order they were found
// in leaves no trace. One work-item a store slot. The candidates are those before first_candidate[last]; where there
// are more contacts than there is room for nothing is done.
#include "narrow_phase/slot_contacts.clh"

__kernel void narrow_phase_contact_order(const uint last, const uint slots, const uint room,
                                         __global const uint* stored, __global const ContactRecord* store,
                                         __global const uint* store_candidates, __global const uint* first_candidate,
                                         __global const uint* contact_offsets, __global ContactRecord* contacts) {
  const uint slot = (uint)get_global_id(0);
  if (slot >= min(stored[0], slots) || contact_offsets[first_candidate[last]] > room) return;
  order_store_slot(slot, store, store_candidates, contact_offsets, contacts);
}
