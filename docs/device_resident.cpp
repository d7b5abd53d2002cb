// Balls and boxes that fall into a bowl of terrain and come to rest. Poses, contacts and the solver are on the device:
// in each step oclide finds the contacts there, and two kernels of the application's use them where they are.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <oclide/opencl.hpp>
#include <string>
#include <vector>

namespace {

// A spring and a damper in each contact, friction against sliding. Bodies collect what their contacts do to them as
// whole numbers, whose sum does not depend on the order: the same run each time.
constexpr const char* kSolver = R"(
typedef struct Body {
  float velocity[3], spin[3];   // [m/s], [rad/s]
  float mass, inertia[3];       // [kg], of its own axes [kg m^2]
  int impulse[3], turn[3];      // of the step at work, about its centre [1/65536 N s, N m s]
} Body;

float3 load(__global const float* p) { return (float3)(p[0], p[1], p[2]); }

// Velocity of the point at r from a body's centre.
float3 velocity_at(__global const Body* b, float3 r) { return load(b->velocity) + cross(load(b->spin), r); }

void push(__global Body* b, float3 r, float3 impulse) {
  const float3 turn = cross(r, impulse);
  for (int a = 0; a < 3; ++a) {
    atomic_add(b->impulse + a, convert_int_rte(65536.0f * (a == 0 ? impulse.x : a == 1 ? impulse.y : impulse.z)));
    atomic_add(b->turn + a, convert_int_rte(65536.0f * (a == 0 ? turn.x : a == 1 ? turn.y : turn.z)));
  }
}

// One work-item a contact.
__kernel void push_apart(const uint count, __global const oclide_device_contact* contacts,
                         __global const oclide_device_manifold* manifolds, __global const float* positions,
                         __global Body* bodies, const float step) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global const oclide_device_contact* c = contacts + item;
  const bool on_terrain = c->body_b == OCLIDE_DEVICE_TERRAIN;
  const uint other = on_terrain ? c->body_a : c->body_b;
  __global Body* a = bodies + c->body_a;
  __global Body* b = bodies + other;
  const float3 n = load(c->normal), arm_a = load(c->point);
  const float3 arm_b = arm_a + load(positions + 3 * c->body_a) - load(positions + 3 * other);
  const float mass = on_terrain ? a->mass : a->mass * b->mass / (a->mass + b->mass);
  const float share = mass / manifolds[c->manifold].count;
  const float stiffness = 3600.0f * share, damping = 60.0f * share;
  const float3 velocity = velocity_at(a, arm_a) - (on_terrain ? (float3)(0.0f) : velocity_at(b, arm_b));
  const float approach = dot(velocity, n);
  const float force = max(stiffness * c->depth - damping * approach, 0.0f);
  const float3 slide = velocity - approach * n;
  const float speed = length(slide);
  const float friction = min(0.6f * force, damping * speed);
  const float3 impulse = step * (force * n - (speed > 0.0f ? friction / speed : 0.0f) * slide);
  push(a, arm_a, impulse);
  if (!on_terrain) push(b, arm_b, -impulse);
}

// One work-item a body.
__kernel void move(const uint count, __global float* positions, __global float* orientations, __global Body* bodies,
                   const float step) {
  const uint item = (uint)get_global_id(0);
  if (item >= count) return;
  __global Body* b = bodies + item;
  __global float* q = orientations + 4 * item;
  // Turns act on the axes of the body: by the columns of its rotation.
  const float w = q[0], x = q[1], y = q[2], z = q[3];
  const float3 axes[3] = {(float3)(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
                          (float3)(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
                          (float3)(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))};
  const float3 impulse = (float3)(b->impulse[0], b->impulse[1], b->impulse[2]) / 65536.0f;
  const float3 turn = (float3)(b->turn[0], b->turn[1], b->turn[2]) / 65536.0f;
  float3 velocity = load(b->velocity) + impulse / b->mass + (float3)(0.0f, 0.0f, -9.81f * step);
  float3 spin = 0.996f * load(b->spin);  // resists rolling
  for (int a = 0; a < 3; ++a) spin += axes[a] * (dot(axes[a], turn) / b->inertia[a]);
  const float s[3] = {spin.x, spin.y, spin.z}, v[3] = {velocity.x, velocity.y, velocity.z};
  for (int a = 0; a < 3; ++a) {
    b->velocity[a] = v[a];
    b->spin[a] = s[a];
    b->impulse[a] = b->turn[a] = 0;
    positions[3 * item + a] += step * v[a];
  }
  const float4 turned = normalize((float4)(w - 0.5f * step * (spin.x * x + spin.y * y + spin.z * z),
                                           x + 0.5f * step * (spin.x * w + spin.y * z - spin.z * y),
                                           y + 0.5f * step * (spin.y * w + spin.z * x - spin.x * z),
                                           z + 0.5f * step * (spin.z * w + spin.x * y - spin.y * x)));
  q[0] = turned.x;
  q[1] = turned.y;
  q[2] = turned.z;
  q[3] = turned.w;
}
)";

struct Body {  // as in the kernels
  float velocity[3], spin[3], mass, inertia[3];
  cl_int impulse[3], turn[3];
};

constexpr std::size_t kGroup = 64;  // one size for all frames: some drivers compile a kernel anew for each

cl::NDRange in_groups(std::size_t items) {
  return cl::NDRange((items + kGroup - 1) / kGroup * kGroup);
}

