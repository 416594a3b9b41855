# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.trainyard.mlstack.plugins.filter.lab import FilterModule

FILTERS = FilterModule().filters()


def test_an_address_from_a_name() -> None:
    assert FILTERS["lab_address"](FILTERS["lab_subnet"]("demo"), 11) == "10.72.132.11"


def test_a_number_out_of_an_ini_inventory_may_be_text() -> None:
    assert FILTERS["lab_address"]("10.70.3.0/24", "11") == "10.70.3.11"


@pytest.mark.parametrize("number", ["eleven", "", 300])
def test_a_wrong_number_is_an_error_that_names_it(number: object) -> None:
    with pytest.raises(AnsibleFilterError, match="lab_address: .*" + str(number)):
        FILTERS["lab_address"]("10.70.3.0/24", number)
