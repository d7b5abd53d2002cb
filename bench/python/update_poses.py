#!/usr/bin/env python3
"""What updating poses through the Python API costs over the kernels: wall time around Collider.update, until the
contacts' arrays are there, against the same frames' StageTimes.

update_poses.py [--bodies N] [--frames F] [--device D] [--scene S.h5]   (the package oclide must be installed)
"""

import argparse
import statistics
import time

import numpy as np
import oclide


def cloud(count):
    """Spheres and boxes over hilly ground, about half of them in it."""
    random = np.random.default_rng(1)
    side = np.sqrt(count)
    cells = max(2, int(side) // 2)
    x, y = np.meshgrid(np.arange(cells + 1), np.arange(cells + 1))
    ground = oclide.Terrain(0.5 * np.sin(0.3 * x) * np.cos(0.2 * y), spacing=(side / cells, side / cells))
    scene = oclide.Scene(oclide.Bodies(random.integers(0, 2, count), random.uniform(0.1, 0.4, (count, 3))),
                         terrains=[ground])
    return scene, random.uniform([0, 0, -0.5], [side, side, 1.5], (count, 3)), random.normal(size=(count, 4))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bodies", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=30)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--scene", help="a scene file instead; its first frame's poses")
    options = parser.parse_args()

    if options.scene:
        file = oclide.read_scene(options.scene)
        scene, (position, orientation) = file.scene, file[0]
    else:
        scene, position, orientation = cloud(options.bodies)
    collider = oclide.Collider(options.device)
    collider.set_scene(scene)
    frames = [position + [0.0, 0.0, 1e-3 * (k % 2)] for k in range(2)]  # all poses new in each frame
    for k in range(3):
        collider.update(frames[k % 2], orientation)

    around, inside, stages = [], [], []
    for k in range(options.frames):
        start = time.perf_counter()
        frame = collider.update(frames[(k + 1) % 2], orientation)
        point, normal, depth = frame.point, frame.normal, frame.depth
        end = time.perf_counter()
        times = frame.milliseconds
        around.append(1e3 * (end - start))
        inside.append(times.total)
        stages.append(times.upload + times.broad_phase + times.narrow_phase + times.contact_reduction + times.download)
    wall, total = statistics.median(around), statistics.median(inside)
    extra = statistics.median(a - b for a, b in zip(around, inside))
    print(f"{collider.device.name}: {len(position)} bodies, {len(depth)} contacts, {frame.moved_bodies} moved")
    print(f"update() and its arrays, seen from Python  {wall:8.3f} ms")
    print(f"the device's stages                        {statistics.median(stages):8.3f} ms")
    print(f"StageTimes.total of the same frames        {total:8.3f} ms")
    print(f"Python's part                              {extra:8.3f} ms, {100.0 * extra / total:.2f} % of the library's")
    assert point.shape == normal.shape == (len(depth), 3)


if __name__ == "__main__":
    main()
