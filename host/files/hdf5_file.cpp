#include "files/hdf5_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>
#include <type_traits>

#include "files/whole_file.hpp"

namespace oclide::hdf5 {
namespace {

namespace fs = std::filesystem;

// Names of the files to remove when the process is ended by a signal: so many are written at once at most.
std::array<std::atomic<const char*>, 4> unfinished_output{};
static_assert(std::atomic<const char*>::is_always_lock_free);

void remember_unfinished(const char* name) {
  for (std::atomic<const char*>& slot : unfinished_output) {
    const char* none = nullptr;
    if (slot.compare_exchange_strong(none, name)) return;
  }
}

void forget_unfinished(const char* name) {
  for (std::atomic<const char*>& slot : unfinished_output) {
    const char* own = name;
    if (slot.compare_exchange_strong(own, nullptr)) return;
  }
}

// What stands before the operating system's own words in HDF5's.
constexpr const char* kSystemMessage = "error message = '";

// Longest text of an attribute, read or written.
constexpr std::size_t kMostText = 65536;

std::recursive_mutex& session_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

// What may be made of each byte in the file (deflate makes 1,032), and what of none: zeros that were never written.
constexpr hsize_t kMostCompression = 1100, kMostUnwritten = hsize_t{1} << 32;

// "(513, 513)"
std::string extent_text(std::span<const hsize_t> extent) {
  std::string text = "(";
  for (std::size_t a = 0; a < extent.size(); ++a) text += (a == 0 ? "" : ", ") + std::to_string(extent[a]);
  return text + ")";
}

// "[3][17]" of element `index`.
std::string index_text(std::span<const hsize_t> extent, std::size_t index) {
  std::string text;
  for (std::size_t a = extent.size(); a-- > 0;) {
    text.insert(0, "[" + std::to_string(index % extent[a]) + "]");
    index /= extent[a];
  }
  return text;
}

bool is_whole_number(H5T_class_t type) {
  return type == H5T_INTEGER || type == H5T_ENUM;
}

template <class Integer>
hid_t native_type() {
  if constexpr (std::is_same_v<Integer, std::uint8_t>) return H5T_NATIVE_UINT8;
  if constexpr (std::is_same_v<Integer, std::uint16_t>) return H5T_NATIVE_UINT16;
  if constexpr (std::is_same_v<Integer, std::int32_t>) return H5T_NATIVE_INT32;
  if constexpr (std::is_same_v<Integer, std::uint32_t>) return H5T_NATIVE_UINT32;
  if constexpr (std::is_same_v<Integer, std::uint64_t>) return H5T_NATIVE_UINT64;
}

}  // namespace

Session::Session() : lock_(session_mutex()) {
  // HDF5's cleanup at exit would try again, and loop, on a file that the disk had no room for. Every id is owned here.
  [[maybe_unused]] static const bool once = H5dont_atexit() >= 0;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string last_error() {
  std::string text;
  auto innermost = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    *static_cast<std::string*>(to) = error->desc != nullptr ? error->desc : "";
    return 1;  // ends the walk
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &text);
  // A failed system call is described at length; its own message is what a reader needs.
  if (const auto from = text.find(kSystemMessage); from != std::string::npos) {
    text = text.substr(from + std::strlen(kSystemMessage));
    text = text.substr(0, text.find('\''));
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? "unknown HDF5 error" : text;
}

std::string why_unreadable() {
  struct Findings {
    bool filter = false, memory = false, system = false;
  } found;
  auto visit = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    auto& f = *static_cast<Findings*>(to);
    f.filter = f.filter || error->maj_num == H5E_PLUGIN;
    f.memory = f.memory || error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC;
    f.system = f.system || (error->desc != nullptr && std::strstr(error->desc, kSystemMessage) != nullptr);
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &found);
  if (found.system) return last_error();
  if (found.filter) return "needs a filter that HDF5 does not have here, or is damaged";
  if (found.memory) return "damaged, or larger than memory";
  return "truncated or damaged";
}

void check_file_name(const std::string& name) {
  const std::size_t at = name.find('\0');
  if (at == std::string::npos) return;
  throw Error(ErrorKind::invalid_input, name.substr(0, at) +
                                            ": a file name cannot have a NUL character, this one has one at [" +
                                            std::to_string(at) + "]");
}

std::size_t Dataset::count() const {
  std::size_t n = 1;
  for (hsize_t e : extent) n *= e;
  return n;
}

// ---------------------------------------------------------------------------------------------------------- reading

InputFile::InputFile(std::string name) : name_(std::move(name)) {
  check_file_name(name_);
  // What the operating system can say about the file comes first: its words are plainer than HDF5's.
  std::error_code error;
  const fs::file_status status = fs::status(name_, error);
  if (!fs::exists(status)) fail(error ? error.message() : "No such file or directory");
  if (fs::is_directory(status)) fail("Is a directory");
  if (!fs::is_regular_file(status)) fail("is not a regular file");
  if (::access(name_.c_str(), R_OK) != 0) fail(std::strerror(errno));

  const Session session;
  const htri_t is_hdf5 = H5Fis_hdf5(name_.c_str());
  if (is_hdf5 == 0) fail("is not an HDF5 file");
  Handle access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  file_ = Handle{H5Fopen(name_.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose};
  if (!file_) fail("cannot be opened as HDF5: " + why_unreadable());
}

void InputFile::fail(const std::string& what) const {
  throw Error(ErrorKind::invalid_input, name_ + ": " + what);
}

bool InputFile::exists(const std::string& path) const {
  const Session session;
  // HDF5 answers for the last link of a path only; those before it must be there.
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    const htri_t found = H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT);
    if (found < 0) fail(part + " cannot be looked up, what it is in is no group or damaged");
    if (found == 0) return false;
    if (slash == std::string::npos) return true;
  }
}

