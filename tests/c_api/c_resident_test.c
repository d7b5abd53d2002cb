/* Frames that stay on the device through the C API, and what they refuse.
 * Exit status 0: all holds; 1: not; 77: there is no OpenCL device. */
#include <math.h>
#include <oclide/oclide_opencl.h>
#include <stdio.h>
#include <string.h>

#include "package/example_scene_c.h"

static int failures = 0;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "c_resident_test.c:%d: %s does not hold; last message: %s\n", line, what, oclide_last_message());
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define CHECK_OK(call) CHECK((call) == OCLIDE_OK)
/* The call has this status, and its message has this text. */
#define CHECK_STATUS(call, status, text) CHECK((call) == (status) && strstr(oclide_last_message(), text) != NULL)

static ExampleScene example;

/* The device that tests run on; NULL where there is none. */
static cl_device_id find_device(void) {
  oclide_device_list* list = NULL;
  size_t count = 0, found = 99;
  cl_device_id device = NULL;
  CHECK_OK(oclide_device_list_create(&list));
  CHECK_OK(oclide_device_list_count(list, &count));
  CHECK_STATUS(oclide_device_list_opencl(list, count - 1, &device), OCLIDE_INVALID_INPUT, "reference");
  for (size_t k = 0; k < count && device == NULL; ++k) {
    oclide_device_info info = OCLIDE_INIT(oclide_device_info);
    CHECK_OK(oclide_device_list_get(list, k, &info));
    if (!info.usable || info.is_reference) continue;
    CHECK_OK(oclide_device_list_opencl(list, k, &device));
    CHECK_OK(oclide_device_list_find(list, device, &found));
    CHECK(found == k);
  }
  CHECK_OK(oclide_device_list_destroy(list));
  return device;
}

static void set_example_scene(oclide_collider* collider) {
  const oclide_terrain terrain = example_terrain(&example);
  const oclide_bodies bodies = example_bodies(&example);
  oclide_scene* scene = NULL;
  CHECK_OK(oclide_scene_create(&scene));
  CHECK_OK(oclide_scene_add_terrain(scene, &terrain, NULL));
  CHECK_OK(oclide_scene_set_bodies(scene, &bodies));
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_scene_destroy(scene));
}

static cl_mem make_buffer(cl_context context, const float* values, size_t count) {
  cl_int code = CL_SUCCESS;
  const cl_mem buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof(float), (void*)values, &code);
  CHECK(code == CL_SUCCESS);
  return buffer;
}

