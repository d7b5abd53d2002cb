"""What the peers in Python share: the scene file, its worlds, and the lines of bench/serve.hpp, which this serves.

An engine is a class with
  info      dict of name -> value: the lines that introduce it
  set_scene(scene)          once
  poses(frame)              a frame's poses as the engine takes them, made before anything is timed
  collide(poses) -> int     what is timed: sets the poses and finds the contacts; their number
  touching() -> list        of arrays (n, 2) of indices and (n) of depths, of the last collide(): one array a world
  candidates() -> int or None
"""

import sys
import time

import h5py
import numpy as np

SPHERE, BOX, CYLINDER, CAPSULE, HULL, HALF_SPACE = range(6)
TERRAIN = 0xFFFFFFFF


class Refused(Exception):
    """The engine has not what the scene needs."""


class Terrain:
    """heights (rows, cols) [m] with y along the rows; origin and spacing (x, y) [m]."""

    def __init__(self, heights, origin, spacing):
        self.heights, self.origin, self.spacing = heights, origin, spacing
        rows, cols = heights.shape
        self.extent = np.array([(cols - 1) * spacing[0], (rows - 1) * spacing[1]])
        self.centre = origin + 0.5 * self.extent


class World:
    """The bodies of one environment: indices in the scene, half spaces first."""

    def __init__(self, scene, environment):
        members = np.nonzero(scene.environment == environment)[0]
        is_half_space = scene.shape[members] == HALF_SPACE
        self.bodies = np.concatenate([members[is_half_space], members[~is_half_space]])
        self.half_spaces = int(is_half_space.sum())
        terrain = scene.environment_terrain[environment] if len(scene.environment_terrain) else 0
        self.terrain = scene.terrains[terrain] if scene.terrains and terrain >= 0 else None
        groups = np.unique(scene.group[members])
        self.bodies_meet = len(members) > 1 and not (len(groups) == 1 and groups[0] != 0)
        filters = np.unique(np.stack([scene.category[members], scene.mask[members]], axis=1), axis=0)
        if self.bodies_meet and (np.any(groups != 0) or filters.tolist() not in ([], [[1, TERRAIN]])):
            raise Refused("groups, categories or masks")


class Scene:
    def __init__(self, name):
        with h5py.File(name, "r") as file:
            bodies = file["bodies"]
            self.shape = bodies["shape"][:]
            self.size = bodies["size"][:].astype(float)
            count = len(self.shape)

            def optional(key, default, type):
                return bodies[key][:].astype(type) if key in bodies else np.full(count, default, dtype=type)

            if "meshes" in file and len(file["meshes"]):
                raise Refused("triangle meshes")
            self.environment = optional("environment", 0, np.int64)
            self.group = optional("group", 0, np.int64)
            self.category = optional("category", 1, np.int64)
            self.mask = optional("mask", TERRAIN, np.int64)
            position, orientation = bodies["position"][:], bodies["orientation"][:]
            frames = max(len(position) if position.ndim == 3 else 1, len(orientation) if orientation.ndim == 3 else 1)
            self.position = np.broadcast_to(position, (frames, count, 3)).astype(float)
            self.orientation = np.broadcast_to(orientation, (frames, count, 4)).astype(float)
            self.environment_terrain = file["environments/terrain"][:] if "environments/terrain" in file else []
            self.hulls = [file[f"hulls/{k}/vertices"][:].astype(float)
                          for k in range(len(file["hulls"]) if "hulls" in file else 0)]
            self.terrains = []
            for k in range(len(file["terrains"]) if "terrains" in file else 0):
                terrain = file[f"terrains/{k}"]
                heights = terrain["heights"][:].astype(float)
                if np.isnan(heights).any() or ("holes" in terrain and terrain["holes"][:].any()):
                    raise Refused("holes in terrain")
                attributes = terrain["heights"].attrs
                self.terrains.append(Terrain(heights, attributes["origin"][:], attributes["spacing"][:]))
        self.worlds = [World(self, e) for e in range(int(self.environment.max(initial=0)) + 1)]


def say(line):
    print(line.replace("\n", " "), flush=True)


def peak_host_bytes():
    """Of this program: what getrusage() says has the peak of the program that started it in it."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return "-"


def answer(engine, poses, line):
    request, _, argument = line.strip().partition(" ")
    if request == "collide":
        begin = time.perf_counter()
        points = engine.collide(poses[int(argument)])
        milliseconds = (time.perf_counter() - begin) * 1e3
        say(f"frame {milliseconds:.6f} {points} -")
    elif request == "touching":
        records = np.dtype([("bodies", "<u4", 2), ("depth", "<f8")])
        with open(argument, "wb") as file:
            for bodies, depths in engine.touching():
                touches = np.zeros(len(bodies), dtype=records)
                touches["bodies"], touches["depth"] = bodies, depths
                file.write(touches.tobytes())
        candidates = engine.candidates()
        say(f"touched {'-' if candidates is None else candidates}")
    elif request == "memory":
        say(f"memory {peak_host_bytes()} -")
    else:
        say(f"error unknown request '{line.strip()}'")


def serve(make_engine):
    """Serves an engine over standard input and output until the input ends; returns the exit status."""
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(f"usage: {sys.argv[0]} SCENE.h5   one engine over standard input and output; bench_peers starts this")
        return 0 if len(sys.argv) == 2 else 2
    try:
        scene = Scene(sys.argv[1])
        engine = make_engine()
        engine.set_scene(scene)
        poses = [engine.poses(frame) for frame in range(len(scene.position))]
        for key, value in engine.info.items():
            say(f"{key}={value}")
        say("ready")
        for line in sys.stdin:
            answer(engine, poses, line)
        return 0
    except Refused as refused:
        say(f"refused no {refused}")
        return 2
    except Exception as error:  # whatever a package throws becomes one line
        say(f"error {type(error).__name__}: {error}")
        return 3
