// The service's certificate, its key, and the authority of its clients: PEM files that may be replaced at any time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace oclide::service {

struct CertificateFiles {
  std::string certificate, key;
  std::string client_authority;  ///< or empty
};

/// What is in the files, and can be used.
struct Certificates {
  std::string certificate, key, client_authority;
  [[nodiscard]] bool operator==(const Certificates&) const = default;
};

/// Throws Error(invalid_input) that names the file and what is wrong with it.
[[nodiscard]] Certificates read_certificates(const CertificateFiles& files);

/// Certificates in memory, under paths of this process that gRPC may look at: always some that can be used. The files
/// are looked at now and then. New ones take the place of the old; a line of the log says so, or what is wrong.
class WatchedCertificates {
 public:
  /// Throws Error(invalid_input) as read_certificates().
  WatchedCertificates(CertificateFiles files, std::chrono::seconds every);
  ~WatchedCertificates();
  WatchedCertificates(const WatchedCertificates&) = delete;
  WatchedCertificates& operator=(const WatchedCertificates&) = delete;

  [[nodiscard]] const CertificateFiles& paths() const { return paths_; }

 private:
  void show(const Certificates& certificates);
  void look();

  CertificateFiles files_, paths_;
  Certificates shown_;
  std::string problem_;  // that the log has
  int certificate_ = -1, key_ = -1, client_authority_ = -1;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

}  // namespace oclide::service
