"""The service (`oclide serve`) with real clients on loopback: what docs/service.md promises."""

import asyncio
import contextlib
import json
import os
import pathlib
import pickle
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np
import oclide
import pytest
from conftest import collider_with, heap, two_bodies

grpc = pytest.importorskip("grpc")
pytest.importorskip("grpc_reflection")

TIMEOUT = 120.0
NO_GRPC = "this oclide was built without gRPC"


class Running:
    """A service in a process of its own."""

    def __init__(self, command, *arguments, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [command, "serve", "--listen", listen, "--metrics", "127.0.0.1:0", "--json", *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            said = self.process.communicate()[1]
            if NO_GRPC in said:
                pytest.skip(said.strip())
            pytest.fail(f"the service does not start, exit status {self.process.returncode}: {said}")
        self.info = json.loads(line)
        self.address = self.info["address"]
        self.log = []
        self.reader = threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def metric(self, name):
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.info['metrics_port']}/metrics",
                                      timeout=10).read().decode()
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if re.match(name + r"[ {]", line))

    def wait_for(self, name, value):
        end = time.monotonic() + 30.0
        while self.metric(name) != value:
            assert time.monotonic() < end, f"{name} is {self.metric(name)}, not {value}"
            time.sleep(0.02)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
        status = self.process.wait(60)
        self.reader.join(10)
        return status


def run(command, *arguments):
    """The command to its end."""
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)


@contextlib.contextmanager
def serving(command, *arguments, **where):
    service = Running(command, *arguments, **where)
    try:
        yield service
    finally:
        if service.process.poll() is None:
            service.process.kill()
        service.process.wait(30)


@pytest.fixture(scope="module")
def service(command):
    with serving(command) as running:
        yield running


def small(k):
    """A scene of its own for client k."""
    return heap(5 + k % 7, seed=100 + k % 50)


def expected(scene, position, orientation):
    return oclide.contact_hash(collider_with(scene).collide(position, orientation).contacts)


def test_a_frame_has_the_bits_of_a_local_collider(service):
    scene, position, orientation = heap(300)
    local = collider_with(scene)
    for is_local in (True, False):  # through shared memory, through the stream
        with oclide.connect(service.address) as connection:
            connection.is_local = is_local
            with connection.collider() as remote:
                remote.set_scene(scene)
                assert remote.uses_shared_memory == is_local
                for k in range(3):
                    moved = position + 0.01 * k
                    found, wanted = remote.collide(moved, orientation), local.collide(moved, orientation)
                    assert len(wanted) > 0
                    assert found.contacts.tobytes() == wanted.contacts.tobytes()
                    assert (found.pairs, found.body_pairs) == (wanted.pairs, wanted.body_pairs)
                    assert found.deepest == wanted.depth.max()
                # What was counted on the way, too: by a device of the same kind.
                counted = oclide.Collider()
                counted.set_scene(scene)
                same = counted.update(moved, orientation)
                for name in ("body_candidates", "candidates", "unreduced", "moved_bodies"):
                    assert getattr(found, name) == getattr(same, name), name
                assert found.unreduced >= len(found) and (found.device_bytes > 0) == (same.device_bytes > 0)
                counts = remote.collide(position, orientation, counts_only=True)
                assert len(counts) == 0 and counts.count == len(local.collide(position, orientation))


def test_the_example_of_the_page_runs(service, capsys):
    page = (pathlib.Path(__file__).parents[2] / "docs" / "service.md").read_text()
    program, = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(program.replace("127.0.0.1:7411", service.address), {})
    assert capsys.readouterr().out.startswith("[0 1 1 1 1] [[")


def test_a_service_that_does_not_start_is_no_test_that_is_skipped(tmp_path):
    broken = tmp_path / "oclide"
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    broken.chmod(0o700)
    with pytest.raises(pytest.fail.Exception, match="exit status 3: broken"):
        Running(broken)
    broken.write_text(f"#!/bin/sh\necho 'oclide: {NO_GRPC} (Debian: ...)' >&2\nexit 2\n")
    with pytest.raises(pytest.skip.Exception, match=NO_GRPC):
        Running(broken)


