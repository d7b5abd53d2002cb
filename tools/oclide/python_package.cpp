#include "python_package.hpp"

#include <cstdlib>
#include <sstream>
#include <system_error>

#include "oclide/oclide.hpp"
#include "process/child_process.hpp"

namespace oclide::command {
namespace {

constexpr const char* kErrorPrefix = "oclide: ";

// Nothing of the folder that the command was called in is taken for a package. Exit status 4: there is none.
constexpr const char* kProgram = R"(import sys
sys.path = [folder for folder in sys.path if folder]
try:
    from oclide.__main__ import main
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(4)
sys.exit(main(sys.argv[1:])))";

// The last line, which is what Python programs end with; one of the package's own before all others.
std::string message_of(const std::string& errors) {
  std::istringstream lines(errors);
  std::string message, line;
  while (std::getline(lines, line)) {
    if (line.starts_with(kErrorPrefix)) return line.substr(std::string(kErrorPrefix).size());
    if (!line.empty()) message = line;
  }
  return message;
}

}  // namespace

Json ask_python(std::vector<std::string> arguments, const std::string& what) {
  const char* chosen = std::getenv("OCLIDE_PYTHON");
  const std::string python = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
  const auto lacks = [&](const std::string& why) {
    return Error(ErrorKind::invalid_input, what + " needs the Python package oclide (pip install .), which " + python +
                                               " lacks: " + why + "; OCLIDE_PYTHON names another Python");
  };
  process::Program program;
  program.command = {python, "-c", kProgram};
  arguments.emplace_back("--json");
  program.command.insert(program.command.end(), arguments.begin(), arguments.end());
  process::Finished finished;
  try {
    finished = process::run(program);
  } catch (const std::system_error& error) {
    throw lacks(error.code().message());
  }
  if (finished.ending.status == 4) throw lacks(message_of(finished.errors));
  if (finished.ending.status != 0) {
    const std::string message = message_of(finished.errors);
    throw Error(finished.ending.status == 2 ? ErrorKind::invalid_input : ErrorKind::device,
                message.empty() ? python + " ended with " + process::to_string(finished.ending) : message);
  }
  Json json = Json::parse(finished.output, nullptr, false);
  if (!json.is_object()) throw Error(ErrorKind::device, python + " printed no JSON object");
  return json;
}

}  // namespace oclide::command
