"""oclide.distributed on a Ray cluster of two nodes on this machine. What becomes of parts whose workers die is in
test_crew.py, without Ray."""

import os
import pathlib
import re
import shutil
import signal
import tempfile

import numpy as np
import oclide
import oclide.distributed
import pytest
from conftest import DEVICES, collider_with, heap

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "batches.md"
# One OpenCL device where there is any; two workers that share it find what one finds.
DEVICE = DEVICES[0]


@pytest.fixture(scope="module")
def cluster():
    # Workers are given the package of this build, and what tests let them do.
    os.environ["PYTHONPATH"] = f"{pathlib.Path(oclide.__file__).parents[1]}:{pathlib.Path(__file__).parent}"
    # Nodes of a machine with other work take their time. Their sockets are here, whose names may not be long.
    os.environ["RAY_raylet_start_wait_time_s"] = "180"
    os.environ["RAY_TMPDIR"] = tempfile.mkdtemp(prefix="ray")
    cluster = cluster_utils.Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=1, object_store_memory=80 * 1024**2, include_dashboard=False)
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    shutil.rmtree(os.environ.pop("RAY_TMPDIR"), ignore_errors=True)


@pytest.fixture
def workers(cluster, monkeypatch):
    """The workers that calls of oclide.distributed make first."""
    made = []
    original = oclide.distributed._Crew.__init__

    def keep(self, *arguments):
        original(self, *arguments)
        made[:] = self.workers

    monkeypatch.setattr(oclide.distributed._Crew, "__init__", keep)
    return made


def process_of(worker):
    return ray.get(worker.__ray_call__.remote(lambda self: os.getpid()))


def poses(position, orientation, frames):
    for k in range(frames):
        yield position + [0.0, 0.0, -0.01 * k], orientation


def assert_same(found, wanted):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        assert a.contacts.tobytes() == b.contacts.tobytes() and oclide.contact_hash(a) == oclide.contact_hash(b)
        assert (a.pairs, a.body_pairs) == (b.pairs, b.body_pairs)


def test_frames_are_those_of_one_machine_though_a_worker_is_killed(workers):
    scene, position, orientation = heap(25)
    wanted = [collider_with(scene, DEVICE).collide(*pose) for pose in poses(position, orientation, 14)]
    taken = []

    def counted():
        for k, pose in enumerate(poses(position, orientation, 14)):
            taken.append(k)
            if k == 7:
                os.kill(process_of(workers[0]), signal.SIGKILL)
            yield pose

    found = []
    for frame in oclide.distributed.collide(scene, counted(), device=DEVICE, workers=2, window=2):
        found.append(frame)
        assert len(taken) <= len(found) + 4, "more is on its way than the window"
    assert_same(found, wanted)


def test_environments_are_put_together_to_the_same_frame(workers):
    scene, position, orientation = heap(120)
    scene.bodies.environment = np.random.default_rng(5).integers(0, 5, 120).astype(np.uint32)
    scene.bodies.group = np.arange(120, dtype=np.int32) // 3
    scene.bodies.flags = np.where(np.arange(120) % 5 == 0, oclide.SENSOR, 0).astype(np.uint32)
    wanted = [collider_with(scene, DEVICE).collide(*pose) for pose in poses(position, orientation, 3)]
    touching = np.unique([(c["body_a"], c["body_b"]) for c in wanted[0] if c["body_b"] != oclide.TERRAIN], axis=0)
    scene.bodies.excluded = touching[::3].astype(np.uint32)
    wanted = [collider_with(scene, DEVICE).collide(*pose) for pose in poses(position, orientation, 3)]
    assert sum(frame.body_pairs for frame in wanted) > 10
    found = list(oclide.distributed.collide_environments(scene, poses(position, orientation, 3), device=DEVICE,
                                                         workers=2))
    assert_same(found, wanted)
    with pytest.raises(oclide.InvalidInputError, match="position has shape"):
        list(oclide.distributed.collide_environments(scene, [(position[1:], orientation)], device=DEVICE, workers=2))


