#include "opencl/driver_turn.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace oclide::test {
namespace {

using opencl::DriverPause;
using opencl::DriverTurn;

// Whether another thread could have the turn now.
bool is_free(std::mutex& driver) {
  bool free = false;
  std::thread([&] {
    free = driver.try_lock();
    if (free) driver.unlock();
  }).join();
  return free;
}

TEST(DriverTurn, IsHadByOneThreadAtATime) {
  std::mutex driver;
  std::atomic<int> inside = 0, most = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int k = 0; k < 2000; ++k) {
        const DriverTurn turn(driver);
        const int now = ++inside;
        if (now > most) most = now;
        --inside;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

TEST(DriverTurn, IsKeptByAThreadThatHasIt) {
  std::mutex driver;
  {
    const DriverTurn outer(driver);
    {
      const DriverTurn inner(driver);
      EXPECT_FALSE(is_free(driver));
    }
    EXPECT_FALSE(is_free(driver));
  }
  EXPECT_TRUE(is_free(driver));
}

TEST(DriverTurn, OfTwoDriversIsHadAtOnce) {
  std::mutex one, other;
  const DriverTurn of_one(one);
  {
    const DriverTurn of_other(other);
    EXPECT_FALSE(is_free(one));
    EXPECT_FALSE(is_free(other));
  }
  EXPECT_FALSE(is_free(one));
  EXPECT_TRUE(is_free(other));
}

TEST(DriverTurn, IsLeftToOthersInAPause) {
  std::mutex driver;
  const DriverTurn outer(driver);
  const DriverTurn inner(driver);
  try {
    const DriverPause pause;
    EXPECT_TRUE(is_free(driver));
    const DriverTurn again(driver);  // work of the host may call the driver itself
    EXPECT_FALSE(is_free(driver));
    throw std::runtime_error("a wait that fails");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(is_free(driver));
}

TEST(DriverTurn, MayBePausedByAThreadWithoutIt) {
  const DriverPause pause;
  std::mutex driver;
  const DriverTurn turn(driver);
  EXPECT_FALSE(is_free(driver));
}

}  // namespace
}  // namespace oclide::test
