"""The package and the command find the same, bit for bit."""

import csv
import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import oclide
import pytest
from conftest import DEVICES

OUTSIDE = pathlib.Path(__file__).with_name("outside.py")


def run(command, *arguments):
    result = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_program_outside_the_tree_prints_the_hash_of_the_command(command, tmp_path):
    shutil.copy(OUTSIDE, tmp_path / "program.py")
    scene = tmp_path / "scene.h5"
    run(command, "generate", "mixed", "-o", scene, "--bodies", 150, "--frames", 3)
    for device in DEVICES:
        wanted = json.loads(run(command, "run", scene, "--device", device, "--json"))
        assert wanted["contacts"] > 0
        found = subprocess.run([sys.executable, tmp_path / "program.py", scene, device], cwd=tmp_path,
                               capture_output=True, text=True, check=True)
        assert found.stdout.strip() == wanted["contact_hash"]


def test_files_of_one_are_read_by_the_other(command, tmp_path):
    scene, contacts = tmp_path / "scene.h5", tmp_path / "contacts.h5"
    run(command, "generate", "pile", "-o", scene, "--bodies", 60, "--frames", 2)
    wanted = json.loads(run(command, "run", scene, "-o", contacts, "--json"))
    file = oclide.read_contacts(contacts)
    total = 0
    for frame in file:
        total = oclide.contact_hash(frame, total)
    assert f"{total:016x}" == wanted["contact_hash"] and file.total == wanted["contacts"] > 0
    assert file.device == wanted["device"] and file.scene == "scene.h5"

    source = oclide.read_scene(scene)
    copy = tmp_path / "copy.h5"
    oclide.write_scene(copy, source.scene, np.stack([p for p, _ in source]), np.stack([q for _, q in source]),
                       heights="float64")
    assert json.loads(run(command, "run", copy, "--json"))["contact_hash"] == wanted["contact_hash"]


def test_terrain_cut_into_tiles_gives_the_same(command, tmp_path):
    whole, cut, spare = tmp_path / "whole.h5", tmp_path / "cut.h5", tmp_path / "spare.h5"
    run(command, "generate", "mixed", "-o", whole, "--bodies", 80, "--frames", 2)
    source = oclide.read_scene(whole)
    ground = source.scene.terrains[0]
    position, orientation = (np.stack(arrays) for arrays in zip(*source))

    def write(file, terrains):
        scene = source.scene
        oclide.write_scene(file, oclide.Scene(scene.bodies, terrains=terrains, hulls=scene.hulls, meshes=scene.meshes,
                                              compounds=scene.compounds), position, orientation, heights="float64")

    def part(rows, cols):
        origin = (ground.origin[0] + cols.start * ground.spacing[0], ground.origin[1] + rows.start * ground.spacing[1])
        of_cells = {name: None if array is None else array[rows.start:rows.stop - 1, cols.start:cols.stop - 1]
                    for name, array in (("holes", ground.holes), ("material", ground.material))}
        return oclide.Terrain(ground.heights[rows, cols], origin, ground.spacing, tile_of=0, **of_cells)

    rows, cols = ground.heights.shape
    i, j = rows // 3, cols // 2
    write(cut, [part(r, c) for r in (slice(0, i + 1), slice(i, rows)) for c in (slice(0, j + 1), slice(j, cols))])
    assert [t.tile_of for t in oclide.read_scene(cut).scene.terrains] == [0] * 4
    for device in DEVICES:
        of_whole, of_cut = (json.loads(run(command, "run", file, "--device", device, "--json", "--validate"))
                            for file in (whole, cut))
        assert of_cut["validation"]["holds"] and of_cut["contacts"] > 0
        assert of_cut["contact_hash"] == of_whole["contact_hash"]
    plans = [json.loads(run(command, "plan", file, "--json")) for file in (whole, cut)]
    assert plans[0]["device_bytes"] <= plans[1]["device_bytes"] and plans[0]["host_bytes"] < plans[1]["host_bytes"]
    run(command, "picture", cut, "-o", tmp_path / "cut.png", "--width", 64, "--height", 48)
    write(spare, [ground, ground])
    note = f"{spare}: nothing meets /terrains/1: no environment has it, and no ground that one has"
    out, table = tmp_path / "out", tmp_path / "table.csv"
    for arguments in (("plan", spare), ("run", spare, "--record", out), ("replay", out), ("validate", spare),
                      ("picture", spare, "-o", out),
                      ("view", spare, "-o", out), ("batch", spare, whole, "--summary-only", "--summary", table),
                      ("bench", "--scene", spare, "--device", "reference", "--json")):
        told = subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, check=False)
        of = note.replace(str(spare), str(out)) if arguments[0] == "replay" else note
        assert told.stderr.count("nothing meets") == 1 and f"oclide: {of}\n" in told.stderr, arguments
    # In the row of the table, also when it is read again.
    for _ in range(2):
        with table.open(encoding="utf-8", newline="") as lines:
            assert [(row["status"], row["message"]) for row in csv.DictReader(lines)] == [("done", note), ("done", "")]
        said = json.loads(run(command, "batch", spare, whole, "--summary-only", "--summary", table, "--resume",
                              "--json"))
        assert (said["done"], said["skipped"], said["noted"]) == (2, 2, 1)
    with pytest.warns(UserWarning, match="nothing meets /terrains/1"):
        row, = oclide.batch(spare, summary=table, summary_only=True, device="reference")
    assert row.status == "done" and row.message == note


def test_a_bench_checks_the_first_bodies_with_all_that_is_theirs(command, tmp_path):
    scene = tmp_path / "scene.h5"
    count = 24
    bodies = oclide.Bodies([oclide.Shape.SPHERE] * count, [[0.5, 0, 0]] * count, margin=[0.1] * count,
                           flags=[oclide.SENSOR] * count, excluded=[[0, 1], [2, 20]])
    position = np.zeros((1, count, 3))
    position[0, :, 0] = 1.05 * np.arange(count)
    oclide.write_scene(scene, oclide.Scene(bodies), position, np.tile([1.0, 0.0, 0.0, 0.0], (1, count, 1)))
    rows = json.loads(run(command, "bench", "--scene", scene, "--device", "reference", "--check", 10, "--json"))["rows"]
    assert len(rows) > 0
    for row in rows:  # with one core, and with all
        assert row["error"] == "" and row["checked"] and row["checked_bodies"] == 10
        assert row["contacts"] == count - 2
