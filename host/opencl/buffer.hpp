// Device memory for an array of T that grows.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "opencl/raw_buffer.hpp"

namespace oclide::opencl {

/// Its Device must outlive it. Commands go to the Device's queue, in order with the kernels.
template <class T>
class Buffer : public RawBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// `name` stands in errors, such as "contacts".
  explicit Buffer(Device& device, const std::string& name = "buffer")
      : Buffer(std::make_shared<Memory>(device, name), name) {}
  Buffer(Device& device, const std::string& name, std::size_t size) : Buffer(device, name) { resize(size); }
  /// In memory that it shares with others: what one writes there the others lose, and what one gives back or makes
  /// larger is gone for all.
  Buffer(std::shared_ptr<Memory> shared, std::string name) : RawBuffer(std::move(shared), std::move(name), sizeof(T)) {}

  /// Copies to elements [offset, offset + data.size()), which must be within size(). `data` may go when this returns.
  void upload(std::span<const T> data, std::size_t offset = 0, StageTimer* timer = nullptr,
              Stage stage = Stage::upload) {
    write(data.data(), data.size(), offset, timer, stage);
  }

  /// upload() of rows of `width` elements, the first one to elements from `offset` on, each next one `pitch` further.
  void upload_rows(std::span<const T> data, std::size_t width, std::size_t offset, std::size_t pitch) {
    write_rows(data.data(), data.size(), width, offset, pitch);
  }

  /// upload() to the first elements that does not block.
  void upload_later(std::span<const T> data, Transfers& transfers, StageTimer* timer = nullptr,
                    Stage stage = Stage::upload) {
    write_later(data.data(), data.size(), transfers, timer, stage);
  }

  /// resize() and upload() of the whole.
  void assign(std::span<const T> data, StageTimer* timer = nullptr, Stage stage = Stage::upload) {
    resize(data.size());
    upload(data, 0, timer, stage);
  }

  /// Copies the first `count` elements of another buffer, of any kind, to where its element `offset` is. Does not
  /// block.
  template <class U>
  void copy_from(const Buffer<U>& from, std::size_t count, std::size_t offset = 0, StageTimer* timer = nullptr,
                 Stage stage = Stage::download) {
    copy(from, count, offset, timer, stage);
  }

  /// Copies `rows` rows of `width` elements of another buffer, as upload_rows(). Does not block.
  void copy_rows(const Buffer& from, std::size_t from_offset, std::size_t from_pitch, std::size_t offset,
                 std::size_t pitch, std::size_t rows, std::size_t width) {
    copy_part(from, from_offset, from_pitch, offset, pitch, rows, width);
  }

  /// Copies elements [offset, offset + data.size()) to host memory. Blocking.
  void download(std::span<T> data, std::size_t offset = 0, StageTimer* timer = nullptr,
                Stage stage = Stage::download) const {
    read(data.data(), data.size(), offset, timer, stage);
  }

  /// download() of rows, as upload_rows().
  void download_rows(std::span<T> data, std::size_t width, std::size_t offset, std::size_t pitch) const {
    read_rows(data.data(), data.size(), width, offset, pitch);
  }

  /// download() that does not block: `data` is whole when `event` is.
  void download_later(std::span<T> data, cl::Event& event, std::size_t offset = 0) const {
    read_later(data.data(), data.size(), offset, event);
  }

  /// download() that does not block.
  void download_later(std::span<T> data, Transfers& transfers, std::size_t offset = 0, StageTimer* timer = nullptr,
                      Stage stage = Stage::download) const {
    read_later(data.data(), data.size(), transfers, offset, timer, stage);
  }

  /// download() that does not block, beside the commands that come after `done`: on the queue for transfers, once that
  /// one is. The elements stay as they are until `data` is whole.
  void download_beside(std::span<T> data, Transfers& transfers, const cl::Event& done, StageTimer* timer = nullptr,
                       Stage stage = Stage::download) const {
    read_beside(data.data(), data.size(), transfers, done, timer, stage);
  }

  /// One element. Blocking.
  [[nodiscard]] T read_one(std::size_t index, StageTimer* timer = nullptr, Stage stage = Stage::download) const {
    T value{};
    read(&value, 1, index, timer, stage);
    return value;
  }

  /// Sets `count` elements from `offset` on, or all from there on. Does not block.
  void fill(const T& value, std::size_t offset = 0, std::size_t count = std::numeric_limits<std::size_t>::max(),
            StageTimer* timer = nullptr, Stage stage = Stage::upload) {
    static_assert(sizeof(T) <= 128 && (sizeof(T) & (sizeof(T) - 1)) == 0, "OpenCL fills with a power of two of bytes");
    if (count == std::numeric_limits<std::size_t>::max()) count = size() - std::min(offset, size());
    write_all(&value, count, offset, timer, stage);
  }
};

}  // namespace oclide::opencl
