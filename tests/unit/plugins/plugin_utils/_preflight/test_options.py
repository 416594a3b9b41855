# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of options of the whole run."""

from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._preflight import options as checks_options
from tests.unit.plugins.plugin_utils._preflight.good_facts import lines


class TestOptions:
    """Values of the run as a whole."""

    GOOD = {"versions": {"mlstack_release": "2026.11"}, "choices": {}, "ca_certificates": []}
    FACTS = {"releases": ["2026.10", "2026.11"], "files": {}}

    def test_good(self) -> None:
        assert checks_options.checks(self.FACTS, self.GOOD) == []

    @pytest.mark.parametrize(
        ("name", "value", "quoted"),
        [
            ("mlstack_release", 2026.11, '"2026.11"'),
            ("mlstack_release", 2026.1, '"2026.10"'),
            ("mlstack_kubernetes_version", 1.37, '"1.37"'),
            ("mlstack_x_version", 2, '"2"'),
        ],
    )
    def test_a_number_is_refused_with_its_quoted_form(self, name: str, value: object, quoted: str) -> None:
        problems = checks_options.checks(self.FACTS, {**self.GOOD, "versions": {name: value}})
        assert [problem.field for problem in problems] == [name]
        assert f"{name}: {quoted}" in problems[0].way_out
        assert f"{name}='{quoted}'" in problems[0].way_out

    @pytest.mark.parametrize(
        ("name", "value", "known"),
        [
            ("mlstack_gang_scheduler", "kueue", "native, volcano, none"),
            ("mlstack_bundle_source", "mirror", "upstream, build, auto"),
            ("mlstack_shared_volume_backend", "nfs", "hostpath"),
            ("mlstack_samples", ["tfjob_parameter_server", "mnist"], "tfjob_parameter_server"),
        ],
    )
    def test_unknown_choice(self, name: str, value: object, known: str) -> None:
        problems = checks_options.checks(self.FACTS, {**self.GOOD, "choices": {name: value}})
        assert len(problems) == 1
        assert problems[0].field == name
        assert known in problems[0].rule

    @pytest.mark.parametrize("value", ["native", "volcano", "none"])
    def test_known_choice(self, value: str) -> None:
        assert checks_options.checks(self.FACTS, {**self.GOOD, "choices": {"mlstack_gang_scheduler": value}}) == []

    @pytest.mark.parametrize(
        ("text", "word"),
        [
            (None, "no such file"),
            ("-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----", "private key"),
            ("binary", "PEM"),
            ("-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n", ""),
        ],
    )
    def test_certificates(self, text: str | None, word: str) -> None:
        facts = {**self.FACTS, "files": {"/ca.pem": text}}
        problems = checks_options.checks(facts, {**self.GOOD, "ca_certificates": ["/ca.pem"]})
        assert len(problems) == bool(word)
        assert word in lines(problems)
        assert "BEGIN" not in lines(problems)