std::size_t InputFile::count_numbered(const std::string& group, const char* what) const {
  const Session session;
  if (!exists(group)) return 0;
  const Handle id{H5Gopen2(file_.get(), group.c_str(), H5P_DEFAULT), H5Gclose};
  if (!id) fail(group + " is not a group");
  std::set<std::string> numbers;
  auto visit = [](hid_t, const char* name, const H5L_info_t*, void* to) -> herr_t {
    const std::string_view text = name;
    if (std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
      static_cast<std::set<std::string>*>(to)->emplace(text);
    return 0;
  };
  if (H5Literate(id.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, visit, &numbers) < 0)
    fail(group + " cannot be read: " + why_unreadable());
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (!numbers.contains(std::to_string(k)))
      fail(group + "/" + std::to_string(k) + " is missing: there are " + std::to_string(numbers.size()) + " " + what +
           ", which must be numbered 0, 1, ... without gaps");
  return numbers.size();
}

bool InputFile::has_attribute(const std::string& object, const char* name) const {
  const Session session;
  const htri_t found = H5Aexists_by_name(file_.get(), object.c_str(), name, H5P_DEFAULT);
  if (found < 0) fail(object + ": attribute '" + name + "' cannot be looked up: " + why_unreadable());
  return found > 0;
}

Handle InputFile::open_attribute(const std::string& object, const char* name) const {
  if (!has_attribute(object, name)) fail(object + ": attribute '" + name + "' is missing");
  Handle attribute{H5Aopen_by_name(file_.get(), object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT), H5Aclose};
  if (!attribute) fail(object + ": attribute '" + name + "' cannot be opened: " + why_unreadable());
  return attribute;
}

std::string InputFile::text_attribute(const std::string& object, const char* name) const {
  const Session session;
  const Handle attribute = open_attribute(object, name);
  const Handle type{H5Aget_type(attribute.get()), H5Tclose};
  const Handle space{H5Aget_space(attribute.get()), H5Sclose};
  const std::string what = object + ": attribute '" + name + "'";
  if (H5Tget_class(type.get()) != H5T_STRING || H5Sget_simple_extent_npoints(space.get()) != 1)
    fail(what + " must be one string");
  if (H5Tis_variable_str(type.get()) > 0) {
    const Handle memory{H5Tcopy(type.get()), H5Tclose};
    char* text = nullptr;
    if (H5Aread(attribute.get(), memory.get(), &text) < 0) fail(what + " cannot be read: " + why_unreadable());
    std::string result = text != nullptr ? text : "";
    H5free_memory(text);
    return result;
  }
  const std::size_t length = H5Tget_size(type.get());
  if (length > kMostText) fail(what + " has " + std::to_string(length) + " characters, which is damage");
  std::string text(length, '\0');
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) fail(what + " cannot be read: " + why_unreadable());
  // Fixed length: padded with zeros, or with spaces where the type says so.
  text.resize(std::min(text.find('\0'), text.size()));
  if (H5Tget_strpad(type.get()) == H5T_STR_SPACEPAD) text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

std::int64_t InputFile::integer_attribute(const std::string& object, const char* name) const {
  const Session session;
  const Handle attribute = open_attribute(object, name);
  const Handle type{H5Aget_type(attribute.get()), H5Tclose};
  const Handle space{H5Aget_space(attribute.get()), H5Sclose};
  const std::string what = object + ": attribute '" + name + "'";
  if (!is_whole_number(H5Tget_class(type.get())) || H5Sget_simple_extent_npoints(space.get()) != 1)
    fail(what + " must be one whole number");
  std::int64_t value = 0;
  if (H5Aread(attribute.get(), H5T_NATIVE_INT64, &value) < 0) fail(what + " cannot be read: " + why_unreadable());
  return value;
}

// The numbers of an attribute that has as many as `values`, `wanted` in words.
void InputFile::read_numbers(const std::string& object, const char* name, std::span<double> values,
                             const char* wanted) const {
  const Session session;
  const Handle attribute = open_attribute(object, name);
  const Handle type{H5Aget_type(attribute.get()), H5Tclose};
  const Handle space{H5Aget_space(attribute.get()), H5Sclose};
  const std::string what = object + ": attribute '" + name + "'";
  const H5T_class_t kind = H5Tget_class(type.get());
  if ((kind != H5T_FLOAT && !is_whole_number(kind)) ||
      H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(values.size()))
    fail(what + " must be " + wanted);
  if (H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data()) < 0)
    fail(what + " cannot be read: " + why_unreadable());
}

