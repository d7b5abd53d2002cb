// Text from files, drivers and arguments, made fit for a terminal: valid UTF-8 without control characters.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace oclide {

enum class Lines {
  one,   ///< ends of lines and tabs are control characters like any other
  many,  ///< they stay
};

/// Each control character (C0, DEL, C1) becomes the escape that JSON has for it, such as \u001b; each byte that is no
/// part of valid UTF-8 becomes U+FFFD. Clean text stays as it is, and so does clean JSON in meaning.
[[nodiscard]] std::string clean_text(std::string_view text, Lines lines = Lines::one);

/// While it lives, whatever `stream` is given leaves it clean, line for line. Must not outlive the stream.
class CleanOutput : private std::streambuf {
 public:
  explicit CleanOutput(std::ostream& stream);
  ~CleanOutput() override;
  CleanOutput(const CleanOutput&) = delete;
  CleanOutput& operator=(const CleanOutput&) = delete;

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize length) override;
  int sync() override;
  // Hands on the first `length` bytes of what is pending.
  bool pass(std::size_t length);

  std::ostream& stream_;
  std::streambuf* to_;
  std::string pending_;  // of a line that has not ended
};

}  // namespace oclide
