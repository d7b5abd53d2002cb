// What each client has of the service, and how much it may have.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

namespace oclide::service {

/// Of one client: that of a token, or all of an address.
struct Limits {
  std::uint64_t sessions = 4096;
  std::uint64_t bytes = std::uint64_t{4} << 30;  ///< of all its scenes
  std::uint64_t bodies = 10'000'000;             ///< of all its scenes
  /// Of all its requests that wait or are at work: as long as they have as many, no further one is taken in. Of all its
  /// answers that it has not taken: as long as they have as many, none is computed.
  std::uint64_t waiting_bytes = std::uint64_t{4} << 30;
  std::uint64_t turns = 1'000'000;  ///< of all bodies of one sweep together
};

/// A limit would be passed; what() says which, how much was asked for and how much is left.
class LimitError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Usage {
  std::uint64_t sessions = 0, bytes = 0, bodies = 0, request_bytes = 0, answer_bytes = 0;
};

/// Any thread. Outlives its shares.
class Accounts {
 public:
  explicit Accounts(const Limits& limits) : limits_(limits) {}

  /// What a session has; given back with it, or before by leave().
  class Share {
   public:
    Share(Accounts& accounts, std::string client);  ///< one session; throws LimitError
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    /// Gives back what it has. From then on it has nothing, whatever is added.
    void leave();
    /// In place of what it had. Throws LimitError and has what it had before.
    void set_bytes(std::uint64_t bytes);
    void set_bodies(std::uint64_t bodies);
    /// A request is there, or is no more. Throws LimitError where the client's have reached their limit without it.
    void add_request(std::uint64_t bytes);
    void remove_request(std::uint64_t bytes);
    /// Whether the client's have reached their limit, and this session's are some of them.
    [[nodiscard]] bool has_too_many_requests() const;
    /// The same of answers.
    void add_answer(std::uint64_t bytes);
    void remove_answer(std::uint64_t bytes);
    [[nodiscard]] bool has_too_many_answers() const;
    /// Of a sweep. Throws LimitError where its bodies turn too often.
    void check_turns(std::uint64_t turns) const;
    [[nodiscard]] const std::string& client() const { return client_; }

   private:
    // With what this session has of it: a sum changes by `by`, which wraps round; it has reached its limit.
    void add(std::uint64_t Usage::*what, std::uint64_t& own, std::uint64_t by);
    [[nodiscard]] bool has_too_many(std::uint64_t Usage::*what, const std::uint64_t& own) const;

    Accounts& accounts_;
    std::string client_;
    // With the lock of all:
    bool has_left_ = false;
    std::uint64_t bytes_ = 0, bodies_ = 0, request_bytes_ = 0, answer_bytes_ = 0;
  };

  [[nodiscard]] Usage total() const;

 private:
  // With the lock.
  void set(const std::string& client, std::uint64_t Usage::*what, std::uint64_t limit, const char* name,
           std::uint64_t from, std::uint64_t to);

  Limits limits_;
  mutable std::mutex mutex_;
  std::map<std::string, Usage> usage_;
};

}  // namespace oclide::service