double InputFile::real_attribute(const std::string& object, const char* name) const {
  double value = 0.0;
  read_numbers(object, name, {&value, 1}, "one number");
  return value;
}

std::array<double, 2> InputFile::pair_attribute(const std::string& object, const char* name) const {
  std::array<double, 2> value{};
  read_numbers(object, name, value, "two numbers");
  return value;
}

Dataset InputFile::open(const std::string& path) const {
  if (!exists(path)) fail(path + ": dataset is missing");
  Dataset dataset;
  dataset.path = path;
  dataset.id = Handle{H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose};
  if (!dataset.id) fail(path + " cannot be opened as a dataset: " + why_unreadable());
  const Handle space{H5Dget_space(dataset.id.get()), H5Sclose};
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) fail(path + " has no extent: " + why_unreadable());
  dataset.extent.resize(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space.get(), dataset.extent.data(), nullptr);
  check_stored(dataset);
  return dataset;
}

// What stands in one piece must be in the file, before memory is asked for; of what stands in chunks, which may be
// compressed or have never been written, no more than could be.
void InputFile::check_stored(const Dataset& dataset) const {
  const Handle type{H5Dget_type(dataset.id.get()), H5Tclose};
  hsize_t bytes = H5Tget_size(type.get()), file_bytes = 0;
  for (const hsize_t e : dataset.extent) {
    if (e > 0 && bytes > std::numeric_limits<std::int64_t>::max() / e)
      fail_extent(dataset, "fewer elements: no machine has memory for them");
    bytes *= e;
  }
  const haddr_t offset = H5Dget_offset(dataset.id.get());
  if (bytes == 0 || H5Fget_filesize(file_.get(), &file_bytes) < 0) return;
  const bool is_there = offset == HADDR_UNDEF
                            ? bytes / kMostCompression <= kMostUnwritten / kMostCompression + file_bytes
                            : offset <= file_bytes && bytes <= file_bytes - offset;
  if (!is_there)
    fail(dataset.path + " has extent " + extent_text(dataset.extent) + ", " + std::to_string(bytes) +
         " bytes, which the file does not have: truncated or damaged");
}