/* Compound bodies have one pose each there too, and their contacts name body and shape. */
static void check_compound_bodies(cl_context context, cl_command_queue queue) {
  static const uint8_t part_shape[2] = {OCLIDE_SPHERE, OCLIDE_BOX};
  static const double part_size[6] = {0.5, 0.0, 0.0, 0.25, 0.25, 0.25};
  static const double part_position[6] = {0.0, 0.0, 0.0, 2.0, 0.0, 0.0};
  static const uint8_t shape[2] = {OCLIDE_COMPOUND, OCLIDE_COMPOUND};
  static const double size[6] = {0.0};
  /* The second one's sphere in the first one's box. */
  static const float position[6] = {0.0F, 0.0F, 0.0F, 2.5F, 0.125F, 0.0F};
  static const float orientation[8] = {1.0F, 0.0F, 0.0F, 0.0F, 0.5F, 0.0F, 0.0F, 0.0F};
  double host_position[6], host_orientation[8];
  for (int i = 0; i < 6; ++i) host_position[i] = position[i];
  for (int i = 0; i < 8; ++i) host_orientation[i] = orientation[i];
  oclide_compound compound = OCLIDE_INIT(oclide_compound);
  compound.shape = part_shape;
  compound.shape_count = 2;
  compound.size = part_size;
  compound.size_count = 6;
  compound.position = part_position;
  compound.position_count = 6;
  oclide_bodies bodies = OCLIDE_INIT(oclide_bodies);
  bodies.shape = shape;
  bodies.shape_count = 2;
  bodies.size = size;
  bodies.size_count = 6;
  oclide_scene* scene = NULL;
  oclide_collider* collider = NULL;
  CHECK_OK(oclide_scene_create(&scene));
  CHECK_OK(oclide_scene_add_compound(scene, &compound, NULL));
  CHECK_OK(oclide_scene_set_bodies(scene, &bodies));
  CHECK_OK(oclide_collider_create_on(context, queue, NULL, &collider));
  CHECK_OK(oclide_collider_set_scene(collider, scene));
  CHECK_OK(oclide_scene_destroy(scene));

  oclide_resident_poses poses = OCLIDE_INIT(oclide_resident_poses);
  poses.position = make_buffer(context, position, 6);
  poses.orientation = make_buffer(context, orientation, 8);
  oclide_device_frame resident = OCLIDE_INIT(oclide_device_frame);
  oclide_frame frame = OCLIDE_INIT(oclide_frame);
  oclide_device_contact contact;
  CHECK_OK(oclide_collider_collide_on_device(collider, &poses, &resident));
  CHECK(resident.contact_count == 1 && resident.body_pairs == 1);
  CHECK(clEnqueueReadBuffer(queue, resident.contacts, CL_TRUE, 0, sizeof contact, &contact, 1, &resident.ready, NULL) ==
        CL_SUCCESS);
  CHECK(contact.body_a == 0 && contact.shape_a == 1 && contact.body_b == 1 && contact.shape_b == 0);
  CHECK(contact.origin == 0 && contact.depth == 0.25F);
  CHECK(contact.point[0] == 2.25F && contact.point[1] == 0.125F && contact.point[2] == 0.0F);
  CHECK_OK(oclide_collider_to_host(collider, &frame));
  const uint64_t hash = oclide_contact_hash(frame.contacts, frame.contacts_count, 0);
  CHECK_OK(oclide_collider_collide(collider, host_position, host_orientation, 2, &frame));
  CHECK(frame.contacts_count == 1 && hash == oclide_contact_hash(frame.contacts, frame.contacts_count, 0));
  clReleaseMemObject(poses.position);
  clReleaseMemObject(poses.orientation);
  CHECK_OK(oclide_collider_destroy(collider));
}

