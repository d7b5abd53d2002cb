#include "opencl/driver_turn.hpp"

#include <utility>

namespace oclide::opencl {
namespace {

thread_local std::mutex* turn_of_thread = nullptr;

}  // namespace

DriverTurn::DriverTurn(std::mutex& driver)
    : driver_(turn_of_thread == &driver ? nullptr : &driver), before_(turn_of_thread) {
  if (driver_ == nullptr) return;
  driver_->lock();
  turn_of_thread = driver_;
}

DriverTurn::~DriverTurn() {
  if (driver_ == nullptr) return;
  turn_of_thread = before_;
  driver_->unlock();
}

DriverPause::DriverPause() : driver_(std::exchange(turn_of_thread, nullptr)) {
  if (driver_ != nullptr) driver_->unlock();
}

DriverPause::~DriverPause() {
  if (driver_ != nullptr) driver_->lock();
  turn_of_thread = driver_;
}

}  // namespace oclide::opencl
