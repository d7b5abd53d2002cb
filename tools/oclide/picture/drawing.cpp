#include "picture/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "scene/terrain_of.hpp"
#include "shapes/colours.hpp"

namespace oclide::command {

namespace {

constexpr std::size_t kSamples = 2;  // of a pixel, across and down
constexpr std::size_t kRaysAtOnce = 1'000'000;
constexpr glm::dvec3 kTowardLight{-0.45, -0.35, 0.82};
constexpr glm::vec3 kBackground{0.965F, 0.965F, 0.965F};

constexpr glm::vec3 rgb(unsigned hex) {
  return glm::vec3(static_cast<float>(hex >> 16U), static_cast<float>(hex >> 8U & 255U),
                   static_cast<float>(hex & 255U)) /
         255.0F;
}
constexpr unsigned kWayColour = 0x00545a;

glm::dvec3 vec(const double* p) {
  return {p[0], p[1], p[2]};
}
template <class Value>
glm::dvec3 vec(const std::array<Value, 3>& p) {
  return {p[0], p[1], p[2]};
}

// Files may have any number where a point should be.
bool is_finite(const glm::dvec3& v) {
  return std::abs(v.x) < 1e12 && std::abs(v.y) < 1e12 && std::abs(v.z) < 1e12;
}

glm::vec3 depth_colour(double depth, double deep) {
  if (!(depth > 0.0)) return rgb(kApartColour);
  const double x = std::min(1.0, deep > 0.0 ? depth / deep : 1.0) * (kDepthColours.size() - 1);
  const auto k = std::min(kDepthColours.size() - 2, static_cast<std::size_t>(x));
  return glm::mix(rgb(kDepthColours[k]), rgb(kDepthColours[k + 1]), static_cast<float>(x - static_cast<double>(k)));
}

// Two directions in the plane of a half space.
std::array<glm::dvec3, 2> plane_axes(const glm::dvec3& normal) {
  const glm::dvec3 u = glm::normalize(std::abs(normal.x) < 0.9 ? glm::cross(glm::dvec3(0.0, 1.0, 0.0), normal)
                                                               : glm::cross(normal, glm::dvec3(0.0, 0.0, 1.0)));
  return {u, glm::cross(normal, u)};
}

// The greatest of 1, 2 and 5 times a power of ten that is not above x.
double nice_length(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  return x >= 5.0 * power ? 5.0 * power : x >= 2.0 * power ? 2.0 * power : power;
}

std::array<double, 4> product(const std::array<double, 4>& a, const double* b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Frame moved(const ShownFrame& frame, double time) {
  Frame poses = frame.poses;
  for (std::size_t i = 0; i < frame.motion.displacement.size(); ++i)
    poses.position[i] += time * frame.motion.displacement[i];
  for (std::size_t i = 0; 3 * i < frame.motion.rotation.size(); ++i) {
    const glm::dvec3 r = vec(frame.motion.rotation.data() + 3 * i);
    const double length = glm::length(r), angle = time * length;
    if (angle == 0.0) continue;
    const double s = std::sin(0.5 * angle) / length;
    const std::array<double, 4> turn =
        product({std::cos(0.5 * angle), s * r.x, s * r.y, s * r.z}, poses.orientation.data() + 4 * i);
    std::copy(turn.begin(), turn.end(), poses.orientation.begin() + static_cast<std::ptrdiff_t>(4 * i));
  }
  return poses;
}

}  // namespace

Drawing::Drawing(Collider& collider, const ShownFiles& files, const PictureOptions& options, const SceneBox& box,
                 double deep)
    : collider_(collider),
      files_(files),
      scene_(files.scene()),
      options_(options),
      width_(kSamples * options.width),
      height_(kSamples * options.height),
      middle_(0.5 * (box.low + box.high)),
      deep_(deep) {
  double sum = 0.0, count = 0.0;
  for (std::size_t i = 0; i < scene_.bodies.count(); ++i) {
    const double reach = scene_.bodies.shape[i] == Shape::triangle_mesh ? 0.0 : reach_of(scene_, i);
    if (reach <= 0.0) continue;
    sum += std::log(reach);
    count += 1.0;
  }
  typical_ = count > 0.0 ? std::exp(sum / count) : 0.05 * glm::length(box.high - box.low);
  plate_ = 0.8 * glm::length(box.high - box.low) + 2.0 * typical_;
  double highest = -std::numeric_limits<double>::infinity();
  lowest_ = -highest;
  for (const Terrain& t : scene_.terrains)
    for (const double z : t.heights) {
      lowest_ = z < lowest_ ? z : lowest_;
      highest = z > highest ? z : highest;
    }
  tint_scale_ = highest > lowest_ ? 1.0 / (highest - lowest_) : 0.0;
}

Picture Drawing::draw(const ShownFrame& frame, double time, const Camera& camera) {
  camera_ = camera;
  const Frame poses = moved(frame, time);
  std::vector<bool> touching(scene_.bodies.count(), !files_.has_contacts());
  for (const Contact& c : frame.contacts) {
    touching[c.body_a] = true;
    if (c.body_b != kTerrain) touching[c.body_b] = true;
  }
  cast_pixels(poses);
  colour_pixels(touching);
  draw_rays(frame);
  draw_paths();
  if (time == 0.0) draw_contacts(frame);
  draw_impacts(frame, time);

  Picture picture{options_.width, options_.height, std::vector<std::uint8_t>(3 * options_.width * options_.height)};
  for (std::size_t r = 0; r < picture.height; ++r)
    for (std::size_t c = 0; c < picture.width; ++c) {
      glm::vec3 sum(0.0F);
      for (std::size_t s = 0; s < kSamples * kSamples; ++s)
        sum += colours_[(kSamples * r + s / kSamples) * width_ + kSamples * c + s % kSamples];
      sum = glm::clamp(255.0F / (kSamples * kSamples) * sum + 0.5F, 0.0F, 255.0F);
      for (int a = 0; a < 3; ++a)
        picture.rgb[3 * (r * picture.width + c) + static_cast<std::size_t>(a)] = static_cast<std::uint8_t>(sum[a]);
    }
  return picture;
}

void Drawing::cast_pixels(const Frame& poses) {
  pixels_.assign(width_ * height_, SeenPixel());
  const std::size_t rows = std::max<std::size_t>(1, kRaysAtOnce / width_);
  std::vector<double> origin, direction;
  std::vector<std::uint32_t> environment;
  for (std::size_t first = 0; first < height_; first += rows) {
    const std::size_t end = std::min(height_, first + rows);
    origin.clear();
    direction.clear();
    for (std::size_t r = first; r < end; ++r)
      for (std::size_t c = 0; c < width_; ++c) {
        const glm::dvec3 ray = camera_.ray((2.0 * static_cast<double>(c) + 1.0) / static_cast<double>(width_) - 1.0,
                                           1.0 - (2.0 * static_cast<double>(r) + 1.0) / static_cast<double>(height_));
        const glm::dvec3 from = options_.cut ? camera_.eye() + ray : camera_.eye();
        origin.insert(origin.end(), {from.x, from.y, from.z});
        direction.insert(direction.end(), {ray.x, ray.y, ray.z});
      }
    environment.assign(origin.size() / 3, options_.environment);
    const RayHits found = collider_.cast(poses.poses(), {origin, direction, {}, environment, {}});
    std::vector<std::size_t> lit;
    std::vector<double> from;
    for (std::size_t i = 0; i < found.hits.size(); ++i) {
      const Hit& hit = found.hits[i];
      if (hit.body == kNothing) continue;
      const bool is_cut = hit.distance == 0.0;
      // Walls at the border of terrain and beside holes are left out.
      if (hit.body == kTerrain && std::abs(hit.normal[2]) < 1e-6F && !is_cut) continue;
      SeenPixel& pixel = pixels_[first * width_ + i];
      const glm::dvec3 point = vec(hit.point), normal = vec(hit.normal);
      if (hit.body != kTerrain && scene_.bodies.shape[hit.body] == Shape::half_space) {
        const std::array<glm::dvec3, 2> axes = plane_axes(normal);
        const double u = glm::dot(point - middle_, axes[0]), v = glm::dot(point - middle_, axes[1]);
        if (std::max(std::abs(u), std::abs(v)) > plate_) continue;
        pixel.plane = {static_cast<float>(u), static_cast<float>(v)};
      }
      pixel.along = static_cast<float>(camera_.project(point).z);
      pixel.normal = hit.normal;
      pixel.height = static_cast<float>(point.z);
      pixel.body = hit.body;
      pixel.part = hit.shape;
      pixel.material = hit.material;
      pixel.is_cut = is_cut;
      if (is_cut || !options_.shadows) continue;
      const glm::dvec3 above = point + 2e-3 * typical_ * normal;
      lit.push_back(first * width_ + i);
      from.insert(from.end(), {above.x, above.y, above.z});
    }
    if (!lit.empty()) shade_shadows(poses, lit, from);
  }
}

void Drawing::shade_shadows(const Frame& poses, const std::vector<std::size_t>& pixels,
                            const std::vector<double>& from) {
  std::vector<double> direction;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    direction.insert(direction.end(), {kTowardLight.x, kTowardLight.y, kTowardLight.z});
  const std::vector<std::uint32_t> environment(pixels.size(), options_.environment);
  const RayHits found = collider_.cast(poses.poses(), {from, direction, {}, environment, {}});
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels_[pixels[i]].in_shadow = found.hits[i].body != kNothing;
}

glm::vec3 Drawing::colour_of(const SeenPixel& pixel, const std::vector<bool>& touching) const {
  if (pixel.body == kTerrain) {
    const Terrain* terrain = nullptr;
    const int number = terrain_in(scene_, options_.environment);
    if (number >= 0) terrain = &scene_.terrains[static_cast<std::size_t>(number)];
    if (terrain != nullptr && !terrain->material.empty())
      return rgb(kMaterialColours[pixel.material % kMaterialColours.size()]);
    const double high = std::clamp((static_cast<double>(pixel.height) - lowest_) * tint_scale_, 0.0, 1.0);
    return glm::mix(glm::vec3(0.60F, 0.66F, 0.55F), glm::vec3(0.84F, 0.80F, 0.70F), static_cast<float>(high));
  }
  Shape shape = scene_.bodies.shape[pixel.body];
  if (shape == Shape::compound)
    shape = scene_.compounds[static_cast<std::size_t>(scene_.bodies.size[pixel.body][0])][pixel.part].shape;
  glm::vec3 colour = rgb(shape_colour(shape));
  if (shape == Shape::triangle_mesh && pixel.material != 0)
    return rgb(kMaterialColours[(pixel.material + 1U) % kMaterialColours.size()]);
  if (shape == Shape::half_space) {
    if (pixel.is_cut) return colour;
    const auto cell = static_cast<float>(nice_length(plate_ / 8.0));
    const float parity = std::floor(pixel.plane[0] / cell) + std::floor(pixel.plane[1] / cell);
    return std::fmod(std::abs(parity), 2.0F) < 0.5F ? 0.93F * colour : colour;
  }
  const std::uint32_t flags = scene_.bodies.flags.empty() ? 0 : scene_.bodies.flags[pixel.body];
  if ((flags & kSensor) != 0) return 0.45F * colour + 0.55F * rgb(kSensorColour);
  if ((flags & kStatic) != 0) return 0.62F * colour;
  const bool pale = shape != Shape::triangle_mesh && !touching[pixel.body];
  return pale ? 0.5F * colour + 0.5F * rgb(0xa5a5a5) : colour;
}

// Where a body ends, or is folded.
bool Drawing::is_edge(std::size_t row, std::size_t col) const {
  const SeenPixel& here = pixels_[row * width_ + col];
  const auto differs = [&](const SeenPixel& other) {
    if (here.body != other.body || here.part != other.part) return here.body < kNothing || other.body < kNothing;
    if (here.body == kTerrain || here.body == kNothing) return false;
    return here.normal[0] * other.normal[0] + here.normal[1] * other.normal[1] + here.normal[2] * other.normal[2] <
           0.8F;
  };
  return (col + 1 < width_ && differs(pixels_[row * width_ + col + 1])) ||
         (row + 1 < height_ && differs(pixels_[(row + 1) * width_ + col]));
}

void Drawing::colour_pixels(const std::vector<bool>& touching) {
  colours_.assign(pixels_.size(), kBackground);
  const glm::dvec3 light = glm::normalize(kTowardLight);
  for (std::size_t r = 0; r < height_; ++r)
    for (std::size_t c = 0; c < width_; ++c) {
      const SeenPixel& pixel = pixels_[r * width_ + c];
      glm::vec3& colour = colours_[r * width_ + c];
      if (pixel.body != kNothing) {
        const glm::dvec3 normal = vec(pixel.normal);
        const glm::dvec3 sight =
            glm::normalize(camera_.ray((2.0 * static_cast<double>(c) + 1.0) / static_cast<double>(width_) - 1.0,
                                       1.0 - (2.0 * static_cast<double>(r) + 1.0) / static_cast<double>(height_)));
        const double lit = pixel.in_shadow ? 0.0 : std::max(0.0, glm::dot(normal, light));
        const double shade = pixel.is_cut ? 0.72 : 0.48 + 0.42 * lit + 0.17 * std::abs(glm::dot(normal, sight));
        colour = static_cast<float>(shade) * colour_of(pixel, touching);
      }
      if (is_edge(r, c)) colour *= 0.55F;
    }
}

// A disc, or a ring, of this radius; hidden by what is nearer by more than the slack.
void Drawing::dot(const glm::dvec3& point, double pixels, const glm::vec3& colour, bool ring, double slack) {
  const glm::dvec3 at = camera_.project(point);
  if (!is_finite(at) || at.z <= 0.0 || (options_.cut && at.z < camera_.distance() - slack)) return;
  const double x = 0.5 * (at.x + 1.0) * static_cast<double>(width_),
               y = 0.5 * (1.0 - at.y) * static_cast<double>(height_);
  const double radius = pixels * kSamples;
  const auto clamped = [](double v, std::size_t end) {
    return static_cast<std::size_t>(std::clamp(v, 0.0, static_cast<double>(end)));
  };
  for (std::size_t r = clamped(y - radius, height_); r < clamped(y + radius + 1.0, height_); ++r)
    for (std::size_t c = clamped(x - radius, width_); c < clamped(x + radius + 1.0, width_); ++c) {
      const double part = std::hypot(static_cast<double>(c) + 0.5 - x, static_cast<double>(r) + 0.5 - y) / radius;
      if (part > 1.0 || (ring && part < 0.55) || at.z - slack > pixels_[r * width_ + c].along) continue;
      colours_[r * width_ + c] = !ring && radius > 3.0 && part > 0.78 ? 0.25F * colour : colour;
    }
}

void Drawing::segment(const glm::dvec3& from, const glm::dvec3& to, const glm::vec3& colour, double slack) {
  // What is behind the eye is cut off.
  const double near = 1e-3 * camera_.distance();
  glm::dvec3 ends[2] = {from, to};
  const double along[2] = {camera_.project(from).z, camera_.project(to).z};
  if (along[0] < near && along[1] < near) return;
  for (int k = 0; k < 2; ++k)
    if (along[k] < near) ends[k] += (near - along[k]) / (along[1 - k] - along[k]) * (ends[1 - k] - ends[k]);
  const glm::dvec3 a = camera_.project(ends[0]), b = camera_.project(ends[1]);
  if (!is_finite(a) || !is_finite(b)) return;
  // And what is beside the picture.
  double begin = 0.0, end = 1.0;
  for (int axis = 0; axis < 2; ++axis) {
    const double d = b[axis] - a[axis];
    if (d == 0.0) {
      if (std::abs(a[axis]) > 1.0) return;
      continue;
    }
    const double t0 = (-1.0 - a[axis]) / d, t1 = (1.0 - a[axis]) / d;
    begin = std::max(begin, std::min(t0, t1));
    end = std::min(end, std::max(t0, t1));
  }
  if (begin >= end) return;
  const double across =
      0.5 * std::hypot((b.x - a.x) * static_cast<double>(width_), (b.y - a.y) * static_cast<double>(height_));
  const auto steps = static_cast<std::size_t>(std::ceil((end - begin) * across)) + 1;
  for (std::size_t k = 0; k <= steps; ++k) {
    const double t = begin + (end - begin) * static_cast<double>(k) / static_cast<double>(steps);
    // One over the distance is linear in the picture.
    const double distance = 1.0 / ((1.0 - t) / a.z + t / b.z);
    if (options_.cut && distance < camera_.distance() - slack) continue;
    const double x = 0.5 * (a.x + t * (b.x - a.x) + 1.0) * static_cast<double>(width_),
                 y = 0.5 * (1.0 - a.y - t * (b.y - a.y)) * static_cast<double>(height_);
    for (const double dx : {-0.5, 0.5})
      for (const double dy : {-0.5, 0.5}) {
        const double c = std::floor(x + dx), r = std::floor(y + dy);
        if (c < 0.0 || r < 0.0 || c >= static_cast<double>(width_) || r >= static_cast<double>(height_)) continue;
        const std::size_t at = static_cast<std::size_t>(r) * width_ + static_cast<std::size_t>(c);
        if (distance - slack <= static_cast<double>(pixels_[at].along)) colours_[at] = colour;
      }
  }
}

template <class Touch>
bool Drawing::is_drawn(const Touch& touch) const {
  const std::vector<std::uint32_t>& environment = scene_.bodies.environment;
  return (environment.empty() ? 0U : environment[touch.body_a]) == options_.environment;
}

// A point of contact lies between bodies: it is drawn over them where they are no farther before it than a body's size.
void Drawing::draw_contacts(const ShownFrame& frame) {
  const double slack = (options_.cut ? 0.6 : 2.0) * typical_;
  std::vector<const Contact*> drawn;
  for (const Contact& c : frame.contacts)
    if (is_drawn(c) && is_finite(vec(c.point))) drawn.push_back(&c);
  // The nearest last; the file's order among those that are equally far.
  std::sort(drawn.begin(), drawn.end(), [&](const Contact* a, const Contact* b) {
    const double far_a = camera_.project(vec(a->point)).z, far_b = camera_.project(vec(b->point)).z;
    return far_a != far_b ? far_a > far_b : a < b;
  });
  for (const Contact* c : drawn) {
    const glm::dvec3 point = vec(c->point);
    const bool of_sensor = (c->flags & kSensorContact) != 0;
    const glm::vec3 colour = of_sensor ? rgb(kSensorColour) : depth_colour(c->depth, deep_);
    segment(point, point + 0.75 * typical_ * vec(c->normal), colour, slack);
    const double body = typical_ / camera_.half_height(std::max(1e-9, camera_.project(point).z)) * 0.5 *
                        static_cast<double>(options_.height);  // radius in pixels
    dot(point, std::clamp(0.18 * body, 1.0, 4.5), colour, false, slack);
  }
}

void Drawing::draw_impacts(const ShownFrame& frame, double time) {
  const double slack = 2.0 * typical_;
  if (files_.has_impacts())
    for (std::size_t i = 0; i < scene_.bodies.count(); ++i) {
      if (frame.motion.displacement.empty()) break;
      const glm::dvec3 way = vec(frame.motion.displacement.data() + 3 * i);
      if (way == glm::dvec3(0.0)) continue;
      if (!scene_.bodies.environment.empty() && scene_.bodies.environment[i] != options_.environment) continue;
      const glm::dvec3 from = vec(frame.poses.position.data() + 3 * i);
      segment(from, from + way, rgb(kWayColour), 0.0);
    }
  for (const Impact& impact : frame.impacts) {
    if (!is_drawn(impact) || (time > 0.0 && impact.time > time)) continue;
    const glm::dvec3 point = vec(impact.point);
    segment(point, point + 0.75 * typical_ * vec(impact.normal), rgb(kImpactColour), slack);
    dot(point, 4.5, rgb(kImpactColour), true, slack);
  }
}

void Drawing::draw_rays(const ShownFrame& frame) {
  for (std::size_t i = 0; i < frame.hits.size(); ++i) {
    if (!frame.rays.environment.empty() && frame.rays.environment[i] != options_.environment) continue;
    const RayEnds ray = ends_of(frame, i);
    const bool hits = frame.hits[i].body != kNothing;
    segment(vec(ray.start), vec(ray.end), rgb(hits ? kRayColour : kMissColour), 1e-3 * typical_);
    if (hits) dot(vec(ray.end), 2.0, rgb(kRayColour), false, 0.05 * typical_);
  }
}

void Drawing::draw_paths() {
  const Paths& paths = files_.paths();
  for (std::size_t k = 0; k + 1 < paths.offset.size(); ++k)
    for (std::size_t i = paths.offset[k]; i + 1 < paths.offset[k + 1]; ++i) {
      segment(vec(paths.points[i].point), vec(paths.points[i + 1].point), rgb(kPathColour), 1e-3 * typical_);
      if (i > paths.offset[k]) dot(vec(paths.points[i].point), 2.0, rgb(kPathColour), false, 0.05 * typical_);
    }
}

}  // namespace oclide::command
