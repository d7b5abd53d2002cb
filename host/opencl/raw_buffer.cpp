#include "opencl/raw_buffer.hpp"

#include <limits>
#include <vector>

namespace oclide::opencl {

void RawBuffer::reserve(std::size_t count) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / element_;
  memory_->reserve(std::min<std::uint64_t>(count, most) * element_);
}

void RawBuffer::resize(std::size_t count) {
  reserve(count);
  size_ = count;
}

void RawBuffer::grow(std::size_t count) {
  if (count > capacity() && size() > 0) {
    RawBuffer larger(std::make_shared<Memory>(memory_->device(), name_), name_, element_);
    larger.resize(count);
    larger.copy(*this, size(), 0, nullptr, Stage::upload);
    swap(larger);
  }
  resize(count);
}

void RawBuffer::free() {
  memory_->free();
  size_ = 0;
}

const cl::Buffer& RawBuffer::get() const {
  if (memory_->bytes() == 0) memory_->reserve(0);
  return memory_->get();
}

void RawBuffer::write(const void* data, std::size_t count, std::size_t offset, StageTimer* timer, Stage stage) {
  if (!check_range(offset, count)) return;
  command(timer, stage, [&](cl::Event* event) {
    queue().enqueueWriteBuffer(memory_->get(), CL_TRUE, offset * element_, count * element_, data, nullptr, event);
  });
}

void RawBuffer::write_later(const void* data, std::size_t count, Transfers& transfers, StageTimer* timer, Stage stage) {
  if (!check_range(0, count)) return;
  command_later(transfers, timer, stage, [&](cl::Event* event) {
    queue().enqueueWriteBuffer(memory_->get(), CL_FALSE, 0, count * element_, data, nullptr, event);
  });
}

void RawBuffer::write_rows(const void* data, std::size_t count, std::size_t width, std::size_t offset,
                           std::size_t pitch) {
  if (!check_rows(count, width, offset, pitch)) return;
  std::optional<RawBuffer> whole = staging_of_rows(count, width);
  if (whole) whole->write(data, count, 0, nullptr, Stage::upload);
  command(nullptr, Stage::upload, [&](cl::Event*) {
    const cl::array<cl::size_type, 3> at{offset * element_, 0, 0}, zero{0, 0, 0},
        region{width * element_, count / width, 1};
    if (whole)
      queue().enqueueCopyBufferRect(whole->get(), memory_->get(), zero, at, region, width * element_, 0,
                                    pitch * element_, 0);
    else
      queue().enqueueWriteBufferRect(memory_->get(), CL_TRUE, at, zero, region, pitch * element_, 0, width * element_,
                                     0, data);
  });
}

void RawBuffer::write_all(const void* pattern, std::size_t count, std::size_t offset, StageTimer* timer, Stage stage) {
  if (!check_range(offset, count)) return;
  command(timer, stage, [&](cl::Event* event) {
    cl_event own = nullptr;
    const cl_int code = clEnqueueFillBuffer(queue()(), memory_->get()(), pattern, element_, offset * element_,
                                            count * element_, 0, nullptr, event != nullptr ? &own : nullptr);
    if (code != CL_SUCCESS) throw cl::Error(code, "clEnqueueFillBuffer");
    if (event != nullptr) *event = cl::Event(own);
  });
}

// `count` in elements of `from`.
void RawBuffer::copy(const RawBuffer& from, std::size_t count, std::size_t offset, StageTimer* timer, Stage stage) {
  const std::size_t bytes = count * from.element_;
  if (!from.check_range(0, count) || !check_range(offset, (bytes + element_ - 1) / element_)) return;
  command(timer, stage, [&](cl::Event* event) {
    queue().enqueueCopyBuffer(from.memory_->get(), memory_->get(), 0, offset * element_, bytes, nullptr, event);
  });
}

void RawBuffer::copy_part(const RawBuffer& from, std::size_t from_offset, std::size_t from_pitch, std::size_t offset,
                          std::size_t pitch, std::size_t rows, std::size_t width) {
  if (!from.check_rows(rows * width, width, from_offset, from_pitch) || !check_rows(rows * width, width, offset, pitch))
    return;
  command(nullptr, Stage::upload, [&](cl::Event* event) {
    const cl::array<cl::size_type, 3> source{from_offset * element_, 0, 0}, at{offset * element_, 0, 0},
        region{width * element_, rows, 1};
    queue().enqueueCopyBufferRect(from.memory_->get(), memory_->get(), source, at, region, from_pitch * element_, 0,
                                  pitch * element_, 0, nullptr, event);
  });
}

