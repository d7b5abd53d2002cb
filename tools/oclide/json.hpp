// One JSON object, written in the order in which its members are added (RFC 8259).
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oclide::command {

class JsonObject {
 public:
  JsonObject& add(std::string_view key, std::string_view text);
  JsonObject& add(std::string_view key, const char* text) { return add(key, std::string_view(text)); }
  /// Shortest digits that give the same double again; null where the number is not finite.
  JsonObject& add(std::string_view key, double number);
  JsonObject& add(std::string_view key, const JsonObject& object);
  JsonObject& add(std::string_view key, const std::vector<JsonObject>& objects);
  JsonObject& add(std::string_view key, const std::vector<std::string>& texts);
  template <std::same_as<bool> Bool>
  JsonObject& add(std::string_view key, Bool value) {
    return add_raw(key, value ? "true" : "false");
  }
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) JsonObject& add(std::string_view key, Integer number) {
    return add_raw(key, std::to_string(number));
  }

  [[nodiscard]] std::string text() const { return "{" + members_ + "}"; }

 private:
  JsonObject& add_raw(std::string_view key, const std::string& value);

  std::string members_;
};

}  // namespace oclide::command
