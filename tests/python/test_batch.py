"""oclide.batch, and results as tables."""

import contextlib
import copy
import gc
import os
import pathlib
import pickle
import pty
import re
import resource
import subprocess
import sys
import time
import weakref

import numpy as np
import oclide
import pytest
from conftest import DEVICES, collider_with, heap, two_bodies

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "batches.md"


@pytest.fixture
def scenes(tmp_path):
    folder = tmp_path / "scenes"
    folder.mkdir()
    for k in range(4):
        scene, position, orientation = heap(20, seed=k + 1)
        oclide.write_scene(folder / f"{k}.h5", scene, [position, position + 0.01], orientation)
    (folder / "3.h5").write_text("no HDF5")
    return folder


def rows_of(table):
    return [[getattr(row, name) for name in oclide._oclide.batch_columns() if name != "milliseconds"] for row in table]


def test_batch_finds_what_collide_finds(scenes, tmp_path, device):
    seen = []
    table = oclide.batch(scenes, tmp_path / "out", device=device, on_row=lambda *row: seen.append(row))
    assert [(row.file, done, count)
            for row, done, count in seen] == [(row.file, k + 1, 4) for k, row in enumerate(table)]
    assert [row.message for row in table.failed] == [table[3].message] and "3.h5" in table[3].message
    assert table[3].contacts is None and len(table) == 4 and table.skipped == 0
    for row in table[:3]:
        file = oclide.read_scene(row.file)
        collider = collider_with(file.scene, device)
        hash = 0
        for position, orientation in file:
            hash = oclide.contact_hash(collider.collide(position, orientation), hash)
        assert row.contact_hash == f"{hash:016x}" and row.contacts > 0
        written = oclide.read_contacts(tmp_path / "out" / pathlib.Path(row.file).name)
        assert sum(len(contacts) for contacts in written) == row.contacts
    again = oclide.batch(scenes, tmp_path / "out", device=device, resume=True)
    assert again.skipped == 3 and rows_of(again) == rows_of(table)
    assert rows_of(pickle.loads(pickle.dumps(list(table)))) == rows_of(table)


def test_batch_that_is_interrupted_goes_on(scenes, tmp_path):
    def stop(row, done, count):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        oclide.batch(scenes, tmp_path / "out", device="reference", on_row=stop)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["0.h5", "1.h5", "summary.csv"]
    table = oclide.batch(scenes, tmp_path / "out", device="reference", resume=True)
    assert table.skipped == 2
    assert rows_of(table) == rows_of(oclide.batch(scenes, tmp_path / "other", device="reference"))


def test_reference_is_not_taken_silently(scenes, tmp_path):
    program = ("import sys, warnings, oclide; warnings.simplefilter('error')\n"
               "try: oclide.batch(sys.argv[1], sys.argv[2])\n"
               "except RuntimeWarning as warning: print(warning)")
    environment = {**os.environ, "OCL_ICD_VENDORS": str(tmp_path)}  # no driver
    done = subprocess.run([sys.executable, "-c", program, scenes, tmp_path / "out"], capture_output=True, text=True,
                          check=True, env=environment)
    assert done.stdout.startswith("there is no OpenCL device; the CPU reference") and not (tmp_path / "out").exists()


def test_batch_refuses_what_cannot_begin(scenes, tmp_path):
    for message, arguments in {"-o": {},
                               "is given twice": {"inputs": [scenes, scenes / "0.h5"], "output": tmp_path / "o"},
                               "no range": {"output": tmp_path / "o", "frames": "x"}}.items():
        with pytest.raises(oclide.InvalidInputError, match=message):
            oclide.batch(**{"inputs": scenes, **arguments})
    assert not (tmp_path / "o").exists()


