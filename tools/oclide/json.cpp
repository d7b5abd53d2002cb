#include "json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace oclide::command {
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

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    const char c = text[i];
    if (length == 0) {
      result += "\xEF\xBF\xBD";  // the replacement character: a file name may hold any bytes, JSON may not
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      result += code.data();
    } else {
      result += text.substr(i, length);
    }
    i += length;
  }
  return result + "\"";
}

}  // namespace

JsonObject& JsonObject::add_raw(std::string_view key, const std::string& value) {
  members_ += (members_.empty() ? "" : ", ") + quoted(key) + ": " + value;
  return *this;
}

JsonObject& JsonObject::add(std::string_view key, std::string_view text) {
  return add_raw(key, quoted(text));
}

JsonObject& JsonObject::add(std::string_view key, double number) {
  if (!std::isfinite(number)) return add_raw(key, "null");
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return add_raw(key, std::string(digits.data(), end));
}

JsonObject& JsonObject::add(std::string_view key, const JsonObject& object) {
  return add_raw(key, object.text());
}

JsonObject& JsonObject::add(std::string_view key, const std::vector<JsonObject>& objects) {
  std::string list;
  for (const JsonObject& object : objects) list += (list.empty() ? "" : ", ") + object.text();
  return add_raw(key, "[" + list + "]");
}

JsonObject& JsonObject::add(std::string_view key, const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted(text);
  return add_raw(key, "[" + list + "]");
}

}  // namespace oclide::command
