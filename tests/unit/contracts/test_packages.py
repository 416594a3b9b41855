"""What roles install on hosts can come from the bundle, too."""

from __future__ import annotations

import re

from tests.unit.contracts import tree


def installed() -> set[str]:
    """Return all packages that roles name for module node_packages."""
    node = tree.ROOT / "roles" / "node"
    names = set(tree.load(node / "defaults" / "main.yml")["node_packages"])
    services = tree.load(node / "vars" / "main.yml")["__node_time_services"]
    names |= {service["package"] for service in services.values()}
    for path in (*tree.ROOT.glob("roles/*/vars/*.yml"), *tree.ROOT.glob("playbooks/*.yml")):
        names |= {name for found in re.findall(r"node_api_packages:.*\[([\w', -]+)\]", path.read_text())
                  for name in re.findall(r"[\w-]+", found)}
    return names


def test_every_package_that_roles_install_is_brought_into_the_bundle() -> None:
    sets = tree.load(tree.ROOT / "roles" / "bundle_packages" / "defaults" / "main.yml")["bundle_packages_sets"]
    brought = {name for names in sets for name in names}
    assert installed() <= brought
    assert "python3" in brought
