#include "service/server.hpp"

#include <grpc/compression.h>
#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server_posix.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "oclide.grpc.pb.h"
#include "service/certificates.hpp"
#include "service/engine.hpp"
#include "service/half_sent.hpp"
#include "service/listen_address.hpp"
#include "service/log.hpp"
#include "service/metrics.hpp"
#include "service/session.hpp"
#include "service/stored_scene.hpp"
#include "service/tokens.hpp"
#include "service/unix_door.hpp"

namespace oclide::service {
namespace {

// Null: no TLS.
std::unique_ptr<WatchedCertificates> certificates_of(const ServerOptions& options, const ListenAddress& address) {
  const CertificateFiles& files = options.certificates;
  if (files.certificate.empty() && files.key.empty()) {
    if (!files.client_authority.empty())
      throw Error(ErrorKind::invalid_input,
                  "certificates of clients are checked with TLS alone: give --certificate and --key");
    if (!address.is_loopback())
      throw Error(ErrorKind::invalid_input, options.listen + " is not loopback: give --certificate and --key for TLS");
    return nullptr;
  }
  if (files.certificate.empty() || files.key.empty())
    throw Error(ErrorKind::invalid_input, "TLS needs both --certificate and --key");
  return std::make_unique<WatchedCertificates>(files, options.reload);
}

std::shared_ptr<grpc::ServerCredentials> credentials_of(const WatchedCertificates* certificates) {
  if (certificates == nullptr) return grpc::InsecureServerCredentials();
  using namespace grpc::experimental;
  const CertificateFiles& files = certificates->paths();
  constexpr unsigned kSeconds = 1;  // what it looks at is in memory
  const auto provider = files.client_authority.empty()
                            ? std::make_shared<FileWatcherCertificateProvider>(files.key, files.certificate, kSeconds)
                            : std::make_shared<FileWatcherCertificateProvider>(files.key, files.certificate,
                                                                               files.client_authority, kSeconds);
  TlsServerCredentialsOptions tls(provider);
  tls.watch_identity_key_cert_pairs();
  if (!files.client_authority.empty()) {
    tls.watch_root_certs();
    tls.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  } else {
    tls.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  }
  return TlsServerCredentials(tls);
}

bool is_of_this_machine(const std::string& peer) {
  return UnixDoor::is_name(peer) || peer.starts_with("unix:") || peer.starts_with("ipv4:127.") ||
         peer.starts_with("ipv6:[::1]") || peer.starts_with("ipv6:%5B::1%5D");
}

}  // namespace

class SessionReactor;

struct Server::State final : public v1::Oclide::CallbackService {
  State(const ServerOptions& chosen, const Settings& settings)
      : options(chosen),
        tokens(chosen.tokens.empty() ? Tokens() : Tokens(chosen.tokens)),
        accounts(chosen.limits),
        engine(settings),
        half_sent(std::max(chosen.limits.waiting_bytes, chosen.most_message_bytes),
                  [this](const std::string& peer, std::uint64_t bytes) { return refuse_half_sent(peer, bytes); }) {
    for (int i = 0; i < 4; ++i)
      background.emplace_back([this](const std::stop_token& stop) { work_in_background(stop); });
  }

  /// Ends the sessions of a connection; whether there were any.
  bool refuse_half_sent(const std::string& peer, std::uint64_t bytes);

  ~State() override {
    metrics.stop();  // it asks all that follows
    if (door) door->stop();
  }