void InputFile::check_written(const Dataset& dataset) const {
  const Session session;
  const Handle type{H5Dget_type(dataset.id.get()), H5Tclose};
  const hsize_t element = H5Tget_size(type.get()), stored = H5Dget_storage_size(dataset.id.get());
  if (element * dataset.count() / kMostCompression > stored)
    fail(dataset.path + " has extent " + extent_text(dataset.extent) + ", of which most was never written");
}

Dataset InputFile::open_real(const std::string& path) const {
  const Session session;
  Dataset dataset = open(path);
  const Handle type{H5Dget_type(dataset.id.get()), H5Tclose};
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) fail(path + " must hold real numbers (float32 or float64)");
  return dataset;
}

void InputFile::fail_memory(const Dataset& dataset) const {
  fail(dataset.path + " has extent " + extent_text(dataset.extent) + ", for which memory is short");
}

void InputFile::fail_extent(const Dataset& dataset, const std::string& needed) const {
  fail(dataset.path + " has extent " + extent_text(dataset.extent) + ", but must have " + needed);
}

void InputFile::read(const Dataset& dataset, std::span<double> to) const {
  const Session session;
  if (to.empty()) return;
  if (H5Dread(dataset.id.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, to.data()) < 0)
    fail(dataset.path + " cannot be read: " + why_unreadable());
}

Dataset InputFile::open_integers(const std::string& path) const {
  const Session session;
  Dataset dataset = open(path);
  const Handle type{H5Dget_type(dataset.id.get()), H5Tclose};
  if (!is_whole_number(H5Tget_class(type.get()))) fail(path + " must hold whole numbers");
  return dataset;
}

// What is selected of `file_space`, whose first element is `first_element` of the dataset.
template <class Integer>
void InputFile::read_integer_rows(const Dataset& dataset, hid_t file_space, hid_t memory_space,
                                  std::size_t first_element, std::span<Integer> to) const {
  const Handle type{H5Dget_type(dataset.id.get()), H5Tclose};
  const auto load = [&](hid_t memory_type, void* into) {
    if (H5Dread(dataset.id.get(), memory_type, memory_space, file_space, H5P_DEFAULT, into) < 0)
      fail(dataset.path + " cannot be read: " + why_unreadable());
  };
  if (H5Tequal(type.get(), native_type<Integer>()) > 0) return load(native_type<Integer>(), to.data());
  // HDF5 would clamp what does not fit; that is for us to refuse. 64 bits without sign only where a value may need it.
  const auto narrow = [&](const auto& wide) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (!std::in_range<Integer>(wide[i]))
        fail(dataset.path + index_text(dataset.extent, first_element + i) + " is " + std::to_string(wide[i]) +
             ", which is outside the range " + std::to_string(std::numeric_limits<Integer>::min()) + " .. " +
             std::to_string(std::numeric_limits<Integer>::max()));
      to[i] = static_cast<Integer>(wide[i]);
    }
  };
  if (H5Tget_class(type.get()) == H5T_INTEGER && H5Tget_sign(type.get()) == H5T_SGN_NONE) {
    std::vector<std::uint64_t> wide;
    make_room(dataset, to.size(), wide);
    load(H5T_NATIVE_UINT64, wide.data());
    narrow(wide);
  } else {
    std::vector<std::int64_t> wide;
    make_room(dataset, to.size(), wide);
    load(H5T_NATIVE_INT64, wide.data());
    narrow(wide);
  }
}

