// The scene files that a batch is asked for.
#pragma once

#include <string>
#include <vector>

namespace oclide {

/// Each input is a scene file, a folder (its files *.h5, by name) or a text file with a scene file in each line; in
/// this order. A list may be empty, as a share of one that has fewer files than there are shares. Throws
/// Error(invalid_input) for an input that is none of these, a folder without scene files, and where two scene files
/// have the same name, so that their contact files would have it too.
[[nodiscard]] std::vector<std::string> scene_files(const std::vector<std::string>& inputs);

}  // namespace oclide