  grpc::ServerBidiReactor<v1::Request, v1::Reply>* Session(grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* Devices(grpc::CallbackServerContext* context, const v1::DevicesRequest* request,
                                    v1::DevicesReply* reply) override;

  /// Who calls; empty where that is nobody who may.
  [[nodiscard]] std::string client_of(const grpc::CallbackServerContext& context) const;
  [[nodiscard]] Shared shared() {
    return {engine, scenes, accounts, metrics, [this](std::function<void()> work) {
              const std::lock_guard lock(background_mutex);
              waiting.push_back(std::move(work));
              background_changed.notify_one();
            }};
  }

  ServerOptions options;
  Tokens tokens;
  Metrics metrics;
  Accounts accounts;
  SceneStore scenes;
  Engine engine;
  std::mutex mutex;
  std::condition_variable changed;
  std::set<SessionReactor*> sessions;
  std::atomic<bool> is_draining{false};
  std::string address;
  int metrics_port = 0;
  std::unique_ptr<WatchedCertificates> certificates;  // outlives the server
  std::unique_ptr<grpc::Server> server;

  // Checks of scenes, which may take long: a few at a time.
  void work_in_background(const std::stop_token& stop) {
    std::unique_lock lock(background_mutex);
    while (background_changed.wait(lock, stop, [&] { return !waiting.empty(); }) && !stop.stop_requested()) {
      const std::function<void()> work = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }
  std::mutex background_mutex;
  std::condition_variable_any background_changed;
  std::deque<std::function<void()>> waiting;
  std::vector<std::jthread> background;
  std::unique_ptr<UnixDoor> door;  // null where gRPC listens
  HalfSent half_sent;
};

// A stream. Deletes itself when the last of it is done.
class SessionReactor final : public grpc::ServerBidiReactor<v1::Request, v1::Reply>, public Outlet {
 public:
  SessionReactor(Server::State& server, const std::string& client, const std::string& peer)
      : server_(server),
        session_(std::make_shared<Session>(server.shared(), client, is_of_this_machine(peer), *this)),
        client_(client),
        peer_(peer) {
    const std::lock_guard lock(server.mutex);
    server.sessions.insert(this);
  }

  void begin() { read_on(); }
  [[nodiscard]] const std::string& peer() const { return peer_; }

  void OnReadDone(bool ok) override {
    // Still reading, until the request is taken in: no other read begins meanwhile.
    if (ok) {
      std::unique_ptr<v1::Request> request = std::move(incoming_);
      server_.metrics.count_bytes(request->ByteSizeLong(), 0);
      server_.half_sent.came(peer_, request->ByteSizeLong());
      try {
        session_->receive(std::move(request));
      } catch (const ProtocolError& error) {
        server_.metrics.count_refusal("protocol");
        return finish({grpc::StatusCode::INVALID_ARGUMENT, error.what()});
      } catch (const LimitError& error) {
        server_.metrics.count_refusal("limit");
        return finish({grpc::StatusCode::RESOURCE_EXHAUSTED, error.what()});
      } catch (const std::exception& error) {
        return finish({grpc::StatusCode::INTERNAL, error.what()});
      }
    }
    {
      const std::lock_guard lock(mutex_);
      is_reading_ = false;
      has_read_all_ = !ok;
    }
    read_on();
    end_if_done();
  }

  void OnWriteDone(bool ok) override {
    session_->reply_sent(written_.ByteSizeLong());
    server_.half_sent.sent(peer_, written_.ByteSizeLong());
    {
      const std::lock_guard lock(mutex_);
      is_writing_ = false;
      if (!ok) outgoing_.clear();
      write_next();
    }
    end_if_done();
  }

  void OnCancel() override { finish(grpc::Status::CANCELLED); }

  void OnDone() override {
    session_->close();
    log("session_ended", {{"client", client_}, {"status", static_cast<int>(status_)}, {"reason", reason_}});
    {
      const std::lock_guard lock(server_.mutex);
      server_.sessions.erase(this);
      server_.changed.notify_all();
    }
    delete this;
  }

  void send(v1::Reply reply) override {
    const std::lock_guard lock(mutex_);
    if (is_finished_) return;
    outgoing_.push_back(std::move(reply));
    write_next();
  }

  void window_changed() override {
    read_on();
    end_if_done();
  }

  /// Of a session that has nothing more to do where the client has said all, or the service ends.
  void end_if_done() {
    const bool is_draining = server_.is_draining;
    {
      const std::lock_guard lock(mutex_);
      if (!has_read_all_ && !is_draining) return;
      if (is_writing_ || !outgoing_.empty() || session_->is_busy()) return;
    }
    finish(is_draining ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "the service ends") : grpc::Status::OK);
  }

  void finish(const grpc::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(is_finished_, true)) return;
      outgoing_.clear();
      status_ = status.error_code();
      reason_ = status.error_message();
    }
    session_->leave();  // before the client learns of the end, and may begin another one at once
    Finish(status);
  }

 private:
  void read_on() {
    const std::lock_guard lock(mutex_);
    if (is_reading_ || has_read_all_ || is_finished_ || !session_->has_room()) return;
    is_reading_ = true;
    incoming_ = std::make_unique<v1::Request>();
    StartRead(incoming_.get());
  }

  // With the lock.
  void write_next() {
    if (is_writing_ || is_finished_ || outgoing_.empty()) return;
    is_writing_ = true;
    written_ = std::move(outgoing_.front());
    outgoing_.pop_front();
    server_.metrics.count_bytes(0, written_.ByteSizeLong());
    StartWrite(&written_);
  }

  Server::State& server_;
  std::shared_ptr<Session> session_;
  std::string client_, peer_, reason_;
  grpc::StatusCode status_ = grpc::StatusCode::OK;
  std::mutex mutex_;
  std::unique_ptr<v1::Request> incoming_;
  std::deque<v1::Reply> outgoing_;
  v1::Reply written_;
  bool is_reading_ = false, is_writing_ = false, has_read_all_ = false, is_finished_ = false;
};