def test_a_client_in_cpp_finds_what_a_local_collider_finds(service, command, tmp_path):
    oclide.write_scene(tmp_path / "scene.h5", *two_bodies())
    said = run(command, "run", tmp_path / "scene.h5", "--service", service.address)
    if NO_GRPC in said.stderr:
        pytest.skip("this build has no client in C++")
    assert said.returncode == 0, said.stderr
    # What was counted on the way comes along.
    there, here = (json.loads(run(command, "run", tmp_path / "scene.h5", "--json", *more).stdout)
                   for more in (("--service", service.address), ()))
    assert here["contacts_before_reduction"] > 0
    for name in ("candidates", "body_candidates", "contacts_before_reduction", "moved_bodies"):
        assert there[name] == here[name], name
    program = pathlib.Path(command).with_name("service_example")  # docs/service.cpp
    done = subprocess.run([program, service.address], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0 and done.stdout.startswith("12 of 12 frames are equal"), done.stdout + done.stderr


def said_by(collider, call):
    with pytest.raises((oclide.Error, TypeError)) as error:
        call(collider)
    return error.type, str(error.value)


def test_arrays_of_wrong_shapes_are_refused_as_a_local_collider_refuses_them(service):
    scene, position, orientation = heap(12)
    n, ray, turned = len(position), np.ones((5, 3)), np.ones((5, 4))
    bodies, ground = oclide.Bodies([0], [[1.0, 0, 0]]), oclide.Terrain(np.zeros((3, 3)))
    bodies.size, ground.holes = np.ones((3, 1)), np.zeros((3, 3), int)
    wrong = []
    poses = ((position.T, orientation), (position, orientation.T), (position.ravel(), orientation),
             (position, orientation.ravel()),
             (position[1:], orientation), (position, orientation[1:]), (position[0], orientation[0]),
             (position[:, :2], orientation),
             (np.concatenate([position, position]), orientation),
             (position, np.ma.masked_equal(orientation, orientation[3, 1])),
             (None, orientation), (position, [["a"] * 4] * n), (position, [1.0, [2.0]]))
    for at in poses:
        wrong += [lambda c, at=at: c.collide(*at), lambda c, at=at: c.cast(*at, ray, ray),
                  lambda c, at=at: c.sweep(*at),
                  lambda c, at=at: c.overlap(*at, 0, [1, 0, 0], ray, turned), lambda c, at=at: c.distance(*at, ray)]
    at = (position, orientation)
    for motion in (np.ones((3, n)), np.ones(3 * n), np.ones((n - 1, 3)), np.ones((n, 4)), np.ones((n, 1)), 1.0):
        wrong += [lambda c, m=motion: c.sweep(*at, m), lambda c, m=motion: c.sweep(*at, None, m)]
    for values in (ray.T, np.ones((4, 3)), np.ones(5), 1.0):
        wrong += [lambda c, v=values: c.cast(*at, v, ray), lambda c, v=values: c.cast(*at, ray, v),
                  lambda c, v=values: c.overlap(*at, [0] * 5, ray, v, turned),
                  lambda c, v=values: c.overlap(*at, [0] * 5, v, ray, turned),
                  lambda c, v=values: c.overlap(*at, 0, [1, 0, 0], ray, v)]
    for values in (np.ones(4), np.ones((5, 3)), ["a"] * 5):
        wrong += [lambda c, v=values: c.cast(*at, ray, ray, length=v),
                  lambda c, v=values: c.cast(*at, ray, ray, mask=v),
                  lambda c, v=values: c.cast(*at, ray, ray, environment=v), lambda c, v=values: c.distance(*at, ray, v),
                  lambda c, v=values: c.distance(*at, ray, mask=v),
                  lambda c, v=values: c.overlap(*at, v, ray, ray, turned),
                  lambda c, v=values: c.overlap(*at, 0, [1, 0, 0], ray, turned, group=v)]
    for point in (5.0, np.ones((3, 5)), np.ones((5, 2))):
        wrong += [lambda c, v=point: c.distance(*at, v)]
    for values in ([1], 1, np.ones((2, 2, 2), int), np.full((2, 2), 300)):
        wrong += [lambda c, v=values: c.update_holes(0, 0, 0, v), lambda c, v=values: c.update_material(0, 0, 0, v)]
    wrong += [lambda c: c.update_heights(0, 0, 0, [1.0]), lambda c: c.update_heights(0, -1, 0, [[1.0]]),
              lambda c: c.move_terrain(0, [1.0]), lambda c: c.move_terrain(0, np.ones((2, 1))),
              lambda c: c.move_terrain(-1, [1, 1]),
              lambda c: c.change(removed=[0, 1]), lambda c: c.change(removed=[]),
              lambda c: c.change(changed=np.zeros((2, 1), int)),
              lambda c: c.change(added=bodies), lambda c: c.change(added="bodies"),
              lambda c: c.change(changed=[[0, 0]], become=bodies),
              lambda c: c.change_tiles(0, removed=[[0]]), lambda c: c.change_tiles(0, added=[ground]),
              lambda c: c.set_scene("scene"), lambda c: c.set_scene(oclide.Scene(bodies)),
              lambda c: c.set_scene(oclide.Scene(oclide.Bodies([], []), terrains=[ground]))]
    local = collider_with(scene)
    with oclide.connect(service.address) as connection, connection.collider() as remote:
        remote.set_scene(scene)
        for k, call in enumerate(wrong):
            assert said_by(remote, call) == said_by(local, call), k
        wanted = said_by(local, lambda c: c.collide(position.T, orientation))
        assert said_by(remote, lambda c: c.plan(position.T, orientation)) == wanted
        assert said_by(remote, lambda c: c.submit(position.T, orientation)) == wanted
        assert oclide.contact_hash(remote.collide(*at).contacts) == expected(scene, *at)  # and the scene is still there
        # Arrays of other types that a scene was given later are taken as a local collider takes them.
        scene.bodies.size, scene.terrains[0].material = scene.bodies.size.tolist(), np.ones((16, 20), np.int64)
        remote.set_scene(scene)
        assert oclide.contact_hash(remote.collide(*at).contacts) == expected(scene, *at)


def test_a_terrain_that_nothing_meets_is_told_with_the_line_of_the_caller(service):
    flat = oclide.Terrain(np.zeros((2, 2)))
    scene = oclide.Scene(oclide.Bodies([0], [[1.0, 0, 0]]), terrains=[flat, flat])
    with oclide.connect(service.address) as connection, connection.collider() as remote:
        for collider in (oclide.Collider(), remote):
            with pytest.warns(UserWarning, match="terrains/1: nothing meets it: no environment has it") as warned:
                collider.set_scene(scene)
            assert [warning.filename for warning in warned] == [__file__]
    # The replies to what begins a session name them: where it sends the scene, and where that is known.
    with oclide.connect(service.address) as connection:
        message = connection.messages
        sent, call = raw_session(connection, *scene_requests(message, scene))
        assert next(call).HasField("opened")
        replied = next(call).scene
        assert list(replied.unused_terrains) == [1]
        other, known = raw_session(connection, message.Request(id=1, open=message.Open(scene_digest=replied.digest)))
        opened = next(known).opened
        assert opened.known and list(opened.unused_terrains) == [1]
        for queue in (sent, other):
            queue.put(None)


# Programs that use a collider, and what they show of what they find.

def members(records):
    return [records[name].tolist() for name in records.dtype.names]


def show_frames(collider, position, orientation):
    frame = collider.update(position, orientation)
    again = pickle.loads(pickle.dumps(frame))
    table, arrow = frame.to_pandas(), frame.to_arrow()
    return [len(frame), frame.pairs, frame.body_pairs, members(frame[0]), members(frame[-3:]),
            members(frame[frame.depth > 0.1]),
            [contact["body_b"] for contact in frame], oclide.contact_hash(frame), oclide.contact_hash(again, seed=3),
            *(getattr(frame, name).tolist() for name in oclide.CONTACT_DTYPE.names),
            np.from_dlpack(frame.depth).tolist(),
            members(frame.events), frame.previous.tolist(), list(table.columns), table.to_numpy().tolist(),
            arrow.to_pydict(), frame.milliseconds.total > 0.0]


def show_queries(collider, position, orientation):
    origin, direction = oclide.lidar(4, 8, [4.0, 4.0, 3.0])
    environment, mask = np.zeros(8, int), np.full((4, 1), 0xFFFFFFFF)
    hits = collider.cast(position, orientation, origin, direction, 5.0, environment, mask)
    nearest = collider.distance(position, orientation, origin, 2.0, environment, mask)
    found = collider.overlap(position, orientation, 0, [0.4, 0, 0], position, orientation, 0, 0xFFFFFFFF, 0,
                             lowest=True)
    return [len(hits), hits.hit_count, members(hits.hits), hits.distance.shape, oclide.hit_hash(hits),
            hits.milliseconds.total > 0.0, *(getattr(hits, name).tolist() for name in oclide.HIT_DTYPE.names),
            len(nearest), nearest.near_count, members(nearest.nearest), oclide.hit_hash(nearest.nearest),
            *(getattr(nearest, name).tolist() for name in oclide.HIT_DTYPE.names),
            len(found), found.overlap_count, found.overlaps.tolist(), found.body.tolist(),
            oclide.line_of_sight(collider, position, orientation, [4, 4, 5.0], origin, mask=mask).tolist()]


def show_motion(collider, position, orientation):
    motion = np.tile([0.5, 0.0, -4.0], (len(position), 1)), np.tile([0.0, 1.0, 0.0], (len(position), 1))
    impacts = collider.sweep(position + [0.0, 0.0, 3.0], orientation, *motion)
    paths = collider.trace(position, orientation, [[4.0, 4.0, 3.0], [2.0, 3.0, 4.0], [0.0, 0.0, 9.0]],
                           [[1.0, 2.0, -9.0]], 0, bounces=4, friction=0.1, restitution=0.8)
    return [len(impacts), members(impacts.impacts), oclide.impact_hash(impacts),
            impacts.to_pandas().to_numpy().tolist(),
            impacts.to_arrow().to_pydict(), *(getattr(impacts, name).tolist() for name in oclide.IMPACT_DTYPE.names),
            len(collider.sweep(position, orientation)), members(paths.points), paths.offset.tolist(),
            paths.end.tolist(), paths.displacement.tolist(), paths.outgoing.tolist(), paths.reflections, paths.casts,
            len(collider.trace(position, orientation, np.zeros((0, 3)), np.zeros((0, 3))))]


def show_files(collider, position, orientation, file):
    frames = [collider.collide(position + 0.01 * k, orientation) for k in range(3)]
    impacts = collider.sweep(position, orientation, -0.1 * position)
    oclide.write_contacts(file, frames, device=collider.device.name)
    read = oclide.read_contacts(file)
    with oclide.ContactWriter(file, impacts=True) as writer:
        writer.append(frames[0], impacts)
    return [read.device, read.to_pandas().to_numpy().tolist(), members(oclide.read_contacts(file).impacts(0))]


def show_checks(collider, position, orientation, scene):
    validator = oclide.Validator(scene)
    ray = [4.0, 4.0, 3.0], [0.1, 0.2, -1.0]
    validator.add_frame(position, orientation, collider.collide(position, orientation))
    validator.add_cast(position, orientation, collider.cast(position, orientation, *ray), *ray)
    validator.add_sweep(position, orientation, collider.sweep(position, orientation, -0.1 * position), -0.1 * position)
    return [validator.report.holds, validator.ray_report.holds, validator.sweep_report.holds,
            validator.report.contacts_device]


def show_mujoco(collider):
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 0.09">
        <freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>""")
    world = oclide.from_mujoco(model)
    collider.set_scene(world.scene)
    return members(world.contacts(collider.collide(*world.poses(np.array(model.qpos0)))))


def test_programs_run_on_a_collider_of_a_service_as_on_a_local_one(service, tmp_path):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    scene, position, orientation = heap(50)
    local = oclide.Collider(track=True)
    with oclide.connect(service.address) as connection, connection.collider(track=True) as remote:
        for collider in (local, remote):
            collider.set_scene(scene)
        for program, more in ((show_frames, ()), (show_frames, ()), (show_queries, ()), (show_motion, ()),
                              (show_files, (tmp_path / "contacts.h5",)), (show_checks, (scene,))):
            wanted, found = (program(collider, position, orientation, *more) for collider in (local, remote))
            assert found == wanted, program.__name__
        for name in ("id", "name", "platform", "is_gpu", "is_reference", "usable", "memory_bytes"):
            assert getattr(remote.device, name) == getattr(local.device, name)
        # What is refused is said in the same words.
        for call in (lambda c: c.trace(position, orientation, [[0, 0, 0]], [[0, 0, 1]], environment=[-1]),
                     lambda c: c.trace(position, orientation, [[0, 0, 0]], [[0, 0, np.nan]]),
                     lambda c: c.trace(position, orientation, [[0, 0, 0]], [0, 1]),
                     lambda c: c.trace(position.T, orientation, [[0, 0, 0]], [[0, 0, 1]]),
                     lambda c: c.trace(position, orientation, [[0, 0, 0]], [[0, 0, 1]], friction=2.0),
                     lambda c: oclide.line_of_sight(c, position, orientation, [0, 0], [0, 0, 1])):
            assert said_by(remote, call) == said_by(local, call)
        two_environments = oclide.Scene(scene.bodies, terrains=scene.terrains, environment_terrain=[0, 0])
        for collider in (local, remote):
            collider.set_scene(two_environments)
            with pytest.raises(oclide.InvalidInputError, match=r"^points/environment\[0\] is 7, and"):
                collider.trace(position, orientation, [[0, 0, 0]], [[0, 0, 1]], environment=7)
        assert show_mujoco(remote) == show_mujoco(local)
        # What a local collider has, and one of a service does not: what works on the device's memory.
        missing = {name for name in dir(oclide.Collider) if not name.startswith("_")} - set(dir(oclide.RemoteCollider))
        assert missing == {"cast_on_device", "collide_on_device", "collide_staged", "device_memory", "stage",
                           "sweep_on_device", "to_host", "user_slots"}


def test_frames_that_are_kept_do_not_change(service):
    scene, position, orientation = heap(100)
    with oclide.connect(service.address) as connection, connection.collider() as remote:
        remote.set_scene(scene)
        frames = [remote.collide(position + 0.02 * k, orientation) for k in range(12)]  # more than slots
        local = collider_with(scene)
        for k, frame in enumerate(frames):
            assert oclide.contact_hash(frame.contacts) == oclide.contact_hash(
                local.collide(position + 0.02 * k, orientation).contacts)


def test_contacts_in_the_device_layout_are_the_same_to_the_bit(service):
    scene, position, orientation = heap(200)
    position = position + [3000.0, -2000.0, 0.0]
    scene.terrains[0].origin = (2999.0, -2002.0)
    wanted = collider_with(scene).collide(position, orientation).contacts
    layout = np.dtype([("point", "3f4"), ("depth", "f4"), ("normal", "3f4"), ("material", "u4"), ("body_a", "u4"),
                       ("body_b", "u4"), ("shape_a", "u2"), ("shape_b", "u2"), ("origin", "u4"), ("manifold", "u4"),
                       ("feature", "u4"), ("element", "u4"), ("reserved", "u4")])
    with oclide.connect(service.address) as connection, connection.collider() as remote:
        remote.set_scene(scene)
        message = connection.messages
        frame = message.Frame(layout=0, position=message.Payload(data=position.tobytes()),
                              orientation=message.Payload(data=orientation.tobytes()), with_hash=True)
        reply = remote._ask(message.Request(id=remote._number(), frame=frame), lambda r: r[-1].frame).result(TIMEOUT)
    found = np.frombuffer(reply.contacts.data, layout)
    assert reply.contact_hash == oclide.contact_hash(wanted)
    assert len(found) == len(wanted) > 0
    assert (position[found["origin"]] + found["point"] == wanted["point"]).all()
    for name in ("depth", "normal", "material", "body_a", "body_b", "shape_a", "shape_b", "manifold", "feature",
                 "element"):
        assert (found[name] == wanted[name]).all(), name


def padding(records):
    """The bytes between and behind the fields."""
    pads = np.ones(records.dtype.itemsize, bool)
    for field, offset, *_ in records.dtype.fields.values():
        pads[offset:offset + field.itemsize] = False
    return np.frombuffer(records.tobytes(), np.uint8).reshape(-1, len(pads))[:, pads]


def test_what_pads_records_is_zero(service):
    scene, position, orientation = heap(200)
    random = np.random.default_rng(8)
    origin, direction = random.uniform(-1, 9, (50, 3)), random.normal(size=(50, 3))
    displacement = random.normal(size=(200, 3))
    with oclide.connect(service.address) as connection, connection.collider(track=True) as remote:
        remote.set_scene(scene)
        locals_ = [collider_with(scene, device, track=True) for device in ("auto", "reference")]
        for collider in (remote, *locals_):
            for k in range(4):
                frame = collider.collide(position + 0.03 * k, orientation)
                assert len(frame.events) > 100
                assert padding(frame.contacts).shape[1] == 6 and not padding(frame.contacts).any()
                assert padding(frame.events).shape[1] == 3 and not padding(frame.events).any()
            for found in (collider.cast(position, orientation, origin, direction).hits,
                          collider.distance(position, orientation, origin, 0.5).nearest,
                          collider.sweep(position, orientation, displacement).impacts):
                assert len(found) >= 50 and padding(found).shape[1] > 0 and not padding(found).any()


def test_casts_and_sweeps_have_the_bits_of_a_local_collider(service):
    scene, position, orientation = heap(80)
    random = np.random.default_rng(3)
    origin, direction = random.uniform(-1, 9, (50, 3)), random.normal(size=(50, 3))
    displacement, rotation = random.normal(size=(80, 3)), random.normal(size=(80, 3))
    local = collider_with(scene)
    with oclide.connect(service.address) as connection, connection.collider() as remote:
        remote.set_scene(scene)
        hits = remote.cast(position, orientation, origin, direction, length=np.full(50, 4.0))
        wanted = local.cast(position, orientation, origin, direction, length=np.full(50, 4.0))
        assert (wanted.body != oclide.NOTHING).sum() > 5
        for name in ("distance", "body", "point", "normal", "element"):
            assert getattr(hits, name).tobytes() == getattr(wanted, name).tobytes(), name
        impacts = remote.sweep(position, orientation, displacement, rotation)
        wanted = local.sweep(position, orientation, displacement, rotation)
        assert len(impacts) == len(wanted) > 0
        for name in ("time", "body_a", "body_b", "point", "normal"):
            assert getattr(impacts, name).tobytes() == getattr(wanted, name).tobytes(), name


def test_overlaps_and_distances_have_the_answers_of_a_local_collider(service):
    scene, position, orientation = heap(80)
    random = np.random.default_rng(4)
    where, turned = random.uniform(-1, 9, (10, 6, 3)), random.normal(size=(10, 6, 4))
    shape, size = oclide.Shape.CYLINDER, [0.3, 0.5, 0]
    mask = np.where(np.arange(6) == 0, 0, 0xFFFFFFFF)
    local = collider_with(scene)
    with oclide.connect(service.address) as connection, connection.collider() as remote:
        remote.set_scene(scene)
        for lowest in (False, True):
            found = remote.overlap(position, orientation, shape, size, where, turned, mask=mask, lowest=lowest)
            wanted = local.overlap(position, orientation, shape, size, where, turned, mask=mask, lowest=lowest)
            assert found.overlaps.shape == (10, 6) and len(found) == 60
            assert 0 < found.overlap_count == wanted.overlap_count < 60
            assert (found.overlaps == wanted.overlaps).all()
            if lowest:
                assert (found.body == wanted.body).all()
            else:
                with pytest.raises(oclide.InvalidInputError, match="lowest=True alone"):
                    found.body
        found = remote.distance(position, orientation, where, 0.5, mask=mask)
        wanted = local.distance(position, orientation, where, 0.5, mask=mask)
        assert 0 < np.isfinite(wanted.distance).sum() < 60
        for name in ("distance", "body", "point", "normal", "element"):
            assert getattr(found, name).tobytes() == getattr(wanted, name).tobytes(), name
        # A query that cannot be used is an error of its own, and the session goes on.
        with pytest.raises(oclide.InvalidInputError, match=r"queries/shape\[0\]"):
            remote.overlap(position, orientation, oclide.Shape.HALF_SPACE, size, where, turned)
        with pytest.raises(oclide.InvalidInputError, match=r"range\[0\]"):
            remote.distance(position, orientation, where, -1.0)
        assert remote.distance(position, orientation, where).distance.shape == (10, 6)


def test_hulls_meshes_compounds_and_environments_arrive(service):
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.4
    mesh = oclide.Mesh([[-5, -5, 0], [5, -5, 0], [0, 5, 0]], [[0, 1, 2]], material=[9])
    pair = oclide.Compound([0, 1], [[0.3, 0, 0], [0.2, 0.2, 0.2]], [[0, 0, 0], [0.5, 0, 0]])
    bodies = oclide.Bodies([7, 4, 6, 0, 5], [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0.5, 0, 0], [0, 0, 0]],
                           environment=[0, 0, 0, 3, 3],
                           group=[0, 1, 2, 0, 0], category=[1, 1, 1, 2, 2], mask=[7, 7, 7, 7, 7])
    scene = oclide.Scene(bodies, terrains=[oclide.Terrain(np.zeros((3, 3)), origin=(-20, -20), spacing=(20, 20))],
                         hulls=[cube], meshes=[mesh], compounds=[pair], environment_terrain=[-1, 0, 0, 0])
    position = np.array([[0, 0, 0], [0, 0, 0.39], [1.5, 0, 0.15], [0, 0, 0.45], [0, 0, -1.0]])
    orientation = np.tile([1.0, 0, 0, 0], (5, 1))
    wanted = collider_with(scene).collide(position, orientation)
    assert {9} <= set(wanted.material.tolist())
    with oclide.connect(service.address) as connection, connection.collider() as remote:
        remote.set_scene(scene)
        assert remote.collide(position, orientation).contacts.tobytes() == wanted.contacts.tobytes()


def test_small_scenes_of_many_clients_are_computed_together_with_the_bits_of_each_alone(service):
    with oclide.connect(service.address) as connection:
        clients = []
        for k in range(24):
            scene, position, orientation = small(k)
            remote = connection.collider()
            remote.set_scene(scene)
            clients.append((remote, scene, position, orientation))
        together = 1
        for step in range(4):
            futures = [remote.submit(position + 0.01 * step, orientation)
                       for remote, _, position, orientation in clients]
            for (_, scene, position, orientation), future in zip(clients, futures):
                frame = future.result(TIMEOUT)
                together = max(together, frame.together)
                assert oclide.contact_hash(frame.contacts) == expected(scene, position + 0.01 * step, orientation)
        assert together > 1
        # One of them hands in nonsense: that is its own error.
        futures = [remote.submit(position * (np.nan if k == 7 else 1.0), orientation)
                   for k, (remote, _, position, orientation) in enumerate(clients)]
        for k, future in enumerate(futures):
            if k == 7:
                with pytest.raises(oclide.InvalidInputError, match=r"position\[0\]\[0\] is not finite"):
                    future.result(TIMEOUT)
            else:
                future.result(TIMEOUT)
        for remote, *_ in clients:
            remote.close()


def test_a_thousand_clients_at_once(service):
    scenes = [small(k * 7) for k in range(50)]
    wanted = [expected(*scene) for scene in scenes]
    with oclide.connect(service.address) as connection:
        message = connection.messages
        sessions = {}

        async def client(channel, k, all_open):
            scene, position, orientation = scenes[k % 50]
            call = channel.stream_stream("/oclide.v1.Oclide/Session",
                                         request_serializer=message.Request.SerializeToString,
                                         response_deserializer=message.Reply.FromString)()
            for request in scene_requests(message, scene):
                await call.write(request)
            assert (await call.read()).HasField("opened") and (await call.read()).HasField("scene")
            sessions[k] = call
            if len(sessions) == 1000:
                assert service.metric("oclide_sessions") == 1000
                assert service.metric("oclide_scenes") == len({oclide_scene_key(scene) for scene in scenes})
                all_open.set()
            await all_open.wait()
            found = []
            for number in (3, 4):
                request = frame_request(message, number, position, orientation)
                request.frame.with_hash = True
                await call.write(request)
                found.append((await call.read()).frame.contact_hash)
            await call.done_writing()
            assert await call.read() == grpc.aio.EOF
            return found

        def oclide_scene_key(scene):
            from oclide._service import _arrays, _digest
            return _digest({name: np.ascontiguousarray(array) for name, array in _arrays(scene[0])})

        async def all_clients():
            all_open = asyncio.Event()
            async with contextlib.AsyncExitStack() as stack:
                channels = [await stack.enter_async_context(grpc.aio.insecure_channel(
                    service.address, [("grpc.use_local_subchannel_pool", 1)])) for _ in range(10)]
                return await asyncio.gather(*(client(channels[k % 10], k, all_open) for k in range(1000)))

        for k, found in enumerate(asyncio.run(asyncio.wait_for(all_clients(), TIMEOUT))):
            assert found == [wanted[k % 50]] * 2
    service.wait_for("oclide_sessions", 0)
    service.wait_for("oclide_scenes", 0)


@pytest.mark.parametrize("kind", ["loopback", "socket"])
def test_each_client_may_have_a_connection_of_its_own(command, tmp_path, kind):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < 2000:
        pytest.skip("a process may not open that many files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))  # as shells may have it
    try:
        running = Running(command, listen=f"unix:{tmp_path}/s" if kind == "socket" else "127.0.0.1:0")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    with contextlib.ExitStack() as stack:
        stack.callback(running.process.wait, 30)
        stack.callback(running.process.kill)
        files = pathlib.Path(f"/proc/{running.process.pid}/fd")
        for _ in range(2):  # the second time in the place of those that have gone
            channels = [grpc.insecure_channel(running.address, [("grpc.use_local_subchannel_pool", 1)])
                        for _ in range(300)]
            asked = [channel.unary_unary("/grpc.health.v1.Health/Check", request_serializer=bytes,
                                         response_deserializer=bytes).future(b"", timeout=TIMEOUT)
                     for channel in channels]
            assert all(one.result() == b"\x08\x01" for one in asked)
            assert len(list(files.iterdir())) > 300
            for channel in channels:
                channel.close()
            end = time.monotonic() + 30.0
            while len(list(files.iterdir())) > 100:
                assert time.monotonic() < end, "connections stay"
                time.sleep(0.05)
        assert running.end() == 0


def raw_session(connection, *requests):
    """A session by hand: what is sent, and the replies."""
    import queue
    sent = queue.SimpleQueue()
    for request in requests:
        sent.put(request)
    return sent, connection.session(iter(sent.get, None))


def scene_requests(message, scene, **settings):
    from oclide._service import _TYPES, _arrays
    yield message.Request(id=1, open=message.Open(**settings))
    for name, array in _arrays(scene):
        yield message.Request(array=message.Array(name=name, type=_TYPES[array.dtype.name], shape=array.shape,
                                                  data=np.ascontiguousarray(array).tobytes()))
    yield message.Request(id=2, ready=message.Ready())


def frame_request(message, k, position, orientation):
    return message.Request(id=k, frame=message.Frame(layout=1, position=message.Payload(data=position.tobytes()),
                                                     orientation=message.Payload(data=orientation.tobytes())))


def test_a_slow_reader_holds_up_nobody(service):
    scene, position, orientation = heap(2000)
    with oclide.connect(service.address) as slow, oclide.connect(service.address) as quick:
        message = slow.messages
        # It asks for much, and takes and credits nothing after the first two replies.
        sent, call = raw_session(slow, *scene_requests(message, scene, credit=2),
                                 *(frame_request(message, 10 + k, position, orientation) for k in range(6)))
        assert next(call).HasField("opened") and next(call).HasField("scene")
        other, p, q = two_bodies()
        with quick.collider() as remote:
            remote.set_scene(other)
            for _ in range(20):
                assert len(remote.collide(p, q)) > 0
        # Then it reads on, and has lost nothing.
        found = [next(call).id for _ in range(2)]
        sent.put(message.Request(credit=message.Credit(replies=6)))
        found += [next(call).id for _ in range(4)]
        assert found == [10 + k for k in range(6)]
        call.cancel()
        # Who sends more than the window without credit is told so.
        sent, call = raw_session(slow, *scene_requests(message, other, credit=1),
                                 *(frame_request(message, 10 + k, p, q) for k in range(12)))
        with pytest.raises(grpc.RpcError, match="more than 8 requests wait"):
            for _ in call:
                pass
        sent.put(None)


def test_a_client_with_many_sessions_has_no_more_turns_than_one_with_one(command, tmp_path):
    scene, position, orientation = heap(6000)  # too many bodies to be computed with others
    few, at, turned = two_bodies()
    tokens = tmp_path / "tokens"
    tokens.write_text("many 0123456789abcdef0123\none 0123456789abcdef4567\n")
    tokens.chmod(0o600)
    with (serving(command, "--tokens", tokens) as running,
          oclide.connect(running.address, token="0123456789abcdef4567") as single,
          contextlib.ExitStack() as stack):
        connections = [stack.enter_context(oclide.connect(running.address, token="0123456789abcdef0123"))
                       for _ in range(12)]
        colliders = [stack.enter_context(connection.collider()) for connection in connections]
        one = stack.enter_context(single.collider())
        one.set_scene(few)
        for collider in colliders:
            collider.set_scene(scene)
            collider.collide(position, orientation)
        answered = []
        futures = [collider.submit(position, orientation, counts_only=True) for _ in range(3) for collider in colliders]
        for future in futures:
            future.add_done_callback(answered.append)
        for _ in range(4):
            before = len(answered)
            assert len(one.collide(at, turned)) > 0
            # The one at work, and what is answered while this one comes and goes; by sessions it would be all of them.
            assert len(answered) - before < len(colliders)
        assert len(answered) < len(futures)
        for future in futures:
            future.result(TIMEOUT)


def test_what_a_dead_client_had_is_freed(service):
    program = ("import sys, numpy as np, oclide, time\n"
               "sys.path.insert(0, sys.argv[2])\n"
               "from conftest import heap\n"
               "c = oclide.connect(sys.argv[1]).collider()\n"
               "scene, p, q = heap(500)\n"
               "c.set_scene(scene)\n"
               "c.collide(p, q)\n"
               "print('ready', flush=True)\n"
               "time.sleep(600)\n")
    service.wait_for("oclide_sessions", 0)
    client = subprocess.Popen([sys.executable, "-c", program, service.address, os.path.dirname(__file__)],
                              stdout=subprocess.PIPE, text=True)
    assert client.stdout.readline() == "ready\n"
    assert service.metric("oclide_bodies") == 500
    client.kill()
    client.wait()
    service.wait_for("oclide_sessions", 0)
    service.wait_for("oclide_bodies", 0)
    service.wait_for("oclide_scenes", 0)


def test_many_frames_on_their_way_all_come_back(service):
    scene, position, orientation = heap(50)
    with oclide.connect(service.address) as connection, connection.collider() as remote:
        remote.set_scene(scene)
        futures = [remote.submit(position + 0.001 * k, orientation) for k in range(40)]  # beyond window and slots
        with pytest.raises(oclide.InvalidInputError):
            remote.collide(position[:1], orientation)
        local = collider_with(scene)
        for k, future in enumerate(futures):
            assert oclide.contact_hash(future.result(TIMEOUT).contacts) == oclide.contact_hash(
                local.collide(position + 0.001 * k, orientation).contacts)
        with pytest.raises(oclide.InvalidInputError, match=r"rotation\[0\]\[2\] is beyond 1e7 rad"):
            remote.sweep(position, orientation, rotation=np.tile([0.0, 0.0, 2e7], (50, 1)))


def test_a_client_that_leaves_in_the_middle_harms_nobody(service):
    scene, position, orientation = heap(400)
    with oclide.connect(service.address) as leaving, oclide.connect(service.address) as staying:
        message = leaving.messages
        with staying.collider() as remote:
            remote.set_scene(scene)
            wanted = remote.collide(position, orientation).contacts.tobytes()
            for k in range(40):
                sent, call = raw_session(leaving, *scene_requests(message, scene, credit=20),
                                         *(frame_request(message, 10 + k, position, orientation) for k in range(6)))
                for _ in range(2 + k % 4):
                    next(call)
                future = remote.submit(position, orientation)
                call.cancel()
                sent.put(None)
                assert future.result(TIMEOUT).contacts.tobytes() == wanted


def test_a_malformed_message_is_its_clients_error_alone(service):
    scene, position, orientation = two_bodies()
    with oclide.connect(service.address) as connection, connection.collider() as good:
        good.set_scene(scene)
        message = connection.messages

        def status_of(*requests):
            sent, call = raw_session(connection, *requests)
            with pytest.raises(grpc.RpcError) as error:
                for _ in call:
                    pass
            sent.put(None)
            return error.value.code()

        invalid = grpc.StatusCode.INVALID_ARGUMENT
        assert status_of(message.Request()) == invalid
        assert status_of(message.Request(id=1, frame=message.Frame())) == invalid
        assert status_of(message.Request(open=message.Open()), message.Request(open=message.Open())) == invalid
        assert status_of(message.Request(open=message.Open(margin=float("nan")))) == invalid
        assert status_of(message.Request(open=message.Open()), message.Request(array=message.Array(type=77))) == invalid
        # Bytes that are no message.
        channel = grpc.insecure_channel(service.address)
        raw = channel.stream_stream("/oclide.v1.Oclide/Session", request_serializer=bytes, response_deserializer=bytes)
        assert list(raw(iter([b"\xff" * 64]))) == []  # the stream ends
        channel.close()
        # What is wrong with a scene is said, and another may follow in the same session.
        _, call = raw_session(connection, message.Request(id=1, open=message.Open()),
                              message.Request(array=message.Array(name="/bodies/shape", type=4, shape=[2],
                                                                  data=b"\0\0")),
                              message.Request(id=2, ready=message.Ready()))
        assert next(call).HasField("opened")
        assert next(call).problem.message == "/bodies/size is missing"
        call.cancel()
        # Shapes that multiply beyond any memory, ranges of memory that is not there.
        _, call = raw_session(connection, message.Request(id=1, open=message.Open(shared_memory="/proc/1/fd/3")),
                              message.Request(array=message.Array(name="/bodies/shape", type=4, shape=[2**63, 2**62])),
                              message.Request(id=2, ready=message.Ready()))
        assert not next(call).opened.shared_memory
        assert "/bodies/shape" in next(call).problem.message
        call.cancel()
        request = frame_request(message, good._number(), position[:1], orientation)
        with pytest.raises(oclide.InvalidInputError, match="48 are expected"):
            good._ask(request, lambda replies: replies[-1]).result(TIMEOUT)
        assert len(good.collide(position, orientation)) > 0


def test_limits_are_refused_with_a_reason(command):
    scene, position, orientation = heap(60)
    with serving(command, "--max-sessions", 2, "--max-bodies", 100, "--max-scene-bytes", 30000) as running:
        with oclide.connect(running.address) as connection:
            first, second, third = (connection.collider() for _ in range(3))
            first.set_scene(scene)
            with pytest.raises(oclide.LimitError, match="100 bodies; with this it would have 120"):
                second.set_scene(scene)
            second.set_scene(two_bodies()[0])
            with pytest.raises(oclide.LimitError, match="2 sessions; with this it would have 3"):
                third.set_scene(two_bodies()[0])
            second.close()
            running.wait_for("oclide_sessions", 1)
            with pytest.raises(oclide.LimitError, match="bytes of scenes"):
                second.set_scene(oclide.Scene(oclide.Bodies([0], [[1.0, 0, 0]]),
                                              terrains=[oclide.Terrain(np.zeros((100, 100)))]))
            assert len(first.collide(position, orientation)) > 0
            # Tiles that come are counted, and those that go no more.
            tiled_scene, at, turned, tile = two_grounds()
            second.set_scene(tiled_scene)
            wanted = second.collide(at, turned)
            size = running.metric("oclide_scene_bytes")
            with pytest.raises(oclide.LimitError, match="30000 bytes of scenes; with this it would have"):
                second.change_tiles(0, added=[tile(k, 0) for k in range(8, 15)])
            assert running.metric("oclide_scene_bytes") == size
            new = second.change_tiles(0, added=[tile(8, 0), tile(9, 0)])
            more = running.metric("oclide_scene_bytes")
            assert more > size + 2 * 25 * 8
            for k in range(4):
                new = second.change_tiles(0, removed=new, added=[tile(8 + k % 2, 0), tile(13 + k % 2, 0)])
                assert new == [5, 6] and running.metric("oclide_scene_bytes") == more
            with pytest.raises(oclide.InvalidInputError, match=r"removed\[1\]: terrain 0 has no tile 3"):
                second.change_tiles(0, removed=[5, 3])
            assert running.metric("oclide_scene_bytes") == more
            second.change_tiles(0, removed=new)
            assert running.metric("oclide_scene_bytes") == size
            found = second.collide(at, turned)  # its contacts may be called otherwise
            assert all(found.contacts[name].tobytes() == wanted.contacts[name].tobytes()
                       for name in ("point", "normal", "depth", "body_a", "body_b"))
            second.close()
            running.wait_for("oclide_sessions", 1)
            # A change is counted, too: 41 more are one too many, 40 are not, and rows of bodies that went are there for
            # others.
            with pytest.raises(oclide.LimitError, match="100 bodies; with this it would have 101"):
                first.change(added=oclide.Bodies(np.zeros(41, int), np.ones((41, 3))))
            with pytest.raises(oclide.LimitError, match="bytes of scenes"):
                first.change(added=oclide.Bodies(np.zeros(20, int), np.ones((20, 3)),
                                                 excluded=np.tile([[0, 1]], (4000, 1))))
            assert len(first.collide(position, orientation)) > 0
            came = first.change(added=oclide.Bodies(np.zeros(40, int), np.ones((40, 3))))
            came = first.change(removed=came, added=oclide.Bodies(np.zeros(40, int), np.ones((40, 3))))
            assert came[:, 1].tolist() == [1] * 40 and running.metric("oclide_bodies") == 100


def test_a_session_that_was_ended_or_refused_is_not_counted_when_the_next_one_begins(command):
    scene, position, orientation = two_bodies()
    large, _, _ = heap(60)
    with serving(command, "--max-sessions", 1, "--max-bodies", 50) as running:
        with oclide.connect(running.address) as connection:
            one, other = connection.collider(), connection.collider()
            for collider in (one, other) * 50:
                with pytest.raises(oclide.LimitError, match="50 bodies; with this it would have 60"):
                    collider.set_scene(large)
                collider.set_scene(scene)
                assert len(collider.collide(position, orientation)) > 0
                collider.close()
            running.wait_for("oclide_sessions", 0)
            assert running.metric("oclide_bodies") == 0 and running.metric("oclide_scene_bytes") == 0


def test_a_client_without_a_token_of_the_file_is_refused(command, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("# who\nalice 0123456789abcdef0123\nbob   fedcba98765432100000\n")
    refused = run(command, "serve", "--tokens", tokens)
    if NO_GRPC in refused.stderr:
        pytest.skip(refused.stderr.strip())
    assert refused.returncode == 2 and "chmod 600" in refused.stderr
    tokens.chmod(0o600)
    scene, position, orientation = two_bodies()
    with serving(command, "--tokens", tokens) as running:
        for token in (None, "", "0123456789abcdef012", "0123456789abcdef01234"):
            with oclide.connect(running.address,
                                token=token) as connection, pytest.raises(oclide.ServiceError, match="token"):
                connection.collider().set_scene(scene)
        with oclide.connect(running.address,
                            token="fedcba98765432100000") as connection, connection.collider() as remote:
            remote.set_scene(scene)
            assert len(remote.collide(position, orientation)) > 0
        assert running.end() == 0
        clients = {json.loads(line).get("client") for line in running.log}
        assert "bob" in clients and "alice" not in clients
        assert not any("fedcba98765432100000" in line for line in running.log)


def test_two_names_for_one_token_and_limits_that_serve_nobody_are_refused(command, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("alice 0123456789abcdef0123\nbob 0123456789abcdef0123\n")
    tokens.chmod(0o600)
    for arguments, said in ((("--tokens", tokens), "line 2: bob has the token of alice"),
                            (("--max-sessions", 0), "--max-sessions must be at least 1"),
                            (("--drain", 2**64 - 1), "--drain must be at most 86400 seconds"),
                            (("--reload", 86401), "--reload must be at most 86400 seconds")):
        refused = run(command, "serve", "--listen", "127.0.0.1:0", *arguments)
        if NO_GRPC in refused.stderr:
            pytest.skip(refused.stderr.strip())
        assert refused.returncode == 2 and said in refused.stderr and refused.stderr.count("\n") == 1
        assert "0123456789abcdef0123" not in refused.stderr


def test_a_termination_says_that_a_request_outlasts_the_time_for_it(command):
    scene, position, orientation = heap(400)
    random = np.random.default_rng(0)
    displacement, rotation = random.normal(0, 5, position.shape), random.uniform(-3e4, 3e4, position.shape)
    with serving(command, "--drain", 0, "--max-turns", 10**8) as running, oclide.connect(running.address) as connection:
        remote = connection.collider()
        remote.set_scene(scene)
        remote.sweep(position, orientation, displacement, 1e-5 * rotation)  # compiles
        said = []

        def ask():
            with pytest.raises(oclide.ServiceError) as caught:
                remote.sweep(position, orientation, displacement, rotation)
            said.append(str(caught.value))

        asking = threading.Thread(target=ask)
        busy = running.metric("oclide_requests_total")
        asking.start()
        end = time.monotonic() + TIMEOUT
        while running.metric("oclide_requests_total") == busy and time.monotonic() < end:
            time.sleep(0.001)
        time.sleep(0.2)
        assert running.end() == 0
        asking.join(TIMEOUT)
        assert len(said) == 1
        over, ended = ([json.loads(line) for line in running.log if json.loads(line)["event"] == event]
                       for event in ("drain_time_is_over", "ended"))
        assert len(over) == 1 and over[0]["sessions_left"] == 1 and over[0]["device_at_work"] is True
        assert "nothing stops the request on the device" in over[0]["message"]
        assert len(ended) == 1 and ended[0]["status"] == 0 and json.loads(running.log[-1]) == ended[0]
        assert not any(json.loads(line)["event"] == "drained" for line in running.log)


def test_others_have_their_turn_while_a_long_query_is_at_work(command):
    scene, position, orientation = heap(200)
    random = np.random.default_rng(1)
    origin, direction = random.uniform(-2, 6, (1_500_000, 3)), random.normal(size=(1_500_000, 3))
    few, at, turned = small(3)
    with (serving(command) as running, oclide.connect(running.address) as one, oclide.connect(running.address) as other,
          one.collider() as long, other.collider() as short):
        long.set_scene(scene)
        short.set_scene(few)
        long.cast(position, orientation, origin[:9], direction[:9])  # compiles
        wanted = expected(few, at, turned)
        found = []
        asking = threading.Thread(target=lambda: found.append(long.cast(position, orientation, origin, direction)))
        busy = running.metric("oclide_requests_total")
        asking.start()
        end = time.monotonic() + TIMEOUT
        while running.metric("oclide_requests_total") == busy and time.monotonic() < end:
            time.sleep(0.001)
        frames = 0
        while asking.is_alive() and frames < 3:
            assert oclide.contact_hash(short.collide(at, turned).contacts) == wanted
            frames += asking.is_alive()
        assert frames == 3
        asking.join(TIMEOUT)
        local = collider_with(scene)
        some = slice(0, None, 7)
        hits = local.cast(position, orientation, origin[some], direction[some])
        # As bytes: NumPy copies no padding of records that are not one after another.
        records = np.ascontiguousarray(found[0].hits).view(np.uint8).reshape(len(origin), -1)
        assert records[some].tobytes() == hits.hits.tobytes()
        assert found[0].hit_count == (found[0].distance < np.inf).sum()


def test_a_sweep_whose_bodies_turn_too_often_is_refused(command):
    scene, position, orientation = heap(50)
    rotation = np.tile([0.0, 0.0, 2e5], (50, 1))
    with serving(command) as running, oclide.connect(running.address) as connection, connection.collider() as remote:
        remote.set_scene(scene)
        with pytest.raises(oclide.LimitError, match="may turn 1000000 times in all, and these turn 1591549 times"):
            remote.sweep(position, orientation, rotation=rotation)
        few = remote.sweep(position, orientation, rotation=1e-5 * rotation)
        assert len(few) == len(collider_with(scene).sweep(position, orientation, rotation=1e-5 * rotation))
    with serving(command, "--max-turns", 5) as running, oclide.connect(running.address) as connection:
        with connection.collider() as remote:
            remote.set_scene(scene)
            with pytest.raises(oclide.LimitError, match="may turn 5 times in all, and these turn 15 times"):
                remote.sweep(position, orientation, rotation=1e-5 * rotation)


def send_half(address, most):
    """Begins a message of 4 GB in a session of its own and sends up to `most` bytes of it. How many went out before the
    service ended it; None where it did not."""
    host, _, where = address.rpartition(":")
    is_path = host == "unix"
    with socket.socket(socket.AF_UNIX if is_path else socket.AF_INET) as wire:
        wire.connect(where if is_path else (host, int(where)))

        def frame(kind, flags, stream, body):
            return len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body

        fields = {":method": "POST", ":scheme": "http", ":path": "/oclide.v1.Oclide/Session", ":authority": "x",
                  "te": "trailers", "content-type": "application/grpc"}
        headers = b"".join(b"\0" + bytes([len(key)]) + key.encode() + bytes([len(value)]) + value.encode()
                           for key, value in fields.items())
        out = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"") + frame(1, 4, 1, headers)
        out += frame(0, 0, 1, b"\0" + (4_000_000_000).to_bytes(4, "big"))
        window, initial, sent, heard = [65535 - 5, 65535 - 5], 65535, 0, b""
        wire.setblocking(False)
        end = time.monotonic() + TIMEOUT
        while (sent < most or out) and time.monotonic() < end:
            with contextlib.suppress(BlockingIOError):
                heard += wire.recv(65536)
            while len(heard) >= 9 and len(heard) >= 9 + int.from_bytes(heard[:3], "big"):
                size, kind, flags = int.from_bytes(heard[:3], "big"), heard[3], heard[4]
                stream, body, heard = int.from_bytes(heard[5:9], "big"), heard[9:9 + size], heard[9 + size:]
                if kind == 4 and not flags & 1:  # settings: of 4 the initial window
                    for at in range(0, size, 6):
                        if body[at:at + 2] == b"\0\4":
                            value = int.from_bytes(body[at + 2:at + 6], "big")
                            window[1] += value - initial
                            initial = value
                    out += frame(4, 1, 0, b"")
                elif kind == 8:
                    window[stream] += int.from_bytes(body, "big")
                elif kind == 6 and not flags & 1:
                    out += frame(6, 1, 0, body)
                elif kind in (3, 7) or (kind == 1 and flags & 1):
                    return sent
            size = min(16384, *window, most - sent)
            if size > 0 and len(out) < 2**20:
                out += frame(0, 0, 1, bytes(size))
                window = [left - size for left in window]
                sent += size
            try:
                out = out[wire.send(out):] if out else out
            except BlockingIOError:
                time.sleep(0.001)
            except OSError:
                return sent
        return None


@pytest.mark.parametrize("kind", ["loopback", "socket"])
def test_messages_that_are_half_sent_are_bounded(command, tmp_path, kind):
    scene, position, orientation = heap(40)
    limits = ("--max-waiting-bytes", "8MiB", "--max-message-bytes", "8MiB")
    with serving(command, *limits, listen=f"unix:{tmp_path}/s" if kind == "socket" else "127.0.0.1:0") as running:
        with oclide.connect(running.address) as connection, connection.collider() as remote:
            remote.set_scene(scene)
            wanted = oclide.contact_hash(remote.collide(position, orientation).contacts)
            for _ in range(3):
                sent = send_half(running.address, 400 << 20)
                assert sent is not None and sent < 400 << 20
            assert running.metric(r'oclide_refused_sessions_total\{reason="limit"\}') >= 3
            assert running.metric("oclide_half_sent_bytes") < 8 << 20
            assert send_half(running.address, 1 << 20) is None
            # A client that sends and gets much for long has nothing on its way.
            for _ in range(200):
                assert oclide.contact_hash(remote.collide(position, orientation).contacts) == wanted
            assert running.metric("oclide_half_sent_bytes") < 2 << 20
        assert any(json.loads(line)["event"] == "half_sent" for line in running.log)


def test_a_termination_lets_what_is_at_work_come_to_its_end(command):
    scene, position, orientation = heap(3000)
    with serving(command) as running, oclide.connect(running.address) as connection:
        remote = connection.collider()
        remote.set_scene(scene)
        remote.collide(position, orientation)
        before = running.metric("oclide_requests_total")
        futures = [remote.submit(position + 0.001 * k, orientation) for k in range(4)]
        end = time.monotonic() + TIMEOUT
        while running.metric("oclide_requests_total") < before + 4 and time.monotonic() < end:
            time.sleep(0.001)
        running.process.terminate()
        for future in futures:
            assert len(future.result(TIMEOUT)) > 0
        assert running.end() == 0
        events = [json.loads(line)["event"] for line in running.log]
        assert events[-1] == "ended" and "drain_time_is_over" not in events
        assert events[-4:-1] == ["draining", "session_ended", "drained"] or events[-3:-1] == ["draining", "drained"]
        with pytest.raises(oclide.ServiceError):
            connection.collider().set_scene(scene)


def test_nothing_is_left_behind_by_a_service_that_is_killed(command):
    scene, position, orientation = heap(300)
    before = set(os.listdir("/dev/shm"))
    with serving(command) as running, oclide.connect(running.address) as connection:
        remote = connection.collider()
        remote.set_scene(scene)
        assert remote.uses_shared_memory
        frame = remote.collide(position, orientation)
        running.process.kill()
        running.process.wait()
        with pytest.raises(oclide.ServiceError):
            remote.collide(position, orientation)
        assert len(frame) > 0 and np.isfinite(frame.point).all()  # what came stays
    assert {name for name in os.listdir("/dev/shm") if "oclide" in name} <= before


def test_the_service_says_that_it_serves_and_what(service):
    from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
    with grpc.insecure_channel(service.address) as channel:
        names = set(ProtoReflectionDescriptorDatabase(channel).get_services())
        assert {"oclide.v1.Oclide", "grpc.health.v1.Health"} <= names
        check = channel.unary_unary("/grpc.health.v1.Health/Check", request_serializer=bytes,
                                    response_deserializer=bytes)
        assert check(b"") == b"\x08\x01"  # SERVING


def certificate(folder, name, authority=None, subject="localhost", days=2):
    """A key and a certificate, by OpenSSL's command: signed by `authority`, or by itself."""
    key, request, made = (folder / f"{name}.{end}" for end in ("key", "csr", "pem"))

    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    names = ("-addext", f"subjectAltName=DNS:{subject}")
    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-subj",
           f"/CN={subject}")
    if authority is None:
        openssl("req", "-x509", *new, "-out", made, "-days", 2)
    else:
        openssl("req", *new, "-out", request, *names)
        openssl("x509", "-req", "-in", request, "-CA", folder / f"{authority}.pem", "-CAkey",
                folder / f"{authority}.key",
                "-CAcreateserial", "-out", made, "-days", days, "-copy_extensions", "copyall")
    return made, key


