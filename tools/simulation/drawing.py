"""Frames of scenes with their contacts, for the pictures of tools/simulation/draw: `oclide cast` finds what each pixel
shows."""

import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

SPHERE, BOX, CYLINDER, CAPSULE, HULL, HALF_SPACE, COMPOUND, MESH = range(8)
TERRAIN, NOTHING = 0xFFFFFFFF, 0xFFFFFFFE  # as body_b, as what a ray hits
COLOURS = {SPHERE: "#2f7fd6", BOX: "#f28e2b", CYLINDER: "#2f9e44", CAPSULE: "#9c4fc4", HULL: "#b08d57", MESH: "#9aa5b1"}
CONTACT_COLOUR = "#e8112d"  # with terrain, a half space or a mesh
PAIR_COLOUR = "#141414"  # of two bodies
MATERIAL_COLOURS = np.array([(0.80, 0.77, 0.68), (0.62, 0.63, 0.66), (0.84, 0.82, 0.78), (0.90, 0.80, 0.70)])
TERRAIN_COLOURS = plt.get_cmap("gist_earth")
NORMAL_LENGTH = 0.6  # of the arrows in close views [m]
SUPERSAMPLING = 2


def rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def product(a, b):
    """Of two quaternions."""
    u, v = a[1:], b[1:]
    return np.concatenate([[a[0] * b[0] - u @ v], a[0] * v + b[0] * u + np.cross(u, v)])


class Scene:
    """One frame of a scene file with the contacts of a contact file."""

    def __init__(self, scene_file, contact_file, frame, environment=None):
        with h5py.File(scene_file, "r") as f:
            self.shape = f["bodies/shape"][:]
            self.size = f["bodies/size"][:].astype(float)
            position, orientation = f["bodies/position"], f["bodies/orientation"]
            self.frames = max(x.shape[0] if x.ndim == 3 else 1 for x in (position, orientation))
            self.position = (position[frame] if position.ndim == 3 else position[:]).astype(float)
            self.orientation = (orientation[frame] if orientation.ndim == 3 else orientation[:]).astype(float)
            self.hulls = [f[f"hulls/{k}/vertices"][:].astype(float)
                          for k in range(len(f["hulls"]) if "hulls" in f else 0)]
            self.meshes = [(f[f"meshes/{k}/vertices"][:].astype(float), f[f"meshes/{k}/triangles"][:],
                            bool(f[f"meshes/{k}"].attrs.get("solid", 0)))
                           for k in range(len(f["meshes"]) if "meshes" in f else 0)]
            self.expand_compounds(f)
            terrain = 0 if "terrains/0" in f else -1
            if environment is not None and "environments/terrain" in f:
                terrain = int(f["environments/terrain"][environment])
            self.heights, self.material = None, None
            if terrain >= 0:
                heights = f[f"terrains/{terrain}/heights"]
                self.heights = heights[:].astype(float)
                self.origin, self.spacing = heights.attrs["origin"], heights.attrs["spacing"]
                material = f.get(f"terrains/{terrain}/material")
                self.material = None if material is None else material[:]
        with h5py.File(contact_file, "r") as f:
            offset = f["frame_offset"][:]
            k = frame % (len(offset) - 1)
            rows = slice(int(offset[k]), int(offset[k + 1]))
            self.body = self.first_part[f["contacts/body_a"][rows]]
            self.other = f["contacts/body_b"][rows]
            between = self.other != TERRAIN
            self.other[between] = self.first_part[self.other[between]]
            if "contacts/shape_a" in f:
                self.body += f["contacts/shape_a"][rows]
                self.other[between] += f["contacts/shape_b"][rows][between]
            self.point = f["contacts/point"][rows].astype(float)
            self.normal = f["contacts/normal"][rows].astype(float)
            self.depth = f["contacts/depth"][rows].astype(float)
        self.note_contacts()

    def note_contacts(self):
        """Which bodies touch anything, and which contacts are with ground."""
        self.touching = np.zeros(len(self.shape), bool)
        self.touching[self.body] = True
        self.touching[self.other[self.other != TERRAIN]] = True
        # Meshes count as ground. Contacts with ground of any kind, and contacts of two bodies.
        self.solid = (self.shape != HALF_SPACE) & (self.shape != MESH)
        ground_a = ~self.solid[self.body]
        on_terrain = self.other == TERRAIN
        self.on_ground = on_terrain | ground_a | ~self.solid[np.where(on_terrain, self.body, self.other)]
        # Normals of ground are drawn out of the ground, also where it is body A.
        self.normal[ground_a] *= -1.0


    def expand_compounds(self, f):
        """Each part of a compound is a body by itself from here on."""
        count = [f[f"compounds/{int(s[0])}/shape"].size if k == COMPOUND else 1 for k, s in zip(self.shape, self.size)]
        self.first_part = np.cumsum([0] + count[:-1]).astype(np.uint32) if count else np.zeros(0, np.uint32)
        if COMPOUND not in self.shape:
            return
        parts = []
        for shape, size, p, q in zip(self.shape, self.size, self.position, self.orientation):
            if shape != COMPOUND:
                parts.append((shape, size, p, q))
                continue
            c = f[f"compounds/{int(size[0])}"]
            for part, part_size, at, turn in zip(c["shape"], c["size"], c["position"], c["orientation"]):
                parts.append((part, part_size, p + rotation(q) @ at, product(q, turn)))
        self.shape, self.size, self.position, self.orientation = (np.array(x) for x in zip(*parts))


    def reach(self, i):
        """Radius of a ball about the centre that holds body i."""
        a, b, c = self.size[i]
        if not self.solid[i]:
            return 0.0
        if self.shape[i] == HULL:
            return np.linalg.norm(self.hulls[int(a)], axis=1).max()
        return {SPHERE: a, BOX: np.sqrt(a * a + b * b + c * c), CYLINDER: np.hypot(a, b), CAPSULE: a + b}[self.shape[i]]


