"""Run every tier that CI runs, those that mostly wait beside those that compute.

Two lanes share the two cores: one holds the lab, the other everything else. Each line of output begins with its tier.
The first failure ends the run. At the end stand each tier's time and the slowest tests. Needs no more than Python 3.11.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIRST = ("setup",)
# The lab waits for its nodes most of the time; meanwhile the other lane has the processors.
LANES = (("bundle", "test-lab"), ("lint", "unit", "sanity", "artifact", "test-api", "test-debian13"))
# What a tier needs of the other lane.
NEEDS = {"test-api": "bundle"}
SLOWEST = 10
HEARTBEAT_S = 300


@dataclass
class Tier:
    """One `make` target. state: waiting, running, passed, FAILED or stopped."""

    name: str
    state: str = "waiting"
    seconds: float = 0.0
    ended: threading.Event = field(default_factory=threading.Event)


class Tests:
    """All tiers of one run. durations: folder into which pytest writes how long each test took."""

    def __init__(self, durations: Path) -> None:
        self.tiers = {name: Tier(name) for lane in (FIRST, *LANES) for name in lane}
        self._environment = {**os.environ, "TRAINYARD_DURATIONS": str(durations)}
        self._begin = time.monotonic()
        self._processes: list[subprocess.Popen[str]] = []
        self._failed = threading.Event()
        self._lock = threading.Lock()

    def run(self) -> bool:
        """Run all tiers. Return True if all passed."""
        self._run_lane(FIRST)
        lanes = [threading.Thread(target=self._run_lane, args=(lane,), daemon=True) for lane in LANES]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            while lane.is_alive():
                lane.join(HEARTBEAT_S)
                self._report(", ".join(f"{tier.name} {tier.state}" for tier in self.tiers.values()))
        return all(tier.state == "passed" for tier in self.tiers.values())

    def stop(self) -> None:
        """End what still runs, each tier with all that it has started."""
        self._failed.set()
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)

    def _run_lane(self, lane: tuple[str, ...]) -> None:
        for name in lane:
            if name in NEEDS:
                self.tiers[NEEDS[name]].ended.wait()
            if not self._failed.is_set():
                self._run_tier(self.tiers[name])
            self.tiers[name].ended.set()

    def _run_tier(self, tier: Tier) -> None:
        tier.state, start = "running", time.monotonic()
        self._report(f"{tier.name} begins")
        process = subprocess.Popen(
            ["make", "--no-print-directory", tier.name],
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._processes.append(process)
        assert process.stdout is not None
        for line in process.stdout:
            self._print(f"[{tier.name}] {line.rstrip()}")
        status = process.wait()
        tier.seconds = time.monotonic() - start
        tier.state = "passed" if status == 0 else "stopped" if self._failed.is_set() else "FAILED"
        self._report(f"{tier.name} {tier.state} ({tier.seconds:.0f} s)")
        if tier.state == "FAILED":
            self.stop()

    def _report(self, text: str) -> None:
        minutes, seconds = divmod(int(time.monotonic() - self._begin), 60)
        self._print(f"\n=== {minutes} min {seconds:02d} s: {text}")

    def _print(self, line: str) -> None:
        with self._lock:
            print(line, flush=True)


def find_slowest(folder: Path) -> list[tuple[float, str]]:
    """Return seconds and name of the slowest tests of all tiers."""
    tests = [each for path in folder.glob("*.json") for each in json.loads(path.read_text()).items()]
    return sorted(((seconds, name) for name, seconds in tests), reverse=True)[:SLOWEST]


def main() -> int:
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="trainyard-durations-") as folder:
        tests = Tests(Path(folder))
        # Each tier is a session of its own, so that a signal to this one reaches none of them.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            passed = tests.run()
        except KeyboardInterrupt:
            tests.stop()
            return 130
        print("\n=== slowest tests")
        for seconds, name in find_slowest(Path(folder)):
            print(f"{seconds:7.1f} s  {name}")
    print("\n=== tiers")
    for tier in tests.tiers.values():
        print(f"{tier.name:<14} {tier.seconds:5.0f} s  {tier.state}")
    print(f"{'all':<14} {time.monotonic() - begin:5.0f} s")
    good = sum(tier.state == "passed" for tier in tests.tiers.values())
    print(f"{good} passed, {len(tests.tiers) - good} failed")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
