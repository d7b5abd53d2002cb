#!/usr/bin/python3
"""The page of `oclide bench` in a headless Chromium: tables have room, and no section is empty.

  bench_page_test.py OCLIDE ROWS.json
Exit status 77 where there is no Chromium, or the command was built without Chart.js."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

WIDER = """[...document.querySelectorAll("table")].filter((t) =>
  t.getBoundingClientRect().right > t.parentNode.getBoundingClientRect().right + 1).length"""


def main():
    if browser.chromium() is None:
        print("skipped: there is no Chromium (Debian: chromium)")
        return 77
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        file = os.path.join(folder, "page.html")
        made = subprocess.run([sys.argv[1], "bench", "--rows", sys.argv[2], "--rows-only", "-o", file],
                              capture_output=True, text=True)
        if "has no plots" in made.stderr:
            print("skipped: the command was built without Chart.js")
            return 77
        assert made.returncode == 0, made.stderr
        for width in (420, 1200):
            page.size(width, 900)
            page.open(file)
            page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            page.drawn()
            found = page.evaluate("({ids: [...document.querySelectorAll('section')].map((s) => s.id),"
                                  " tables: document.querySelectorAll('table').length,"
                                  " page: document.documentElement.scrollWidth})")
            assert found["tables"] > 5, found
            assert found["page"] == width, found
            assert page.evaluate(WIDER) == 0, f"{page.evaluate(WIDER)} tables are wider than there is room at {width}"
            # No row of this file has a measured copy bandwidth.
            assert found["ids"] == ["legend", "scaling", "stages", "break_even", "table"], found
            assert page.evaluate("document.querySelectorAll('table.blocks').length") > 0
            # Nothing but a dash in a column: the column is left out.
            assert page.evaluate("[...document.querySelectorAll('#table th')].every((h, k) => "
                                 "[...document.querySelectorAll('#table tbody tr')]"
                                 ".some((r) => !['–', ''].includes(r.cells[k].textContent)))")
        assert page.complaints == [], page.complaints
    return 0


if __name__ == "__main__":
    sys.exit(main())
