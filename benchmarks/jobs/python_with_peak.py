"""Run Python as Ansible asks and note the largest memory that the module's process had, in the file PEAK_FILE."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

status = subprocess.call([sys.executable, *sys.argv[1:]])
with open(os.environ["PEAK_FILE"], "a", encoding="utf-8") as log:
    log.write(f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss}\n")
sys.exit(status)
