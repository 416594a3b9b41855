# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.trainyard.mlstack.plugins.plugin_utils._lab.image import (
    SETTINGS_PATH,
    SOURCES_PATH,
    Recipe,
    bootstrap_script,
    containerfile,
    root_files,
)

DEBIAN = """\
Types: deb
# a comment
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""
VENDOR = """\
Types: deb
URIs: https://vendor.example/linux/debian
Suites: bookworm
Components: stable
Signed-By: /etc/apt/keyrings/vendor.asc
"""
RECIPE = Recipe("debian:12", "bookworm", ("systemd", "python3"), {SETTINGS_PATH: "x"}, "true\n")


def files(
    sources: dict[str, str] | None = None, dump: str = "", proxies: dict[str, str] | None = None
) -> dict[str, str]:
    return root_files("bookworm", "bookworm", sources or {}, dump, proxies or {}, {"site.crt": "PEM"})


def test_debian_itself_is_handed_on_and_other_vendors_are_not() -> None:
    text = files({"debian.sources": DEBIAN + "\n" + VENDOR})[SOURCES_PATH]
    assert "mirror.example" in text
    assert "vendor.example" not in text
    assert "#" not in text


@pytest.mark.parametrize(
    "line",
    [
        "deb [signed-by=/etc/apt/keyrings/vendor.asc] https://vendor.example bookworm main",
        "deb https://vendor.example bookworm-pgdg main",
        "deb https://vendor.example bookworm stable",
        "deb https://vendor.example trixie main",
        "# deb https://vendor.example bookworm main",
        "deb-src https://vendor.example bookworm main",
    ],
)
def test_a_line_that_is_not_this_debian_is_left_out(line: str) -> None:
    assert SOURCES_PATH not in files({"sources.list": line})


def test_a_line_of_this_debian_becomes_a_stanza() -> None:
    assert files({"sources.list": "deb [arch=amd64] http://mirror.example/debian bookworm main contrib # mine\n"})[
        SOURCES_PATH
    ] == (
        "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\nComponents: main contrib\n"
        "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
    )


def test_a_machine_with_another_system_leaves_the_image_its_own_sources() -> None:
    ubuntu = "Types: deb\nURIs: http://mirror.example/ubuntu\nSuites: noble\nComponents: main\n"
    assert SOURCES_PATH not in files({"ubuntu.sources": ubuntu})


def test_a_machine_with_another_debian_hands_its_mirror_on() -> None:
    text = root_files("trixie", "bookworm", {"debian.sources": DEBIAN + "\n" + VENDOR}, "", {}, {})[SOURCES_PATH]
    assert "Suites: trixie trixie-updates\n" in text
    assert "bookworm" not in text
    assert "vendor.example" not in text


def test_an_entry_of_a_third_debian_is_left_out() -> None:
    assert SOURCES_PATH not in root_files("trixie", "bookworm", {"a.list": "deb http://m.example sid main"}, "", {}, {})


def test_a_disabled_stanza_is_left_out() -> None:
    assert SOURCES_PATH not in files({"debian.sources": DEBIAN + "Enabled: no\n"})


def test_how_apt_connects_is_handed_on_and_what_it_installs_is_not() -> None:
    dump = """\
Acquire "";
Acquire::http::Proxy "http://proxy.example:3128";
Acquire::Check-Date "false";
Acquire::http "";
APT::Install-Recommends "0";
"""
    assert files(dump=dump)[SETTINGS_PATH].splitlines() == [
        'Acquire::http::Proxy "http://proxy.example:3128";',
        'Acquire::Check-Date "false";',
    ]


def test_a_proxy_of_the_environment_counts_when_apt_has_none() -> None:
    proxies = {"http": "http://env.example:1", "https": "http://env.example:2"}
    assert files(dump='Acquire::http::Proxy "DIRECT";\n', proxies=proxies)[SETTINGS_PATH] == (
        'Acquire::http::Proxy "DIRECT";\nAcquire::https::Proxy "http://env.example:2";\n'
    )


def test_the_sites_authorities_go_along() -> None:
    assert files()["usr/local/share/ca-certificates/site.crt"] == "PEM"


@pytest.mark.parametrize(
    "other",
    [
        RECIPE._replace(base="debian:13"),
        RECIPE._replace(packages=("systemd",)),
        RECIPE._replace(files={}),
        RECIPE._replace(setup="false\n"),
    ],
)
def test_the_tag_stands_for_the_whole_recipe(other: Recipe) -> None:
    assert other.image != RECIPE.image
    assert RECIPE.image == RECIPE._replace().image


def test_packages_are_installed_only_where_the_base_lacks_them() -> None:
    text = containerfile("debian:12", ["systemd", "python3"])
    assert text.startswith("FROM debian:12\n")
    assert "dpkg-query --show systemd python3 >/dev/null 2>&1 || {" in text


def test_no_setting_of_apt_is_on_the_command_line() -> None:
    script = bootstrap_script(RECIPE, "/tmp/a b", "/tmp/settings")
    assert "tmpfs '/tmp/a b' && TMPDIR='/tmp/a b' exec mmdebstrap" in script
    assert "--aptopt=/tmp/settings --include=systemd,python3 bookworm - -" in script
