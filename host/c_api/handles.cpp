#include "c_api/handles.hpp"

#include <cstdint>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <unordered_map>

#include "oclide/oclide.hpp"
#include "opencl/error.hpp"

namespace oclide::c_api {
namespace {

// Handles are odd numbers, which no object's address is, counted up: none is given out twice.
struct Registry {
  std::shared_mutex mutex;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Handle>> live;
  std::uintptr_t next = 1;
};

// Never destroyed: what a program leaves open must not be closed after OpenCL has gone at the program's end.
Registry& registry() {
  static Registry* const only = new Registry;
  return *only;
}

struct LastFailure {
  std::string message, detail;
};

LastFailure& last_failure() {
  thread_local LastFailure failure;
  return failure;
}

oclide_status keep_failure(Handle* object, oclide_status status, const char* message,
                           const std::string& detail = {}) noexcept {
  try {
    if (object != nullptr) object->set_failure(message, detail);
    last_failure().message = message;
    last_failure().detail = detail;
  } catch (...) {
    // No memory for the message: the status alone has to do.
  }
  return status;
}

}  // namespace

bool Handle::enter(Use use) {
  const auto own = static_cast<unsigned>(use), alone = static_cast<unsigned>(Use::alone);
  const unsigned refused = use == Use::alone ? ~0U : own | alone;
  unsigned at_work = at_work_.load(std::memory_order_relaxed);
  do {
    if ((at_work & refused) != 0) return false;
  } while (!at_work_.compare_exchange_weak(at_work, at_work | own, std::memory_order_acquire));
  return true;
}

void Handle::set_failure(const std::string& message, const std::string& detail) {
  const std::lock_guard lock(message_mutex_);
  message_ = message;
  detail_ = detail;
}

const char* Handle::message() const {
  const std::lock_guard lock(message_mutex_);
  return message_.c_str();
}

const char* Handle::detail() const {
  const std::lock_guard lock(message_mutex_);
  return detail_.c_str();
}

void* keep(std::shared_ptr<Handle> object) {
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  const std::uintptr_t number = all.next;
  all.live.emplace(number, std::move(object));
  all.next += 2;
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr): never an address
}

std::shared_ptr<Handle> find(const void* handle) noexcept {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  const auto found = all.live.find(reinterpret_cast<std::uintptr_t>(handle));
  return found == all.live.end() ? nullptr : found->second;
}

void release(const void* handle) noexcept {
  std::shared_ptr<Handle> object;  // destroyed after the lock is given back
  Registry& all = registry();
  const std::unique_lock lock(all.mutex);
  const auto found = all.live.find(reinterpret_cast<std::uintptr_t>(handle));
  if (found == all.live.end()) return;
  object = std::move(found->second);
  all.live.erase(found);
}

oclide_status failed(Handle* object) noexcept {
  try {
    throw;
  } catch (const Failure& e) {
    return keep_failure(object, e.status(), e.what());
  } catch (const opencl::OutOfDeviceMemory& e) {
    return keep_failure(object, OCLIDE_OUT_OF_MEMORY, e.what(), e.detail());
  } catch (const Error& e) {
    return keep_failure(object, e.kind() == ErrorKind::device ? OCLIDE_DEVICE_ERROR : OCLIDE_INVALID_INPUT, e.what(),
                        e.detail());
  } catch (const std::bad_alloc&) {
    return keep_failure(object, OCLIDE_OUT_OF_MEMORY, "out of host memory");
  } catch (const std::length_error& e) {
    return keep_failure(object, OCLIDE_OUT_OF_MEMORY, e.what());
  } catch (const std::exception& e) {
    return keep_failure(object, OCLIDE_INTERNAL_ERROR, e.what());
  } catch (...) {
    return keep_failure(object, OCLIDE_INTERNAL_ERROR, "unknown error");
  }
}

void check_struct_size(std::size_t size, std::size_t alignment, const char* name) {
  if (size < sizeof(std::size_t) || size > kLargestStruct || size % alignment != 0)
    invalid_input(std::string(name) + ": struct_size is " + std::to_string(size) + ", not the size of this struct in " +
                  "any version");
}

}  // namespace oclide::c_api

// ---- What the header says of messages

const char* oclide_last_message(void) {
  return oclide::c_api::last_failure().message.c_str();
}

const char* oclide_last_detail(void) {
  return oclide::c_api::last_failure().detail.c_str();
}

const char* oclide_handle_message(const void* handle) {
  const std::shared_ptr<oclide::c_api::Handle> object = oclide::c_api::find(handle);
  return object == nullptr ? "" : object->message();
}

const char* oclide_handle_detail(const void* handle) {
  const std::shared_ptr<oclide::c_api::Handle> object = oclide::c_api::find(handle);
  return object == nullptr ? "" : object->detail();
}