template <class Value>
void InputFile::read_rows(const Dataset& dataset, std::size_t first, std::size_t rows, std::span<Value> to) const {
  const Session session;
  if (to.empty()) return;
  std::vector<hsize_t> start(dataset.extent.size(), 0);
  std::vector<hsize_t> count = dataset.extent;
  start[0] = first;
  count[0] = rows;
  const Handle file_space{H5Dget_space(dataset.id.get()), H5Sclose};
  const hsize_t length = to.size();
  const Handle memory_space{H5Screate_simple(1, &length, nullptr), H5Sclose};
  const auto cannot = [&] {
    fail(dataset.path + "[" + std::to_string(first) + "] cannot be read: " + why_unreadable());
  };
  if (H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0) cannot();
  if constexpr (std::is_same_v<Value, double>) {
    if (H5Dread(dataset.id.get(), H5T_NATIVE_DOUBLE, memory_space.get(), file_space.get(), H5P_DEFAULT, to.data()) < 0)
      cannot();
  } else {
    read_integer_rows(dataset, file_space.get(), memory_space.get(), first * (to.size() / rows), to);
  }
}

void InputFile::read_row(const Dataset& dataset, std::size_t index, std::span<double> to) const {
  read_rows(dataset, index, 1, to);
}

template <class Integer>
std::vector<Integer> InputFile::read_integers(const std::string& path, std::span<const hsize_t> extent,
                                              const std::string& why) const {
  const Session session;
  const Dataset dataset = open_integers(path);
  if (!std::equal(extent.begin(), extent.end(), dataset.extent.begin(), dataset.extent.end()))
    fail_extent(dataset, extent_text(extent) + why);
  std::vector<Integer> values;
  make_room(dataset, dataset.count(), values);
  if (!values.empty()) read_integer_rows(dataset, H5S_ALL, H5S_ALL, 0, std::span(values));
  return values;
}

template <class Integer>
std::vector<Integer> InputFile::read_integer_list(const std::string& path) const {
  const Session session;
  const Dataset dataset = open_integers(path);
  if (dataset.extent.size() != 1) fail_extent(dataset, "one axis");
  std::vector<Integer> values;
  make_room(dataset, dataset.count(), values);
  if (!values.empty()) read_integer_rows(dataset, H5S_ALL, H5S_ALL, 0, std::span(values));
  return values;
}

template std::vector<std::uint8_t> InputFile::read_integers(const std::string&, std::span<const hsize_t>,
                                                            const std::string&) const;
template std::vector<std::int32_t> InputFile::read_integers(const std::string&, std::span<const hsize_t>,
                                                            const std::string&) const;
template std::vector<std::uint32_t> InputFile::read_integers(const std::string&, std::span<const hsize_t>,
                                                             const std::string&) const;
template std::vector<std::uint64_t> InputFile::read_integers(const std::string&, std::span<const hsize_t>,
                                                             const std::string&) const;
template std::vector<std::uint8_t> InputFile::read_integer_list(const std::string&) const;
template std::vector<std::int32_t> InputFile::read_integer_list(const std::string&) const;
template void InputFile::read_rows(const Dataset&, std::size_t, std::size_t, std::span<double>) const;
template void InputFile::read_rows(const Dataset&, std::size_t, std::size_t, std::span<std::uint8_t>) const;
template void InputFile::read_rows(const Dataset&, std::size_t, std::size_t, std::span<std::uint16_t>) const;
template void InputFile::read_rows(const Dataset&, std::size_t, std::size_t, std::span<std::uint32_t>) const;
template void InputFile::read_rows(const Dataset&, std::size_t, std::size_t, std::span<std::uint64_t>) const;

