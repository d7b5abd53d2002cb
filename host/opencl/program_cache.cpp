#include "opencl/program_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <system_error>

namespace oclide::opencl {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMagic = 0x4E49424C43444C43ULL;  // "CLDCLBIN" in a little-endian file
constexpr std::uint64_t kVersion = 1;                    // of the file's layout

// What a file begins with; the binary follows and ends the file.
struct Header {
  std::uint64_t magic = kMagic;
  std::uint64_t version = kVersion;
  Digest key{};
  std::uint64_t length = 0;  // of the binary [bytes]
  Digest checksum{};         // of the binary
};
static_assert(sizeof(Header) == 56);

std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash) {
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x00000100000001B3ULL;
  }
  return hash;
}

// Eight bytes at a time: multiply, rotate, multiply, with a strong mix at the end.
std::uint64_t multiply_rotate(std::string_view bytes, std::uint64_t hash) {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    hash ^= std::rotl(word * 0x9E3779B97F4A7C15ULL, 29) * 0xD6E8FEB86659FD93ULL;
    hash = std::rotl(hash, 27) * 5 + 0x52DCE729ULL;
  }
  hash ^= bytes.size();
  hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93ULL;
  hash = (hash ^ (hash >> 29)) * 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 32);
}

std::string_view text_of(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The value of an environment variable, empty where it is not set.
std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

fs::path choose_folder(const Settings& settings) {
  if (!settings.use_cache) return {};
  if (!settings.cache_directory.empty()) return settings.cache_directory;
  if (const std::string folder = variable("OCLIDE_CACHE_DIR"); !folder.empty()) return folder;
  if (const std::string folder = variable("XDG_CACHE_HOME"); !folder.empty()) return fs::path(folder) / "oclide";
  if (const std::string folder = variable("HOME"); !folder.empty()) return fs::path(folder) / ".cache" / "oclide";
  return {};
}

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

// Ends a name that no other thread or process uses, a forked one included.
std::string unique_suffix() {
  std::random_device random;
  std::string suffix = ".";
  for (int i = 0; i < 2; ++i) suffix += hex((static_cast<std::uint64_t>(random()) << 32) | random());
  return suffix + ".tmp";
}

}  // namespace

Digest digest_of(std::initializer_list<std::string_view> parts) {
  Digest digest{0xCBF29CE484222325ULL, 0x243F6A8885A308D3ULL};
  for (const std::string_view part : parts) {
    const std::uint64_t length = part.size();
    const std::string_view length_bytes(reinterpret_cast<const char*>(&length), sizeof(length));
    digest[0] = fnv1a(part, fnv1a(length_bytes, digest[0]));
    digest[1] = multiply_rotate(part, multiply_rotate(length_bytes, digest[1]));
  }
  return digest;
}

ProgramCache::ProgramCache(const Settings& settings) : folder_(choose_folder(settings)) {}

fs::path ProgramCache::file(const Digest& key) const {
  return folder_ / (hex(key[0]) + hex(key[1]) + ".clbin");
}

std::optional<std::vector<unsigned char>> ProgramCache::load(const Digest& key) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream in(file(key), std::ios::binary);
  Header header;
  if (!in.read(reinterpret_cast<char*>(&header), sizeof(header))) return std::nullopt;
  if (header.magic != kMagic || header.version != kVersion || header.key != key) return std::nullopt;

  // The length is believed only when the file has it. Asked of the open file: the name may lead to a new one by now.
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(in.tellg());
  in.seekg(sizeof(header));
  if (!in || header.length == 0 || size - sizeof(header) != header.length) return std::nullopt;
  std::vector<unsigned char> binary(header.length);
  if (!in.read(reinterpret_cast<char*>(binary.data()), static_cast<std::streamsize>(binary.size())))
    return std::nullopt;
  if (digest_of({text_of(binary)}) != header.checksum) return std::nullopt;
  return binary;
}

void ProgramCache::store(const Digest& key, std::span<const unsigned char> binary) const {
  if (folder_.empty() || binary.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path target = file(key);
  const fs::path temporary = target.string() + unique_suffix();
  {
    std::ofstream out(temporary, std::ios::binary);
    Header header;
    header.key = key;
    header.length = binary.size();
    header.checksum = digest_of({text_of(binary)});
    out.write(reinterpret_cast<const char*>(&header), sizeof(header));
    out.write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
    out.close();
    if (!out) {
      fs::remove(temporary, error);
      return;
    }
  }
  fs::rename(temporary, target, error);
  if (error) fs::remove(temporary, error);
}

void ProgramCache::remove(const Digest& key) const {
  std::error_code error;
  if (!folder_.empty()) fs::remove(file(key), error);
}

}  // namespace oclide::opencl
