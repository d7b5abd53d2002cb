#!/usr/bin/python3
"""The page of `oclide view` in a headless Chromium: what is drawn where, what a click lists, what the controls change.

  view_page_test.py OCLIDE [FOLDER]     FOLDER: leaves the pages and pictures of them there
Exit status 77 where there is no Chromium, or the command was built without three.js."""

import io
import os
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np
from PIL import Image

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

TERRAIN, NOTHING = 0xFFFFFFFF, 0xFFFFFFFE
SPHERE, BOX, CYLINDER, CAPSULE, HULL, HALF_SPACE, COMPOUND, MESH = range(8)
WIDER = "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth).length"
EVIL = "<img src=x onerror='boom()'></script><b>"
ORIGIN = np.array([5000.0, -3000.0, 100.0])  # a float there has steps of half a millimetre


def write_scene(file):
    """A row of bodies along x, 4 m apart, over terrain with a hole and a vertex without data; another environment."""
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    shapes = [SPHERE, BOX, CYLINDER, CAPSULE, HULL, COMPOUND, MESH, HALF_SPACE, SPHERE]
    sizes = [(1, 0, 0), (1, 1, 1), (1, 1, 0), (0.8, 0.7, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), (1, 0, 0)]
    position = np.zeros((3, len(shapes), 3))
    position[:, :, 0] = 4.0 * np.arange(len(shapes))
    position[:, :, 2] = 1.0
    position[:, 7] = (0, 0, -3.0)
    position[:, 8] = (8, 0, 1.0)  # in environment 1, where the cylinder is in environment 0
    position[1, :7, 2] = 4.0  # in frame 1 they are higher
    position += ORIGIN
    displacement = np.zeros((len(shapes), 3))
    displacement[0] = (0, 0, 6.0)
    with h5py.File(file, "w") as f:
        f.attrs["format"], f.attrs["version"] = "oclide-scene", 1
        heights = np.zeros((9, 41))
        heights[8, 0] = np.nan
        f["terrains/0/heights"] = heights
        f["terrains/0/heights"].attrs["origin"] = ORIGIN[:2] + [-6.0, -4.0]
        f["terrains/0/heights"].attrs["spacing"] = [1.0, 1.0]
        f["terrains/0/heights"][...] = heights + ORIGIN[2]
        holes = np.zeros((8, 40), np.uint8)
        holes[1, 8] = 1
        f["terrains/0/holes"] = holes
        f["environments/terrain"] = np.array([0, -1], np.int32)
        f["hulls/0/vertices"] = np.concatenate([cube, [[0, 0, 1.2]]])
        f["meshes/0/vertices"] = np.array([[-1, -1, -1], [1, -1, -1], [1, -1, 1], [-1, -1, 1]], float)
        f["meshes/0/triangles"] = np.array([[0, 1, 2], [0, 2, 3]], np.uint32)
        f["meshes/0/material"] = np.array([0, 1], np.uint8)
        f["compounds/0/shape"] = np.array([BOX, BOX], np.uint8)
        f["compounds/0/size"] = np.array([[0.4, 0.4, 1.0], [0.4, 0.4, 1.0]])
        f["compounds/0/position"] = np.array([[-0.6, 0, 0], [0.6, 0, 0]])
        f["compounds/0/orientation"] = np.array([[1.0, 0, 0, 0]] * 2)
        f["bodies/shape"], f["bodies/size"] = np.array(shapes, np.uint8), np.array(sizes, float)
        f["bodies/position"], f["bodies/displacement"] = position, displacement
        f["bodies/orientation"] = np.tile([1.0, 0, 0, 0], (len(shapes), 1))
        f["bodies/environment"] = np.array([0] * 8 + [1], np.uint32)
        f["bodies/flags"] = np.array([0, 0, 0, 6, 1, 0, 0, 0, 0], np.uint32)  # a sensor that meets no terrain; static
        f["rays/origin"] = ORIGIN + [[0, 0, 9], [2, -2, 9]]
        f["rays/direction"] = np.array([[0, 0, -1.0], [0, 0, 1.0]])
    return position


