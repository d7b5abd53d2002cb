// JSON is right for every text and number.
#include "json.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "json_syntax.hpp"

namespace oclide::command {
namespace {

TEST(Json, EscapesWhatMustBeEscaped) {
  EXPECT_EQ(JsonObject().add("a\"b", "c\\d\n\x01\x7F/").text(), "{\"a\\\"b\": \"c\\\\d\\u000a\\u0001\x7F/\"}");
  EXPECT_EQ(JsonObject().add("k", "Gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80").text(),
            "{\"k\": \"Gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80\"}");
}

TEST(Json, ReplacesBytesThatAreNoText) {
  const char* const kReplaced =
      "{\"k\": \"a\xEF\xBF\xBD"
      "b\"}";
  EXPECT_EQ(JsonObject()
                .add("k",
                     "a\xFF"
                     "b")
                .text(),
            kReplaced);
  EXPECT_EQ(JsonObject()
                .add("k",
                     "a\xC3"
                     "b")
                .text(),
            kReplaced);
}

TEST(Json, NumbersReadBackAsTheyWere) {
  EXPECT_EQ(JsonObject().add("x", 0.1).text(), "{\"x\": 0.1}");
  EXPECT_EQ(JsonObject().add("x", std::uint64_t{18446744073709551615U}).text(), "{\"x\": 18446744073709551615}");
  EXPECT_EQ(JsonObject().add("x", -3).add("y", true).text(), "{\"x\": -3, \"y\": true}");
}

TEST(Json, NumbersThatAreNotFiniteAreNull) {
  EXPECT_EQ(JsonObject().add("x", std::numeric_limits<double>::infinity()).text(), "{\"x\": null}");
  EXPECT_EQ(JsonObject().add("x", std::numeric_limits<double>::quiet_NaN()).text(), "{\"x\": null}");
}

TEST(Json, NestedIsOneObject) {
  const std::string text = JsonObject()
                               .add("list", std::vector<JsonObject>{JsonObject().add("a", 1), JsonObject()})
                               .add("texts", std::vector<std::string>{"x", "y"})
                               .add("none", std::vector<std::string>{})
                               .add("small", 1e-300)
                               .text();
  const auto members = test::parse_json_object(text);
  ASSERT_TRUE(members) << text;
  EXPECT_EQ(members->size(), 4U);
  EXPECT_FALSE(test::parse_json_object(text + "x"));
  EXPECT_FALSE(test::parse_json_object("{\"a\": inf}"));
}

}  // namespace
}  // namespace oclide::command
