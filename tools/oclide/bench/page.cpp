#include "bench/page.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "bench/page_parts.hpp"
#include "oclide/oclide.hpp"
#include "page_text.hpp"

namespace oclide::command {

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
  return filled(page_part("page.html"), parts);
}

}  // namespace oclide::command
