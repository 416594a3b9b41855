# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Releases are read whole or refused with everything that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle import release as _release
from ansible_collections.trainyard.mlstack.plugins.plugin_utils._bundle.release import (
    ReleaseError,
    known_releases,
    load_release,
    lookup_path,
    of_gang_scheduler,
)

GOOD = """
release: "2027.01"
components: {kubernetes: "1.38.0"}
programs: {kubelet: kubernetes}
images: {pause: "registry.k8s.io/pause:3.11"}
manifests: {}
data: {digits.csv: kubernetes}
"""


def write(folder: Path, text: str, name: str = "2027.01") -> list[str]:
    (folder / f"{name}.yml").write_text(text)
    return [str(folder)]


@pytest.mark.parametrize("name", known_releases())
def test_every_release_of_the_collection_can_be_loaded(name: str) -> None:
    assert load_release(name)["release"] == name


def test_a_users_folder_is_looked_into_first(tmp_path: Path) -> None:
    dirs = write(tmp_path, GOOD.replace("2027.01", "2026.11"), "2026.11")
    assert load_release("2026.11", dirs)["components"] == {"kubernetes": "1.38.0"}


@pytest.mark.parametrize(
    ("kubernetes", "own", "expected"),
    [("1.38.0", "", "native"), ("1.37.0", "", "native"), ("1.36.9", "", "none"), ("1.38.0", "none", "none")],
)
def test_gangs_are_scheduled_by_what_the_version_has(tmp_path: Path, kubernetes: str, own: str, expected: str) -> None:
    text = GOOD.replace("1.38.0", kubernetes) + (f"gang_scheduler: {own}\n" if own else "")
    assert load_release("2027.01", write(tmp_path, text))["gang_scheduler"] == expected


def test_another_gang_scheduler_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="gang_scheduler = volcano: must be one of native, none"):
        load_release("2027.01", write(tmp_path, GOOD + "gang_scheduler: volcano\n"))


def test_what_one_gang_scheduler_needs_is_left_out_for_others(tmp_path: Path) -> None:
    three = 'images: {pause: "p:1", one: "o:1", two: "t:1"}'
    text = GOOD.replace('images: {pause: "registry.k8s.io/pause:3.11"}', three)
    text += "only_with_gang_scheduler: {one: volcano, two: native}\n"
    release = load_release("2027.01", write(tmp_path, text))
    kept = {name: list(of_gang_scheduler(release, name)["images"]) for name in ("volcano", "native", "none", "")}
    assert kept == {
        "volcano": ["pause", "one"],
        "native": ["pause", "two"],
        "none": ["pause"],
        # The release's own, native from Kubernetes 1.37 on.
        "": ["pause", "two"],
    }


def test_an_unknown_release_lists_the_known_ones(tmp_path: Path) -> None:
    dirs = write(tmp_path, GOOD)
    with pytest.raises(ReleaseError) as refused:
        load_release("2020.01", dirs)
    [problem] = refused.value.problems
    assert (problem.field, problem.value) == ("mlstack_release", "2020.01")
    assert "2026.11, 2027.01" in problem.rule
    assert "mlstack_release_dirs" in problem.way_out


def test_known_releases_are_ordered_by_age_not_by_spelling(tmp_path: Path) -> None:
    for name in ("2027.2", "2027.10"):
        write(tmp_path, GOOD, name)
    assert known_releases([str(tmp_path)])[-2:] == ["2027.2", "2027.10"]


def test_a_release_named_by_a_number_is_refused_with_the_quoted_form() -> None:
    with pytest.raises(ReleaseError, match=r'mlstack_release: "2026\.11"') as refused:
        load_release(2026.11)
    assert "a number" in str(refused.value)


def test_all_numbers_in_a_file_are_refused_together_with_their_quoted_forms(tmp_path: Path) -> None:
    text = GOOD.replace('"1.38.0"', "1.38").replace('release: "2027.01"', "release: 2027.01")
    with pytest.raises(ReleaseError) as refused:
        load_release("2027.01", write(tmp_path, text))
    assert [problem.way_out for problem in refused.value.problems] == [
        'Put it in quotes: release: "2027.01"',
        'Put it in quotes: kubernetes: "1.38"',
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1, 2]", "a release is a mapping"),
        ("a: [", "not YAML"),
        (GOOD.replace('"2027.01"', '"2027.02"'), "must be the file's name, 2027.01"),
        (GOOD.replace("data:", "facts:"), "data = None: must be a mapping"),
        (GOOD.replace("kubelet: kubernetes", "kubelet: kubernets"), "programs.kubelet = kubernets: must name one of"),
    ],
)
def test_a_file_that_breaks_a_rule_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(ReleaseError) as refused:
        load_release("2027.01", write(tmp_path, text))
    assert expected in str(refused.value)


def test_values_are_found_by_dotted_paths_names_with_dots_too(tmp_path: Path) -> None:
    release = load_release("2027.01", write(tmp_path, GOOD))
    assert lookup_path(release, "images.pause") == "registry.k8s.io/pause:3.11"
    assert lookup_path(release, "data.digits.csv") == "kubernetes"
    assert lookup_path(release, "release") == "2027.01"
    assert lookup_path(release, "components") == {"kubernetes": "1.38.0"}


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ("images.paus", "below images there is: pause"),
        ("image", "below the top there is: built_images, components, data, gang_scheduler, images"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_there_is(tmp_path: Path, path: str, there: str) -> None:
    release = load_release("2027.01", write(tmp_path, GOOD))
    with pytest.raises(ReleaseError) as refused:
        lookup_path(release, path)
    assert there in str(refused.value)


def test_own_releases_are_found_from_the_file_not_from_the_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert Path(_release.OWN_RELEASES, "2026.11.yml").is_file()
