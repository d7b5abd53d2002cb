"""What a service costs beside a Collider in the program itself: the same frames, in turn, through shared memory and
through the stream.

  service.py COMMAND [--bodies N] [--frames F] [--clients C]

COMMAND: the oclide command. Prints the least and the median milliseconds of a frame of each, in the program, with one
frame at a time and with three on their way. The scene is `oclide generate mixed`; all bodies move from frame to frame.
With --clients: so many colliders, each with a scene of its own of N bodies. Prints milliseconds a frame in the program,
one collider after another; of the service likewise, each waiting for its frame; and where all of them have a frame on
its way.
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


def scene_of(command, bodies, seed=1):
    """A scene, poses that its bodies have in turn, and their orientation."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "scene.h5")
        subprocess.run([command, "generate", "mixed", "--bodies", str(bodies), "--seed", str(seed), "-o", file],
                       check=True, stdout=subprocess.DEVNULL)
        scene = oclide.read_scene(file)
        position, orientation = scene[0]
    random = np.random.default_rng(seed)
    return scene.scene, [position + random.normal(0.0, 1e-3, position.shape) for _ in range(4)], orientation


def beside_one_collider(service, arguments):
    scene, moves, orientation = scene_of(arguments.command, arguments.bodies)
    colliders = {"in the program": oclide.Collider(), "service, shared memory": service.collider()}
    for collider in colliders.values():
        collider.set_scene(scene)
    service.is_local = False
    colliders["service, stream"] = service.collider()
    colliders["service, stream"].set_scene(scene)
    rows = {name: [] for name in colliders}
    for collider in colliders.values():
        times(lambda k, c=collider: c.collide(moves[k % 4], orientation), 3)  # kernels, memory
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


def beside_many_colliders(service, arguments):
    worlds = [scene_of(arguments.command, arguments.bodies, seed=1 + k) for k in range(arguments.clients)]
    local, remote = [oclide.Collider() for _ in worlds], [service.collider() for _ in worlds]
    for colliders in (local, remote):
        for collider, (scene, *_) in zip(colliders, worlds):
            collider.set_scene(scene)
    together = []

    def one_after_another(colliders, k):
        return [collider.collide(moves[k % 4], orientation)
                for collider, (_, moves, orientation) in zip(colliders, worlds)]

    def at_once(k):
        futures = [collider.submit(moves[k % 4], orientation)
                   for collider, (_, moves, orientation) in zip(remote, worlds)]
        frames = [future.result() for future in futures]
        together.extend(frame.together for frame in frames)
        return frames

    steps = {"in the program, one after another": lambda k: one_after_another(local, k),
             "service, one after another": lambda k: one_after_another(remote, k), "service, all at once": at_once}
    hashes = {name: [oclide.contact_hash(frame) for k in range(2) for frame in step(k)] for name, step in steps.items()}
    assert len(set(map(tuple, hashes.values()))) == 1
    together.clear()
    rows = {name: [] for name in steps}
    for k in range(arguments.frames):
        for name, step in steps.items():
            rows[name] += [taken / len(worlds) for taken in times(lambda _, s=step, k=k: s(k), 1)]
    print(f"{len(worlds)} clients of {arguments.bodies} bodies each; "
          f"at once {statistics.mean(together):.1f} of a launch")
    least = min(rows["in the program, one after another"])
    for name, taken in rows.items():
        print(f"{name}: least {min(taken):.2f} ms a frame ({min(taken) / least:.2f}), "
              f"median {statistics.median(taken):.2f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command")
    parser.add_argument("--bodies", type=int, default=100000)
    parser.add_argument("--frames", type=int, default=15)
    parser.add_argument("--clients", type=int, default=1)
    arguments = parser.parse_args()
    process = subprocess.Popen([arguments.command, "serve", "--listen", "127.0.0.1:0", "--json"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        with oclide.connect(json.loads(process.stdout.readline())["address"]) as service:
            (beside_one_collider if arguments.clients == 1 else beside_many_colliders)(service, arguments)
    finally:
        process.terminate()
        process.wait(60)


if __name__ == "__main__":
    main()
