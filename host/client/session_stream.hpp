// The stream of one session: requests in the order in which they are asked, and what is done with the answer to each.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "oclide.grpc.pb.h"
#include "oclide/oclide.hpp"

namespace oclide::client {

/// What gRPC says of a call that failed.
[[nodiscard]] Error error_of(const grpc::Status& status);
void add_token(grpc::ClientContext& context, const std::string& token);

class SessionStream {
 public:
  /// The answer to a request, in one reply or several; or what became of it instead, which is an Error. Called on the
  /// stream's own thread.
  using Answer = std::function<void(std::vector<v1::Reply> replies, const Error* problem)>;

  SessionStream(v1::Oclide::Stub& stub, const std::string& token);
  /// Ends the session. What has not been answered is told so.
  ~SessionStream();
  SessionStream(const SessionStream&) = delete;
  SessionStream& operator=(const SessionStream&) = delete;

  /// Sends what is not answered.
  void send(const v1::Request& request);
  /// Gives the request its number and sends it; waits while as many are on their way as a service takes in. Throws
  /// Error where the session has ended.
  void ask(v1::Request request, Answer answer);

 private:
  struct Waiting {
    Answer answer;
    std::vector<v1::Reply> replies;
  };

  void read_all();
  void take_in(v1::Reply reply);

  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::Request, v1::Reply>> stream_;
  std::mutex write_mutex_;   // held while something is written
  bool is_written_ = false;  // nothing follows

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::map<std::uint64_t, Waiting> waiting_;
  std::size_t window_ = 1;  // requests on their way at most, until the service says how many it takes in
  std::uint64_t next_ = 1;
  std::exception_ptr ended_;  // why the session has ended; null: it has not
  std::thread reader_;
};

}  // namespace oclide::client
