# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that a user has set for the run as a whole: versions, ways to choose from, certificates."""

from __future__ import annotations

from typing import Any, List, Mapping, Sequence, Tuple

from ...module_utils._common.problem import Problem, Rule

# What the options that name one way of several may hold.
CHOICES: Mapping[str, Tuple[str, ...]] = {
    "mlstack_api_load_balancer": ("local", "none"),
    "mlstack_bundle_source": ("upstream", "build", "auto"),
    # No release has a version of Kubernetes that kube_batch runs on: it is for clusters that others made.
    "mlstack_gang_scheduler": ("native", "volcano", "none"),
    "mlstack_packages": ("host", "bundle"),
    "mlstack_pod_network": ("flannel", "routes", "none"),
    "mlstack_shared_volume_backend": ("hostpath", "claim"),
    "mlstack_verify": ("quick", "full"),
    "mlstack_samples": (
        "tfjob_parameter_server",
        "tfjob_all_reduce",
        "pytorchjob_all_reduce",
        "volcano_job_parameter_server",
    ),
}

NUMBER = Rule(
    "{name}",
    "a version must be text, a number loses the zeros at its end",
    'Put it in quotes, {name}: "{meant}"; on a host line of an INI inventory {name}=\'"{meant}"\'',
)
CHOICE = Rule("{name}", "it must be one of: {known}", "Correct it in the inventory")
NO_FILE = Rule(
    "mlstack_ca_certificates", "there is no such file that can be read on the controller", "Correct the path"
)
PRIVATE_KEY = Rule(
    "mlstack_ca_certificates",
    "it holds a private key, which must not travel to the nodes",
    "Keep only the certificate in it",
)
NOT_PEM = Rule(
    "mlstack_ca_certificates",
    "it must hold a certificate in PEM form",
    "Convert it: openssl x509 -inform der -in <file> -out <file>.pem",
)


def checks(facts: Mapping[str, Any], options: Mapping[str, Any]) -> List[Problem]:
    """Return what is wrong with the values.

    facts: `releases`, the names of the known releases, and `files`, path -> text (None: unreadable) of the files on the
        controller that options name.
    options: `versions` (variable -> value), `choices` (variable -> value or list of values), `ca_certificates` (paths).
    """
    problems = number_problems(options["versions"], facts["releases"])
    problems += _choices(options["choices"])
    problems += _certificates(options["ca_certificates"], facts["files"])
    return problems


def number_problems(versions: Mapping[str, Any], releases: Sequence[str]) -> List[Problem]:
    """Return a problem for each version that YAML or the INI reader took for a number: 2026.10 would become 2026.1."""
    problems = []
    for name, value in sorted(versions.items()):
        if isinstance(value, str):
            continue
        meant = next((release for release in releases if _same_number(release, value)), str(value))
        problems.append(NUMBER.broken(repr(value), name=name, meant=meant))
    return problems


def _same_number(text: str, number: Any) -> bool:
    try:
        return bool(float(text) == number)
    except ValueError:
        return False


def _choices(choices: Mapping[str, Any]) -> List[Problem]:
    problems = []
    for name, given in sorted(choices.items()):
        for value in given if isinstance(given, list) else [given]:
            if value not in CHOICES[name]:
                known = ", ".join(CHOICES[name])
                problems.append(CHOICE.broken(value, name=name, known=known))
    return problems


def _certificates(paths: Sequence[str], files: Mapping[str, Any]) -> List[Problem]:
    problems = []
    for path in paths:
        text = files[path]
        if text is None:
            problems.append(NO_FILE.broken(path))
        elif "PRIVATE KEY-----" in text:
            problems.append(PRIVATE_KEY.broken(path))
        elif "-----BEGIN CERTIFICATE-----" not in text:
            problems.append(NOT_PEM.broken(path))
    return problems
