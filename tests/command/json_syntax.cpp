#include "json_syntax.hpp"

#include <cctype>
#include <cstring>

namespace oclide::test {
namespace {

using Members = std::map<std::string, std::string>;

// A reader of the grammar; each function moves on behind what it names, or says no.
class Grammar {
 public:
  explicit Grammar(const std::string& text) : text_(text) {}

  bool object(Members* members) {
    if (!is('{')) return false;
    if (is('}')) return true;
    do {
      space();
      const std::size_t name = at_;
      if (!string()) return false;
      const std::string key = text_.substr(name + 1, at_ - name - 2);
      if (!is(':')) return false;
      space();
      const std::size_t from = at_;
      if (!value()) return false;
      if (members != nullptr && !members->emplace(key, text_.substr(from, at_ - from)).second) return false;
    } while (is(','));
    return is('}');
  }

  bool at_end() {
    space();
    return at_ == text_.size();
  }

 private:
  bool value() {
    space();
    switch (peek()) {
      case '{':
        return object(nullptr);
      case '[':
        return array();
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  bool array() {
    if (!is('[')) return false;
    if (is(']')) return true;
    do {
      if (!value()) return false;
    } while (is(','));
    return is(']');
  }

  bool string() {
    if (peek() != '"') return false;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') return ++at_, true;
      if (static_cast<unsigned char>(text_[at_]) < 0x20) return false;
      if (text_[at_] != '\\') continue;
      ++at_;
      if (peek() == 'u') {
        for (int k = 0; k < 4; ++k)
          if (++at_, std::isxdigit(static_cast<unsigned char>(peek())) == 0) return false;
      } else if (peek() == '\0' || std::strchr("\"\\/bfnrt", peek()) == nullptr) {
        return false;
      }
    }
    return false;
  }

  bool number() {
    if (peek() == '-') ++at_;
    if (peek() == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (peek() == '.' && (++at_, !digits())) return false;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      return digits();
    }
    return true;
  }

  bool digits() {
    const std::size_t from = at_;
    while (std::isdigit(static_cast<unsigned char>(peek())) != 0) ++at_;
    return at_ > from;
  }

  bool word(const char* word) {
    const std::size_t length = std::strlen(word);
    if (text_.compare(at_, length, word) != 0) return false;
    at_ += length;
    return true;
  }

  bool is(char c) {
    space();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void space() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr) ++at_;
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<Members> parse_json_object(const std::string& text) {
  Members members;
  Grammar grammar(text);
  if (!grammar.object(&members) || !grammar.at_end()) return std::nullopt;
  return members;
}

}  // namespace oclide::test