def command():
    built = pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/oclide"
    return os.environ.get("OCLIDE_COMMAND") or (str(built) if built.exists() else "oclide")


def cast(scene, bodies, environment_of_body, origin, direction, environment, terrain=None):
    """What rays hit first, by `oclide cast`: a dictionary of the hits file's columns, whose bodies count those given.

    direction: one for all rays. terrain: that of environment 0, with heights, origin, material; there is no other."""
    count = 1 + int(max(np.max(environment_of_body, initial=0), np.max(environment, initial=0)))
    with tempfile.TemporaryDirectory() as folder:
        scene_file, hits_file = os.path.join(folder, "scene.h5"), os.path.join(folder, "hits.h5")
        with h5py.File(scene_file, "w") as f:
            f.attrs["format"], f.attrs["version"] = "oclide-scene", 1
            if terrain is not None:
                heights, corner, material = terrain
                f["terrains/0/heights"] = heights
                attributes = f["terrains/0/heights"].attrs
                attributes["origin"], attributes["spacing"] = corner, scene.spacing
                if material is not None:
                    f["terrains/0/material"] = material
            f["environments/terrain"] = np.array([-1 if terrain is None else 0] + [-1] * (count - 1), np.int32)
            for k, points in enumerate(scene.hulls):
                f[f"hulls/{k}/vertices"] = points
            for k, (vertices, triangles, solid) in enumerate(scene.meshes):
                f[f"meshes/{k}/vertices"], f[f"meshes/{k}/triangles"] = vertices, triangles
                f[f"meshes/{k}"].attrs["solid"] = int(solid)
            for name, values in (("shape", scene.shape), ("size", scene.size), ("position", scene.position),
                                 ("orientation", scene.orientation)):
                f[f"bodies/{name}"] = values[bodies]
            f["bodies/environment"] = np.asarray(environment_of_body, np.uint32)
            f["rays/origin"], f["rays/direction"] = origin, np.broadcast_to(np.float32(direction), origin.shape)
            f["rays/environment"] = environment
        done = subprocess.run([command(), "cast", scene_file, "-o", hits_file, "--json"], stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f"draw: {command()} cast failed")
        with h5py.File(hits_file, "r") as f:
            return {name: f[f"hits/{name}"][0] for name in ("distance", "normal", "body", "material")}


