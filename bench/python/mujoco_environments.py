#!/usr/bin/env python3
"""Contacts of thousands of quadrupeds, from qpos to contacts in NumPy: oclide beside a loop over mjData.

mujoco_environments.py [--environments N] [--frames F] [--device D]   (the packages oclide and mujoco must be installed)

The loop is what a program with MuJoCo alone does: qpos, mj_fwdPosition or only mj_kinematics and mj_collision, and the
arrays of data.contact kept. `bare` leaves the arrays out. All run in turn in each frame; the median and the least of
the frames are printed, and their ratios to oclide's.
"""

import argparse
import statistics
import time

import mujoco
import numpy as np
import oclide

LEG = """<body pos="{x} {y} 0"><joint axis="1 0 0"/><geom type="cylinder" size="0.046 0.02" euler="90 0 0"/>
<body pos="0 {side} 0"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.213" size="0.02"/>
<body pos="0 0 -0.213"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.19" size="0.012"/>
<geom type="sphere" pos="0 0 -0.213" size="0.023"/></body></body></body>"""
MODEL = """<mujoco><worldbody><geom type="plane" size="50 50 1"/><body pos="0 0 0.3"><freejoint/>
<geom type="box" size="0.188 0.047 0.057"/>{legs}</body></worldbody></mujoco>""".format(legs="".join(
    LEG.format(x=x, y=y, side=0.08 if y > 0 else -0.08) for x in (0.188, -0.188) for y in (0.047, -0.047)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environments", type=int, default=4096)
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    count = options.environments
    world = oclide.from_mujoco(model, environments=count)
    collider = oclide.Collider(options.device)
    collider.set_scene(world.scene)

    random = np.random.default_rng(1)

    def states():
        qpos = np.tile(model.qpos0, (count, 1))
        qpos[:, 2] = random.uniform(0.2, 0.32, count)
        qpos[:, 3:7] += random.normal(0.0, 0.1, (count, 4))
        qpos[:, 7:] = np.tile([0.0, 0.9, -1.8], 4) + random.normal(0.0, 0.2, (count, 12))
        return qpos

    def loop(qpos, find, keep):
        kept = []
        for row in qpos:
            data.qpos[:] = row
            find(model, data)
            if keep:
                contact = data.contact
                kept.append((contact.geom.copy(), contact.dist.copy(), contact.pos.copy(), contact.frame[:, :3].copy()))
        return kept

    def collision(of, to):
        mujoco.mj_kinematics(of, to)
        mujoco.mj_collision(of, to)

    def whole(qpos):
        return world.contacts(collider.update(*world.poses(qpos)))

    ways = {"oclide, poses alone": world.poses, "oclide, all": whole,
            "MuJoCo, mj_fwdPosition": lambda qpos: loop(qpos, mujoco.mj_fwdPosition, True),
            "MuJoCo, mj_fwdPosition, bare": lambda qpos: loop(qpos, mujoco.mj_fwdPosition, False),
            "MuJoCo, kinematics and collision": lambda qpos: loop(qpos, collision, True),
            "MuJoCo, kinematics and collision, bare": lambda qpos: loop(qpos, collision, False)}
    times = {name: [] for name in ways}
    whole(states())
    for _ in range(options.frames):
        qpos = states()
        for name, way in ways.items():
            start = time.perf_counter()
            way(qpos)
            times[name].append(1e3 * (time.perf_counter() - start))
    ours = times["oclide, all"]
    print(f"{collider.device.name}: {count} environments of {len(world.geom) // count} geoms, "
          f"{len(whole(qpos))} contacts; milliseconds a frame, median and least")
    for name, values in times.items():
        pair = [(of(values), of(values) / of(ours)) for of in (statistics.median, min)]
        print(f"{name:40}" + "".join(f" {value:9.2f} {ratio:6.2f}" for value, ratio in pair))


if __name__ == "__main__":
    main()
