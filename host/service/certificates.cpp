#include "service/certificates.hpp"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include "oclide/oclide.hpp"
#include "service/log.hpp"
#include "text/read_all.hpp"

namespace oclide::service {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using X509Pointer = std::unique_ptr<X509, decltype(&X509_free)>;

[[noreturn]] void refuse_file(const std::string& file, const std::string& what) {
  ERR_clear_error();
  throw Error(ErrorKind::invalid_input, file + ": " + what);
}

std::string text_of_file(const std::string& file) {
  std::string text;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || !read_all(stream, text)) refuse_file(file, std::string("cannot be read: ") + std::strerror(errno));
  return text;
}

Bio reader_of(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

// Of a key that is encrypted. OpenSSL would ask at the terminal.
int no_password(char* /*to*/, int /*size*/, int /*is_write*/, void* /*data*/) {
  return -1;
}

// The first certificate of a chain, all of which can be read.
X509Pointer first_certificate(const std::string& file, const std::string& text) {
  const Bio reader = reader_of(text);
  X509Pointer first(nullptr, X509_free);
  while (X509Pointer next{PEM_read_bio_X509_AUX(reader.get(), nullptr, no_password, nullptr), X509_free}) {
    if (X509_cmp_current_time(X509_get0_notAfter(next.get())) < 0)
      refuse_file(file, "has a certificate that has expired");
    if (!first) first = std::move(next);
  }
  // After the last one there is no further beginning.
  if (!first || ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
    refuse_file(file, "is no PEM file of certificates");
  ERR_clear_error();
  return first;
}

int memory_file(const std::string& text) {
  const int file = memfd_create("oclide-certificate", MFD_CLOEXEC);
  std::size_t written = 0;
  while (file >= 0 && written < text.size()) {
    const ssize_t count = write(file, text.data() + written, text.size() - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  if (file < 0 || written < text.size())
    throw Error(ErrorKind::device, std::string("no memory for certificates: ") + std::strerror(errno));
  return file;
}

// What the descriptor names from here on, at once.
void replace_file(int& descriptor, const std::string& text) {
  const int file = memory_file(text);
  if (descriptor < 0) {
    descriptor = file;
    return;
  }
  dup3(file, descriptor, O_CLOEXEC);
  close(file);
}

std::string path_of_file(int descriptor) {
  return descriptor < 0 ? std::string() : "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace

Certificates read_certificates(const CertificateFiles& files) {
  Certificates found;
  found.certificate = text_of_file(files.certificate);
  const X509Pointer certificate = first_certificate(files.certificate, found.certificate);
  found.key = text_of_file(files.key);
  const Key key(PEM_read_bio_PrivateKey(reader_of(found.key).get(), nullptr, no_password, nullptr), EVP_PKEY_free);
  if (!key) refuse_file(files.key, "is no PEM file of a private key without a password");
  if (X509_check_private_key(certificate.get(), key.get()) != 1)
    refuse_file(files.key, "is not the key of " + files.certificate);
  if (!files.client_authority.empty()) {
    found.client_authority = text_of_file(files.client_authority);
    (void)first_certificate(files.client_authority, found.client_authority);
  }
  return found;
}

WatchedCertificates::WatchedCertificates(CertificateFiles files, std::chrono::seconds every)
    : files_(std::move(files)) {
  show(read_certificates(files_));
  paths_ = {path_of_file(certificate_), path_of_file(key_), path_of_file(client_authority_)};
  thread_ = std::jthread([this, every](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, stop, every, [&] { return stop.stop_requested(); })) look();
  });
}

WatchedCertificates::~WatchedCertificates() {
  thread_.request_stop();
  thread_.join();
  for (const int file : {certificate_, key_, client_authority_})
    if (file >= 0) close(file);
}

void WatchedCertificates::show(const Certificates& certificates) {
  replace_file(certificate_, certificates.certificate);
  replace_file(key_, certificates.key);
  if (!files_.client_authority.empty()) replace_file(client_authority_, certificates.client_authority);
  shown_ = certificates;
}

void WatchedCertificates::look() {
  try {
    const Certificates now = read_certificates(files_);
    problem_.clear();
    if (now == shown_) return;
    show(now);
    log("certificates_replaced", {{"certificate", files_.certificate}});
  } catch (const Error& error) {
    if (std::exchange(problem_, error.what()) != problem_) log("certificates_kept", {{"reason", problem_}});
  }
}

}  // namespace oclide::service