class View:
    """A parallel projection: right, up and the direction of sight, in metres about a target."""

    def __init__(self, target, azimuth, elevation, width, height, pixels_wide):
        a, e = np.radians([azimuth, elevation])
        self.forward = np.array([np.sin(a) * np.cos(e), np.cos(a) * np.cos(e), -np.sin(e)])
        self.right = np.array([np.cos(a), -np.sin(a), 0.0])
        self.up = np.cross(self.right, self.forward)
        self.target, self.width, self.height = np.asarray(target, float), width, height
        self.cols = pixels_wide * SUPERSAMPLING
        self.rows = int(round(self.cols * height / width))
        self.scale = self.cols / width  # pixels a metre
        self.far = 1000.0

    def project(self, points):
        """Columns: x and y [m] in the picture's plane, distance along the sight."""
        p = np.atleast_2d(points) - self.target
        return np.column_stack([p @ self.right, p @ self.up, p @ self.forward + self.far])

    def pixel_box(self, x, y):
        """Rows and columns of pixels that cover these picture coordinates; None outside the picture."""
        c0, c1 = ((x.min() + self.width / 2) * self.scale, (x.max() + self.width / 2) * self.scale)
        r0, r1 = ((self.height / 2 - y.max()) * self.scale, (self.height / 2 - y.min()) * self.scale)
        c0, c1 = max(0, int(c0) - 1), min(self.cols, int(c1) + 2)
        r0, r1 = max(0, int(r0) - 1), min(self.rows, int(r1) + 2)
        return None if c0 >= c1 or r0 >= r1 else (slice(r0, r1), slice(c0, c1))

    def plane_coordinates(self, box):
        """Picture coordinates [m] of the pixels of a box."""
        x = (np.arange(box[1].start, box[1].stop) + 0.5) / self.scale - self.width / 2
        y = self.height / 2 - (np.arange(box[0].start, box[0].stop) + 0.5) / self.scale
        return np.meshgrid(x, y)


LIGHT = np.array([-0.45, -0.35, 0.82])
LIGHT = LIGHT / np.linalg.norm(LIGHT)


def draw_terrain(scene, view, distance, image, meshes=()):
    """The terrain near the view, and these bodies of triangle meshes; meshes with dark lines where they are folded or
    end."""
    reach = np.hypot(view.width, view.height / max(0.2, abs(view.forward[2])))
    back, terrain = 1.0, None
    if scene.heights is not None:
        rows, cols = scene.heights.shape
        j0, i0 = np.maximum(0, ((view.target[:2] - reach - scene.origin) / scene.spacing).astype(int))
        j1, i1 = ((view.target[:2] + reach - scene.origin) / scene.spacing).astype(int) + 2
        j1, i1 = min(j1, cols), min(i1, rows)
        heights = scene.heights[i0:i1, j0:j1]
        material = None if scene.material is None else scene.material[i0:i1 - 1, j0:j1 - 1]
        terrain = heights, scene.origin + [j0, i0] * np.asarray(scene.spacing), material
        # The eye is beyond the border of this part, or above all of it.
        beyond = (1.5 * reach + view.width) / max(1e-9, np.hypot(*view.forward[:2]))
        above = (np.nanmax(heights) - view.target[2] + view.height) / max(1e-9, -view.forward[2])
        back = min(beyond, above)
    for i in meshes:
        vertices = scene.meshes[int(scene.size[i, 0])][0] @ rotation(scene.orientation[i]).T + scene.position[i]
        back = max(back, 1.0 - ((vertices - view.target) @ view.forward).min())
    if terrain is None and len(meshes) == 0:
        return
    x, y = view.plane_coordinates((slice(0, view.rows), slice(0, view.cols)))
    start = view.target + x[..., None] * view.right + y[..., None] * view.up - back * view.forward
    flat = start.reshape(-1, 3)
    hits = cast(scene, np.asarray(meshes, int), np.zeros(len(meshes)), flat, view.forward,
                np.zeros(len(flat), np.uint32), terrain)
    distance[...] = hits["distance"].reshape(x.shape) + (view.far - back)
    normals = hits["normal"].reshape(image.shape)
    body = hits["body"].reshape(x.shape)

    # The walls at the border of this part and beside holes are left out.
    wall = (body == TERRAIN) & (np.abs(normals[..., 2]) < 1e-6)
    body[wall], distance[wall] = NOTHING, np.inf
    seen = body == TERRAIN
    if seen.any():
        world = start + np.where(seen, distance - (view.far - back), 0.0)[..., None] * view.forward
        cell = (world[..., :2] - scene.origin) / scene.spacing
        if scene.material is None:
            z = world[..., 2]
            low, high = z[seen].min(), z[seen].max()
            colour = TERRAIN_COLOURS(0.45 + 0.35 * (z - low) / (high - low + 1e-9))[..., :3]
            colour = 0.35 + 0.65 * colour
        else:
            colour = MATERIAL_COLOURS[hits["material"].reshape(x.shape) % len(MATERIAL_COLOURS)]
        shade = 0.35 + 0.75 * np.clip(normals @ LIGHT, 0, 1)
        colour = np.clip(colour * shade[..., None], 0, 1)
        # Grid lines, where cells are large enough to be told apart.
        for a in range(2):
            if scene.spacing[a] * view.scale > 30:
                to_line = np.abs(cell[..., a] - np.rint(cell[..., a])) * scene.spacing[a] * view.scale
                colour[to_line < 1.2] *= 0.88
        image[seen] = colour[seen]

    hit = body < NOTHING
    edge = np.zeros(hit.shape, bool)
    for axis in (0, 1):
        turned = np.einsum("ijk,ijk->ij", normals, np.roll(normals, 1, axis)) < 0.75
        farther = np.roll(np.minimum(distance, 1e9), 1, axis) - np.minimum(distance, 1e9) > 12.0 / view.scale
        edge |= hit & (turned | farther)
    base = np.array(matplotlib.colors.to_rgb(COLOURS[MESH]))
    colour = np.clip(base * (0.5 + 0.6 * np.clip(normals @ LIGHT, 0, 1))[..., None], 0, 1)
    colour[edge] *= 0.6
    image[hit] = colour[hit]


