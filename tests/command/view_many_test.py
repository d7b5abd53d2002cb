#!/usr/bin/python3
"""The page of `oclide view` with 70,000 bodies: it loads, frames step, environments are filtered, a click finds a body.
What that took is said, and not judged: the time is that of a processor that draws.

  view_many_test.py OCLIDE [FOLDER]     FOLDER: leaves the page and pictures of it there, at 1200 and 420 pixels
Exit status 77 where there is no Chromium, or the command was built without three.js."""

import io
import os
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

TERRAIN = 0xFFFFFFFF
SPHERE, BOX, CYLINDER, CAPSULE = range(4)
COUNT, SIDE, FRAMES = 70000, 280, 2  # numbers beyond 65,535 need all three bytes of a colour
IN_SECOND = 70                       # the first bodies, which are in environment 1
WIDE = 1.4 * SIDE                    # of the terrain, which is wider than what lies on it
FAR = 50000.0


def write_scene(file):
    """A sheet of bodies, a metre apart, that lies on terrain; in frame 1 all are higher. Most are boxes: a processor that
    draws takes longer for others."""
    k = np.arange(COUNT)
    shape = np.select([k % 40 == 0, k % 40 == 1, k % 40 == 2], [SPHERE, CYLINDER, CAPSULE], BOX).astype(np.uint8)
    position = np.zeros((FRAMES, COUNT, 3))
    position[:, :, 0] = FAR + k % SIDE - SIDE / 2
    position[:, :, 1] = k // SIDE - SIDE / 2
    position[0, :, 2], position[1, :, 2] = 0.4, 3.4
    size = np.full((COUNT, 3), 0.4)
    size[shape == CAPSULE, 1] = 0.1
    with h5py.File(file, "w") as f:
        f.attrs["format"], f.attrs["version"] = "oclide-scene", 1
        f["terrains/0/heights"] = np.zeros((30, 30))
        f["terrains/0/heights"].attrs["origin"] = [FAR - WIDE / 2, -WIDE / 2]
        f["terrains/0/heights"].attrs["spacing"] = [WIDE / 29, WIDE / 29]
        f["environments/terrain"] = np.array([0, 0], np.int32)
        f["bodies/shape"], f["bodies/size"], f["bodies/position"] = shape, size, position
        f["bodies/orientation"] = np.tile([1.0, 0, 0, 0], (COUNT, 1))
        f["bodies/environment"] = (k < IN_SECOND).astype(np.uint32)
    return position


def write_contacts(file, position):
    """In frame 0 each body touches the ground; in frame 1 none touches anything."""
    with h5py.File(file, "w") as f:
        for name, value in (("format", "oclide-contacts"), ("version", 1), ("device", "d"), ("scene", "scene.h5")):
            f.attrs[name] = value
        f["frame_offset"] = np.array([0, COUNT, COUNT], np.uint64)
        f["contacts/body_a"] = np.arange(COUNT, dtype=np.uint32)
        f["contacts/point"] = position[0] - [0, 0, 0.4]
        f["contacts/normal"] = np.tile([0.0, 0, 1], (COUNT, 1))
        f["contacts/depth"] = np.full(COUNT, 0.003)
        for name, value in (("body_b", TERRAIN), ("element", TERRAIN), ("feature", 0), ("manifold", 0)):
            f["contacts/" + name] = np.full(COUNT, value, np.uint32)
        f["contacts/material"] = np.zeros(COUNT, np.uint8)


