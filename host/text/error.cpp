// What an exception of the library says is fit for a terminal, wherever its parts came from.
#include "oclide/oclide.hpp"
#include "text/clean_text.hpp"

namespace oclide {

Error::Error(ErrorKind kind, const std::string& message) : Error(kind, message, {}) {}

Error::Error(ErrorKind kind, const std::string& message, const std::string& detail)
    : std::runtime_error(clean_text(message)), kind_(kind), detail_(clean_text(detail, Lines::many)) {}

}  // namespace oclide