def draw_half_space(scene, view, i, middle, half_side, distance, image):
    """A square of the plane about the point of it under `middle`, with a grid and an outline."""
    r = rotation(scene.orientation[i])
    along = float(view.forward @ r[:, 2])
    if abs(along) < 1e-9:
        return
    x, y = view.plane_coordinates((slice(0, view.rows), slice(0, view.cols)))
    start = view.target + x[..., None] * view.right + y[..., None] * view.up - view.far * view.forward
    t = ((scene.position[i] - start) @ r[:, 2]) / along
    local = (start + t[..., None] * view.forward - np.asarray(middle)) @ r[:, :2]
    hit = np.all(np.abs(local) < half_side, axis=2) & (t < distance)
    colour = np.full(hit.shape + (3,), 0.87)
    cells = np.floor(local)
    colour[(cells[..., 0] + cells[..., 1]) % 2 == 0] = 0.82
    border = np.min(half_side - np.abs(local), axis=2) * view.scale
    colour[border < 3 * SUPERSAMPLING] = 0.35
    image[hit] = colour[hit]
    distance[hit] = t[hit]


RAYS_AT_ONCE = 2_000_000


def draw_bodies(scene, view, bodies, distance, image, opaque=False):
    """Bodies from the farthest to the nearest. Each has the rays of the pixels around it, and an environment of its
    own."""
    bodies = sorted(bodies, key=lambda i: -view.project(scene.position[i])[0, 2])
    parts, rays = [], 0
    for n, i in enumerate(bodies):
        centre, reach = view.project(scene.position[i])[0], scene.reach(i)
        box = view.pixel_box(centre[0] + reach * np.array([-1, 1]), centre[1] + reach * np.array([-1, 1]))
        if box is not None:
            x, y = view.plane_coordinates(box)
            near = centre[2] - reach - 0.01
            parts.append((i, box, near, view.target + x[..., None] * view.right + y[..., None] * view.up +
                          (near - view.far) * view.forward))
            rays += x.size
        if parts and (rays > RAYS_AT_ONCE or n + 1 == len(bodies)):
            count = [part[3].shape[0] * part[3].shape[1] for part in parts]
            hits = cast(scene, np.array([part[0] for part in parts]), np.arange(len(parts)),
                        np.concatenate([part[3].reshape(-1, 3) for part in parts]), view.forward,
                        np.repeat(np.arange(len(parts), dtype=np.uint32), count))
            end = np.cumsum(count)
            for (part, box, near, start), last, length in zip(parts, end, count):
                t = near + hits["distance"][last - length:last].reshape(start.shape[:2])
                normal = hits["normal"][last - length:last].reshape(start.shape)
                draw_body(scene, view, part, box, t, normal, distance, image, opaque)
            parts, rays = [], 0


def draw_body(scene, view, i, box, t, normal, distance, image, opaque):
    """One body, translucent or not; what is under the ground is fainter, outlines and edges are drawn dark."""
    hit = np.isfinite(t)
    if not hit.any():
        return
    above = hit & (t < distance[box])
    buried = hit & ~above
    base = np.array(matplotlib.colors.to_rgb(COLOURS[scene.shape[i]]))
    if not scene.touching[i]:
        base = 0.55 * base + 0.45 * 0.6
    shade = 0.55 + 0.5 * np.clip(normal @ LIGHT, 0, 1)
    colour = np.clip(base * shade[..., None], 0, 1)
    if opaque:
        opacity = above.astype(float)
    else:
        opacity = np.where(above, 0.66 if scene.touching[i] else 0.5, np.where(buried, 0.13, 0.0))
    # Outline and edges: where the neighbour misses, or has another normal.
    edge = np.zeros(hit.shape, bool)
    for axis in (0, 1):
        for shift in (1, -1):
            other = np.roll(hit, shift, axis)
            turned = np.einsum("ijk,ijk->ij", normal, np.roll(normal, shift, axis)) < 0.8
            edge |= hit & (~other | turned)
    colour[edge] = 0.35 * base
    if opaque:
        distance[box][above] = t[above]
    else:
        opacity[edge & above] = 0.95
        opacity[edge & buried] = 0.45
    part = image[box]
    part[...] = part * (1 - opacity[..., None]) + colour * opacity[..., None]


