#include "service/tokens.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "oclide/oclide.hpp"

namespace oclide::service {
namespace {

std::string sha256(std::string_view text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

}  // namespace

Tokens::Tokens(const std::string& file) {
  const auto fail = [&](const std::string& what) { throw Error(ErrorKind::invalid_input, file + ": " + what); };
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) fail("cannot be read");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) fail("has tokens and may be used by its owner alone: chmod 600");
  std::ifstream in(file);
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    std::string name, token, more;
    if (!(words >> name) || name.front() == '#') continue;
    if (!(words >> token) || (words >> more)) fail("line " + std::to_string(number) + " is not NAME TOKEN");
    if (token.size() < 16) fail("line " + std::to_string(number) + ": a token has 16 characters at least");
    const std::string digest = sha256(token);
    for (const Token& other : tokens_) {
      if (other.name == name) fail("line " + std::to_string(number) + ": " + name + " has a token already");
      if (other.digest == digest)
        fail("line " + std::to_string(number) + ": " + name + " has the token of " + other.name);
    }
    tokens_.push_back({name, digest});
  }
  if (!in.eof()) fail("cannot be read");
  if (tokens_.empty()) fail("has no token");
}

std::string Tokens::name_of(std::string_view token) const {
  const std::string digest = sha256(token);
  std::string name;
  for (const Token& known : tokens_)
    if (CRYPTO_memcmp(known.digest.data(), digest.data(), digest.size()) == 0) name = known.name;
  return name;
}

}  // namespace oclide::service
