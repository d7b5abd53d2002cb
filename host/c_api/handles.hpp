// What stands behind the handles of the C API: a registry of the live ones, who is at work on each, and how exceptions
// become status and message.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "oclide/oclide.h"

namespace oclide::c_api {

/// A failure with a status of the C API's own; all others come from Error and the standard library's exceptions.
class Failure : public std::exception {
 public:
  Failure(oclide_status status, std::string message) : status_(status), message_(std::move(message)) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }
  [[nodiscard]] oclide_status status() const { return status_; }

 private:
  oclide_status status_;
  std::string message_;
};

[[noreturn]] inline void invalid_input(std::string message) {
  throw Failure(OCLIDE_INVALID_INPUT, std::move(message));
}

/// How a call uses its handle, which says what may go on beside it.
enum class Use : unsigned {
  alone = 1,  ///< nothing
  frame = 2,  ///< staging of another frame
  stage = 4,  ///< computation of another frame
};

class Handle {
 public:
  virtual ~Handle() = default;
  /// What it is called in messages.
  [[nodiscard]] virtual const char* kind() const = 0;

  /// False, and nothing changed, where another call that does not go with this one is at work.
  bool enter(Use use);
  void leave(Use use) { at_work_.fetch_and(~static_cast<unsigned>(use), std::memory_order_release); }

  void set_failure(const std::string& message, const std::string& detail);
  [[nodiscard]] const char* message() const;
  [[nodiscard]] const char* detail() const;

 private:
  std::atomic<unsigned> at_work_ = 0;
  mutable std::mutex message_mutex_;  // two threads may fail at a time: one computes, one stages
  std::string message_, detail_;
};

/// A new handle for an object. It lives until take() or release(), at the longest as long as the process.
void* keep(std::shared_ptr<Handle> object);
/// The object of a live handle, else null.
std::shared_ptr<Handle> find(const void* handle) noexcept;
/// Ends a handle.
void release(const void* handle) noexcept;

/// The object of a handle that has to be a T.
template <class T>
std::shared_ptr<T> live(const void* handle) {
  const std::string wanted = T::kKind;
  if (handle == nullptr) throw Failure(OCLIDE_INVALID_HANDLE, wanted + ": null handle");
  const std::shared_ptr<Handle> object = find(handle);
  if (object == nullptr) throw Failure(OCLIDE_INVALID_HANDLE, wanted + ": the handle was destroyed, or never was one");
  std::shared_ptr<T> known = std::dynamic_pointer_cast<T>(object);
  if (known == nullptr) throw Failure(OCLIDE_INVALID_HANDLE, wanted + ": the handle is that of a " + object->kind());
  return known;
}

[[noreturn]] inline void throw_busy(const Handle& handle) {
  throw Failure(OCLIDE_BUSY, std::string(handle.kind()) + ": another thread is at work on it");
}

/// While it lives a call is at work on a handle's object.
class Turn {
 public:
  Turn(Handle& handle, Use use) : handle_(handle), use_(use) {
    if (!handle.enter(use)) throw_busy(handle);
  }
  ~Turn() { handle_.leave(use_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Handle& handle_;
  Use use_;
};

/// The exception at work as a status, with its message kept for this thread and, where there is one, for the object.
/// Only inside of a catch block.
oclide_status failed(Handle* object) noexcept;

/// Runs a call that has no handle.
template <class Function>
oclide_status call(Function&& function) noexcept {
  try {
    std::forward<Function>(function)();
    return OCLIDE_OK;
  } catch (...) {
    return failed(nullptr);
  }
}

/// Runs a call with a handle: function(T&).
template <class T, class Function>
oclide_status call_with(const void* handle, Use use, Function&& function) noexcept {
  try {
    const std::shared_ptr<T> object = live<T>(handle);
    const Turn turn(*object, use);
    try {
      std::forward<Function>(function)(*object);
      return OCLIDE_OK;
    } catch (...) {
      return failed(object.get());
    }
  } catch (...) {
    return failed(nullptr);
  }
}

/// What a caller gave room for, which must not be NULL.
template <class T>
T& output(T* pointer, const char* name) {
  if (pointer == nullptr) invalid_input(std::string(name) + ": null pointer");
  return *pointer;
}

/// Makes an object of what function() returns, a shared pointer to it, and a handle of that.
template <class Opaque, class Function>
oclide_status create(Opaque** handle, Function&& function) noexcept {
  return call([&] {
    output(handle, "new handle") = nullptr;
    *handle = static_cast<Opaque*>(keep(std::forward<Function>(function)()));
  });
}

/// Ends a handle that nobody works with. NULL is no error.
template <class T>
oclide_status destroy(const void* handle) noexcept {
  if (handle == nullptr) return OCLIDE_OK;
  return call([handle] {
    const std::shared_ptr<T> object = live<T>(handle);
    // For ever: a call that has found the object before and comes now does not get it any more.
    if (!object->enter(Use::alone)) throw_busy(*object);
    release(handle);
  });
}

// ---- Structs whose size their caller says

/// Beyond any struct of any version: a size that was never set.
inline constexpr std::size_t kLargestStruct = 4096;

void check_struct_size(std::size_t size, std::size_t alignment, const char* name);

/// What a caller gave, which may be of an older version (what is missing is zero) or of a newer (what is unknown has to
/// be).
template <class T>
T read_struct(const T* given, const char* name) {
  if (given == nullptr) invalid_input(std::string(name) + ": null pointer");
  const std::size_t size = given->struct_size;
  check_struct_size(size, alignof(T), name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t k = sizeof(T); k < size; ++k)
    if (bytes[k] != 0)
      throw Failure(OCLIDE_NOT_SUPPORTED, std::string(name) + ": this version knows " + std::to_string(sizeof(T)) +
                                              " bytes of it, of the " + std::to_string(size) + " given byte " +
                                              std::to_string(k) + " is not zero");
  T known{};
  std::memcpy(&known, given, size < sizeof(T) ? size : sizeof(T));
  return known;
}

/// A struct for results: checked first, set when there is something to set.
template <class T>
class OutStruct {
 public:
  OutStruct(T* out, const char* name) : out_(out), size_(output(out, name).struct_size) {
    check_struct_size(size_, alignof(T), name);
  }
  void set(T value) const {
    value.struct_size = size_;
    auto* bytes = reinterpret_cast<unsigned char*>(out_);
    const std::size_t known = size_ < sizeof(T) ? size_ : sizeof(T);
    std::memcpy(bytes, &value, known);
    std::memset(bytes + known, 0, size_ - known);
  }

 private:
  T* out_;
  std::size_t size_;
};

}  // namespace oclide::c_api