def check(page, position):
    times = []

    def done(what, start):
        times.append(f"{what} {time.monotonic() - start:.1f} s")

    def set_to(control, value, event):
        page.evaluate(f"{{ const c = document.getElementById('{control}'); c.value = '{value}';"
                      f" c.dispatchEvent(new Event('{event}')); }}")

    def state():
        return page.evaluate("oclideView.state()")

    def picture():
        return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)

    def text(selector):
        return page.evaluate(f"document.querySelector({selector!r}).innerText")

    def pixel(point):
        return [int(round(v)) for v in page.evaluate(f"oclideView.pixelAt({[float(v) for v in point]})")]

    start = time.monotonic()
    page.size(420, 300)
    page.open(PAGE)
    page.wait("document.documentElement.dataset.state !== 'loading'")
    assert page.evaluate("document.documentElement.dataset.state") == "ready"
    done("loaded in", start)

    # The environment of all but the first bodies; then all of them, drawn in a handful of calls.
    assert state()["environment"] == 0 and state()["parts"] == COUNT - IN_SECOND
    assert text("#summary") == "69,930 bodies of 70,000, 1 terrain, 69,930 contacts", text("#summary")
    start = time.monotonic()
    set_to("environment", 1, "change")
    assert state()["parts"] == state()["contacts"] == IN_SECOND
    set_to("environment", "", "change")
    assert state()["parts"] == state()["contacts"] == COUNT
    page.drawn()
    assert state()["calls"] < 10 and state()["triangles"] > 12 * COUNT, state()
    done("environments filtered in", start)

    # At first all of the terrain is in sight, and so many contacts do not cover the bodies.
    canvas = page.evaluate("(() => { const b = document.getElementById('canvas').getBoundingClientRect();"
                           " return [b.left, b.top, b.right, b.bottom]; })()")
    for x in (-1, 1):
        for y in (-1, 1):
            at = pixel([FAR + x * WIDE / 2, y * WIDE / 2, 0])
            assert canvas[0] <= at[0] <= canvas[2] and canvas[1] <= at[1] <= canvas[3], (at, canvas)
    assert not page.evaluate("show_through.checked || show_normals.checked")
    near = COUNT - 30 * SIDE - COUNT % 40  # a sphere
    middle = position[0, near]
    page.evaluate(f"oclideView.lookFrom({list(middle + [0, -0.01, 12])}, {list(middle)})")
    seen = picture()[tuple(pixel(middle + [0, 0, 0.4])[::-1])]
    blue = np.array([0x2f, 0x7f, 0xd6])
    assert near % 40 == 0 and np.abs(seen / seen.sum() - blue / blue.sum()).max() < 0.05, (near, seen)

    # A click finds the body, by a number of three bytes or fewer, and lists its contact.
    start = time.monotonic()
    for body in (COUNT - SIDE // 2, 40 * SIDE + 7):
        at = position[0, body]
        page.evaluate(f"oclideView.lookFrom({list(at + [0, -0.01, 12])}, {list(at)})")
        page.drawn()
        page.click(*pixel(at + [0, 0, 0.4]))
        assert state()["chosen"] == body, (state()["chosen"], body)
        assert text("#selection h3").startswith(f"body {body}: "), text("#selection h3")
        assert page.evaluate("document.querySelectorAll('[data-list=contacts] tbody tr').length") == 1
    done("two clicks in", start)

    start = time.monotonic()
    set_to("frame", 1, "input")
    page.wait("oclideView.state().frame === 1")
    assert state()["contacts"] == 0
    found = np.array(page.evaluate(f"oclideView.positionOf({COUNT - 1})"))
    assert np.abs(found - position[1, COUNT - 1]).max() < 0.01, found
    page.key("ArrowLeft")
    page.wait("oclideView.state().frame === 0")
    assert state()["contacts"] == COUNT
    done("two frames in", start)
    assert page.complaints == [], page.complaints
    if KEPT:
        for width in (1200, 420):
            page.size(width, 800)
            page.open(PAGE)
            page.wait("document.documentElement.dataset.state !== 'loading'")
            page.screenshot(os.path.join(KEPT, f"many_{width}.png"))
    print(f"{COUNT} bodies: " + ", ".join(times))


if __name__ == "__main__":
    COMMAND, KEPT = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    browser.need_viewer(COMMAND)
    with tempfile.TemporaryDirectory() as folder:
        at = [os.path.join(KEPT or folder, name) for name in ("many.h5", "many_contacts.h5", "many.html")]
        PAGE = at[2]
        placed = write_scene(at[0])
        write_contacts(at[1], placed)
        subprocess.run([COMMAND, "view", *at[:2], "-o", PAGE], check=True, stdout=subprocess.DEVNULL)
        with browser.Browser() as opened:
            check(opened, placed)