// ---------------------------------------------------------------------------------------------------------- writing

OutputFile::OutputFile(std::string name) : name_(std::move(name)) {
  check_file_name(name_);
  target_ = output_target(name_);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::invalid_input, name_ + ": cannot be written: " + what);
  };

  const Session session;
  Handle access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  // Of this format on, which HDF5 reads since 1.8, headers have checksums: damage is found, not followed.
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18);
  Handle creation{H5Pcreate(H5P_FILE_CREATE), H5Pclose};
  H5Pset_obj_track_times(creation.get(), 0);  // of the root group: see make_dataset()
  temporary_ = target_ + ".partial" + std::to_string(::getpid());
  // Made here, so that a name that is taken already is told from a file that HDF5 could not begin. Remembered before:
  // a signal may come as soon as it is there.
  remember_unfinished(temporary_.c_str());
  const int made = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (made < 0) {
    const int reason = errno;
    forget_unfinished(temporary_.c_str());
    temporary_.clear();
    refuse(std::strerror(reason));
  }
  ::close(made);
  file_ = Handle{H5Fcreate(temporary_.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose};
  if (!file_) {
    const std::string reason = last_error();
    discard();
    refuse(reason);
  }
}

void OutputFile::discard() {
  if (temporary_.empty()) return;
  std::remove(temporary_.c_str());
  forget_unfinished(temporary_.c_str());
  temporary_.clear();
}

OutputFile::~OutputFile() {
  const Session session;
  file_.close();
  discard();
}

void OutputFile::fail() const {
  throw Error(ErrorKind::invalid_input, name_ + ": cannot be written: " + last_error());
}