def draw_close(axes, scene, view, bodies, arrow=NORMAL_LENGTH, opaque=False, contacts=None, ground=None):
    """A close view on these axes, in metres of the picture's plane.

    Contacts: which are drawn, all of these bodies if None. Ground: middle and half side of the drawn part of half
    spaces."""
    image = np.full((view.rows, view.cols, 3), 0.965)
    distance = np.full((view.rows, view.cols), np.inf)
    draw_terrain(scene, view, distance, image, [i for i in bodies if scene.shape[i] == MESH])
    if ground is not None:
        for i in bodies:
            if scene.shape[i] == HALF_SPACE:
                draw_half_space(scene, view, i, *ground, distance, image)
    draw_bodies(scene, view, [i for i in bodies if scene.solid[i]], distance, image, opaque)
    s = SUPERSAMPLING
    rows, cols = view.rows // s * s, view.cols // s * s
    image = image[:rows, :cols].reshape(rows // s, s, cols // s, s, 3).mean((1, 3))
    w, h = view.width / 2, view.height / 2
    axes.imshow(image, extent=(-w, w, -h, h), interpolation="lanczos")
    if contacts is None:
        contacts = np.isin(scene.body, list(bodies))
    points = view.project(scene.point)
    tips = view.project(scene.point + arrow * scene.normal)
    inside = contacts & np.all(np.abs(points[:, :2]) < [w, h], axis=1)
    if opaque or MESH in scene.shape[list(bodies)]:
        # Not those deep inside a heap, or behind a mesh.
        row = np.clip(((h - points[:, 1]) * view.scale).astype(int), 0, view.rows - 1)
        col = np.clip(((points[:, 0] + w) * view.scale).astype(int), 0, view.cols - 1)
        inside &= points[:, 2] < distance[row, col] + (0.05 if opaque else 0.2)
    for kind, colour in ((scene.on_ground, CONTACT_COLOUR), (~scene.on_ground, PAIR_COLOUR)):
        p, along = points[inside & kind], (tips - points)[inside & kind]
        if arrow > 0.0:
            axes.quiver(p[:, 0], p[:, 1], along[:, 0], along[:, 1], angles="xy", scale_units="xy", scale=1,
                        units="dots", width=2.4, headwidth=4.5, headlength=6, headaxislength=6, color=colour, zorder=4)
        axes.scatter(p[:, 0], p[:, 1], s=26 if arrow > 0.0 else 7, color=colour, edgecolor="white",
                     linewidth=0.9 if arrow > 0.0 else 0.3, zorder=5)
    axes.set_xlim(-w, w)
    axes.set_ylim(-h, h)
    axes.set_xticks([])
    axes.set_yticks([])


def scale_bar(axes, x, y, length, text):
    axes.plot([x, x + length], [y, y], color="black", lw=3, solid_capstyle="butt", zorder=6)
    axes.text(x + length / 2, y, text + "\n", ha="center", va="center", fontsize=9, zorder=6,
              bbox=dict(facecolor="white", alpha=0.0, edgecolor="none"))


def save(figure, file):
    """A PNG of 256 colours, which is small."""
    figure.canvas.draw()
    picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3])
    palette = picture.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=4)
    picture.quantize(256, palette=palette, dither=Image.Dither.NONE).save(file, optimize=True)
    plt.close(figure)


def whole_view(scene, members, azimuth, elevation, aspect, pixels_wide, border=0.6):
    """A view in which all these bodies are; aspect is height by width."""
    positions = scene.position[members]
    reach = np.array([scene.reach(i) for i in members])[:, None]
    trial = View(np.zeros(3), azimuth, elevation, 1.0, 1.0, 1)
    axes = np.array([trial.right, trial.up])
    low = (positions @ axes.T - reach).min(0) - border
    high = (positions @ axes.T + reach).max(0) + border
    middle, size = 0.5 * (low + high), high - low
    width = max(size[0], size[1] / aspect)
    target = middle[0] * trial.right + middle[1] * trial.up
    target = target + ((positions.mean(0) - target) @ trial.forward) * trial.forward
    return View(target, azimuth, elevation, width, aspect * width, pixels_wide)
