"""The programs of docs/embedding_python.md run as they stand there."""

import pathlib
import re

import numpy as np
import oclide
import pytest
from conftest import heap

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "embedding_python.md"
MODEL = """<mujoco><worldbody><geom type="plane" size="5 5 1"/>
<body pos="0 0 0.2"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""


def programs():
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_example_finds_what_the_readme_says(capsys):
    exec(programs()[0], {})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" at ")[0] for line in lines] == [
        "body 0 on body 2: 0.010 m deep", "body 0 on terrain: 0.020 m deep", "body 1 on terrain: 0.022 m deep"]


def test_rays_of_sensors_and_paths_of_stones(device):
    scene, position, orientation = heap(30)
    scene.bodies.category = np.full(30, 2)
    scene.bodies.mask = np.full(30, 2)
    collider = oclide.Collider(device)
    collider.set_scene(scene)
    names = {"np": np, "oclide": oclide, "collider": collider, "position": position, "orientation": orientation,
             "sensor_position": [[4.0, 4.0, 2.0]], "sensor_orientation": [[1.0, 0.0, 0.0, 0.0]],
             "base_position": position[:3], "base_orientation": orientation[:3], "E": 3, "GROUND": 1,
             "eye": [4.0, 4.0, 5.0], "looking": [1.0, 0.0, 0.0, 0.0], "target": [4.0, 4.0, 4.9],
             "stones": np.array([[4.0, 4.0, 3.0]]), "velocity": np.array([[0.0, 0.0, -500.0]]), "dt": 0.02}
    exec(programs()[1].replace("640, 480", "16, 12"), names)
    assert len(names["cloud"]) > 500 and names["ground"].hits.shape == (3, 11, 17)
    assert (names["ground"].body[names["ground"].body != oclide.NOTHING] == oclide.TERRAIN).all()
    assert np.isfinite(names["depth"]).all() and names["seen"]
    assert names["velocity"][0, 2] > 0 and names["stones"].shape == (1, 3)


def test_impacts_of_what_falls(device, capsys):
    scene, position, orientation = heap(30)
    collider = oclide.Collider(device)
    collider.set_scene(scene)
    names = {"np": np, "oclide": oclide, "collider": collider, "position": position + [0.0, 0.0, 3.0],
             "orientation": orientation, "velocity": np.tile([0.0, 0.0, -300.0], (30, 1)),
             "angular_velocity": np.ones((30, 3)), "dt": 0.02}
    exec(programs()[2], names)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 30 and all(" lands after 0.0" in line for line in lines)


def test_overlap_and_distance_of_a_planner_and_a_learner(device):
    scene, position, orientation = heap(30)
    collider = oclide.Collider(device)
    collider.set_scene(scene)
    at = np.array([[[4.0, 4.0, 50.0], [4.0, 4.0, 51.0]],
                   [[4.0, 4.0, 50.0], [4.0, 4.0, -1.0]]])  # the second in the ground
    names = {"np": np, "oclide": oclide, "collider": collider, "position": position, "orientation": orientation,
             "configurations": None, "links": lambda _: (at, np.tile([1.0, 0.0, 0.0, 0.0], (2, 2, 1))), "ROBOT": 9,
             "shape": [oclide.Shape.SPHERE, oclide.Shape.BOX], "size": [[0.2, 0.0, 0.0], [0.1, 0.2, 0.3]],
             "fingertips": at}
    exec(programs()[3], names)
    assert names["free"].tolist() == [True, False]
    exec(programs()[4], names)
    assert names["reward"][0] == 0.0 and names["reward"][1] < -0.5


def test_files_are_read_and_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene, position, orientation = heap(30)
    oclide.write_scene("scene.h5", scene, [position, position + 0.01], orientation)
    names = {"oclide": oclide, "collider": oclide.Collider()}
    exec(programs()[5], names)
    assert len(set(names["hashes"])) == 2


def test_mujoco_program_prints_contacts(tmp_path, monkeypatch, capsys):
    pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    pathlib.Path("model.xml").write_text(MODEL)
    names = {}
    exec(programs()[6], names)
    assert names["contacts"]["geom"].tolist() == [[0, 1]] * 4 and (names["contacts"]["dist"] < 0).all()
    assert "[[0 1]" in capsys.readouterr().out
    names["model"].qpos0[2] = 0.05
    exec(programs()[7].replace("4096", "3"), {**names, "np": np})
    assert "[0 0 0 0 1 1 1 1 2 2 2 2]" in capsys.readouterr().out