void OutputFile::make_group(const std::string& path) {
  const Session session;
  const Handle creation{H5Pcreate(H5P_GROUP_CREATE), H5Pclose};
  H5Pset_obj_track_times(creation.get(), 0);
  Handle group{H5Gcreate2(file_.get(), path.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Gclose};
  need(static_cast<bool>(group) && group.close());
}

void OutputFile::put_attribute(const std::string& object, const char* name, hid_t type, const Handle& space,
                               const void* value) {
  Handle attribute{
      H5Acreate_by_name(file_.get(), object.c_str(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose};
  need(static_cast<bool>(attribute));
  need(H5Awrite(attribute.get(), type, value) >= 0);
  need(attribute.close());
}

void OutputFile::write_attribute(const std::string& object, const char* name, const std::string& text) {
  const Session session;
  if (text.find('\0') != std::string::npos)
    throw Error(ErrorKind::invalid_input, name_ + ": attribute '" + name + "' cannot have a NUL character");
  if (text.size() >= kMostText)
    throw Error(ErrorKind::invalid_input, name_ + ": attribute '" + name + "' cannot have " +
                                              std::to_string(text.size()) + " characters, " +
                                              std::to_string(kMostText - 1) + " at most");
  const Handle type{H5Tcopy(H5T_C_S1), H5Tclose};
  H5Tset_size(type.get(), text.size() + 1);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  const Handle space{H5Screate(H5S_SCALAR), H5Sclose};
  put_attribute(object, name, type.get(), space, text.c_str());
}

void OutputFile::write_attribute(const std::string& object, const char* name, std::int64_t number) {
  const Session session;
  const Handle space{H5Screate(H5S_SCALAR), H5Sclose};
  put_attribute(object, name, H5T_NATIVE_INT64, space, &number);
}

void OutputFile::write_attribute(const std::string& object, const char* name, double number) {
  const Session session;
  const Handle space{H5Screate(H5S_SCALAR), H5Sclose};
  put_attribute(object, name, H5T_NATIVE_DOUBLE, space, &number);
}

void OutputFile::write_attribute(const std::string& object, const char* name, std::array<double, 2> pair) {
  const Session session;
  const hsize_t two = 2;
  const Handle space{H5Screate_simple(1, &two, nullptr), H5Sclose};
  put_attribute(object, name, H5T_NATIVE_DOUBLE, space, pair.data());
}

Handle OutputFile::make_dataset(const std::string& path, hid_t type, const Handle& space, const Handle& creation) {
  H5Pset_obj_track_times(creation.get(), 0);  // the same content is the same file, whenever it is written
  Handle dataset{H5Dcreate2(file_.get(), path.c_str(), type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                 H5Dclose};
  need(static_cast<bool>(dataset));
  return dataset;
}

Handle OutputFile::make_dataset(const std::string& path, hid_t type, std::span<const hsize_t> extent) {
  const Session session;
  const Handle space{H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), H5Sclose};
  const Handle creation{H5Pcreate(H5P_DATASET_CREATE), H5Pclose};
  return make_dataset(path, type, space, creation);
}

Handle OutputFile::make_growing_dataset(const std::string& path, hid_t type, hsize_t columns, hsize_t chunk) {
  const Session session;
  const int rank = columns == 0 ? 1 : 2;
  const std::array<hsize_t, 2> none{0, columns};
  const std::array<hsize_t, 2> most{H5S_UNLIMITED, columns};
  const std::array<hsize_t, 2> piece{chunk, columns};
  const Handle space{H5Screate_simple(rank, none.data(), most.data()), H5Sclose};
  const Handle creation{H5Pcreate(H5P_DATASET_CREATE), H5Pclose};
  H5Pset_chunk(creation.get(), rank, piece.data());
  return make_dataset(path, type, space, creation);
}

void OutputFile::write(const Handle& dataset, hid_t memory_type, const void* from) {
  const Session session;
  need(H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from) >= 0);
}

void OutputFile::write_rows(const Handle& dataset, hid_t memory_type, hsize_t first, hsize_t rows, const void* from) {
  const Handle space{H5Dget_space(dataset.get()), H5Sclose};
  std::array<hsize_t, H5S_MAX_RANK> count{};
  std::array<hsize_t, H5S_MAX_RANK> start{};
  const int rank = H5Sget_simple_extent_dims(space.get(), count.data(), nullptr);
  start[0] = first;
  count[0] = rows;
  const Handle memory{H5Screate_simple(rank, count.data(), nullptr), H5Sclose};
  need(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >= 0);
  need(H5Dwrite(dataset.get(), memory_type, memory.get(), space.get(), H5P_DEFAULT, from) >= 0);
}

void OutputFile::write_row(const Handle& dataset, hid_t memory_type, std::size_t index, const void* from) {
  const Session session;
  write_rows(dataset, memory_type, index, 1, from);
}

void OutputFile::append(const Handle& dataset, hid_t memory_type, hsize_t rows, const void* from) {
  const Session session;
  if (rows == 0) return;
  std::array<hsize_t, H5S_MAX_RANK> extent{};
  {
    const Handle space{H5Dget_space(dataset.get()), H5Sclose};
    H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  }
  const hsize_t first = extent[0];
  extent[0] += rows;
  need(H5Dset_extent(dataset.get(), extent.data()) >= 0);
  write_rows(dataset, memory_type, first, rows, from);
}

void OutputFile::commit() {
  const Session session;
  need(H5Fflush(file_.get(), H5F_SCOPE_LOCAL) >= 0);
  need(file_.close());
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    throw Error(ErrorKind::invalid_input, name_ + ": cannot be written: " + std::strerror(errno));
  forget_unfinished(temporary_.c_str());
  temporary_.clear();
}

void remove_unfinished_output() noexcept {
  for (std::atomic<const char*>& slot : unfinished_output)
    if (const char* name = slot.exchange(nullptr)) ::unlink(name);
}

}  // namespace oclide::hdf5
