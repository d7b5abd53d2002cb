#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

namespace oracle {
namespace {

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

void report(Findings& f, bool json, std::size_t worst) {
  std::map<std::string, std::vector<Violation>> by_category;
  for (const auto& v : f.violations) by_category[v.category].push_back(v);
  if (json) std::printf("{\"violations\": {");
  const char* separator = "";
  for (auto& [category, list] : by_category) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.excess > b.excess; });
    std::set<std::pair<std::size_t, std::size_t>> bodies;
    for (const auto& v : list) bodies.emplace(v.frame, v.body);
    if (json) {
      std::printf("%s%s: {\"count\": %zu, \"bodies\": %zu, \"worst\": [", separator, quoted(category).c_str(),
                  list.size(), bodies.size());
    } else {
      std::printf("%s: %zu, on %zu bodies\n", category.c_str(), list.size(), bodies.size());
    }
    separator = ", ";
    for (std::size_t i = 0; i < std::min(worst, list.size()); ++i) {
      const auto& v = list[i];
      const long long row = v.row == static_cast<std::size_t>(-1) ? -1 : static_cast<long long>(v.row);
      if (json) {
        std::printf("%s{\"frame\": %zu, \"body\": %zu, \"row\": %lld, \"excess\": %.9g, \"text\": %s}", i ? ", " : "",
                    v.frame, v.body, row, v.excess, quoted(v.text).c_str());
      } else {
        std::printf("  frame %zu body %zu row %lld: %s\n", v.frame, v.body, row, v.text.c_str());
      }
    }
    if (json) std::printf("]}");
  }
  if (json) std::printf("}, \"counts\": {");
  separator = "";
  for (const auto& [name, count] : f.counts) {
    if (json) {
      std::printf("%s%s: %zu", separator, quoted(name).c_str(), count);
    } else {
      std::printf("%s: %zu\n", name.c_str(), count);
    }
    separator = ", ";
  }
  if (json) std::printf("}, \"statistics\": {");
  separator = "";
  for (auto& [name, values] : f.statistics) {
    std::sort(values.begin(), values.end());
    const double q[] = {values.front(),         quantile(values, 0.05), quantile(values, 0.5),
                        quantile(values, 0.95), quantile(values, 0.99), values.back()};
    if (json) {
      std::printf("%s%s: [%zu, %.6g, %.6g, %.6g, %.6g, %.6g, %.6g]", separator, quoted(name).c_str(), values.size(),
                  q[0], q[1], q[2], q[3], q[4], q[5]);
    } else {
      std::printf("%s: n %zu, least %.4g, 5%% %.4g, median %.4g, 95%% %.4g, 99%% %.4g, most %.4g\n", name.c_str(),
                  values.size(), q[0], q[1], q[2], q[3], q[4], q[5]);
    }
    separator = ", ";
  }
  if (json) std::printf("}}\n");
}

}  // namespace oracle
