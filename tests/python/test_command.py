"""The package and the command find the same, bit for bit."""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import oclide
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
