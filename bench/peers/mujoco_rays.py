#!/usr/bin/env python3
"""Rays from points over a height field of 512 x 512 cells with MuJoCo's mj_multiRay: nanoseconds of processor time a
ray.

The ground and the lidar's rays are those of bench/rays.cpp, but for its noise: 64 rows of 128 rays from each point.

mujoco_rays.py [POINTS]     one JSON object; needs the package mujoco, as bench/peers/setup installs it
"""
import json
import sys
import time

import mujoco
import numpy as np

CELLS = 512


def model_of(heights):
    low, high = heights.min(), heights.max()
    half = CELLS / 2
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><hfield name="h" nrow="{CELLS + 1}" ncol="{CELLS + 1}" '
        f'size="{half} {half} {high - low} 1"/></asset>'
        f'<worldbody><geom type="hfield" hfield="h" pos="0 0 {low}"/></worldbody></mujoco>')
    model.hfield_data[:] = ((heights - low) / (high - low)).ravel()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def lidar():
    row, column = np.divmod(np.arange(64 * 128), 128)
    around, up = 2 * np.pi * column / 128, np.radians(-25 + 40 * row / 64)
    return np.stack([np.cos(around) * np.cos(up), np.sin(around) * np.cos(up), np.sin(up)], axis=1)


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    random = np.random.default_rng(7)
    y, x = np.mgrid[0:CELLS + 1, 0:CELLS + 1]
    heights = 8 * np.sin(0.05 * y) * np.cos(0.043 * x) + 1.5 * np.sin(0.31 * y + 0.2 * x)
    heights += random.uniform(-0.3, 0.3, x.shape)
    model, data = model_of(heights)
    ways = lidar()
    count = len(ways)
    geoms, distances = np.zeros(count, np.int32), np.zeros(count)
    least, hits = float("inf"), 0
    for _ in range(points):
        point = np.array([random.uniform(-200, 200), random.uniform(-200, 200), random.uniform(11, 14)])
        begin = time.process_time()
        mujoco.mj_multiRay(model, data, point, ways.ravel(), None, 1, -1, geoms, distances, None, count,
                           mujoco.mjMAXVAL)
        least = min(least, (time.process_time() - begin) / count)
        hits += int((geoms >= 0).sum())
    print(json.dumps({"work": "lidar", "rays": points * count, "hits": hits, "mujoco_ns": 1e9 * least,
                      "mujoco": mujoco.__version__}))


if __name__ == "__main__":
    main()
