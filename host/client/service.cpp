// The connection to a service: channel, certificates, token.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "client/service_state.hpp"
#include "client/session_stream.hpp"
#include "text/read_all.hpp"

namespace oclide {
namespace {

bool is_on_this_machine(const std::string& address) {
  std::string_view host = address;
  for (const std::string_view scheme : {"ipv4:", "ipv6:"})
    if (host.starts_with(scheme)) host.remove_prefix(scheme.size());
  for (const std::string_view local : {"127.", "localhost:", "[::1]:", "unix:"})
    if (host.starts_with(local)) return true;
  return false;
}

std::string pem(const std::string& file) {
  std::string text;
  if (file.empty()) return text;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || !read_all(stream, text))
    throw Error(ErrorKind::invalid_input, file + ": cannot be read: " + std::strerror(errno));
  return text;
}

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const ConnectOptions& options) {
  if (options.certificate.empty() != options.key.empty())
    throw Error(ErrorKind::invalid_input, "certificate and key of a client go together");
  if (!options.certificate_authority.empty())
    return grpc::SslCredentials({pem(options.certificate_authority), pem(options.key), pem(options.certificate)});
  if (!options.certificate.empty())
    throw Error(ErrorKind::invalid_input, "certificate and key are of TLS, which certificate_authority makes");
  return grpc::InsecureChannelCredentials();
}

}  // namespace

Service::Service(std::shared_ptr<State> state) : state_(std::move(state)) {}
Service::~Service() = default;
Service::Service(Service&&) noexcept = default;
Service& Service::operator=(Service&&) noexcept = default;

ServiceDevices Service::devices() const {
  grpc::ClientContext context;
  client::add_token(context, state_->token);
  context.set_deadline(std::chrono::system_clock::now() + state_->patience);
  v1::DevicesReply reply;
  if (const grpc::Status status = state_->stub->Devices(&context, {}, &reply); !status.ok())
    throw client::error_of(status);
  ServiceDevices found;
  for (const v1::DevicesReply::Device& from : reply.devices()) {
    DeviceInfo& to = found.devices.emplace_back();
    to.id = from.id();
    to.name = from.name();
    to.platform = from.platform();
    to.is_gpu = from.is_gpu();
    to.is_reference = from.id() == "reference";
    to.usable = from.usable();
    to.memory_bytes = from.memory_bytes();
  }
  found.at_work = reply.at_work();
  return found;
}

Service connect(const std::string& address, const ConnectOptions& options) {
  // gRPC ends the program for others.
  if (!std::all_of(options.token.begin(), options.token.end(), [](char c) { return c > ' ' && c <= '~'; }))
    throw Error(ErrorKind::invalid_input, "token: may have printed characters of ASCII alone, and no spaces");
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  auto state = std::make_shared<Service::State>();
  state->stub = v1::Oclide::NewStub(grpc::CreateCustomChannel(address, credentials_of(options), arguments));
  state->token = options.token;
  state->patience = options.patience;
  state->shares_memory = options.use_shared_memory && is_on_this_machine(address);
  Service service(std::move(state));
  try {
    (void)service.devices();
  } catch (const Error& error) {
    throw Error(error.kind(), address + ": " + error.what());
  }
  return service;
}

}  // namespace oclide