/* Rays down from over the example's bodies, all four ways, against oclide_collider_cast(). */
static void check_casts(cl_context context, cl_command_queue queue) {
  enum { kRays = 40 };
  double origin[3 * kRays], direction[3 * kRays];
  float origin_f[3 * kRays], direction_f[3 * kRays], position[3 * kExampleBodies], orientation[4 * kExampleBodies];
  for (int i = 0; i < 3 * kRays; ++i) {
    const int a = i % 3, body = i / 3 % kExampleBodies;
    origin_f[i] = (float)example.position[0][3 * body + a] + (a == 2 ? 20.0F : 0.0625F);
    direction_f[i] = a == 2 ? -2.0F : 0.125F * (float)(i % 5 - 2);
    origin[i] = origin_f[i];
    direction[i] = direction_f[i];
  }
  for (int i = 0; i < 3 * kExampleBodies; ++i) position[i] = (float)example.position[0][i];
  for (int i = 0; i < 4 * kExampleBodies; ++i) orientation[i] = (float)example.orientation[0][i];
  oclide_collider* collider = NULL;
  CHECK_OK(oclide_collider_create_on(context, queue, NULL, &collider));
  oclide_resident_poses poses = OCLIDE_INIT(oclide_resident_poses), last = OCLIDE_INIT(oclide_resident_poses);
  oclide_resident_rays resident = OCLIDE_INIT(oclide_resident_rays);
  oclide_rays rays = OCLIDE_INIT(oclide_rays);
  oclide_cast_input input = OCLIDE_INIT(oclide_cast_input);
  oclide_device_hits found = OCLIDE_INIT(oclide_device_hits);
  oclide_ray_hits expected = OCLIDE_INIT(oclide_ray_hits);
  rays.origin = origin;
  rays.direction = direction;
  rays.origin_count = rays.direction_count = 3 * kRays;
  input.rays = &rays;
  input.resident_poses = &poses;
  CHECK_STATUS(oclide_collider_cast_on_device(collider, &input, &found), OCLIDE_WRONG_STATE, "no scene");
  CHECK_STATUS(oclide_collider_cast_at(collider, &poses, &rays, &expected), OCLIDE_WRONG_STATE, "no scene");
  set_example_scene(collider);
  poses.position = make_buffer(context, position, 3 * kExampleBodies);
  poses.orientation = make_buffer(context, orientation, 4 * kExampleBodies);
  resident.origin = make_buffer(context, origin_f, 3 * kRays);
  resident.direction = make_buffer(context, direction_f, 3 * kRays);
  resident.count = kRays;
  CHECK_STATUS(oclide_collider_cast_at(collider, &last, &rays, &expected), OCLIDE_INVALID_INPUT, "position is null");
  for (int way = 0; way < 6; ++way) {
    input.resident_poses = way % 3 == 0 ? NULL : way % 3 == 1 ? &poses : &last;
    input.position = example.position[0];
    input.orientation = example.orientation[0];
    input.bodies = kExampleBodies;
    input.resident_rays = way < 3 ? NULL : &resident;
    input.rays = way < 3 ? &rays : NULL;
    CHECK_OK(oclide_collider_cast_on_device(collider, &input, &found));
    CHECK(found.count == kRays && found.device_bytes > 0);
    oclide_device_hit hits[kRays];
    CHECK(clEnqueueReadBuffer(queue, found.hits, CL_TRUE, 0, sizeof hits, hits, 1, &found.ready, NULL) == CL_SUCCESS);
    if (way % 3 == 2) {
      CHECK_OK(oclide_collider_cast_at(collider, &last, &rays, &expected));
    } else {
      CHECK_OK(oclide_collider_cast(collider, input.position, input.orientation, kExampleBodies, &rays, &expected));
      CHECK_OK(oclide_collider_cast_at(collider, &poses, &rays, &expected)); /* the last ones of the next way */
    }
    CHECK(expected.rays_that_hit > 20);
    for (int i = 0; i < kRays; ++i) {
      CHECK(hits[i].body == expected.hits[i].body && hits[i].element == expected.hits[i].element);
      CHECK((double)hits[i].distance + (double)hits[i].distance_low == expected.hits[i].distance);
      CHECK(memcmp(hits[i].normal, expected.hits[i].normal, sizeof hits[i].normal) == 0);
    }
  }
  input.rays = &rays;
  input.resident_rays = &resident;
  CHECK_STATUS(oclide_collider_cast_on_device(collider, &input, &found), OCLIDE_INVALID_INPUT, "both");
  input.rays = NULL;
  input.resident_rays = NULL;
  CHECK_STATUS(oclide_collider_cast_on_device(collider, &input, &found), OCLIDE_INVALID_INPUT, "null");
  CHECK_STATUS(oclide_collider_cast_on_device(collider, NULL, &found), OCLIDE_INVALID_INPUT, "null");
  input.resident_rays = &resident;
  CHECK_STATUS(oclide_collider_cast_on_device(collider, &input, NULL), OCLIDE_INVALID_INPUT, "null");
  ++resident.count;
  CHECK_STATUS(oclide_collider_cast_on_device(collider, &input, &found), OCLIDE_INVALID_INPUT, "rays/origin");
  oclide_resident_motion motion = {sizeof motion};
  oclide_device_impacts impacts = {sizeof impacts};
  float fall[3 * kExampleBodies];
  double exact_fall[3 * kExampleBodies];
  for (int i = 0; i < 3 * kExampleBodies; ++i) exact_fall[i] = fall[i] = i % 3 == 2 ? -2.0F : 0.0F;
  motion.displacement = make_buffer(context, fall, 3 * kExampleBodies);
  CHECK_OK(oclide_collider_sweep_on_device(collider, &poses, &motion, &impacts));
  const oclide_motion moves = {sizeof moves, exact_fall, 3 * kExampleBodies, NULL, 0};
  oclide_impacts of_host = {sizeof of_host};
  CHECK_OK(
      oclide_collider_sweep(collider, example.position[0], example.orientation[0], kExampleBodies, &moves, &of_host));
  CHECK(impacts.count == of_host.impacts_count && impacts.count > 0 && impacts.device_bytes > 0);
  CHECK(impacts.candidates == of_host.candidates);
  CHECK_OK(oclide_collider_sweep_on_device(collider, &poses, &motion, &impacts));
  for (size_t i = 0; i < impacts.count; ++i) {
    oclide_device_impact impact;
    CHECK(clEnqueueReadBuffer(queue, impacts.impacts, CL_TRUE, i * sizeof impact, sizeof impact, &impact, 1,
                              &impacts.ready, NULL) == CL_SUCCESS);
    CHECK(impact.body_a == of_host.impacts[i].body_a && impact.body_b == of_host.impacts[i].body_b);
    CHECK((double)impact.time + (double)impact.time_low == of_host.impacts[i].time);
  }
  CHECK_STATUS(oclide_collider_sweep_on_device(collider, &poses, NULL, &impacts), OCLIDE_INVALID_INPUT, "null");
  motion.rotation = resident.origin;
  CHECK_STATUS(oclide_collider_sweep_on_device(collider, &poses, &motion, NULL), OCLIDE_INVALID_INPUT, "null");
  clReleaseMemObject(motion.displacement);
  clReleaseMemObject(poses.position);
  clReleaseMemObject(poses.orientation);
  clReleaseMemObject(resident.origin);
  clReleaseMemObject(resident.direction);
  CHECK_OK(oclide_collider_destroy(collider));
}