def write_touches(f, group, rows, extra):
    """Contacts or impacts: (frame, body_a, body_b, point, extra)."""
    offsets = np.searchsorted([r[0] for r in rows], range(4)).astype(np.uint64)
    f[f"{group}frame_offset".replace("contacts/", "")] = offsets
    f[f"{group}body_a"], f[f"{group}body_b"] = (np.array([r[k] for r in rows], np.uint32) for k in (1, 2))
    f[f"{group}point"] = np.array([r[3] for r in rows], float).reshape(-1, 3)
    f[f"{group}normal"] = np.tile([0.0, 0, 1], (len(rows), 1))
    f[f"{group}{extra}"] = np.array([r[4] for r in rows], float)
    for name in ("feature", "manifold")[: 1 if group == "impacts/" else 2]:
        f[f"{group}{name}"] = np.zeros(len(rows), np.uint32)
    f[f"{group}element"] = np.array([TERRAIN] * (len(rows) - 1) + [7], np.uint32)
    f[f"{group}material"] = np.zeros(len(rows), np.uint8)


def write_contacts(file):
    at = lambda *p: ORIGIN + p  # noqa: E731
    contacts = [(0, 0, TERRAIN, at(0, 0, 0), 0.002), (0, 1, 0, at(2, 0, 1), 0.0105),
                (0, 1, TERRAIN, at(4, 0, 0), 0.001),
                (0, 1, TERRAIN, at(4, 1, 0), -0.001), (2, 2, TERRAIN, at(8, 0, 0), 0.003)]
    impacts = [(0, 0, 4, at(0, 0, 4), 0.5), (2, 0, TERRAIN, at(0, 0, 0), 0.0)]
    with h5py.File(file, "w") as f:
        for name, value in (("format", "oclide-contacts"), ("version", 1), ("device", EVIL), ("scene", "scene.h5")):
            f.attrs[name] = value
        write_touches(f, "contacts/", contacts, "depth")
        f["contacts/flags"] = np.array([0, 1, 0, 0, 0], np.uint8)
        write_touches(f, "impacts/", impacts, "time")


def write_hits(file):
    with h5py.File(file, "w") as f:
        for name, value in (("format", "oclide-hits"), ("version", 1), ("device", "d"), ("scene", "scene.h5")):
            f.attrs[name] = value
        f["hits/distance"] = np.tile([7.0, np.inf], (3, 1))
        f["hits/body"] = np.tile(np.array([0, NOTHING], np.uint32), (3, 1))
        f["hits/point"] = np.tile([ORIGIN + [0, 0, 2], [0, 0, 0]], (3, 1, 1))
        f["hits/normal"] = np.tile([[0.0, 0, 1], [0, 0, 0]], (3, 1, 1))
        f["hits/element"] = np.full((3, 2), TERRAIN, np.uint32)
        f["hits/material"] = np.zeros((3, 2), np.uint8)


def write_paths(file):
    with h5py.File(file, "w") as f:
        for name, value in (("format", "oclide-paths"), ("version", 1), ("device", "d"), ("scene", "scene.h5")):
            f.attrs[name] = value
        f["paths/offset"] = np.array([0, 3], np.uint64)
        f["paths/point"] = ORIGIN + [[4.0, -3, 4], [6, -3, 0.1], [8, -3, 4]]
        f["paths/normal"] = np.array([[0.0, 0, 0], [0, 0, 1], [0, 0, 0]])
        f["paths/body"] = np.array([NOTHING, TERRAIN, NOTHING], np.uint32)
        f["paths/displacement"] = np.zeros((1, 3))