def test_tls_of_both_sides_and_new_certificates(command, tmp_path):
    refused = run(command, "serve", "--listen", "0.0.0.0:0")
    if NO_GRPC in refused.stderr:
        pytest.skip(refused.stderr.strip())
    assert refused.returncode == 2 and "not loopback" in refused.stderr and refused.stderr.count("\n") == 1
    try:
        authority, _ = certificate(tmp_path, "ca", subject="test authority")
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    own, own_key = certificate(tmp_path, "service", "ca")
    client, client_key = certificate(tmp_path, "client", "ca", subject="robot-7")
    expired, expired_key = certificate(tmp_path, "expired", "ca", days=0)
    certificate(tmp_path, "other", subject="another authority")
    (tmp_path / "junk").write_text("junk")
    encrypted = tmp_path / "encrypted.key"
    subprocess.run(["openssl", "ec", "-in", own_key, "-aes256", "-passout", "pass:secret", "-out", encrypted],
                   check=True, capture_output=True)
    for files, reason in (((own, tmp_path / "none"), "none: cannot be read: No such file"),
                          ((tmp_path, own_key), "cannot be read"),
                          ((tmp_path / "junk", own_key), "junk: is no PEM file of certificates"),
                          ((own_key, own_key), "is no PEM file of certificates"),
                          ((own, tmp_path / "junk"), "junk: is no PEM file of a private key"),
                          ((own, encrypted), "encrypted.key: is no PEM file of a private key without a password"),
                          ((own, client_key), f"{client_key}: is not the key of {own}"),
                          ((own, own_key, tmp_path / "junk"), "junk: is no PEM file of certificates"),
                          ((expired, expired_key), "has a certificate that has expired")):
        named = [value for pair in zip(("--certificate", "--key", "--client-ca"), files) for value in pair]
        assert reason in refused_serve(command, *named)
    stranger, stranger_key = certificate(tmp_path, "stranger", "other")
    # Beyond loopback it says so where anybody is served.
    tls = ("--certificate", own, "--key", own_key)
    tokens = tmp_path / "tokens"
    tokens.write_text("alice 0123456789abcdef0123\n")
    tokens.chmod(0o600)
    for listen, more, says in (("0.0.0.0:0", (), True), ("127.0.0.1:0", (), False),
                               ("0.0.0.0:0", ("--tokens", tokens), False),
                               ("0.0.0.0:0", ("--client-ca", authority), False)):
        with serving(command, *tls, *more, listen=listen) as running:
            assert running.end() == 0
            said = [json.loads(line)["message"] for line in running.log if "serves_anybody" in line]
            assert ["give --tokens, or --client-ca" in line for line in said] == says * [True]
    scene, position, orientation = two_bodies()
    with serving(command, "--certificate", own, "--key", own_key, "--client-ca", authority, "--reload", 1) as running:
        address = running.address.replace("127.0.0.1", "localhost")

        def use(**files):
            with oclide.connect(address, **files) as connection, connection.collider() as remote:
                remote.set_scene(scene)
                assert len(remote.collide(position, orientation)) > 0

        mutual = {"certificate_authority": authority, "certificate": client, "key": client_key}
        use(**mutual)
        oclide.write_scene(tmp_path / "scene.h5", scene, position, orientation)
        through = ("run", tmp_path / "scene.h5", "--service", address, "--json", "--service-ca", authority)
        found = run(command, *through, "--certificate", client, "--key", client_key)
        if NO_GRPC not in found.stderr:
            wanted = f"{expected(scene, position, orientation):016x}"
            assert json.loads(found.stdout)["contact_hash"] == wanted, found.stderr
            refused = run(command, *through)
            assert refused.returncode == 3 and refused.stderr.startswith("oclide: " + address)
            assert refused.stderr.count("\n") == 1
        with pytest.raises(oclide.ServiceError):  # no certificate
            use(certificate_authority=authority)
        with pytest.raises(oclide.ServiceError):  # of an authority that is not known
            use(certificate_authority=authority, certificate=stranger, key=stranger_key)
        with pytest.raises(oclide.ServiceError):  # the service's is of another authority
            use(certificate_authority=tmp_path / "other.pem", certificate=client, key=client_key)
        with pytest.raises(oclide.ServiceError):  # without TLS
            use()
        # What cannot be used is not taken: the old one serves on, and the log says why, once.
        unusable = [(b"junk", "is no PEM file of certificates"),
                    (own.read_bytes()[:-60], "is no PEM file of certificates"),
                    (stranger.read_bytes(), f"{own_key}: is not the key of {own}")]
        for text, reason in unusable:
            (tmp_path / "broken").write_bytes(text)
            os.replace(tmp_path / "broken", own)
            end = time.monotonic() + 20.0
            while not any(reason in line for line in running.log):
                assert time.monotonic() < end, running.log
                time.sleep(0.05)
            time.sleep(2.5)  # both look at the files in this time
            use(**mutual)
        assert sum("certificates_kept" in line for line in running.log) == 2
        # Another authority signs the service's next certificate, in the same files.
        new, new_key = certificate(tmp_path, "next", "other")
        for file, to in ((new, own), (new_key, own_key)):
            os.replace(file, to)
        end = time.monotonic() + 20.0
        while True:
            try:
                use(certificate_authority=tmp_path / "other.pem", certificate=client, key=client_key)
                break
            except oclide.ServiceError:
                assert time.monotonic() < end
                time.sleep(0.2)
        assert running.end() == 0
        assert any(json.loads(line).get("client") == "robot-7" for line in running.log)