namespace {

// A stream that is refused at once.
class Refusal final : public grpc::ServerBidiReactor<v1::Request, v1::Reply> {
 public:
  explicit Refusal(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

std::string Server::State::client_of(const grpc::CallbackServerContext& context) const {
  if (tokens.are_asked_for()) {
    const auto found = context.client_metadata().find("authorization");
    constexpr std::string_view kBearer = "Bearer ";
    if (found == context.client_metadata().end()) return {};
    const std::string_view value(found->second.data(), found->second.size());
    return value.starts_with(kBearer) ? tokens.name_of(value.substr(kBearer.size())) : std::string();
  }
  if (const auto auth = context.auth_context(); auth && auth->IsPeerAuthenticated()) {
    const auto identity = auth->GetPeerIdentity();
    if (!identity.empty()) return std::string(identity.front().data(), identity.front().size());
  }
  return host_of(context.peer());
}

grpc::ServerBidiReactor<v1::Request, v1::Reply>* Server::State::Session(grpc::CallbackServerContext* context) {
  const auto refuse = [&](grpc::StatusCode code, const char* why, const std::string& message) {
    metrics.count_refusal(why);
    log("session_refused", {{"peer", context->peer()}, {"reason", message}});
    return new Refusal({code, message});
  };
  if (is_draining) return refuse(grpc::StatusCode::UNAVAILABLE, "draining", "the service ends");
  const std::string client = client_of(*context);
  if (client.empty()) return refuse(grpc::StatusCode::UNAUTHENTICATED, "token", "a token of this service is needed");
  try {
    half_sent.began(context->peer(), client);
    auto* reactor = new SessionReactor(*this, client, context->peer());
    log("session_began", {{"client", client}, {"peer", context->peer()}});
    reactor->begin();
    return reactor;
  } catch (const LimitError& error) {
    return refuse(grpc::StatusCode::RESOURCE_EXHAUSTED, "limit", error.what());
  }
}

bool Server::State::refuse_half_sent(const std::string& peer, std::uint64_t bytes) {
  const std::string message = "a client has sent " + std::to_string(bytes) +
                              " bytes of messages that have not come as a whole, and may have sent " +
                              std::to_string(std::max(options.limits.waiting_bytes, options.most_message_bytes));
  metrics.count_refusal("limit");
  log("half_sent", {{"peer", peer}, {"reason", message}});
  bool is_any = false;
  const std::lock_guard lock(mutex);
  for (SessionReactor* session : sessions)
    if (session->peer() == peer) {
      session->finish({grpc::StatusCode::RESOURCE_EXHAUSTED, message});
      is_any = true;
    }
  return is_any || (door && door->end(peer));
}

grpc::ServerUnaryReactor* Server::State::Devices(grpc::CallbackServerContext* context, const v1::DevicesRequest*,
                                                 v1::DevicesReply* reply) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  if (client_of(*context).empty()) {
    reactor->Finish({grpc::StatusCode::UNAUTHENTICATED, "a token of this service is needed"});
    return reactor;
  }
  for (const DeviceInfo& device : devices()) {
    v1::DevicesReply::Device& to = *reply->add_devices();
    to.set_id(device.id);
    to.set_name(device.name);
    to.set_platform(device.platform);
    to.set_is_gpu(device.is_gpu);
    to.set_usable(device.usable);
    to.set_memory_bytes(device.memory_bytes);
  }
  reply->set_at_work(engine.device().id);
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

Server::Server(const ServerOptions& options, const Settings& settings) {
  const ListenAddress address = parse_listen_address(options.listen, true);
  std::unique_ptr<WatchedCertificates> certificates = certificates_of(options, address);
  if (!options.metrics.empty() && !parse_listen_address(options.metrics, false).is_loopback())
    throw Error(ErrorKind::invalid_input,
                "metrics: " + options.metrics + " is not loopback, and they are not encrypted");
  state_ = std::make_unique<State>(options, settings);
  State& state = *state_;
  state.certificates = std::move(certificates);
  state.metrics.add_gauge("oclide_scenes", "Different scenes that sessions have",
                          [&state] { return static_cast<double>(state.scenes.count()); });
  state.metrics.add_gauge("oclide_bodies", "Bodies of all sessions' scenes",
                          [&state] { return static_cast<double>(state.accounts.total().bodies); });
  state.metrics.add_gauge("oclide_scene_bytes", "Bytes of all sessions' scenes",
                          [&state] { return static_cast<double>(state.accounts.total().bytes); });
  state.metrics.add_gauge("oclide_request_bytes", "Bytes of requests that wait or are at work",
                          [&state] { return static_cast<double>(state.accounts.total().request_bytes); });
  state.metrics.add_gauge("oclide_answer_bytes", "Bytes of answers that their clients have not taken",
                          [&state] { return static_cast<double>(state.accounts.total().answer_bytes); });
  state.metrics.add_gauge("oclide_half_sent_bytes", "Bytes of messages that have not come as a whole",
                          [&state] { return static_cast<double>(state.half_sent.bytes()); });
  state.metrics.add_gauge("oclide_launches", "Frames computed, those of one launch once",
                          [&state] { return static_cast<double>(state.engine.counts().launches); });
  state.metrics.add_gauge("oclide_device_busy_seconds", "Time that the device's thread worked",
                          [&state] { return state.engine.counts().busy_seconds; });
  if (!options.metrics.empty()) state.metrics_port = state.metrics.serve(options.metrics);

  // It stays to the end of the process: gRPC 1.51 may wait ten seconds for a thread of its own when it is shut down.
  [[maybe_unused]] static const bool stays = (grpc_init(), true);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  int port = -1;
  // Over a socket of this machine TLS is gRPC's own matter, and what is half sent is not counted there.
  const bool has_door = !address.path.empty() && !state.certificates;
  if (!has_door) builder.AddListeningPort(options.listen, credentials_of(state.certificates.get()), &port);
  builder.RegisterService(&state);
  builder.SetMaxReceiveMessageSize(static_cast<int>(std::min<std::uint64_t>(options.most_message_bytes, 0x7FFFFFFF)));
  builder.SetMaxSendMessageSize(-1);
  // How much of a message has come is seen, and how large it becomes is not.
  for (const grpc_compression_algorithm packed : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP})
    builder.SetCompressionAlgorithmSupportStatus(packed, false);
  // A client that is gone without a word is noticed, and what it had freed.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  // Two services must not share a port without knowing.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  check_that_nobody_listens(address);
  if (has_door) state.door = std::make_unique<UnixDoor>(address.path);
  HeldLogOfGrpc held;
  state.server = builder.BuildAndStart();
  if (!state.server || (!has_door && port < 0) || (port == 0 && address.path.empty())) {
    const std::string why = held.drop();
    throw Error(ErrorKind::invalid_input, "cannot listen at " + options.listen + (why.empty() ? "" : ": " + why));
  }
  if (state.door)
    state.door->open({[&state](int socket) { grpc::AddInsecureChannelFromFd(state.server.get(), socket); },
                      [&state](const std::string& peer, std::uint64_t bytes) { state.half_sent.arrived(peer, bytes); },
                      [&state](const std::string& peer) { state.half_sent.ended(peer); }});
  state.address = address.path.empty() ? address.host + ":" + std::to_string(port) : options.listen;
  if (!address.is_loopback() && options.tokens.empty() && options.certificates.client_authority.empty())
    log("serves_anybody",
        {{"message", "who reaches " + state.address +
                         " is served: give --tokens, or --client-ca, to serve clients that you know"}});
}

Server::~Server() {
  if (!state_ || !state_->server) return;
  state_->is_draining = true;
  if (state_->door) state_->door->shut();
  state_->server->Shutdown(std::chrono::system_clock::now());
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->sessions.empty(); });
}

