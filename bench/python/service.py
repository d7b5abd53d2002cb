"""What a service costs beside a Collider in the program itself: the same frames, in turn, through shared memory and through
the stream.

  service.py COMMAND [--bodies N] [--frames F]

COMMAND: the oclide command. Prints the least and the median milliseconds of a frame of each, in the program, with one
frame at a time and with three on their way. The scene is `oclide generate mixed`; all bodies move from frame to frame.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import oclide


def times(step, frames):
    taken = []
    for k in range(frames):
        begin = time.perf_counter()
        step(k)
        taken.append(1e3 * (time.perf_counter() - begin))
    return taken


def pipelined(collider, poses, orientation, frames, ahead=3):
    begin, futures = time.perf_counter(), []
    for k in range(frames):
        futures.append(collider.submit(poses(k), orientation))
        if len(futures) >= ahead:
            futures.pop(0).result()
    for future in futures:
        future.result()
    return 1e3 * (time.perf_counter() - begin) / frames


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--bodies", type=int, default=100000)
    parser.add_argument("--frames", type=int, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "scene.h5")
        subprocess.run([arguments.command, "generate", "mixed", "--bodies", str(arguments.bodies), "-o", file], check=True,
                       stdout=subprocess.DEVNULL)
        scene = oclide.read_scene(file)
        position, orientation = scene[0]
    random = np.random.default_rng(1)
    moves = [position + random.normal(0.0, 1e-3, position.shape) for _ in range(4)]
    process = subprocess.Popen([arguments.command, "serve", "--listen", "127.0.0.1:0", "--json"], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        with oclide.connect(json.loads(process.stdout.readline())["address"]) as service:
            colliders = {"in the program": oclide.Collider(), "service, shared memory": service.collider()}
            for collider in colliders.values():
                collider.set_scene(scene.scene)
            service.is_local = False
            colliders["service, stream"] = service.collider()
            colliders["service, stream"].set_scene(scene.scene)
            rows = {name: [] for name in colliders}
            for name, collider in colliders.items():
                times(lambda k: collider.collide(moves[k % 4], orientation), 3)  # kernels, memory
            # In turn, each at other poses: those of one scene share a collider in the service, which knows the last ones.
            for k in range(arguments.frames):
                for i, (name, collider) in enumerate(colliders.items()):
                    pose = moves[(k + (2 if i == 2 else 0)) % 4]
                    rows[name] += times(lambda _, c=collider, p=pose: c.collide(p, orientation), 1)
            contacts = len(colliders["in the program"].collide(moves[0], orientation))
            print(f"{arguments.bodies} bodies, {contacts} contacts")
            least = min(rows["in the program"])
            for name, taken in rows.items():
                ahead = ""
                if name != "in the program":
                    each = pipelined(colliders[name], lambda k: moves[k % 4], orientation, arguments.frames)
                    ahead = f"; three on their way {each:.1f} ms a frame ({each / least:.2f})"
                print(f"{name}: least {min(taken):.1f} ms ({min(taken) / least:.2f}), "
                      f"median {statistics.median(taken):.1f} ms{ahead}")
    finally:
        process.terminate()
        process.wait(60)


if __name__ == "__main__":
    main()
