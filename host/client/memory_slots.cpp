#include "client/memory_slots.hpp"

#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/mman.h>
#include <unistd.h>

#include "oclide/oclide.hpp"
#include "service/wire_limits.hpp"

namespace oclide::client {
namespace {

constexpr std::size_t kPage = 4096;  // the first one is the proof's

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

std::size_t size_of(std::size_t bytes_in, std::size_t bytes_out) {
  return kPage + MemorySlots::kSlots * (bytes_in + bytes_out);
}

}  // namespace

std::shared_ptr<MemorySlots> MemorySlots::make(std::size_t bytes_in, std::size_t bytes_out) {
  bytes_in = whole_pages(bytes_in);
  bytes_out = whole_pages(bytes_out);
  const std::size_t size = size_of(bytes_in, bytes_out);
  const int file = memfd_create("oclide", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return nullptr;
  void* at = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(size)) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK) == 0)
    at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED || RAND_bytes(static_cast<unsigned char*>(at), service::kProofBytes) != 1) {
    if (at != MAP_FAILED) munmap(at, size);
    close(file);
    return nullptr;
  }
  return std::shared_ptr<MemorySlots>(new MemorySlots(file, static_cast<char*>(at), bytes_in, bytes_out));
}

MemorySlots::MemorySlots(int file, char* at, std::size_t bytes_in, std::size_t bytes_out)
    : file_(file), at_(at), bytes_in_(bytes_in), bytes_out_(bytes_out) {
  for (std::size_t slot = kSlots; slot > 0; --slot) free_.push_back(slot - 1);
}

MemorySlots::~MemorySlots() {
  munmap(at_, size_of(bytes_in_, bytes_out_));
  close(file_);
}

std::string MemorySlots::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
}
std::string MemorySlots::proof() const {
  return {at_, service::kProofBytes};
}

std::optional<std::size_t> MemorySlots::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::nullopt;
  const std::size_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void MemorySlots::give_back(std::size_t slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

std::size_t MemorySlots::offset_of(std::size_t slot) const {
  return kPage + slot * (bytes_in_ + bytes_out_);
}

std::span<char> MemorySlots::bytes(std::uint64_t offset, std::uint64_t count) const {
  const std::size_t size = size_of(bytes_in_, bytes_out_);
  if (offset > size || count > size - offset)
    throw Error(ErrorKind::device, "the service names shared memory that is not there");
  return {at_ + offset, static_cast<std::size_t>(count)};
}

}  // namespace oclide::client