def test_files_are_done_once_each_though_a_worker_is_killed(workers, tmp_path):
    folder = tmp_path / "scenes"
    folder.mkdir()
    for k in range(8):
        scene, position, orientation = heap(20, seed=k + 1)
        oclide.write_scene(folder / f"{k}.h5", scene, position, orientation)
    (folder / "5.h5").write_text("no HDF5")
    wanted = oclide.batch(folder, tmp_path / "one", device=DEVICE)
    seen = []

    def kill(row, done, count):
        seen.append(row.file)
        if done == 2:
            os.kill(process_of(workers[1]), signal.SIGKILL)

    found = oclide.distributed.batch(folder, tmp_path / "many", device=DEVICE, workers=2, on_row=kill)
    assert seen == [row.file for row in wanted]
    for name in ("file", "status", "message", "contacts", "contact_hash"):
        assert [getattr(row, name) for row in found] == [getattr(row, name) for row in wanted], name
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert sorted(path.name for path in (tmp_path / "many").iterdir()) == names
    for name in names[:-1]:
        assert (tmp_path / "many" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert oclide.distributed.batch(folder, tmp_path / "many", device=DEVICE, workers=1, resume=True).skipped == 7


class Fatal(oclide.distributed._FileWorker):
    """Dies at files of this name, as by the kernel when memory is short."""

    def run(self, scene, contacts):
        if os.path.basename(scene) == "1.h5":
            pathlib.Path(contacts + ".partial1").write_text("unfinished")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().run(scene, contacts)


def test_a_file_that_kills_its_workers_fails_alone(workers, tmp_path, monkeypatch):
    folder = tmp_path / "scenes"
    folder.mkdir()
    for k in range(4):
        scene, position, orientation = heap(20, seed=k + 1)
        oclide.write_scene(folder / f"{k}.h5", scene, position, orientation)
    wanted = oclide.batch(folder, tmp_path / "one", device=DEVICE)
    with monkeypatch.context() as patch:
        patch.setattr(oclide.distributed, "_FileWorker", Fatal)
        found = oclide.distributed.batch(folder, tmp_path / "many", device=DEVICE, workers=1, window=3, tries=2)
    assert [row.message for row in found.failed] == [f"{folder}/1.h5: 2 workers died at it"]
    assert [row.contact_hash for row in found] == [row.contact_hash if k != 1 else None for k, row in enumerate(wanted)]
    assert sorted(path.name for path in (tmp_path / "many").iterdir()) == ["0.h5", "2.h5", "3.h5", "summary.csv"]
    # The cause is gone: that one file is done, and all are in order.
    again = oclide.distributed.batch(folder, tmp_path / "many", device=DEVICE, workers=1, resume=True)
    assert again.skipped == 3 and [row.contact_hash for row in again] == [row.contact_hash for row in wanted]


def test_the_program_of_the_page_finds_the_same_contacts(workers, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenes").mkdir()
    scene, position, orientation = heap(20)
    oclide.write_scene("scenes/0.h5", scene, [position, position + 0.01], orientation)
    exec(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1], {})
    hashes = [f"{oclide.contact_hash(contacts):016x}" for contacts in oclide.read_contacts("contacts/0.h5")]
    assert capsys.readouterr().out.split("\n")[-2] == str(hashes)
    assert [f"{oclide.contact_hash(contacts):016x}" for contacts in oclide.read_contacts("frames.h5")] == hashes


def test_errors_of_workers_are_those_of_the_library(workers, tmp_path):
    scene, position, orientation = heap(5)
    position[3, 1] = np.nan
    with pytest.raises(oclide.InvalidInputError, match="position"):
        list(oclide.distributed.collide(scene, [(position, orientation)], device=DEVICE, workers=1))
    with pytest.raises(oclide.InvalidInputError, match="^unknown device 'none'"):
        oclide.distributed.batch(tmp_path / "a.h5", tmp_path / "out", device="none", workers=1)
    assert not (tmp_path / "out").exists()
    with pytest.raises(oclide.InvalidInputError, match="tries"):
        list(oclide.distributed.collide(scene, [], device=DEVICE, workers=1, tries=0))
    with pytest.raises(oclide.InvalidInputError, match="workers"):
        list(oclide.distributed.collide(scene, [], device=DEVICE, workers=0))
