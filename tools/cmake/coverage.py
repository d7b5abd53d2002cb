"""Which lines of the library and of the tools the tests ran, of a build with GCC's --coverage.

coverage.py ROOT BUILD GCOV    ROOT: the sources. Prints a line a folder; BUILD/coverage.txt has the lines that no test
                               ran, by file.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT, BUILD, GCOV = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
FOLDERS = ("host", "include", "tools")


def counts_of(notes):
    """((file, line), count) of one object; of a template as often as it has instances."""
    said = subprocess.run([GCOV, "--json-format", "--stdout", notes], capture_output=True, text=True, check=True).stdout
    for text in said.splitlines():
        made = json.loads(text)
        for file in made["files"]:
            path = os.path.normpath(os.path.join(made["current_working_directory"], file["file"]))
            if not path.startswith(tuple(f"{ROOT}/{folder}/" for folder in FOLDERS)):
                continue
            for line in file["lines"]:
                yield (path[len(str(ROOT)) + 1:], line["line_number"]), line["count"]


def ranges(lines):
    """1, 2, 3 and 7 as "1-3 7"."""
    found = []
    for line in sorted(lines):
        if found and line == found[-1][1] + 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


# Tests have parts of the headers in them.
notes = sorted(f for folder in (*FOLDERS, "tests") for f in (BUILD / folder).rglob("*.gcno"))
if not any(f.with_suffix(".gcda").exists() for f in notes):
    sys.exit(f"coverage: {BUILD} is no build of the preset coverage whose tests were run")
ran = collections.Counter()
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for counts in pool.map(lambda note: list(counts_of(note)), notes):
        for line, count in counts:
            ran[line] += count

by_folder = collections.defaultdict(lambda: [0, 0])
missed = collections.defaultdict(list)
for (file, line), count in ran.items():
    for total in (by_folder[str(pathlib.PurePath(file).parent)], by_folder["all"]):
        total[0] += count > 0
        total[1] += 1
    if count == 0:
        missed[file].append(line)
(BUILD / "coverage.txt").write_text("".join(f"{file}: {ranges(missed[file])}\n" for file in sorted(missed)))
for folder, (done, lines) in sorted(by_folder.items()):
    print(f"{folder}: {done} of {lines} lines, {100 * done / lines:.1f} %")
