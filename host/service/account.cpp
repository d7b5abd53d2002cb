#include "service/account.hpp"

#include <utility>

namespace oclide::service {

Accounts::Share::Share(Accounts& accounts, std::string client) : accounts_(accounts), client_(std::move(client)) {
  const std::lock_guard lock(accounts_.mutex_);
  accounts_.set(client_, &Usage::sessions, accounts_.limits_.sessions, "sessions", 0, 1);
}

Accounts::Share::~Share() {
  leave();
}

void Accounts::Share::leave() {
  const std::lock_guard lock(accounts_.mutex_);
  if (std::exchange(has_left_, true)) return;
  const auto usage = accounts_.usage_.find(client_);
  usage->second.sessions -= 1;
  usage->second.bytes -= bytes_;
  usage->second.bodies -= bodies_;
  usage->second.request_bytes -= request_bytes_;
  usage->second.answer_bytes -= answer_bytes_;
  bytes_ = bodies_ = request_bytes_ = answer_bytes_ = 0;
  if (usage->second.sessions == 0) accounts_.usage_.erase(usage);
}

void Accounts::Share::set_bytes(std::uint64_t bytes) {
  const std::lock_guard lock(accounts_.mutex_);
  if (has_left_) return;
  accounts_.set(client_, &Usage::bytes, accounts_.limits_.bytes, "bytes of scenes", bytes_, bytes);
  bytes_ = bytes;
}

void Accounts::Share::set_bodies(std::uint64_t bodies) {
  const std::lock_guard lock(accounts_.mutex_);
  if (has_left_) return;
  accounts_.set(client_, &Usage::bodies, accounts_.limits_.bodies, "bodies", bodies_, bodies);
  bodies_ = bodies;
}

void Accounts::Share::check_turns(std::uint64_t turns) const {
  if (turns > accounts_.limits_.turns)
    throw LimitError("the bodies of a sweep may turn " + std::to_string(accounts_.limits_.turns) +
                     " times in all, and these turn " + std::to_string(turns) + " times");
}

void Accounts::Share::add_request(std::uint64_t bytes) {
  const std::lock_guard lock(accounts_.mutex_);
  if (has_left_) return;
  Usage& usage = accounts_.usage_[client_];
  if (usage.request_bytes >= accounts_.limits_.waiting_bytes)
    throw LimitError("a client may have " + std::to_string(accounts_.limits_.waiting_bytes) +
                     " bytes of requests that wait, and has " + std::to_string(usage.request_bytes));
  usage.request_bytes += bytes;
  request_bytes_ += bytes;
}

void Accounts::Share::remove_request(std::uint64_t bytes) {
  add(&Usage::request_bytes, request_bytes_, -bytes);
}

bool Accounts::Share::has_too_many_requests() const {
  return has_too_many(&Usage::request_bytes, request_bytes_);
}

void Accounts::Share::add_answer(std::uint64_t bytes) {
  add(&Usage::answer_bytes, answer_bytes_, bytes);
}

void Accounts::Share::remove_answer(std::uint64_t bytes) {
  add(&Usage::answer_bytes, answer_bytes_, -bytes);
}

bool Accounts::Share::has_too_many_answers() const {
  return has_too_many(&Usage::answer_bytes, answer_bytes_);
}

void Accounts::Share::add(std::uint64_t Usage::*what, std::uint64_t& own, std::uint64_t by) {
  const std::lock_guard lock(accounts_.mutex_);
  if (has_left_) return;
  accounts_.usage_[client_].*what += by;
  own += by;
}

bool Accounts::Share::has_too_many(std::uint64_t Usage::*what, const std::uint64_t& own) const {
  const std::lock_guard lock(accounts_.mutex_);
  return own > 0 && accounts_.usage_.at(client_).*what >= accounts_.limits_.waiting_bytes;
}

void Accounts::set(const std::string& client, std::uint64_t Usage::*what, std::uint64_t limit, const char* name,
                   std::uint64_t from, std::uint64_t to) {
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
    total.request_bytes += usage.request_bytes;
    total.answer_bytes += usage.answer_bytes;
  }
  return total;
}

}  // namespace oclide::service
