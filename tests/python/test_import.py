"""Meshes and robots of other programs: convex decomposition, MJCF and URDF, the scenario workshop."""

import json
import os
import subprocess
import sys

import numpy as np
import oclide
import pytest
from oclide import __main__ as command_line
from oclide import _workshop

BOX = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
SIDES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
         [1, 5, 7], [1, 7, 3]]


def angle_bracket(thickness=0.2):
    """A solid of an L's outline, extruded along y from 0 to 1."""
    t = thickness
    outline = np.array([[0, 0], [1, 0], [1, t], [t, t], [t, 1], [0, 1]], dtype=float)
    front = np.column_stack([outline[:, 0], np.zeros(6), outline[:, 1]])
    back = front + [0, 1, 0]
    cap = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    sides = [side for i in range(6) for side in ([i, i + 6, (i + 1) % 6], [(i + 1) % 6, i + 6, (i + 1) % 6 + 6])]
    return oclide.Mesh(np.vstack([front, back]), cap + [[c + 6, b + 6, a + 6] for a, b, c in cap] + sides, solid=True)


def stl(scale=0.1):
    """Bytes of a box."""
    corner = scale * np.array(BOX, dtype=np.float32)
    facets = np.zeros(len(SIDES), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")]))
    facets["corners"] = corner[np.array(SIDES)]
    return bytes(80) + np.uint32(len(SIDES)).tobytes() + facets.tobytes()


URDF = """<robot name="arm"><link name="base">
<visual><geometry><mesh filename="package://arm_package/none.dae"/></geometry></visual>
<collision><geometry><mesh filename="package://arm_package/meshes/box.STL"/></geometry></collision></link>
<link name="link"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="../meshes/box.STL"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="link"/><origin xyz="0 0 0.05"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.fixture
def robot(tmp_path):
    """A URDF file in a package with meshes."""
    pytest.importorskip("mujoco")
    for folder in ("urdf", "meshes"):
        (tmp_path / "arm_package" / folder).mkdir(parents=True)
    (tmp_path / "arm_package/meshes/box.STL").write_bytes(stl())
    file = tmp_path / "arm_package/urdf/arm.urdf"
    file.write_text(URDF)
    return file


def contacts_of(scene, position, orientation):
    collider = oclide.Collider("reference")
    collider.set_scene(scene)
    return collider.collide(position, orientation)


def test_a_urdf_is_read_with_the_meshes_of_its_package(robot):
    model = oclide.mujoco_model(robot)
    world = oclide.from_mujoco(model)
    assert [int(s) for s in world.scene.bodies.shape] == [int(oclide.Shape.CONVEX_HULL)] * 2
    assert model.njnt == 1 and model.nmesh >= 1
    assert np.ptp(world.scene.hulls[0], axis=0) == pytest.approx([0.1] * 3, abs=1e-6)


def test_control_characters_of_a_file_name_are_no_control_characters_of_the_output(robot, tmp_path, capsys):
    out = tmp_path / "a\x1b[31m\x9b.h5"
    assert command_line.main(["import", str(robot), "-o", str(out)]) == 0
    text = capsys.readouterr().out
    assert r"a\u001b[31m\u009b.h5: " in text and not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in text.rstrip("\n"))


@pytest.mark.parametrize("change, message", [
    (("package://arm_package/meshes", "package://other/meshes"), "there is no mesh package://other/meshes/box.STL: no "
                                                                  "folder other that has it is around the file"),
    (("../meshes/box", "../meshes/none"), "there is no mesh ../meshes/none.STL"),
    (("</robot>", ""), "is no XML: "), (('<robot name="arm">', "<sdf>"), "is no XML: "),
    (('type="revolute"', 'type="odd"'), "")])
def test_what_is_wrong_with_a_urdf_is_one_line_that_names_it(robot, tmp_path, capsys, change, message):
    robot.write_text(URDF.replace(*change, 1))
    out = tmp_path / "out.h5"
    assert command_line.main(["import", str(robot), "-o", str(out)]) == 2
    text = capsys.readouterr().err
    assert text.startswith(f"oclide: {robot}: {message}") and text.count("\n") == 1
    assert not out.exists()


def test_other_files_are_refused(tmp_path):
    pytest.importorskip("mujoco")
    (tmp_path / "a.xml").write_text("<sdf/>")
    for name, message in (("a.xml", "is neither MJCF nor URDF: its root is sdf"),
                          ("none.xml", "No such file or directory")):
        with pytest.raises(oclide.InvalidInputError, match=message):
            oclide.mujoco_model(tmp_path / name)


def run(command, *arguments, status=0):
    result = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, check=False,
                            env={**os.environ, "OCLIDE_PYTHON": sys.executable})
    assert result.returncode == status, result.stderr
    return json.loads(result.stdout) if status == 0 else result.stderr


def test_the_command_imports_robots(command, robot, tmp_path):
    out = tmp_path / "robot.h5"
    said = run(command, "import", robot, "-o", out, "--json")
    assert said["scene"] == str(out) and said["bodies"] == 2 and said["hulls"] == 2
    file = oclide.read_scene(out)
    assert len(file.scene.hulls) == 2 and len(file) == 1
    assert run(command, "import", robot, "-o", out, "--meshes", "mesh", "--json")["meshes"] == 2
    model = tmp_path / "ball.xml"
    model.write_text('<mujoco><worldbody><geom type="plane" size="5 5 1"/><body pos="0 0 0.09"><freejoint/>'
                     '<geom type="sphere" size="0.1"/></body></worldbody></mujoco>')
    assert run(command, "import", model, "-o", out, "--json")["bodies"] == 2
    assert run(command, "run", out, "--json")["max_depth"] == pytest.approx(0.01, abs=1e-6)
    (tmp_path / "bad.urdf").write_text("<robot/>")
    assert run(command, "import", tmp_path / "bad.urdf", "-o", tmp_path / "bad.h5", status=2).count("\n") == 1
    assert not (tmp_path / "bad.h5").exists()


def test_without_coacd_one_line_says_how_to_get_it(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(oclide.InvalidInputError, match="pip install coacd"):
        oclide.decompose(angle_bracket())
    scene = tmp_path / "scene.h5"
    oclide.write_scene(scene, oclide.Scene(oclide.Bodies([], np.zeros((0, 3))), meshes=[angle_bracket()]),
                       np.zeros((0, 3)), np.zeros((0, 4)))
    assert command_line.main(["decompose", str(scene), "-o", str(tmp_path / "out.h5")]) == 2
    assert capsys.readouterr().err == ("oclide: convex decomposition needs CoACD, which is not there: "
                                       "pip install coacd\n")
    assert not (tmp_path / "out.h5").exists()


def test_a_mesh_becomes_hulls_that_make_it_up():
    pytest.importorskip("coacd")
    mesh = angle_bracket()
    hulls = oclide.decompose(mesh, threshold=0.05)
    assert 2 <= len(hulls) <= 8
    parts = oclide.Compound([oclide.Shape.CONVEX_HULL] * len(hulls), [[k, 0, 0] for k in range(len(hulls))])

    # Balls at places all over: one in the bracket touches, one in its corner does not.
    x, z = (side.ravel() for side in np.meshgrid(np.arange(0.05, 1.0, 0.1), np.arange(0.05, 1.0, 0.1)))
    inside = (x < 0.2) | (z < 0.2)
    bodies = oclide.Bodies([oclide.Shape.COMPOUND] + [oclide.Shape.SPHERE] * len(x),
                           [[0, 0, 0]] + [[0.02, 0, 0]] * len(x))
    scene = oclide.Scene(bodies, hulls=hulls, compounds=[parts])
    position = np.vstack([np.zeros(3), np.column_stack([x, np.full(len(x), 0.5), z])])
    frame = contacts_of(scene, position, np.tile([1.0, 0, 0, 0], (len(position), 1)))
    touched = np.isin(np.arange(1, len(position)), frame.body_b[frame.body_a == 0])
    assert touched[inside].all()
    assert not touched[(x > 0.3) & (z > 0.3)].any()

    assert len(oclide.decompose(mesh, max_hulls=1)) == 1
    for setting in ({"threshold": 0.0}, {"threshold": float("nan")}, {"threshold": 2.0}, {"max_hulls": 0}):
        with pytest.raises(oclide.InvalidInputError, match=next(iter(setting))):
            oclide.decompose(mesh, **setting)
    with pytest.raises(oclide.InvalidInputError, match="triangles"):
        oclide.decompose(oclide.Mesh(np.zeros((3, 3)), [[0, 1, 9]]))


def test_the_command_decomposes(command, tmp_path):
    pytest.importorskip("coacd")
    obj, out = tmp_path / "bracket.obj", tmp_path / "out.h5"
    mesh = angle_bracket()
    obj.write_text("".join("v %g %g %g\n" % tuple(v) for v in mesh.vertices)
                   + "".join("f %d %d %d\n" % tuple(t + 1) for t in mesh.triangles))
    result = subprocess.run([command, "import", obj, obj, "-o", out, "--solid", "--decompose", "--max-hulls", "4",
                             "--json"], capture_output=True, text=True, check=False,
                            env={**os.environ, "OCLIDE_PYTHON": sys.executable})
    if "without assimp" in result.stderr:
        pytest.skip(result.stderr)
    assert result.returncode == 0, result.stderr
    said = json.loads(result.stdout)
    scene = oclide.read_scene(out).scene
    assert said["shape"] == "compound body" and [f["hulls"] for f in said["files"]] == [len(c) for c in scene.compounds]
    assert scene.meshes == [] and 2 <= len(scene.compounds[0]) <= 4
    assert [int(s) for s in scene.bodies.shape] == [int(oclide.Shape.COMPOUND)] * 2
    # Frames and what is no mesh stay as they are.
    scene = oclide.Scene(oclide.Bodies([oclide.Shape.SPHERE, oclide.Shape.TRIANGLE_MESH], [[0.5, 0, 0], [0, 0, 0]],
                                       group=[3, 4], flags=[0, oclide.STATIC], margin=[0.0, 0.25], excluded=[[0, 1]],
                                       either_mask=True), meshes=[mesh])
    oclide.write_scene(tmp_path / "in.h5", scene, np.arange(12.0).reshape(2, 2, 3), np.tile([1.0, 0, 0, 0], (2, 1)))
    assert command_line.main(["decompose", str(tmp_path / "in.h5"), "-o", str(out)]) == 0
    file = oclide.read_scene(out)
    bodies = file.scene.bodies
    assert len(file) == 2 and bodies.group.tolist() == [3, 4] and bodies.flags.tolist() == [0, oclide.STATIC]
    assert bodies.margin.tolist() == [0.0, 0.25] and bodies.excluded.tolist() == [[0, 1]] and bodies.either_mask
    assert file.scene.bodies.shape.tolist() == [int(oclide.Shape.SPHERE), int(oclide.Shape.COMPOUND)]
    assert file[1][0].tolist() == np.arange(6.0, 12.0).reshape(2, 3).tolist()
    assert command_line.main(["decompose", str(out), "-o", str(out)]) == 2


def test_a_workshop_without_robots_says_where_to_get_them(monkeypatch):
    pytest.importorskip("mujoco")
    monkeypatch.setattr(_workshop, "robot_files", lambda: [])
    with pytest.raises(oclide.InvalidInputError, match="no robots are installed: pip install gymnasium-robotics"):
        oclide.workshop()


@pytest.mark.skipif(not _workshop.robot_files(),
                    reason="neither gymnasium-robotics nor example-robot-data is installed")
def test_robots_of_a_workshop_work_among_parts(command, tmp_path):
    pytest.importorskip("mujoco")
    out = tmp_path / "workshop.h5"
    said = run(command, "generate", "workshop", "-o", out, "--environments", 2, "--frames", 3, "--bodies", 75, "--json")
    assert said["bodies"] == 75 and said["environments"] == 2 and said["hulls"] > 5 and said["robots"]
    file = oclide.read_scene(out)
    bodies = file.scene.bodies
    assert len(bodies) == 75 and len(file) == 3 and set(bodies.environment.tolist()) == {0, 1}
    collider, validator = oclide.Collider(), oclide.Validator(file.scene)
    collider.set_scene(file.scene)
    for position, orientation in file:
        assert np.abs(position).max() < 20.0
        frame = collider.collide(position, orientation)
        validator.add_frame(position, orientation, frame)
        # Parts lie on the floor, or nearly all of them: the last bodies of an environment are its parts.
        last = np.flatnonzero(bodies.environment == 1)[-10:]
        assert np.isin(last, np.concatenate([frame.body_a, frame.body_b])).sum() >= 8
        assert frame.depth.max() < 0.3
    assert validator.report.holds
    made = oclide.workshop(environments=2, frames=3, bodies=75)
    assert np.array_equal(made.position[2], file[2][0])
    for setting, message in (({"bodies": 3}, "more than 3"), ({"frames": 0}, "frames"),
                             ({"environments": 0}, "environments")):
        with pytest.raises(oclide.InvalidInputError, match=message):
            oclide.workshop(**setting)
