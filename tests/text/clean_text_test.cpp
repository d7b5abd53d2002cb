// Whatever bytes come in, valid UTF-8 without control characters goes out.
#include "text/clean_text.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "oclide/oclide.hpp"

namespace oclide {
namespace {

TEST(CleanText, StaysAsItIs) {
  for (const char* text : {"", "plain \"text\" \\ /", "Gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC2\xA0"}) {
    EXPECT_EQ(clean_text(text), text);
    EXPECT_EQ(clean_text(text, Lines::many), text);
  }
}

TEST(CleanText, ControlCharactersAreEscaped) {
  EXPECT_EQ(clean_text("a\x1B[31mb"), "a\\u001b[31mb");
  EXPECT_EQ(clean_text(std::string_view("\0\x01\x1F\x7F", 4)), "\\u0000\\u0001\\u001f\\u007f");
  EXPECT_EQ(clean_text("\xC2\x80 \xC2\x9B \xC2\x9F"), "\\u0080 \\u009b \\u009f");
  EXPECT_EQ(clean_text("a\r\nb\tc"), "a\\u000d\\u000ab\\u0009c");
  EXPECT_EQ(clean_text("a\r\nb\tc", Lines::many), "a\\u000d\nb\tc");
}

TEST(CleanText, BytesThatAreNoTextAreReplaced) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(clean_text("a\xFF!"), "a" + replaced + "!");
  EXPECT_EQ(clean_text("a\xC3!"), "a" + replaced + "!");
  EXPECT_EQ(clean_text("\x80"), replaced);
  EXPECT_EQ(clean_text("\x9B[31m"), replaced + "[31m");
  EXPECT_EQ(clean_text("\xE2\x82"), replaced + replaced);
  EXPECT_EQ(clean_text("\xC0\xAF"), replaced + replaced) << "an overlong slash";
  EXPECT_EQ(clean_text("\xED\xA0\x80"), replaced + replaced + replaced) << "half of a surrogate pair";
  EXPECT_EQ(clean_text("\xF4\x90\x80\x80"), replaced + replaced + replaced + replaced) << "beyond U+10FFFF";
}

TEST(CleanOutput, CleansWhatAStreamIsGiven) {
  std::ostringstream stream;
  {
    const CleanOutput clean(stream);
    stream << "one\x1B" << '\x07' << 1.5;
    EXPECT_EQ(stream.str(), "");
    stream << "\n\xFF two";
    EXPECT_EQ(stream.str(), "one\\u001b\\u00071.5\n");
    stream.put('\n');
    // In pieces, and without an end.
    stream << "\xC3";
    stream << "\xBC";
    stream.put('\x7F');
  }
  stream << "\x1B";
  EXPECT_EQ(stream.str(), "one\\u001b\\u00071.5\n\xEF\xBF\xBD two\n\xC3\xBC\\u007f\x1B");
  EXPECT_TRUE(stream.good());
}

TEST(CleanOutput, FlushesAndSaysWhereNothingCanBeWritten) {
  std::ostringstream stream;
  const CleanOutput clean(stream);
  stream << "a" << std::flush;
  EXPECT_TRUE(stream.good());

  class Full : public std::streambuf {
  } full;
  std::ostream nowhere(&full);
  {
    const CleanOutput none(nowhere);
    nowhere << "a";
    EXPECT_TRUE(nowhere.good());
    nowhere << "\n";
    EXPECT_FALSE(nowhere.good());
  }
}

TEST(CleanText, ErrorsAreClean) {
  const Error error(ErrorKind::device, "a\x1B\nb\xFF",
                    "first\nse\x1B"
                    "cond");
  EXPECT_STREQ(error.what(), "a\\u001b\\u000ab\xEF\xBF\xBD");
  EXPECT_EQ(error.detail(), "first\nse\\u001bcond");
}

}  // namespace
}  // namespace oclide
