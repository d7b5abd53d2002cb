#include "client/session_stream.hpp"

#include <chrono>
#include <utility>

#include "service/wire_limits.hpp"

namespace oclide::client {
namespace {

constexpr std::size_t kMostRequest = service::kMostMessageBytes - 64;  // less the request's number [bytes]
constexpr std::chrono::seconds kFarewell{10};                          // that the service has to end a session

const char* name_of(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::UNAVAILABLE:
      return "UNAVAILABLE";
    case grpc::StatusCode::UNAUTHENTICATED:
      return "UNAUTHENTICATED";
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case grpc::StatusCode::INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    case grpc::StatusCode::CANCELLED:
      return "CANCELLED";
    case grpc::StatusCode::UNIMPLEMENTED:
      return "UNIMPLEMENTED";
    default:
      return "gRPC";
  }
}

}  // namespace

Error error_of(const grpc::Status& status) {
  if (status.ok()) return {ErrorKind::device, "the session has ended"};
  // A limit of this client's.
  const bool is_refused = status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
  return {is_refused ? ErrorKind::invalid_input : ErrorKind::device,
          std::string(name_of(status.error_code())) + ": " + status.error_message()};
}

void add_token(grpc::ClientContext& context, const std::string& token) {
  if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
}

SessionStream::SessionStream(v1::Oclide::Stub& stub, const std::string& token) {
  add_token(context_, token);
  stream_ = stub.Session(&context_);
  reader_ = std::thread([this] { read_all(); });
}

SessionStream::~SessionStream() {
  {
    const std::lock_guard lock(write_mutex_);
    if (!std::exchange(is_written_, true)) stream_->WritesDone();
  }
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kFarewell, [this] { return ended_ != nullptr; })) context_.TryCancel();
  }
  reader_.join();
}

void SessionStream::send(const v1::Request& request) {
  const std::lock_guard lock(write_mutex_);
  if (!is_written_) stream_->Write(request);  // a stream that has ended says so to its reader
}

void SessionStream::ask(v1::Request request, Answer answer) {
  // A longer one would end the session, or never go out.
  if (const std::size_t bytes = request.ByteSizeLong(); bytes > kMostRequest)
    throw Error(ErrorKind::invalid_input, "a request has " + std::to_string(bytes) + " bytes, and may have " +
                                              std::to_string(kMostRequest) + ": ask for less at a time");
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ != nullptr || waiting_.size() < window_; });
    if (ended_ != nullptr) std::rethrow_exception(ended_);
    request.set_id(next_++);
    waiting_.emplace(request.id(), Waiting{std::move(answer), {}});
  }
  send(request);
}

void SessionStream::read_all() {
  for (v1::Reply reply; stream_->Read(&reply);) take_in(std::move(reply));
  grpc::Status status;
  {
    const std::lock_guard lock(write_mutex_);
    is_written_ = true;
    status = stream_->Finish();
  }
  const Error problem = error_of(status);
  std::map<std::uint64_t, Waiting> unanswered;
  {
    const std::lock_guard lock(mutex_);
    ended_ = std::make_exception_ptr(problem);
    unanswered.swap(waiting_);
  }
  changed_.notify_all();
  for (auto& [id, waiting] : unanswered) waiting.answer({}, &problem);
}

void SessionStream::take_in(v1::Reply reply) {
  const bool is_last = !reply.has_frame() || !reply.frame().more();
  // Before another request may take the place of this one: the service has credit for all that are on their way.
  if (is_last && !reply.has_opened() && !reply.has_scene()) {
    v1::Request credit;
    credit.mutable_credit()->set_replies(1);
    send(credit);
  }
  const std::size_t reply_window = reply.has_opened() ? reply.opened().window() : 0;
  Waiting done;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(reply.id());
    if (found == waiting_.end()) return context_.TryCancel();  // no service of ours
    found->second.replies.push_back(std::move(reply));
    if (!is_last) return;
    if (reply_window > 0) window_ = reply_window;
    done = std::move(found->second);
    waiting_.erase(found);
  }
  changed_.notify_all();
  const v1::Reply& last = done.replies.back();
  if (last.has_problem()) {
    const bool is_device = last.problem().kind() == v1::Problem::DEVICE;
    const Error problem(is_device ? ErrorKind::device : ErrorKind::invalid_input, last.problem().message());
    return done.answer({}, &problem);
  }
  done.answer(std::move(done.replies), nullptr);
}

}  // namespace oclide::client
