"""Every test belongs to one area of the long tests."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

from dev import long_tests
from tests.support.paths import ROOT


def test_each_test_file_is_in_one_area() -> None:
    folders = ("integration/*", "lab", "debian13")
    files = [path for folder in folders for path in ROOT.glob(f"tests/{folder}/test_*.py")]
    assert len(files) > 50
    places = [ROOT / place for places in long_tests.AREAS.values() for place in places]
    found = Counter({path: sum(path == place or place in path.parents for place in places) for path in files})
    assert {str(path.relative_to(ROOT)): number for path, number in found.items() if number != 1} == {}
    assert [str(place) for place in places if not place.exists()] == []


def test_an_unknown_area_is_refused() -> None:
    command = [sys.executable, "dev/long_tests.py", "gang"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("AREA=gang: must be some of kube, ")
