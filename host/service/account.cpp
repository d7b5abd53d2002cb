#include "service/account.hpp"

#include <utility>

namespace oclide::service {

Accounts::Share::Share(Accounts& accounts, std::string client) : accounts_(accounts), client_(std::move(client)) {
  accounts_.set(client_, &Usage::sessions, accounts_.limits_.sessions, "sessions", 0, 1);
}

Accounts::Share::~Share() {
  const std::lock_guard lock(accounts_.mutex_);
  const auto usage = accounts_.usage_.find(client_);
  usage->second.sessions -= 1;
  usage->second.bytes -= bytes_;
  usage->second.bodies -= bodies_;
  if (usage->second.sessions == 0) accounts_.usage_.erase(usage);
}

void Accounts::Share::set_bytes(std::uint64_t bytes) {
  accounts_.set(client_, &Usage::bytes, accounts_.limits_.bytes, "bytes of scenes", bytes_, bytes);
  bytes_ = bytes;
}

void Accounts::Share::set_bodies(std::uint64_t bodies) {
  accounts_.set(client_, &Usage::bodies, accounts_.limits_.bodies, "bodies", bodies_, bodies);
  bodies_ = bodies;
}

void Accounts::set(const std::string& client, std::uint64_t Usage::*what, std::uint64_t limit, const char* name,
                   std::uint64_t from, std::uint64_t to) {
  const std::lock_guard lock(mutex_);
  const auto found = usage_.find(client);
  const std::uint64_t others = found == usage_.end() ? 0 : found->second.*what - from;
  if (to > from && (others > limit || to > limit - others))
    throw LimitError("a client may have " + std::to_string(limit) + " " + name + "; with this it would have " +
                     std::to_string(others + to));
  usage_[client].*what = others + to;
}

Usage Accounts::total() const {
  const std::lock_guard lock(mutex_);
  Usage total;
  for (const auto& [client, usage] : usage_) {
    total.sessions += usage.sessions;
    total.bytes += usage.bytes;
    total.bodies += usage.bodies;
  }
  return total;
}

}  // namespace oclide::service