void RawBuffer::read(void* data, std::size_t count, std::size_t offset, StageTimer* timer, Stage stage) const {
  if (!check_range(offset, count)) return;
  command(timer, stage, [&](cl::Event* event) {
    queue().enqueueReadBuffer(memory_->get(), CL_TRUE, offset * element_, count * element_, data, nullptr, event);
  });
}

void RawBuffer::read_later(void* data, std::size_t count, std::size_t offset, cl::Event& event) const {
  if (!check_range(offset, count)) return;
  command(nullptr, Stage::download, [&](cl::Event*) {
    queue().enqueueReadBuffer(memory_->get(), CL_FALSE, offset * element_, count * element_, data, nullptr, &event);
  });
}

void RawBuffer::read_later(void* data, std::size_t count, Transfers& transfers, std::size_t offset, StageTimer* timer,
                           Stage stage) const {
  if (!check_range(offset, count)) return;
  command_later(transfers, timer, stage, [&](cl::Event* event) {
    queue().enqueueReadBuffer(memory_->get(), CL_FALSE, offset * element_, count * element_, data, nullptr, event);
  });
}

void RawBuffer::read_beside(void* data, std::size_t count, Transfers& transfers, const cl::Event& done,
                            StageTimer* timer, Stage stage) const {
  if (!check_range(0, count)) return;
  command_later(transfers, timer, stage, [&](cl::Event* event) {
    const std::vector<cl::Event> after{done};
    memory_->device().transfer_queue().enqueueReadBuffer(memory_->get(), CL_FALSE, 0, count * element_, data, &after,
                                                         event);
  });
}

void RawBuffer::read_rows(void* data, std::size_t count, std::size_t width, std::size_t offset,
                          std::size_t pitch) const {
  if (!check_rows(count, width, offset, pitch)) return;
  const std::optional<RawBuffer> whole = staging_of_rows(count, width);
  command(nullptr, Stage::download, [&](cl::Event*) {
    const cl::array<cl::size_type, 3> at{offset * element_, 0, 0}, zero{0, 0, 0},
        region{width * element_, count / width, 1};
    if (whole)
      queue().enqueueCopyBufferRect(memory_->get(), whole->get(), at, zero, region, pitch * element_, 0,
                                    width * element_, 0);
    else
      queue().enqueueReadBufferRect(memory_->get(), CL_TRUE, at, zero, region, pitch * element_, 0, width * element_, 0,
                                    data);
  });
  if (whole) whole->read(data, count, 0, nullptr, Stage::download);
}

void RawBuffer::swap(RawBuffer& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(name_, other.name_);
  std::swap(element_, other.element_);
  std::swap(size_, other.size_);
}

bool RawBuffer::check_range(std::size_t offset, std::size_t count) const {
  if (count > size() || offset > size() - count)
    throw Error(ErrorKind::device, name_ + ": elements " + std::to_string(offset) + " to " +
                                       std::to_string(offset + count) + " of a buffer of " + std::to_string(size()));
  return count > 0;
}

bool RawBuffer::check_rows(std::size_t count, std::size_t width, std::size_t offset, std::size_t pitch) const {
  return count > 0 && check_range(offset, (count / width - 1) * pitch + width);
}

std::optional<RawBuffer> RawBuffer::staging_of_rows(std::size_t count, std::size_t width) const {
  if (!memory_->device().info().is_gpu || count == width) return std::nullopt;
  try {
    const std::string name = name_ + ", part";
    RawBuffer whole(std::make_shared<Memory>(memory_->device(), name), name, element_);
    whole.resize(count);
    return whole;
  } catch (const OutOfDeviceMemory&) {
    return std::nullopt;
  }
}

void RawBuffer::command(StageTimer* timer, Stage stage, const Enqueue& enqueue) const {
  if (timer != nullptr && !timer->on()) timer = nullptr;
  translate_errors(name_, memory_->device().info().name, [&] {
    cl::Event event;
    enqueue(timer != nullptr ? &event : nullptr);
    if (timer != nullptr) timer->record(stage, std::move(event));
  });
}

void RawBuffer::command_later(Transfers& transfers, StageTimer* timer, Stage stage, const Enqueue& enqueue) const {
  command(timer, stage, [&](cl::Event* event) {
    cl::Event own;
    enqueue(&own);
    if (event != nullptr) *event = own;
    transfers.add(std::move(own));
  });
}

}  // namespace oclide::opencl
