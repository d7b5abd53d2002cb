"""The stubs say what the module has, and type checkers agree with them."""

import inspect
import pathlib
import re
import subprocess
import sys

import oclide
import pytest

PACKAGE = pathlib.Path(oclide.__file__).parent

PROGRAM = '''
import numpy as np
import oclide

bodies = oclide.Bodies([oclide.Shape.SPHERE], np.ones((1, 3)))
scene = oclide.Scene(bodies, terrains=[oclide.Terrain([[0.0, 0.0], [0.0, 0.0]])])
collider = oclide.Collider("reference", margin=0.1, track=True)
collider.set_scene(scene)
frame: oclide.Frame = collider.update([[0.5, 0.5, 0.9]], [[1, 0, 0, 0]])
point: np.typing.NDArray[np.float64] = frame.point
normal: np.typing.NDArray[np.float32] = frame.normal
count: int = frame.pairs + len(frame) + oclide.contact_hash(frame.contacts, seed=1)
milliseconds: float = frame.milliseconds.total
hits: oclide.RayHits = collider.cast(frame.point, [[1, 0, 0, 0]], *oclide.lidar(2, 3), length=9.0)
distance: np.typing.NDArray[np.float64] = hits.distance
paths: oclide.Paths = collider.trace([[0, 0, 0]], [[1, 0, 0, 0]], point, [0, 0, 1], None, bounces=3)
seen: bool = bool(oclide.line_of_sight(collider, point, [[1, 0, 0, 0]], point, point, mask=1).all())
hash: int = oclide.hit_hash(hits) + oclide.hit_hash(hits.hits, seed=2) + int(paths.offset[0])
impacts: oclide.Impacts = collider.sweep([[0, 0, 0]], [[1, 0, 0, 0]], displacement=point, rotation=None)
when: np.typing.NDArray[np.float64] = impacts.time
total_hash: int = oclide.impact_hash(impacts) + oclide.impact_hash(impacts.impacts, seed=2) + len(impacts)
free: oclide.Overlaps = collider.overlap(point, [[1, 0, 0, 0]], oclide.Shape.SPHERE, [1, 0, 0], point,
                                         [1, 0, 0, 0], lowest=True)
is_free: np.typing.NDArray[np.bool_] = ~free.overlaps
what: np.typing.NDArray[np.uint32] = free.body
depth: np.typing.NDArray[np.float64] = collider.distance([[0, 0, 0]], [[1, 0, 0, 0]], point, range=2.0).distance
slots: np.typing.NDArray[np.float32] = collider.user_slots()
memory: dict[str, int] = collider.device_memory()
resident = oclide.Collider(context=1, queue=2)
on_device: oclide.DeviceFrame = resident.collide_on_device(3, 4, position_low=None, wait_for=[5])
contact_buffer: oclide.DeviceArray = on_device.contacts
buffer_handle: int = contact_buffer.int_ptr + on_device.ready + oclide.devices()[0].int_ptr
shape_of_it: tuple[int, ...] = contact_buffer.shape
device_hits: oclide.DeviceHits = resident.cast_on_device(None, None, 6, 7, count=8)
device_impacts: oclide.DeviceImpacts = resident.sweep_on_device(3, 4, 6, rotation=None)
impact_buffer: oclide.DeviceArray = device_impacts.impacts
with oclide.SceneWriter("none.h5", scene, 1, rotation=True) as writer:
    writer.append(np.zeros((1, 3)), np.zeros((1, 4)), rotation=[[0, 0, 1]])
way, turn = oclide.read_scene("none.h5").motion(0)
last: oclide.Impacts = collider.sweep(point, [[1, 0, 0, 0]], way, turn)
for position, orientation in oclide.read_scene("none.h5"):
    total: float = float(position.sum() + orientation.sum())
'''


def test_the_package_says_that_it_has_types():
    assert (PACKAGE / "py.typed").exists() and (PACKAGE / "_oclide.pyi").exists()


def test_the_stub_has_every_name_of_the_module():
    stub = (PACKAGE / "_oclide.pyi").read_text()
    names = {n for n in dir(oclide._oclide) if not n.startswith("_")}
    assert len(names) > 25
    missing = [n for n in names if not re.search(rf"^(class|def) {n}\b|^{n}\b", stub, re.MULTILINE)]
    assert missing == []
    for cls in (oclide.Collider, oclide.Frame, oclide.RayHits, oclide.Impacts, oclide.Overlaps, oclide.Distances,
                oclide.Paths, oclide.DeviceInfo, oclide.Validator):
        body = stub[stub.index(f"class {cls.__name__}"):].split("\nclass ")[0]
        assert [n for n in vars(cls) if not n.startswith("_") and f"def {n}(" not in body] == []


def test_all_that_is_public_has_a_docstring():
    undocumented = [n for n in oclide.__all__ if n not in ("__version__", "NONE", "NOTHING", "NO_TERRAIN", "SENSOR",
                                                                     "SENSOR_CONTACT", "STATIC", "TERRAIN")
                    and not inspect.getdoc(getattr(oclide, n))]
    assert undocumented == []
    for name in ("set_scene", "change", "update_heights", "update_holes", "update_material", "move_terrain", "collide",
                 "update", "stage", "collide_staged", "user_slots", "cast", "sweep", "overlap", "distance", "trace"):
        assert inspect.getdoc(getattr(oclide.Collider, name)), name
    assert len(oclide.__all__) == len(set(oclide.__all__))


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy, which keeps what it knows of NumPy from one run to the next."""
    pytest.importorskip("mypy")
    cache = tmp_path_factory.mktemp("mypy")
    return lambda *arguments: subprocess.run([sys.executable, "-m", "mypy", f"--cache-dir={cache}", *arguments],
                                             capture_output=True, text=True, cwd=PACKAGE.parent, check=False)


def test_a_type_checker_takes_the_package_and_a_program_that_uses_it(mypy, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    result = mypy("--strict", "-p", "oclide")
    assert result.returncode == 0, result.stdout + result.stderr
    result = mypy("--strict", str(program))
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_type_checker_refuses_a_program_that_misuses_it(mypy, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + 'collider.collide(position="no pose")\ntext: str = frame.pairs\n')
    result = mypy("--strict", str(program))
    assert result.returncode == 1 and '"collide"' in result.stdout and "text" not in result.stderr
    assert len(re.findall(r": error: ", result.stdout)) >= 2, result.stdout
