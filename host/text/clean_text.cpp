#include "text/clean_text.hpp"

#include <array>
#include <cstdio>

namespace oclide {
namespace {

// Length of the UTF-8 sequence at the front of text, 0 where there is none: no overlong forms, no surrogates.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool ok =
        follows(1) && follows(2) && !(first == 0xE0 && byte(1) < 0xA0) && !(first == 0xED && byte(1) > 0x9F);
    return ok ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool ok = follows(1) && follows(2) && follows(3) && !(first == 0xF0 && byte(1) < 0x90) &&
                    !(first == 0xF4 && byte(1) > 0x8F);
    return ok ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string clean_text(std::string_view text, Lines lines) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const auto first = static_cast<unsigned char>(text[i]);
    const bool is_c1 = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    const bool stays = lines == Lines::many && (first == '\n' || first == '\t');
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else if (is_c1 || (length == 1 && !stays && (first < 0x20 || first == 0x7F))) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned char>(text[i + length - 1]));
      result += code.data();
    } else {
      result += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  return result;
}

CleanOutput::CleanOutput(std::ostream& stream) : stream_(stream), to_(stream.rdbuf(this)) {}

CleanOutput::~CleanOutput() {
  pass(pending_.size());
  stream_.rdbuf(to_);
}

CleanOutput::int_type CleanOutput::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char character = traits_type::to_char_type(c);
  return xsputn(&character, 1) == 1 ? c : traits_type::eof();
}

std::streamsize CleanOutput::xsputn(const char* text, std::streamsize length) {
  pending_.append(text, static_cast<std::size_t>(length));
  const std::size_t end = pending_.rfind('\n');
  return end == std::string::npos || pass(end + 1) ? length : 0;
}

int CleanOutput::sync() {
  return pass(pending_.size()) && to_->pubsync() == 0 ? 0 : -1;
}

bool CleanOutput::pass(std::size_t length) {
  const std::string clean = clean_text(std::string_view(pending_).substr(0, length), Lines::many);
  pending_.erase(0, length);
  return to_->sputn(clean.data(), static_cast<std::streamsize>(clean.size())) ==
         static_cast<std::streamsize>(clean.size());
}

}  // namespace oclide