def test_a_batch_becomes_the_same_table_everywhere(scenes, tmp_path):
    pandas, parquet = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.parquet")
    table = oclide.batch(scenes, device="reference", summary_only=True, summary=tmp_path / "t.csv")
    frame = table.to_pandas()
    assert frame.contacts.tolist()[:3] == [row.contacts for row in table[:3]] and frame.contacts.isna()[3]
    csv = pandas.read_csv(tmp_path / "t.csv", dtype={"contact_hash": str})
    assert csv.columns.tolist() == frame.columns.tolist() and csv.contact_hash[0] == table[0].contact_hash
    table.write_parquet(tmp_path / "t.parquet")
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist()[1]["max_depth"] == table[1].max_depth
    with pytest.raises(oclide.InvalidInputError, match="cannot be written"):
        table.write_parquet(tmp_path / "none" / "t.parquet")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(oclide.InvalidInputError, match="pipe: cannot be written: is not a regular file"):
        table.write_parquet(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    (tmp_path / "real.parquet").write_text("old")
    (tmp_path / "link.parquet").symlink_to("real.parquet")
    table.write_parquet(tmp_path / "link.parquet")
    assert (tmp_path / "link.parquet").is_symlink()
    assert parquet.read_table(tmp_path / "real.parquet").num_rows == len(table)


def test_programs_of_the_page_run(scenes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("pyarrow")
    exec(re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[0], names := {})
    assert names["table"].skipped == 0 and (tmp_path / "contacts.parquet").exists()


def test_slurm_array_of_the_page(scenes, tmp_path, command):
    array, join = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)[-2:]
    (tmp_path / "scenes.txt").write_text("".join(f"{path}\n" for path in sorted(scenes.iterdir())))
    environment = {**os.environ, "PATH": f"{os.path.dirname(command)}:{os.environ['PATH']}"}

    def run(script, **variables):
        return subprocess.run(["sh", "-c", script], cwd=tmp_path, env={**environment, **variables},
                              check=False).returncode

    assert [run(array, SLURM_ARRAY_TASK_ID=str(k)) for k in range(4)] == [1, 0, 0, 0]  # the file that is none fails
    assert run(join) == 0
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert len(lines) == 5 and sum(",done," in line for line in lines) == 3
    table = oclide.batch(scenes, tmp_path / "contacts", summary=tmp_path / "table.csv", resume=True)
    assert table.skipped == 3
    # Fewer files than tasks.
    (tmp_path / "scenes.txt").write_text(f"{scenes / '0.h5'}\n")
    assert [run(array, SLURM_ARRAY_TASK_ID=str(k)) for k in range(4)] == [0, 0, 0, 0]
    assert len(oclide.batch(tmp_path / "scenes.2.txt", tmp_path / "few", device="reference")) == 0
    assert len((tmp_path / "few" / "summary.csv").read_text().splitlines()) == 1


def test_many_small_files_in_one_process_with_the_time_left(tmp_path, command):
    """500 files take the processor at most 5 s more than one, which has the start and the kernels in it; measured: 3 s.
    On a terminal a line says how many are done and how long the others will take."""
    scene, position, orientation = heap(100)
    oclide.write_scene(tmp_path / "0.h5", scene, position, orientation)
    data = (tmp_path / "0.h5").read_bytes()
    (tmp_path / "scenes").mkdir()
    for k in range(500):
        (tmp_path / "scenes" / f"{k:03}.h5").write_bytes(data)

    def batch(inputs, out):
        main, its = pty.openpty()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with subprocess.Popen([command, "batch", inputs, "-o", tmp_path / out], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=its) as process:
            os.close(its)
            said = b""
            with contextlib.suppress(OSError):  # the end of a terminal
                while part := os.read(main, 65536):
                    said += part
        os.close(main)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert process.returncode == 0
        return said.decode(), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    batch(tmp_path / "0.h5", "first")  # compiles
    _, of_one = batch(tmp_path / "0.h5", "one")
    begin = time.monotonic()
    said, of_all = batch(tmp_path / "scenes", "all")
    assert of_all - of_one < 5.0
    assert re.search(r"\b[1-9]\d*/500\b", said), said[:300]
    if time.monotonic() - begin > 3.0:  # it says so after two seconds
        assert re.search(r"/500, \d+ s left", said), said[-300:]
    assert len(list((tmp_path / "all").glob("*.h5"))) == 500


def test_frames_iterate(device):
    scene, position, orientation = heap(30)
    frame = collider_with(scene, device).collide(position, orientation)
    assert [contact["feature"] for contact in frame] == frame.feature.tolist()
    assert frame[0] == frame.contacts[0] and frame[-1] == frame.contacts[-1]
    assert (frame[2:4] == frame.contacts[2:4]).all()
    with pytest.raises(IndexError):
        frame[len(frame)]
    assert repr(frame) == f"<oclide.Frame: {len(frame)} contacts of {frame.pairs} pairs>"


def test_frames_are_pickled_and_copied(device):
    scene, position, orientation = heap(30)
    collider = collider_with(scene, device, track=True)
    collider.update(position, orientation)
    frame = collider.update(position + 0.001, orientation)
    kept = frame.contacts.copy(), frame.events.copy(), frame.previous.copy()
    for same in (pickle.loads(pickle.dumps(frame)), copy.copy(frame), copy.deepcopy(frame)):
        assert (same.contacts == kept[0]).all() and (same.events == kept[1]).all()
        assert (same.previous == kept[2]).all() and len(same.events) > 0
        assert oclide.contact_hash(same) == oclide.contact_hash(frame)
        for name in ("pairs", "body_pairs", "candidates", "unreduced", "moved_bodies", "device_bytes"):
            assert getattr(same, name) == getattr(frame, name)
        assert repr(same.milliseconds) == repr(frame.milliseconds)
    state = frame.__getstate__()
    with pytest.raises(oclide.InvalidInputError, match="damaged"):
        frame.__class__.__new__(frame.__class__).__setstate__((state[0][1:], *state[1:]))


def test_frames_and_files_as_tables(tmp_path):
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    scene, position, orientation = two_bodies()
    collider = collider_with(scene, "reference")
    frames = [collider.collide(position, orientation), collider.collide(position + [0, 0, 9], orientation),
              collider.collide(position + [0, 0, 0.01], orientation)]
    table = frames[0].to_pandas()
    assert isinstance(table, pandas.DataFrame) and table.point_z.tolist() == frames[0].point[:, 2].tolist()
    assert table.normal_y.dtype == np.float32 and table.body_b.tolist() == frames[0].body_b.tolist()
    arrow = frames[0].to_arrow()
    assert arrow.schema.field("body_a").type == pyarrow.uint32() and arrow.to_pandas().equals(table)
    assert len(frames[1].to_pandas()) == 0
    oclide.write_contacts(tmp_path / "c.h5", frames)
    of_file = oclide.read_contacts(tmp_path / "c.h5").to_pandas()
    assert of_file.frame.tolist() == [0] * len(frames[0]) + [2] * len(frames[2])
    assert of_file[of_file.frame == 0].drop(columns="frame").equals(table)
    impacts = collider.sweep(position + [0, 0, 3], orientation, [[0, 0, -9]] * 2)
    assert impacts.to_pandas().time.tolist() == impacts.time.tolist() and impacts.to_arrow().num_rows == len(impacts)


def test_what_tables_need_is_named(monkeypatch):
    scene, position, orientation = two_bodies()
    frame = collider_with(scene, "reference").collide(position, orientation)
    for name in ("pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(oclide.InvalidInputError, match="pip install pandas"):
        frame.to_pandas()
    with pytest.raises(oclide.InvalidInputError, match="pip install pyarrow"):
        frame.to_arrow()


def test_compilations_are_told(device):
    with pytest.raises(oclide.InvalidInputError, match="on_compile"):
        oclide.Collider(device, on_compile=7)
    # In a process of its own: what this one has compiled is not compiled again.
    program = ("import sys, oclide; told = []; oclide.Collider(sys.argv[1], use_cache=False, "
               "on_compile=lambda device, kernels: told.append(kernels)); print(*told)")
    done = subprocess.run([sys.executable, "-c", program, device], capture_output=True, text=True, check=True)
    assert (len(done.stdout.split()) > 0) == (device != "reference")


def test_a_function_that_refers_to_its_collider_is_collected():
    class Told:
        def __call__(self, device, kernels):
            pass

    told = Told()
    told.collider = oclide.Collider("reference", on_compile=told)
    gone = weakref.ref(told)
    del told
    gc.collect()
    assert gone() is None


def test_what_a_function_raises_comes_out():
    opencl = [d for d in DEVICES if d != "reference"]
    if not opencl:
        pytest.skip("no OpenCL device")
    program = ("import sys, oclide\ndef refuse(device, kernels): raise KeyError(kernels)\n"
               "try: oclide.Collider(sys.argv[1], use_cache=False, on_compile=refuse)\n"
               "except KeyError as error: print(error)")
    done = subprocess.run([sys.executable, "-c", program, opencl[0]], capture_output=True, text=True, check=True)
    assert "arithmetic_check" in done.stdout
