#include "bench/page.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "bench/page_parts.hpp"
#include "oclide/oclide.hpp"

namespace oclide::command {
namespace {

// JSON that can stand in a script element: nothing in it ends the element or begins a comment.
std::string in_script(const std::string& json) {
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

}  // namespace

void need_plots() {
  if (page_part("chart.min.js").empty())
    throw Error(
        ErrorKind::invalid_input,
        "-o: this build has no plots: install Chart.js (Debian: libjs-chart.js), then configure and build again");
}

std::string page_of(const std::vector<Row>& rows) {
  need_plots();
  const std::string data = in_script(text_of(rows_file(rows)));
  const std::array<std::pair<std::string_view, std::string_view>, 4> parts{{{"{{style}}", page_part("page.css")},
                                                                            {"{{library}}", page_part("chart.min.js")},
                                                                            {"{{rows}}", data},
                                                                            {"{{script}}", page_part("page.js")}}};
  // The places stand in this order in the page. What is put in may have such a name, and is not searched.
  const std::string_view page = page_part("page.html");
  std::string text;
  std::size_t done = 0;
  for (const auto& [place, part] : parts) {
    const std::size_t at = page.find(place, done);
    text.append(page.substr(done, at - done)).append(part);
    done = at + place.size();
  }
  return text.append(page.substr(done));
}

}  // namespace oclide::command
