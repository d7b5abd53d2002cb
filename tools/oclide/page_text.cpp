#include "page_text.hpp"

namespace oclide::command {

std::string filled(std::string_view page, std::span<const std::pair<std::string_view, std::string_view>> parts) {
  std::string text;
  std::size_t done = 0;
  for (const auto& [place, part] : parts) {
    const std::size_t at = page.find(place, done);
    text.append(page.substr(done, at - done)).append(part);
    done = at + place.size();
  }
  return text.append(page.substr(done));
}

std::string in_script(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      text += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    else
      text += c;
  }
  return text;
}

}  // namespace oclide::command