const std::string& Server::address() const {
  return state_->address;
}
int Server::metrics_port() const {
  return state_->metrics_port;
}
const DeviceInfo& Server::device() const {
  return state_->engine.device();
}

void Server::drain() {
  State& state = *state_;
  const auto end = std::chrono::steady_clock::now() + state.options.drain;
  state.is_draining = true;
  if (auto* health = state.server->GetHealthCheckService()) health->SetServingStatus(false);
  std::unique_lock lock(state.mutex);
  log("draining", {{"sessions", state.sessions.size()}});
  const std::set<SessionReactor*> sessions = state.sessions;
  for (SessionReactor* session : sessions) session->end_if_done();
  state.changed.wait_until(lock, end, [&] { return state.sessions.empty(); });
  const std::size_t left = state.sessions.size();
  lock.unlock();
  // The work of a session that is gone may go on.
  const bool is_at_work = !state.engine.wait_until_idle(end);
  if (left == 0 && !is_at_work) return log("drained");
  log("drain_time_is_over",
      {{"sessions_left", left},
       {"device_at_work", is_at_work},
       {"message", is_at_work
                       ? "nothing stops the request on the device: the process ends when it is done, with status "
                         "0, and its answer goes to nobody"
                       : "the sessions that are left are ended"}});
}

}  // namespace oclide::service
