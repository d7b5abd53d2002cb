// The C API: status, version, hash.
#include <cstring>
#include <type_traits>

#include "c_api/convert.hpp"

using namespace oclide::c_api;  // NOLINT(google-build-using-namespace): the functions below are C's

const char* oclide_status_name(oclide_status status) {
  // Any number may come from C.
  std::underlying_type_t<oclide_status> number = 0;
  std::memcpy(&number, &status, sizeof number);
  switch (number) {
    case OCLIDE_OK:
      return "OCLIDE_OK";
    case OCLIDE_INVALID_INPUT:
      return "OCLIDE_INVALID_INPUT";
    case OCLIDE_DEVICE_ERROR:
      return "OCLIDE_DEVICE_ERROR";
    case OCLIDE_OUT_OF_MEMORY:
      return "OCLIDE_OUT_OF_MEMORY";
    case OCLIDE_WRONG_STATE:
      return "OCLIDE_WRONG_STATE";
    case OCLIDE_BUSY:
      return "OCLIDE_BUSY";
    case OCLIDE_INVALID_HANDLE:
      return "OCLIDE_INVALID_HANDLE";
    case OCLIDE_NOT_SUPPORTED:
      return "OCLIDE_NOT_SUPPORTED";
    case OCLIDE_INTERNAL_ERROR:
      return "OCLIDE_INTERNAL_ERROR";
  }
  return "unknown status";
}

const char* oclide_version(void) {
  return oclide::version().data();  // of a literal
}

uint64_t oclide_contact_hash(const oclide_contact* contacts, size_t contacts_count, uint64_t seed) {
  if (contacts == nullptr && contacts_count != 0) return 0;
  return oclide::contact_hash({reinterpret_cast<const oclide::Contact*>(contacts), contacts_count}, seed);
}

uint64_t oclide_hit_hash(const oclide_hit* hits, size_t hits_count, uint64_t seed) {
  if (hits == nullptr && hits_count != 0) return 0;
  return oclide::hit_hash({reinterpret_cast<const oclide::Hit*>(hits), hits_count}, seed);
}

uint64_t oclide_impact_hash(const oclide_impact* impacts, size_t impacts_count, uint64_t seed) {
  if (impacts == nullptr && impacts_count != 0) return 0;
  return oclide::impact_hash({reinterpret_cast<const oclide::Impact*>(impacts), impacts_count}, seed);
}
