#include "service/metrics.hpp"

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/exposer.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <vector>

#include "oclide/oclide.hpp"

namespace oclide::service {
namespace {

// What is read when somebody asks.
class LiveGauges final : public prometheus::Collectable {
 public:
  struct LiveGauge {
    std::string name, help;
    std::function<double()> value;
  };
  std::vector<LiveGauge> gauges;

  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override {
    std::vector<prometheus::MetricFamily> families;
    for (const LiveGauge& gauge : gauges) {
      prometheus::MetricFamily family;
      family.name = gauge.name;
      family.help = gauge.help;
      family.type = prometheus::MetricType::Gauge;
      family.metric.resize(1);
      family.metric.front().gauge.value = gauge.value();
      families.push_back(std::move(family));
    }
    return families;
  }
};

}  // namespace

struct Metrics::State {
  std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter().Name("oclide_requests_total").Help("Requests taken in").Register(*registry);
  prometheus::Family<prometheus::Counter>& problems =
      prometheus::BuildCounter().Name("oclide_problems_total").Help("Requests that were not done").Register(*registry);
  prometheus::Family<prometheus::Counter>& refusals = prometheus::BuildCounter()
                                                          .Name("oclide_refused_sessions_total")
                                                          .Help("Sessions refused or ended")
                                                          .Register(*registry);
  prometheus::Gauge& sessions =
      prometheus::BuildGauge().Name("oclide_sessions").Help("Sessions that are open").Register(*registry).Add({});
  prometheus::Histogram& frame_seconds =
      prometheus::BuildHistogram()
          .Name("oclide_frame_seconds")
          .Help("Time of a frame on the device, together with those of the same launch")
          .Register(*registry)
          .Add({}, prometheus::Histogram::BucketBoundaries{1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3, 10});
  prometheus::Histogram& together =
      prometheus::BuildHistogram()
          .Name("oclide_frames_together")
          .Help("Sessions in the launch of a frame")
          .Register(*registry)
          .Add({}, prometheus::Histogram::BucketBoundaries{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024});
  prometheus::Family<prometheus::Counter>& bytes =
      prometheus::BuildCounter().Name("oclide_message_bytes_total").Help("Bytes of messages").Register(*registry);
  prometheus::Counter& bytes_in = bytes.Add({{"direction", "in"}});
  prometheus::Counter& bytes_out = bytes.Add({{"direction", "out"}});
  std::shared_ptr<LiveGauges> live = std::make_shared<LiveGauges>();
  std::unique_ptr<prometheus::Exposer> exposer;
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

void Metrics::count_request(const char* kind) {
  state_->requests.Add({{"kind", kind}}).Increment();
}
void Metrics::count_problem(const char* kind) {
  state_->problems.Add({{"kind", kind}}).Increment();
}
void Metrics::count_refusal(const char* why) {
  state_->refusals.Add({{"reason", why}}).Increment();
}
void Metrics::session_began() {
  state_->sessions.Increment();
}
void Metrics::session_ended() {
  state_->sessions.Decrement();
}

void Metrics::time_frame(double milliseconds, std::uint32_t together) {
  state_->frame_seconds.Observe(1e-3 * milliseconds);
  state_->together.Observe(together);
}

void Metrics::count_bytes(std::uint64_t in, std::uint64_t out) {
  state_->bytes_in.Increment(static_cast<double>(in));
  state_->bytes_out.Increment(static_cast<double>(out));
}

void Metrics::add_gauge(const std::string& name, const std::string& help, std::function<double()> value) {
  state_->live->gauges.push_back({name, help, std::move(value)});
}

int Metrics::serve(const std::string& address) {
  try {
    state_->exposer = std::make_unique<prometheus::Exposer>(address, 1);
    state_->exposer->RegisterCollectable(state_->registry);
    state_->exposer->RegisterCollectable(state_->live);
    return state_->exposer->GetListeningPorts().front();
  } catch (const std::exception& error) {
    throw Error(ErrorKind::invalid_input, "metrics: cannot listen at " + address + ": " + error.what());
  }
}

void Metrics::stop() {
  state_->exposer.reset();
}

}  // namespace oclide::service
