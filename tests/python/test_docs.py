"""The programs of docs/embedding_python.md run as they stand there."""

import pathlib
import re

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


def test_files_are_read_and_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene, position, orientation = heap(30)
    oclide.write_scene("scene.h5", scene, [position, position + 0.01], orientation)
    names = {"oclide": oclide, "collider": oclide.Collider()}
    exec(programs()[1], names)
    assert len(set(names["hashes"])) == 2


def test_mujoco_program_prints_contacts(tmp_path, monkeypatch, capsys):
    pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    pathlib.Path("model.xml").write_text(MODEL)
    names = {}
    exec(programs()[2], names)
    assert names["contacts"]["geom"].tolist() == [[0, 1]] * 4 and (names["contacts"]["dist"] < 0).all()
    assert "[[0 1]" in capsys.readouterr().out