def test_heights_are_the_sessions_own(service):
    scene, position, orientation = heap(40)
    wanted = expected(scene, position, orientation)
    with oclide.connect(service.address) as connection, connection.collider() as one, connection.collider() as two:
        with pytest.raises(oclide.InvalidInputError, match="margin must be finite"):
            connection.collider(margin=-0.1)
        one.set_scene(scene)
        two.set_scene(scene)
        assert oclide.contact_hash(one.collide(position, orientation).contacts) == wanted
        changed = heap(40)[0]
        for k in range(2):
            patch = np.full((3, 4), 0.5 + 0.1 * k)
            one.update_heights(0, 2 + k, 3, patch)
            changed.terrains[0].heights[2 + k:5 + k, 3:7] = patch
            found = oclide.contact_hash(one.collide(position, orientation).contacts)
            assert found == expected(changed, position, orientation) != wanted
            assert oclide.contact_hash(two.collide(position, orientation).contacts) == wanted
        with pytest.raises(oclide.InvalidInputError, match="reaches outside the 17 x 21 grid"):
            one.update_heights(0, 16, 0, np.zeros((9, 2)))


def tracked(frame):
    """All of a frame, with what pads its records."""
    return frame.contacts.tobytes(), frame.events.tobytes(), frame.previous.tolist(), frame.pairs, frame.body_pairs