int main(void) {
  const cl_device_id device = find_device();
  if (device == NULL) {
    puts("no OpenCL device");
    return 77;
  }
  make_example_scene(&example);
  cl_int code = CL_SUCCESS;
  const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  CHECK(code == CL_SUCCESS);

  oclide_collider *collider = NULL, *ordinary = NULL;
  oclide_resident_poses poses = OCLIDE_INIT(oclide_resident_poses);
  oclide_device_frame resident = OCLIDE_INIT(oclide_device_frame);
  oclide_frame frame = OCLIDE_INIT(oclide_frame), expected = OCLIDE_INIT(oclide_frame);
  CHECK_STATUS(oclide_collider_create_on(NULL, queue, NULL, &collider), OCLIDE_INVALID_INPUT, "");
  CHECK(collider == NULL);
  CHECK_STATUS(oclide_collider_create_on(context, NULL, NULL, &collider), OCLIDE_INVALID_INPUT, "");
  CHECK_OK(oclide_collider_create_on(context, queue, NULL, &collider));
  CHECK_STATUS(oclide_collider_collide_on_device(collider, &poses, &resident), OCLIDE_WRONG_STATE, "no scene");
  set_example_scene(collider);
  CHECK_OK(oclide_collider_create(NULL, &ordinary));
  set_example_scene(ordinary);

  /* The same contacts as from the host; the example's numbers are floats as they are. */
  float position[3 * kExampleBodies], orientation[4 * kExampleBodies];
  for (int k = 0; k < kExampleFrames; ++k) {
    for (int i = 0; i < 3 * kExampleBodies; ++i) position[i] = (float)example.position[k][i];
    for (int i = 0; i < 4 * kExampleBodies; ++i) orientation[i] = (float)example.orientation[k][i];
    poses.position = make_buffer(context, position, 3 * kExampleBodies);
    poses.orientation = make_buffer(context, orientation, 4 * kExampleBodies);
    CHECK_OK(oclide_collider_collide_on_device(collider, &poses, &resident));
    CHECK(resident.contact_count > 20 && resident.manifold_count > 10);
    uint32_t offsets[kExampleBodies + 1];
    CHECK(clEnqueueReadBuffer(queue, resident.contact_offsets, CL_TRUE, 0, sizeof offsets, offsets, 1, &resident.ready,
                              NULL) == CL_SUCCESS);
    CHECK(offsets[0] == 0 && offsets[kExampleBodies] == resident.contact_count);
    CHECK_OK(oclide_collider_to_host(collider, &frame));
    CHECK_OK(oclide_collider_collide(ordinary, example.position[k], example.orientation[k], kExampleBodies, &expected));
    CHECK(frame.contacts_count == resident.contact_count);
    CHECK(oclide_contact_hash(frame.contacts, frame.contacts_count, 0) ==
          oclide_contact_hash(expected.contacts, expected.contacts_count, 0));
    clReleaseMemObject(poses.position);
    clReleaseMemObject(poses.orientation);
  }

  /* What is refused leaves the collider as it was. */
  poses.position = make_buffer(context, position, 3 * kExampleBodies);
  poses.orientation = NULL;
  CHECK_STATUS(oclide_collider_collide_on_device(collider, &poses, &resident), OCLIDE_INVALID_INPUT, "orientation");
  poses.orientation = make_buffer(context, orientation, 4 * kExampleBodies - 1);
  CHECK_STATUS(oclide_collider_collide_on_device(collider, &poses, &resident), OCLIDE_INVALID_INPUT, "orientation");
  clReleaseMemObject(poses.orientation);
  poses.orientation = make_buffer(context, orientation, 4 * kExampleBodies);
  CHECK_STATUS(oclide_collider_collide_on_device(ordinary, &poses, &resident), OCLIDE_INVALID_INPUT, "");
  CHECK_STATUS(oclide_collider_collide_on_device(NULL, &poses, &resident), OCLIDE_INVALID_HANDLE, "collider");
  CHECK_STATUS(oclide_collider_collide_on_device(collider, NULL, &resident), OCLIDE_INVALID_INPUT, "null");
  CHECK_STATUS(oclide_collider_collide_on_device(collider, &poses, NULL), OCLIDE_INVALID_INPUT, "null");
  poses.wait_list_count = 1;
  CHECK_STATUS(oclide_collider_collide_on_device(collider, &poses, &resident), OCLIDE_INVALID_INPUT, "wait_list");
  poses.wait_list_count = 0;

  const cl_context foreign = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
  const cl_mem own = poses.position;
  poses.position = make_buffer(foreign, position, 3 * kExampleBodies);
  CHECK_STATUS(oclide_collider_collide_on_device(collider, &poses, &resident), OCLIDE_INVALID_INPUT, "position");
  clReleaseMemObject(poses.position);
  clReleaseContext(foreign);
  clReleaseMemObject(own);

  position[3 * 7 + 1] = NAN;
  poses.position = make_buffer(context, position, 3 * kExampleBodies);
  CHECK_STATUS(oclide_collider_collide_on_device(collider, &poses, &resident), OCLIDE_INVALID_INPUT, "position[7]");
  clReleaseMemObject(poses.position);
  position[3 * 7 + 1] = (float)example.position[kExampleFrames - 1][3 * 7 + 1];
  poses.position = make_buffer(context, position, 3 * kExampleBodies);
  CHECK_OK(oclide_collider_collide_on_device(collider, &poses, &resident));
  CHECK_OK(oclide_collider_to_host(collider, &frame));
  CHECK(oclide_contact_hash(frame.contacts, frame.contacts_count, 0) ==
        oclide_contact_hash(expected.contacts, expected.contacts_count, 0));
  CHECK(strstr(oclide_device_layout(), "oclide_device_contact") != NULL);
  check_compound_bodies(context, queue);
  check_casts(context, queue);

  clReleaseMemObject(poses.position);
  clReleaseMemObject(poses.orientation);
  CHECK_OK(oclide_collider_destroy(collider));
  CHECK_OK(oclide_collider_destroy(ordinary));
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return failures == 0 ? 0 : 1;
}
