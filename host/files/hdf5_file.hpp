// What the scene and contact files need of the HDF5 C library: owned ids, errors as oclide::Error in one line,
// files that are read with checks and files that appear under their name only when they are complete.
#pragma once

#include <hdf5.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::hdf5 {

/// Held around every use of HDF5, which may be built without thread safety: one thread at a time. Also turns off
/// HDF5's own printing of errors, which is a setting of each thread.
class Session {
 public:
  Session();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// Owns one HDF5 id.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      close();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      close_ = other.close_;
    }
    return *this;
  }
  ~Handle() { close(); }

  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] explicit operator bool() const { return id_ >= 0; }
  /// False when closing failed, which for a written file means that data did not reach the disk.
  bool close() { return id_ < 0 || close_(std::exchange(id_, H5I_INVALID_HID)) >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Why the last HDF5 call of this thread failed, in one line.
[[nodiscard]] std::string last_error();
/// The same of a file being read, in our own words: HDF5's are of its inner structure.
[[nodiscard]] std::string why_unreadable();

/// Refuses what the operating system would cut off: Error(invalid_input).
void check_file_name(const std::string& name);

/// One dataset opened for reading.
struct Dataset {
  std::string path;
  Handle id;
  std::vector<hsize_t> extent;  ///< one number an axis; empty for a scalar

  [[nodiscard]] std::size_t count() const;  ///< of elements
};

/// A file opened for reading. Every failure is an Error(invalid_input) that begins with the file's name.
class InputFile {
 public:
  explicit InputFile(std::string name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[noreturn]] void fail(const std::string& what) const;

  /// Fails where that cannot be said: what may be absent is not lost in silence.
  [[nodiscard]] bool exists(const std::string& path) const;
  /// Names of a group's members that are numbers, which must be 0, 1, ... without gaps; 0 where there is no such group.
  [[nodiscard]] std::size_t count_numbered(const std::string& group, const char* what) const;

  /// Fails as exists() does.
  [[nodiscard]] bool has_attribute(const std::string& object, const char* name) const;
  [[nodiscard]] std::string text_attribute(const std::string& object, const char* name) const;
  [[nodiscard]] std::int64_t integer_attribute(const std::string& object, const char* name) const;
  [[nodiscard]] double real_attribute(const std::string& object, const char* name) const;
  [[nodiscard]] std::array<double, 2> pair_attribute(const std::string& object, const char* name) const;

  /// A dataset of real numbers (of any width; whole numbers are taken too).
  [[nodiscard]] Dataset open_real(const std::string& path) const;
  /// Fails with the extent that is there and the one that is needed, and why.
  [[noreturn]] void fail_extent(const Dataset& dataset, const std::string& needed) const;
  /// Fails where most of it was never written and would be zeros, before memory is asked for.
  void check_written(const Dataset& dataset) const;
  /// Room for `count` values of a dataset, whose extent may be damage.
  template <class Value>
  void make_room(const Dataset& dataset, std::size_t count, std::vector<Value>& values) const {
    try {
      values.resize(count);
    } catch (const std::bad_alloc&) {
      fail_memory(dataset);
    } catch (const std::length_error&) {
      fail_memory(dataset);
    }
  }

  /// All elements, row-major.
  void read(const Dataset& dataset, std::span<double> to) const;
  /// Row `index` of the first axis.
  void read_row(const Dataset& dataset, std::size_t index, std::span<double> to) const;
  /// A dataset of whole numbers.
  [[nodiscard]] Dataset open_integers(const std::string& path) const;
  /// Rows [first, first + rows) of the first axis, row-major, of real numbers (double) or whole ones (where values that
  /// do not fit in Value are an error). `to` has room for all of them.
  template <class Value>
  void read_rows(const Dataset& dataset, std::size_t first, std::size_t rows, std::span<Value> to) const;
  /// A dataset of whole numbers of any width; values that do not fit in Integer are an error.
  template <class Integer>
  [[nodiscard]] std::vector<Integer> read_integers(const std::string& path, std::span<const hsize_t> extent,
                                                   const std::string& why) const;
  /// A dataset of whole numbers with one axis of any length.
  template <class Integer>
  [[nodiscard]] std::vector<Integer> read_integer_list(const std::string& path) const;

 private:
  [[nodiscard]] Dataset open(const std::string& path) const;
  void check_stored(const Dataset& dataset) const;
  [[noreturn]] void fail_memory(const Dataset& dataset) const;
  [[nodiscard]] Handle open_attribute(const std::string& object, const char* name) const;
  void read_numbers(const std::string& object, const char* name, std::span<double> values, const char* wanted) const;
  template <class Integer>
  void read_integer_rows(const Dataset& dataset, hid_t file_space, hid_t memory_space, std::size_t first_element,
                         std::span<Integer> to) const;

  std::string name_;
  Handle file_;
};

/// A file that is written under a name of its own beside the one asked for, and renamed to that when it is complete.
/// Whatever goes wrong before leaves nothing behind. Every failure is an Error(invalid_input).
class OutputFile {
 public:
  explicit OutputFile(std::string name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[noreturn]] void fail() const;
  void need(bool ok) const {
    if (!ok) fail();
  }

  void make_group(const std::string& path);
  void write_attribute(const std::string& object, const char* name, const std::string& text);
  void write_attribute(const std::string& object, const char* name, std::int64_t number);
  void write_attribute(const std::string& object, const char* name, double number);
  void write_attribute(const std::string& object, const char* name, std::array<double, 2> pair);

  /// A dataset of fixed extent. `type` is the type in the file.
  [[nodiscard]] Handle make_dataset(const std::string& path, hid_t type, std::span<const hsize_t> extent);
  /// A dataset without rows yet, `columns` numbers a row (0: no second axis), `chunk` rows a piece.
  [[nodiscard]] Handle make_growing_dataset(const std::string& path, hid_t type, hsize_t columns, hsize_t chunk);
  /// Writes all of a dataset.
  void write(const Handle& dataset, hid_t memory_type, const void* from);
  /// Writes row `index` of the first axis.
  void write_row(const Handle& dataset, hid_t memory_type, std::size_t index, const void* from);
  /// Appends `rows` rows to a growing dataset.
  void append(const Handle& dataset, hid_t memory_type, hsize_t rows, const void* from);
  /// Closes a dataset; what was still in memory is written.
  void close(Handle& dataset) const { need(dataset.close()); }

  /// Closes the file and gives it its name.
  void commit();

 private:
  void discard();  // removes what there is under the name of its own
  // `need` stands right behind each call: closing a handle forgets why the call before it failed.
  [[nodiscard]] Handle make_dataset(const std::string& path, hid_t type, const Handle& space, const Handle& creation);
  void put_attribute(const std::string& object, const char* name, hid_t type, const Handle& space, const void* value);
  void write_rows(const Handle& dataset, hid_t memory_type, hsize_t first, hsize_t rows, const void* from);

  std::string name_;       ///< as the user wrote it
  std::string target_;     ///< with symbolic links followed
  std::string temporary_;  ///< beside target_; empty when there is nothing to remove
  Handle file_;
};

/// Removes what all OutputFiles have written so far that are not complete. For a signal handler that ends
/// the process: calls nothing that is not async-signal-safe.
void remove_unfinished_output() noexcept;

}  // namespace oclide::hdf5