def test_worlds_that_change_and_what_persists_in_them_have_the_bits_of_a_local_collider(service):
    scene, position, orientation = heap(60)
    random = np.random.default_rng(5)
    unchanged = expected(scene, position, orientation)
    local = collider_with(scene, track=True)
    with (oclide.connect(service.address) as connection, connection.collider() as other,
          connection.collider(track=True) as remote):
        for collider in (remote, other):
            collider.set_scene(scene)

        def both(call):
            wanted, found = call(local), call(remote)
            assert wanted is None or wanted.tolist() == found.tolist()
            return found

        def frame(position):
            found = remote.collide(position, orientation)
            assert tracked(found) == tracked(local.collide(position, orientation))
            return found

        changes: set[int] = set()
        excluded: list[list[list[int]]] = []
        for step in range(6):
            contacts = frame(position).contacts
            handle_of = {handle[0]: handle for handle in local.handles.tolist()}
            touched = [[handle_of[int(c["body_a"])], handle_of[int(c["body_b"])]]
                       for c in contacts if c["body_b"] != oclide.TERRAIN]
            # More scenes than colliders are kept: what is known of this one is not lost with its collider.
            if step == 3:
                for k in range(17):
                    with connection.collider(margin=0.01 * (k + 1)) as one:
                        one.set_scene(two_bodies()[0])
                        one.collide(*two_bodies()[1:])
            handles = local.handles
            assert (remote.handles == handles).all() and remote.rows == local.rows
            gone, become = np.split(random.permutation(handles)[:5 + step], [3 + step])
            # More bodies come than go, some to rows of others; two of them never meet.
            shape = random.integers(0, 4, 6)
            added = oclide.Bodies(shape, random.uniform(0.1, 0.4, (6, 3)), flags=[0, 0, oclide.SENSOR, 0, 0, 0],
                                  excluded=[[0, 1]])
            came = both(lambda c: c.change(removed=gone, changed=become, added=added,
                                           become=oclide.Bodies([1, 0], [[0.3, 0.2, 0.2], [0.25, 0, 0]],
                                                                category=[1, 3])))
            more = local.rows - len(position)
            position = np.concatenate([position, np.zeros((more, 3))])
            orientation = np.concatenate([orientation, np.tile([1.0, 0, 0, 0], (more, 1))])
            position[came[:, 0]] = random.uniform([0.0, -1.0, 0.0], [8.0, 9.0, 1.0], (6, 3))
            # Pairs that touched are excluded, and some of those before meet again.
            there = local.handles.tolist()
            apart, excluded = ([pair for pair in pairs if pair[0] in there and pair[1] in there]
                               for pairs in (touched[::3], excluded))
            assert len(apart) > 0
            both(lambda c: c.change(allowed=np.reshape(excluded[::2], (-1, 2, 2)), excluded=apart))
            excluded = excluded[1::2] + apart
            both(lambda c: c.update_heights(0, step, 2, np.full((3, 4), 0.2 + 0.05 * step)))
            both(lambda c: c.update_holes(0, 3, step, np.eye(3, dtype=int)))
            both(lambda c: c.update_material(0, 4, 4, np.full((6, 6), step)))
            both(lambda c: c.move_terrain(0, (-1.0 - 0.1 * step, -2.0)))
            changes |= set(frame(position).events["change"].tolist())
        assert changes == {0, 1, 2} and remote.rows < 60 + 6 * 6
        assert tracked(remote.collide(position, orientation,
                                      counts_only=True))[1] == local.collide(position, orientation).events.tobytes()
        # What is refused has changed nothing.
        for call, message in ((lambda: remote.change(removed=[[0, 77]]), r"removed\[0\]: there is no body with row 0"),
                              (lambda: remote.change(added=oclide.Bodies([0], [[-1.0, 0, 0]])), r"added/size\[0\]"),
                              (lambda: remote.change(excluded=[[[0, 77], [1, 0]]]), r"excluded\[0\]: there is no body"),
                              (lambda: remote.move_terrain(0, (np.nan, 0)), r"origin\[0\] is not finite"),
                              (lambda: remote.update_holes(1, 0, 0, np.eye(2, dtype=int)), "terrain 1 of 1")):
            with pytest.raises(oclide.InvalidInputError, match=message):
                call()
        frame(position)
        assert remote.plan(position, orientation).fits
        origin, down = position + [0, 0, 3.0], np.tile([0, 0, -1.0], (len(position), 1))
        hits, wanted = (collider.cast(position, orientation, origin, down) for collider in (remote, local))
        assert all(getattr(hits, name).tobytes() == getattr(wanted, name).tobytes()
                   for name in ("distance", "body", "element"))
        assert oclide.contact_hash(other.collide(*heap(60)[1:]).contacts) == unchanged