// A bowl 30 m wide.
oclide::Terrain bowl() {
  oclide::Terrain ground;
  ground.rows = ground.cols = 61;
  ground.origin = {-15.0, -15.0};
  ground.spacing = {0.5, 0.5};
  for (std::size_t i = 0; i < ground.rows; ++i)
    for (std::size_t j = 0; j < ground.cols; ++j) {
      const double x = -15.0 + 0.5 * static_cast<double>(j), y = -15.0 + 0.5 * static_cast<double>(i);
      ground.heights.push_back(0.03 * (x * x + y * y));
    }
  return ground;
}

}  // namespace

int main() {
  // What an application has anyway: a device, a context, a queue, and bodies in its memory.
  const oclide::DeviceInfo info = oclide::devices().front();
  if (info.is_reference) {
    std::printf("no OpenCL device\n");
    return EXIT_SUCCESS;
  }
  const cl::Device device(oclide::opencl_handle(info), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  oclide::Scene scene;
  scene.terrains.push_back(bowl());
  std::vector<float> position, orientation;
  std::vector<Body> state;
  for (int k = 0; k < 200; ++k) {
    const bool ball = k % 2 == 0;
    scene.bodies.shape.push_back(ball ? oclide::Shape::sphere : oclide::Shape::box);
    scene.bodies.size.push_back(ball ? std::array{0.3, 0.0, 0.0} : std::array{0.3, 0.25, 0.2});
    const auto layer = static_cast<float>(k / 100), row = static_cast<float>(k / 10 % 10),
               place = static_cast<float>(k % 10);
    position.insert(position.end(),
                    {0.8F * (place - 4.5F) + 0.1F * layer, 0.8F * (row - 4.5F) - 0.1F * layer, 1.2F + layer});
    orientation.insert(orientation.end(), {1.0F, 0.0F, 0.1F * row, 0.1F * place});
    const float mass = ball ? 113.0F : 120.0F;
    const float of_ball = 0.4F * mass * 0.09F;
    state.push_back({{}, {}, mass, {of_ball, of_ball, of_ball}, {}, {}});
    if (!ball) {
      const float x = 0.09F, y = 0.0625F, z = 0.04F;  // squares of the half extents
      state.back() = {{}, {}, mass, {mass * (y + z) / 3.0F, mass * (x + z) / 3.0F, mass * (x + y) / 3.0F}, {}, {}};
    }
  }
  const auto count = static_cast<cl_uint>(state.size());
  cl::Buffer positions(context, position.begin(), position.end(), false);
  cl::Buffer orientations(context, orientation.begin(), orientation.end(), false);
  cl::Buffer bodies(context, state.begin(), state.end(), false);
  const cl::Program program(context, std::string(oclide::device_layout()) + kSolver, true);
  cl::Kernel push_apart(program, "push_apart"), move(program, "move");

  oclide::Collider collider = oclide::make_collider(context(), queue());
  collider.set_scene(scene);
  oclide::ResidentPoses poses;
  poses.position = positions();
  poses.orientation = orientations();
  const float step = 0.004F;
  const int steps = 2000;
  oclide::DeviceFrame frame;
  for (int k = 0; k < steps; ++k) {
    // The queue is in order: the solver reads what is written before it, and oclide the poses that it leaves.
    frame = oclide::collide_on_device(collider, poses);
    if (frame.contact_count > 0) {
      push_apart.setArg(0, static_cast<cl_uint>(frame.contact_count));
      push_apart.setArg(1, cl::Buffer(frame.contacts, true));
      push_apart.setArg(2, cl::Buffer(frame.manifolds, true));
      push_apart.setArg(3, positions);
      push_apart.setArg(4, bodies);
      push_apart.setArg(5, step);
      queue.enqueueNDRangeKernel(push_apart, cl::NullRange, in_groups(frame.contact_count), cl::NDRange(kGroup));
    }
    move.setArg(0, count);
    move.setArg(1, positions);
    move.setArg(2, orientations);
    move.setArg(3, bodies);
    move.setArg(4, step);
    queue.enqueueNDRangeKernel(move, cl::NullRange, in_groups(count), cl::NDRange(kGroup));
  }

  // Only the end is looked at by the host.
  std::vector<oclide_device_contact> contacts(frame.contact_count);
  queue.enqueueReadBuffer(cl::Buffer(frame.contacts, true), CL_FALSE, 0, contacts.size() * sizeof(contacts[0]),
                          contacts.data());
  queue.enqueueReadBuffer(bodies, CL_TRUE, 0, state.size() * sizeof(Body), state.data());
  double energy = 0.0, fastest = 0.0, deepest = 0.0;
  for (const Body& b : state) {
    double speed2 = 0.0;
    for (int a = 0; a < 3; ++a) {
      speed2 += b.velocity[a] * b.velocity[a];
      energy += 0.5 * b.inertia[a] * b.spin[a] * b.spin[a];  // nearly: its axes are not those of the world
    }
    energy += 0.5 * b.mass * speed2;
    fastest = std::max(fastest, std::sqrt(speed2));
  }
  for (const oclide_device_contact& c : contacts) deepest = std::max(deepest, static_cast<double>(c.depth));
  std::printf("%u bodies after %.1f s: %u contacts in %u manifolds, the deepest %.1f mm\n", count, steps * step,
              frame.contact_count, frame.manifold_count, 1e3 * deepest);
  std::printf("kinetic energy %.2f J, the fastest body %.3f m/s\n", energy, fastest);
  return deepest > 0.0 && deepest < 0.02 && fastest < 0.5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