class ViewPage(unittest.TestCase):
    @classmethod
    def at(cls, name):
        return os.path.join(KEPT or cls.folder.name, name)

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        at = cls.at
        cls.position = write_scene(at("scene & <i>.h5"))
        write_contacts(at("contacts.h5"))
        write_hits(at("hits.h5"))
        write_paths(at("paths.h5"))
        subprocess.run([COMMAND, "view", at("scene & <i>.h5"), at("contacts.h5"), "--hits", at("hits.h5"), "--paths",
                        at("paths.h5"), "-o", at("view.html")], check=True, stdout=subprocess.DEVNULL)
        cls.page = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.folder.cleanup()

    def setUp(self):
        self.page.complaints.clear()
        if self.page.evaluate("innerWidth") != 1200 or not self.page.evaluate("'oclideView' in window"):
            self.open(1200, 800)
        # Opening takes longest: a page that was used is brought back to its beginning.
        self.page.evaluate("for (const box of document.querySelectorAll('#switches input')) "
                           "if (!box.checked) box.click()")
        self.page.key("Escape")
        self.set("frame", 0)
        self.set("moment", 0)
        self.set("environment", 0, "change")
        self.page.wait("oclideView.state().frame === 0")

    def tearDown(self):
        self.assertEqual(self.page.complaints, [])
        self.assertEqual([r for r in self.page.requests if not r.startswith(("file:", "data:", "blob:"))], [])

    def open(self, width, height, dark=False):
        self.page.size(width, height, dark)
        self.page.open(self.at("view.html"))
        self.page.wait("document.documentElement.dataset.state !== 'loading'")
        self.assertEqual(self.page.evaluate("document.documentElement.dataset.state"), "ready")

    def picture(self, name="picture"):
        data = self.page.screenshot(self.at(name + ".png") if KEPT else None)
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)

    def state(self):
        return self.page.evaluate("oclideView.state()")

    def text(self, selector):
        return self.page.evaluate(f"document.querySelector({selector!r}).innerText")

    def pixel(self, point):
        return [int(round(v)) for v in self.page.evaluate(f"oclideView.pixelAt({[float(v) for v in point]})")]

    def switch(self, *names):
        for name in names:
            self.page.evaluate(f"document.getElementById('show_{name}').click()")

    def set(self, control, value, event="input"):
        self.page.evaluate(f"{{ const c = document.getElementById('{control}'); c.value = '{value}';"
                           f" c.dispatchEvent(new Event('{event}')); }}")

    def look_at_row(self):
        """From the front, far off, so that all of the row is seen; the bodies alone."""
        self.page.evaluate(f"oclideView.lookFrom({list(ORIGIN + [12.0, -38, 6])}, {list(ORIGIN + [12.0, 0, 1])})")
        self.switch("contacts", "impacts", "ways", "rays", "paths")

    def test_every_shape_is_drawn_where_it_is_in_its_colour(self):
        self.look_at_row()
        picture = self.picture("row")
        hue = {SPHERE: (0x2f, 0x7f, 0xd6), BOX: (0xf2, 0x8e, 0x2b), CYLINDER: (0x2f, 0x9e, 0x44),
               CAPSULE: (0x9c, 0x4f, 0xc4), HULL: (0xb0, 0x8d, 0x57)}
        pale = lambda c: 0.5 * np.array(c) + 82.5  # noqa: E731
        sensor = 0.45 * np.array(hue[CAPSULE]) + 0.55 * np.array([0x6c, 0xbf, 0x1d])
        expected = {0: hue[SPHERE], 1: hue[BOX], 2: pale(hue[CYLINDER]), 3: sensor,
                    4: hue[HULL]}  # the last one is static
        for body, colour in expected.items():
            x, y = self.pixel(self.position[0, body])
            found = picture[y, x] / picture[y, x].sum()
            self.assertLess(np.abs(found - np.array(colour) / np.sum(colour)).max(), 0.03, body)
        # The compound is a box on either side, and ground or sky between them; the mesh has two materials.
        x = [self.pixel(self.position[0, 5] + [dx, 0, 0.6]) for dx in (-0.6, 0.6, 0.0)]
        left, right, between = (picture[y, x] for x, y in x)
        self.assertLess(np.abs(left - right).max(), 12)
        self.assertGreater(np.abs(left - between).max(), 25)
        low = picture[tuple(self.pixel(self.position[0, 6] + [0.6, -1, -0.5])[::-1])]
        high = picture[tuple(self.pixel(self.position[0, 6] + [-0.6, -1, 0.5])[::-1])]
        self.assertGreater(np.abs(low - high).max(), 20)

    def test_terrain_ends_at_holes_and_where_there_is_no_data(self):
        self.look_at_row()
        self.page.evaluate(f"oclideView.lookFrom({list(ORIGIN + [2.0, -3, 30])}, {list(ORIGIN + [2.0, -2, 0])})")
        picture = self.picture("holes")
        colour = lambda x, y: picture[tuple(self.pixel(ORIGIN + [x - 6.0, y - 4.0, 0])[::-1])]  # noqa: E731
        solid = colour(9.5, 0.5)
        self.assertLess(np.abs(colour(6.5, 1.5) - solid).max(), 12)
        self.assertGreater(np.abs(colour(8.5, 1.5) - solid).max(), 12)  # the hole; the half space lies under it
        self.assertGreater(np.abs(colour(0.7, 7.3) - solid).max(), 12)  # two corners of this cell have heights
        self.assertLess(np.abs(colour(0.7, 6.3) - solid).max(), 12)

    def test_a_click_lists_the_bodys_contacts(self):
        self.look_at_row()
        self.page.click(*self.pixel(self.position[0, 1]))
        self.assertEqual(self.state()["chosen"], 1)
        self.assertEqual(self.text("#selection h3"), "body 1: box")
        rows = self.page.evaluate("[...document.querySelectorAll('[data-list=contacts] tbody tr')].map((r) =>"
                                  " [...r.cells].slice(0, 2).map((c) => c.innerText))")
        self.assertEqual(rows, [["body 0\nof a sensor", "10.5"], ["terrain", "1.000"], ["terrain", "-1.000"]])
        self.assertEqual(self.page.evaluate(WIDER), 0)
        # On to the other body of the deepest one, which has an impact too; its point is where the file has it.
        self.page.evaluate("document.querySelector('[data-list=contacts] button').click()")
        self.assertEqual(self.text("#selection h3"), "body 0: sphere")
        self.assertIn("1 impact", self.text("#selection"))
        self.assertIn("5002.000, -3000.000, 101.000", self.text("#selection"))
        self.assertLess(np.abs(np.array(self.page.evaluate("oclideView.positionOf(0)")) - self.position[0, 0]).max(),
                        1e-5)
        # Flags in words, and contacts of a sensor.
        cells = self.page.evaluate("[...document.querySelectorAll('[data-list=contacts] tbody tr')].map((r) =>"
                                   " r.cells[0].innerText)")
        self.assertEqual(cells, ["body 1\nof a sensor", "terrain"])
        self.set("body", 3, "change")
        self.assertIn("sensor, does not meet terrain", self.text("#selection"))
        self.set("body", 4, "change")
        self.assertIn("static", self.text("#selection"))
        self.assertIn("1 sensor, and contacts of these", self.text("#legend"))
        # The sky is nobody.
        self.page.click(300, 30)
        self.assertEqual(self.state()["chosen"], -1)
        self.assertEqual(self.text("#selection"), "")

    def test_controls_change_the_frame(self):
        self.look_at_row()
        self.assertEqual(self.text("#summary"), "8 bodies of 9, 1 terrain, 4 contacts, 1 impact, 0 rays")
        before, (x, y) = self.picture(), self.pixel(self.position[0, 3])
        self.set("frame", 1)
        self.page.wait("oclideView.state().frame === 1")
        self.assertEqual(self.text("#frame_text"), "1 of 3")
        self.assertGreater(np.abs(self.picture("frame_1")[y, x] - before[y, x]).max(), 25)
        up = self.pixel(self.position[1, 3])
        self.assertLess(up[1], y - 20)
        self.page.key("ArrowRight")
        self.page.wait("oclideView.state().frame === 2")
        self.page.key("ArrowRight")  # there is no further one
        self.assertEqual(self.state()["frame"], 2)
        self.assertEqual(self.state()["contacts"], 1)
        self.set("body", 2, "change")
        self.assertIn("terrain\ntriangle 7", self.text("#selection"))
        self.page.evaluate("document.activeElement.blur()")
        self.page.key("ArrowLeft")
        self.page.wait("oclideView.state().frame === 1")
        self.assertEqual(self.state()["contacts"], 0)

    def test_bodies_move_within_a_frame(self):
        self.assertEqual(self.state()["impacts"], 1)
        self.set("moment", 0.25)
        self.assertAlmostEqual(self.page.evaluate("oclideView.positionOf(0)")[2], ORIGIN[2] + 2.5, places=5)
        self.assertEqual((self.state()["impacts"], self.state()["contacts"]), (0, 0))
        self.set("moment", 0.5)
        self.assertEqual(self.state()["impacts"], 1)
        self.page.evaluate("document.activeElement.blur()")
        self.page.key(" ")
        self.page.wait("oclideView.state().moment > 0.55")
        self.page.key(" ")
        self.assertFalse(self.state()["playing"])

    def test_environments_are_filtered(self):
        self.assertEqual(self.state()["environment"], 0)
        self.assertEqual(self.state()["parts"], 10)  # two of the compound, two materials of the mesh
        self.assertIn("1 sphere\n1 box", self.text("#legend"))
        self.set("environment", 1, "change")
        self.assertEqual(self.state()["parts"], 1)
        self.assertIn("1 sphere\n0 boxes", self.text("#legend"))
        self.assertEqual(self.state()["contacts"], 0)
        self.set("environment", "", "change")
        self.assertEqual(self.state()["parts"], 11)
        self.set("body", 8, "change")
        self.assertEqual(self.text("#selection h3"), "body 8: sphere")

    def test_contacts_rays_and_paths_are_seen(self):
        self.look_at_row()
        before = self.picture()
        for name, point in (("contacts", [4, 1, 0]), ("impacts", [0, 0, 4]), ("rays", [0, 0, 5.5]),
                            ("paths", [5, -3, 2.05])):
            self.switch(name)
            after = self.picture("with_" + name)
            x, y = self.pixel(ORIGIN + point)
            changed = np.abs(after - before).max(2)[y - 6:y + 7, x - 6:x + 7]
            self.assertGreater(changed.max(), 40, name)
            self.switch(name)
        self.assertEqual(np.abs(self.picture() - before).max(), 0)

    def test_texts_of_files_stay_texts(self):
        self.assertEqual(self.text("#title"), "scene & <i>.h5")
        self.assertIn(EVIL, self.text("#notes"))
        self.assertEqual(self.page.evaluate("document.querySelectorAll('img, b, i').length"), 0)

    def test_it_is_readable_on_a_phone_and_in_the_dark(self):
        light = self.picture("wide_light")
        self.open(420, 800, dark=True)
        self.page.click(*self.pixel(self.position[0, 1]))
        dark = self.picture("narrow_dark")
        self.assertLess(dark[5, 5].sum(), 200)
        self.assertGreater(light[5, 5].sum(), 600)
        self.assertEqual(self.page.evaluate("document.documentElement.scrollWidth"), 420)
        self.assertLessEqual(self.page.evaluate("document.getElementById('panel').scrollWidth"), 420)
        self.assertEqual(self.page.evaluate(WIDER), 0)
        small = self.page.evaluate("[...document.querySelectorAll('#panel *')].filter((e) => e.innerText &&"
                                   " parseFloat(getComputedStyle(e).fontSize) < 13).length")
        self.assertEqual(small, 0)


if __name__ == "__main__":
    COMMAND, KEPT = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    browser.need_viewer(COMMAND)
    unittest.main(argv=sys.argv[:1], verbosity=2)
