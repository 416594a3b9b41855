"""Run the long tests of one area or of all, and print how long each area took.

Usage: python dev/long_tests.py [AREA...]
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LAB = "tests/lab"
# What each area holds: folders, and files of the lab.
AREAS: dict[str, tuple[str, ...]] = {
    "kube": ("tests/integration/kube",),
    "jobs": (
        "tests/integration/jobs",
        f"{LAB}/test_job_modules.py",
        f"{LAB}/test_killed_worker.py",
        f"{LAB}/test_sample_all_reduce.py",
        f"{LAB}/test_sample_parameter_server.py",
        f"{LAB}/test_sample_pytorchjob.py",
        f"{LAB}/test_sample_volcano.py",
    ),
    "gangs": ("tests/integration/gangs", f"{LAB}/test_gang.py"),
    "bundle": (
        "tests/integration/bundle",
        f"{LAB}/test_airgap.py",
        f"{LAB}/test_other_releases.py",
        f"{LAB}/test_used_from_artifact.py",
    ),
    "cluster": (
        "tests/integration/cluster",
        f"{LAB}/test_changed_settings.py",
        f"{LAB}/test_existing_cluster.py",
        f"{LAB}/test_hardening.py",
        f"{LAB}/test_verify_full.py",
    ),
    "nodes": (
        f"{LAB}/test_add_node.py",
        f"{LAB}/test_api_endpoint.py",
        f"{LAB}/test_bastion.py",
        f"{LAB}/test_control_planes.py",
        f"{LAB}/test_ipv6.py",
        f"{LAB}/test_node_role.py",
        f"{LAB}/test_one_machine.py",
        f"{LAB}/test_refusals.py",
        f"{LAB}/test_two_families.py",
        f"{LAB}/test_used_hosts.py",
    ),
    "kills": (f"{LAB}/test_kill_points.py",),
    "lab": (f"{LAB}/test_lab_itself.py", f"{LAB}/test_stopped_lab.py"),
    "debian13": ("tests/debian13",),
}
_NO_TESTS = 5


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in AREAS]
    if unknown:
        print(f"AREA={' '.join(unknown)}: must be some of {', '.join(AREAS)}. Correct it.", file=sys.stderr)
        return 2
    lines, failed = [], 0
    for name in names or AREAS:
        start = time.monotonic()
        print(f"\n=== {name}", flush=True)
        pytest = [sys.executable, "-m", "pytest", "-q", "-m", "long", "--durations=10", "--durations-min=15"]
        status = subprocess.run([*pytest, *AREAS[name]], cwd=ROOT, check=False).returncode
        verdict = {0: "passed", _NO_TESTS: "no long test"}.get(status, "FAILED")
        failed += verdict == "FAILED"
        lines.append(f"{name:<10} {time.monotonic() - start:6.0f} s  {verdict}")
    print("\n".join(["\n=== areas", *lines, f"{len(lines) - failed} passed, {failed} failed"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