def assert_computed_together_as_alone(clients):
    """Four frames of all (remote, local, position, orientation) at once: the local ones' bits, some in one launch."""
    together = 1
    for step in range(4):
        futures = [remote.submit(position + 0.02 * step, orientation) for remote, _, position, orientation in clients]
        for (_, local, position, orientation), future in zip(clients, futures):
            frame = future.result(TIMEOUT)
            together = max(together, frame.together)
            assert tracked(frame) == tracked(local.collide(position + 0.02 * step, orientation))
    assert together > 1


def test_what_persists_is_known_of_scenes_that_are_computed_together(service):
    with oclide.connect(service.address) as connection:
        clients = []
        for k in range(8):
            scene, position, orientation = small(k)
            remote = connection.collider(track=k % 2 == 0)
            remote.set_scene(scene)
            clients.append((remote, collider_with(scene, track=k % 2 == 0), position, orientation))
        assert_computed_together_as_alone(clients)


def tiled(k):
    """small(k) with its ground cut in two tiles behind a terrain of their own, and with a margin for each body."""
    scene, position, orientation = small(k)
    heights, bodies, diagonal = scene.terrains[0].heights, scene.bodies, ("rising", "alternating_falling")[k // 2 % 2]
    tiles = [oclide.Terrain(heights[:, :11], origin=(-1.0, -2.0), spacing=(0.5, 0.75), tile_of=1, diagonal=diagonal),
             oclide.Terrain(heights[:, 10:], origin=(4.0, -2.0), spacing=(0.5, 0.75), tile_of=1, diagonal=diagonal)]
    bodies = oclide.Bodies(bodies.shape, bodies.size, environment=np.ones(len(bodies), int),
                           margin=np.linspace(0.0, 0.05, len(bodies)))
    return (oclide.Scene(bodies, terrains=[oclide.Terrain(np.full((2, 2), -9.0)), *tiles], environment_terrain=[0, 1]),
            position, orientation)


def test_tiles_and_margins_by_body_together_with_other_scenes_and_as_they_change(service):
    with oclide.connect(service.address) as connection:
        clients = []
        for k in range(4):
            scene, position, orientation = (tiled if k % 2 == 0 else small)(k)
            remote = connection.collider(margin=0.01, track=True)
            remote.set_scene(scene)
            clients.append((remote, collider_with(scene, margin=0.01, track=True), position, orientation))
        assert_computed_together_as_alone(clients)
        remote, local, position, orientation = clients[0]
        for step in range(2):
            for collider in (remote, local):  # vertices and cells of both tiles, and of one alone
                collider.update_heights(1, 3, 8, np.full((3, 3), 0.4 + 0.1 * step))
                collider.update_holes(2, 2 + step, 0, np.ones((2, 2), int))
                collider.update_material(1, 0, 8, np.full((16, 2), 3 + step))
                collider.move_terrain(1, (-1.5 - step, -2.0))
                collider.change(removed=collider.handles[:1],
                                added=oclide.Bodies([0], [[0.3, 0, 0]], environment=[1], margin=[0.1 + 0.1 * step]))
            frame = remote.collide(position, orientation)
            assert len(frame) > 0 and tracked(frame) == tracked(local.collide(position, orientation))
        for call, message in ((lambda: remote.move_terrain(2, (0.0, 0.0)), "terrain 2 is a tile of terrain 1"),
                              (lambda: remote.change(added=oclide.Bodies([0], [[0.1, 0, 0]], margin=[-1.0])),
                               r"added/margin\[0\]")):
            with pytest.raises(oclide.InvalidInputError, match=message):
                call()
        assert tracked(remote.collide(position, orientation)) == tracked(local.collide(position, orientation))
        for remote, *_ in clients:
            remote.close()


def two_grounds():
    """heap(40), every other body over a ground of its own; and what makes tile k, of 4 x 5, of a ground."""
    scene, position, orientation = heap(40)
    heights = scene.terrains[0].heights

    def tile(k, ground):
        row, col = divmod(k, 5)
        return oclide.Terrain(heights[4 * row:4 * row + 5, 4 * col:4 * col + 5],
                              origin=(2.0 * col - 1.0, 3.0 * row - 2.0),
                              spacing=(0.5, 0.75), material=np.full((4, 4), k), tile_of=ground)

    bodies = oclide.Bodies(scene.bodies.shape, scene.bodies.size, environment=np.arange(40) % 2)
    tiles = [tile(k, 0) for k in (5, 6, 7)] + [tile(k, 3) for k in (5, 6)]
    return oclide.Scene(bodies, terrains=tiles,
                        environment_terrain=[0, 3]), position - [0.0, 0.0, 0.5], orientation, tile


def test_ground_is_called_the_same_where_others_took_its_place_on_the_device(service):
    heights = np.random.default_rng(4).uniform(0.0, 0.3, (5, 21))

    def tile(k):
        return oclide.Terrain(heights[:, 4 * k:4 * k + 5], origin=(4.0 * k, 0.0), spacing=(1.0, 1.0), tile_of=0)

    scene = oclide.Scene(oclide.Bodies([0] * 3, [[0.5, 0, 0]] * 3), terrains=[tile(k) for k in range(3)],
                         environment_terrain=[0])
    at = np.array([[9.3, 1.4, 0.5], [10.6, 2.7, 0.5], [11.4, 1.6, 0.5]]), np.tile([1.0, 0, 0, 0], (3, 1))
    local = collider_with(scene, track=True)
    with oclide.connect(service.address) as connection, connection.collider(track=True) as remote:
        remote.set_scene(scene)
        features = remote.collide(*at).feature.copy()
        assert len(set(features.tolist())) >= 3
        local.collide(*at)
        for collider in (remote, local):
            collider.change_tiles(0, removed=[0], added=[tile(3)])
        assert tracked(remote.collide(*at)) == tracked(local.collide(*at))
        with contextlib.ExitStack() as others:
            for k in range(17):  # more than the service keeps on the device
                crowd = others.enter_context(connection.collider())
                crowd.set_scene(small(k)[0])
                crowd.change(added=oclide.Bodies([0], [[0.3, 0, 0]]))
                crowd.collide(np.vstack([small(k)[1], [[0.0, 0, 9]]]), np.vstack([small(k)[2], [[1.0, 0, 0, 0]]]))
        found = remote.collide(*at)
        assert tracked(found) == tracked(local.collide(*at))
        assert found.feature.tolist() == features.tolist() and set(found.events["change"].tolist()) == {1}


def test_tiles_come_and_go_as_in_a_local_collider(service):
    scene, position, orientation, tile = two_grounds()
    local = collider_with(scene, track=True)
    unchanged = expected(scene, position, orientation)
    with (oclide.connect(service.address) as connection, connection.collider() as other,
          connection.collider(track=True) as remote):
        for collider in (remote, other):
            collider.set_scene(scene)
        there = {0: {0: 5, 1: 6, 2: 7}, 3: {3: 5, 4: 6}}

        def change(ground, gone, came):
            new = {collider: collider.change_tiles(ground, removed=gone, added=(tile(k, ground) for k in came))
                   for collider in (local, remote)}
            assert new[local] == new[remote]
            for k in gone:
                del there[ground][k]
            there[ground].update(zip(new[remote], came))
            return new[remote]

        def frame():
            found = remote.collide(position, orientation)
            assert tracked(found) == tracked(local.collide(position, orientation))
            return found

        # Before the first frame: what finds it has the indices all the same, also those that went to the other ground.
        assert change(0, [1, 2], []) == []
        assert change(3, [3], [7, 12]) == [1, 2]
        assert change(3, [4], []) == []
        found = frame()
        assert {5} < set(found.material[found.body_b == oclide.TERRAIN].tolist()) <= {5, 7, 12}
        assert remote.plan(position, orientation).fits
        random = np.random.default_rng(6)
        for step in range(8):
            ground = 3 * (step % 2)
            gone = random.permutation(list(there[ground]))[:step % 3].tolist()
            stays = {k for index, k in there[ground].items() if index not in gone}
            came = random.permutation(sorted(set(range(20)) - stays))[:1 + step % 3].tolist()
            new = change(ground, gone, came)
            if step % 4 == 1:
                for collider in (remote, local):
                    collider.update_heights(new[0], 1, 1, np.full((3, 3), 0.2))
                    collider.update_holes(new[0], 0, 2, np.ones((4, 2), int))
                    collider.update_material(new[0], 0, 0, np.full((2, 4), 40 + step))
                    collider.change(removed=collider.handles[-1:],
                                    added=oclide.Bodies([0], [[0.3, 0, 0]], environment=[1]))
                    collider.move_terrain(0, (0.0, 0.3))
                frame()
                for collider in (remote, local):
                    collider.move_terrain(0, tile(there[0][min(there[0])], 0).origin)
            frame()
        # What is refused has changed nothing.
        high = oclide.Terrain(np.full((5, 5), 7.0), origin=(-1.0, -2.0), spacing=(0.5, 0.75))
        for wrong in (lambda c: c.change_tiles(7), lambda c: c.change_tiles(-1), lambda c: c.change_tiles(1),
                      lambda c: c.change_tiles(0, removed=[99]), lambda c: c.change_tiles(0, removed=[0.5]),
                      lambda c: c.change_tiles(0, removed=list(there[0])),
                      lambda c: c.change_tiles(0, added=[high, high, tile(0, 0)]),
                      lambda c: c.change_tiles(0, added=[oclide.Terrain(np.zeros((2, 2)))])):
            said = []
            for collider in (remote, local):
                with pytest.raises(oclide.InvalidInputError) as error:
                    wrong(collider)
                said.append(str(error.value))
            assert said[0] == said[1]
        with pytest.raises(TypeError, match="added/0 must be an oclide.Terrain"):
            remote.change_tiles(0, added=[np.zeros((2, 2))])
        message = connection.messages
        heights = message.Array(name="/added/0/heights", type=0, shape=[2, 2], data=bytes(32))
        for added, text in (([heights], "/added/0/origin is missing"),
                            ([heights, heights], "/added/0/heights stands twice"),
                            ([message.Array(name="/terrains/0/heights")],
                             "/terrains/0/heights is no array of a change of tiles")):
            with pytest.raises(oclide.InvalidInputError, match=text):
                remote._change(change_tiles=message.ChangeTiles(ground=0, added=added))
        frame()
        # It is this session's own world.
        assert oclide.contact_hash(other.collide(position, orientation).contacts) == unchanged
        with connection.collider() as late:
            late.set_scene(scene)
            assert oclide.contact_hash(late.collide(position, orientation).contacts) == unchanged


def test_what_waits_for_a_client_is_bounded(command, tmp_path):
    scene, position, orientation = heap(1500)
    size = position.nbytes + orientation.nbytes
    tokens = tmp_path / "tokens"
    tokens.write_text("one 0123456789abcdef0123\ntwo fedcba98765432100000\n")
    tokens.chmod(0o600)
    with contextlib.ExitStack() as stack:
        running = stack.enter_context(serving(command, "--tokens", tokens, "--max-waiting-bytes", 5 * size // 2))
        connection, quick = (stack.enter_context(oclide.connect(running.address, token=token))
                             for token in ("0123456789abcdef0123", "fedcba98765432100000"))
        message = connection.messages
        # Without credit nothing is done, and a fourth request finds the bytes of three there.
        sent, call = raw_session(connection, *scene_requests(message, scene, credit=1),
                                 frame_request(message, 10, position, orientation))
        assert [next(call).WhichOneof("what") for _ in range(3)] == ["opened", "scene", "frame"]
        for k in range(5):
            sent.put(frame_request(message, 11 + k, position, orientation))
        end = time.monotonic() + TIMEOUT
        while running.metric(r'oclide_requests_total\{kind="frame"\}') < 6 and time.monotonic() < end:
            time.sleep(0.01)
        assert 3 * size < running.metric("oclide_request_bytes") < 4 * size
        # Of another session of the same client the first one is refused, and the session goes on.
        with connection.collider() as second:
            second.set_scene(two_bodies()[0])
            with pytest.raises(oclide.LimitError,
                               match=f"may have {5 * size // 2} bytes of requests that wait, and has"):
                second.collide(*two_bodies()[1:])
            sent.put(message.Request(credit=message.Credit(replies=10)))
            found = [next(call) for _ in range(5)]
            assert [reply.id for reply in found] == [11, 12, 13, 14, 15]
            assert [reply.WhichOneof("what") for reply in found] == 3 * ["frame"] + 2 * ["problem"]
            assert found[3].problem.kind == 2 and "bytes of requests that wait" in found[3].problem.message
            sent.put(frame_request(message, 20, position, orientation))
            assert next(call).frame.count == found[0].frame.count > 0
            assert len(second.collide(*two_bodies()[1:])) > 0
        sent.put(None)
        # With credit what has no room waits on its way: all of it comes back.
        connection.is_local = False
        with connection.collider() as remote:
            remote.set_scene(scene)
            futures = [remote.submit(position + 0.001 * k, orientation, counts_only=True) for k in range(16)]
            assert all(future.result(TIMEOUT).count > 0 for future in futures)
        running.wait_for("oclide_request_bytes", 0)
        running.wait_for("oclide_answer_bytes", 0)
        # Answers that are not taken hold up nobody but their client: 1 MB each, and gRPC takes in 64 KiB of a stream by
        # itself.
        channel = stack.enter_context(grpc.insecure_channel(running.address, [("grpc.http2.bdp_probe", 0)]))
        requests = [*scene_requests(message, scene, credit=20),
                    *(frame_request(message, 30 + k, position, orientation) for k in range(8))]
        before = running.metric("oclide_frame_seconds_count")
        call = channel.stream_stream("/oclide.v1.Oclide/Session", request_serializer=message.Request.SerializeToString,
                                     response_deserializer=message.Reply.FromString)(
            iter(requests), metadata=[("authorization", "Bearer 0123456789abcdef0123")])
        assert [next(call).WhichOneof("what") for _ in range(2)] == ["opened", "scene"]
        with quick.collider() as other:
            other.set_scene(two_bodies()[0])
            for _ in range(20):
                assert len(other.collide(*two_bodies()[1:])) > 0
        assert 0 < running.metric("oclide_frame_seconds_count") - before - 20 < 8
        assert [reply.id for reply in call] == [30 + k for k in range(8)]


def test_all_that_wait_learn_that_the_service_is_gone(command):
    scene, position, orientation = heap(60)
    with serving(command) as running, oclide.connect(running.address) as connection:
        remote = connection.collider()
        remote.set_scene(scene)
        remote.collide(position, orientation)
        running.process.send_signal(signal.SIGSTOP)
        os.waitpid(running.process.pid, os.WUNTRACED)
        learned = []

        def ask():
            with pytest.raises(oclide.ServiceError):
                remote.collide(position, orientation)
            learned.append(True)

        # Some have sent their request, the others wait until they may.
        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + TIMEOUT
        while len(remote._waiting) < 8 and time.monotonic() < end:
            time.sleep(0.001)
        running.process.kill()
        for thread in threads:
            thread.join(TIMEOUT)
        assert len(learned) == 20


def test_a_frame_that_is_refused_is_none_that_the_next_is_compared_with(service):
    scene, position, orientation = two_bodies()
    with oclide.connect(service.address) as connection, connection.collider(track=True) as remote:
        remote.set_scene(scene)
        assert len(remote.collide(position, orientation)) > 0
        slots = remote._slots
        size, slots.bytes_out = slots.bytes_out, 1 << 40  # room that is not there
        with pytest.raises(oclide.InvalidInputError, match="shared memory has"):
            remote.collide(position + [0, 0, 9.0], orientation)
        slots.bytes_out = size
        frame = remote.collide(position, orientation)
        assert set(frame.events["change"].tolist()) == {1} and frame.previous.tolist() == list(range(len(frame)))
        # What is on its way cannot be called back, and holds up nothing.
        future = remote.submit(position, orientation)
        future.cancel()
        assert len(future.result(TIMEOUT)) == len(remote.collide(position, orientation))


def test_what_is_wrong_with_an_address(command):
    with pytest.raises(oclide.ServiceError):
        oclide.connect("127.0.0.1:1")
    with pytest.raises(oclide.InvalidInputError, match="certificate_authority"):
        oclide.connect("127.0.0.1:1", key="x")
    with pytest.raises(oclide.InvalidInputError, match="no-such-file"):
        oclide.connect("127.0.0.1:1", certificate_authority="no-such-file")
    with pytest.raises(oclide.InvalidInputError, match="token: "):
        oclide.connect("127.0.0.1:1", token="with\nlines")


def refused_serve(command, *arguments):
    """The one line of a service that does not start."""
    refused = run(command, "serve", *arguments)
    if NO_GRPC in refused.stderr:
        pytest.skip(refused.stderr.strip())
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1), refused.stderr
    return refused.stderr


def test_an_address_that_cannot_be_used_is_refused_in_one_line(command, tmp_path):
    for address in ("nonsense", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", ":99999", ":7411", "127.0.0.1:-1",
                    "127.0.0.1:0x10", "127.0.0.1: 80", "::1:80", "localhost", "", "dns:localhost:0"):
        assert f"cannot listen at {address}: it must be ADDRESS:PORT" in refused_serve(command, "--listen", address)
        if address:  # else none
            said = refused_serve(command, "--metrics", address)
            assert f"cannot listen at {address}: it must be ADDRESS:PORT" in said
    assert "cannot listen at unix:: unix: needs the path" in refused_serve(command, "--listen", "unix:")
    assert "at most 107 bytes" in refused_serve(command, "--listen", "unix:/" + 107 * "x")
    assert "unix:/tmp/x: it must be ADDRESS:PORT" in refused_serve(command, "--metrics", "unix:/tmp/x")
    assert "metrics: 0.0.0.0:0 is not loopback" in refused_serve(command, "--metrics", "0.0.0.0:0")
    with serving(command) as running:
        said = refused_serve(command, "--listen", running.address)
        assert f"cannot listen at {running.address}: Address already in use" in said
    # At a socket nobody is displaced; where a service was killed the next one takes its place.
    socket = f"unix:{tmp_path}/socket"
    scene, position, orientation = two_bodies()

    def use():
        with oclide.connect(socket) as connection, connection.collider() as remote:
            remote.set_scene(scene)
            assert len(remote.collide(position, orientation)) > 0

    with serving(command, listen=socket) as running:
        for address in (socket, f"unix://{tmp_path}/socket"):
            said = refused_serve(command, "--listen", address)
            assert f"cannot listen at {address}: another program listens there" in said
        use()
        running.process.kill()
        running.process.wait(30)
        with serving(command, listen=socket) as other:
            use()
            assert other.end() == 0
    (tmp_path / "file").write_text("")
    assert "Address already in use" in refused_serve(command, "--listen", f"unix:{tmp_path}/file")


def test_limits_in_bytes_have_units(command):
    with serving(command, "--max-waiting-bytes", "4GiB", "--max-scene-bytes", "1kB") as running:
        with (oclide.connect(running.address) as connection,
              pytest.raises(oclide.LimitError, match="1000 bytes of scenes")):
            connection.collider().set_scene(heap(5)[0])
    for option in ("--memory-limit", "--max-scene-bytes", "--max-waiting-bytes"):
        assert f"{option}: '1.5GB' is no number of bytes: write a whole one" in refused_serve(command, option, "1.5GB")


def test_a_service_without_a_device_says_so(command, tmp_path, monkeypatch):
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    for arguments, says in (((), True), (("--device", "reference"), False)):
        with serving(command, *arguments) as running:
            assert "reference" in running.info["device"].lower()
            assert running.end() == 0
            said = [line for line in map(json.loads, running.log) if line["event"] == "no_device"]
            assert ["pocl-opencl-icd" in line["message"] for line in said] == says * [True]


def test_services_end_on_signals_alike(command):
    for number in (signal.SIGINT, signal.SIGTERM):
        with serving(command) as running:
            running.process.send_signal(number)
            assert running.process.wait(60) == 0
