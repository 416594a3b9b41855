# Copyright: (c) 2026, the trainyard founders
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build a release's bundle and say what is going on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ...module_utils._bundle.index import Entry, Index
from .._common.command import BuildError
from .._common.lock import locked
from .folder import AlteredItem, Change, apply, changes, entry_of, present_index, with_packages
from .item import Item, Made, Target, in_order
from .progress import Progress
from .store import Store

_MEGABYTE = 1_000_000
# More than the connections that carry files: an item also waits for lists, sums and tokens.
_AT_ONCE = 8


@dataclass
class Outcome:
    """What a run did, or in check mode would do.

    built: seconds by the name of each item that was built; None for one that would be built.
    changes: what was put right in each folder.
    """

    built: dict[str, float | None] = field(default_factory=dict)
    changes: dict[str, list[Change]] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether anything was or would be done."""
        return bool(self.built) or any(self.changes.values())


class Runner:
    """Brings the folders of one release up to date."""

    def __init__(
        self,
        store: Store,
        release: str,
        architecture: str,
        progress: Progress,
        stop: Callable[[], None] = lambda: None,
    ) -> None:
        """progress: shows lines to the user. stop: makes downloads that are under way end soon."""
        self._store = store
        self._release = release
        self._architecture = architecture
        self._progress = progress
        self._say = progress.say
        self._stop = stop
        self._made: dict[str, Made] = {}

    def run(self, folders: Mapping[Path, Sequence[Target]], outcome: Outcome) -> None:
        """Build what the store lacks, then bring each folder up to date. Raises BuildError."""
        self._store.sweep()
        self._build([target.item for targets in folders.values() for target in targets], outcome)
        for folder, targets in folders.items():
            waits = partial(self._say, f"waiting for another run that writes {folder}")
            with locked(Path(f"{folder}.lock"), waits):
                self._fill(folder, targets, outcome)

    def predict(self, folders: Mapping[Path, Sequence[Target]], outcome: Outcome) -> None:
        """Find out what `run` would do, without doing it."""
        for item in in_order(tuple(target.item for targets in folders.values() for target in targets)):
            made = None
            if all(need.name in self._made for need in item.needs):
                made = self._store.find(item.key(self._made))
            if made is None:
                outcome.built[item.name] = None
            else:
                self._made[item.name] = made
        for folder, targets in folders.items():
            waiting = [Change("to be built", target.path) for target in targets if target.item.name not in self._made]
            here = [entry_of(target, self._made) for target in targets if target.item.name in self._made]
            ahead = {change.path for change in waiting}
            wrong = [change for change in changes(folder, here) if change.path not in ahead]
            outcome.changes[str(folder)] = waiting + wrong

    def index(self, targets: Sequence[Target]) -> Index:
        """Return the index of made targets."""
        entries = [entry_of(target, self._made) for target in targets]
        return Index(self._release, self._architecture, sorted(entries, key=lambda entry: entry.path))

    def _build(self, items: Sequence[Item], outcome: Outcome) -> None:
        ordered = in_order(tuple(items))
        for place, item in enumerate(ordered, start=1):
            label = f"[{place:>{len(str(len(ordered)))}}/{len(ordered)}] {item.name}"
            self._progress.label(item.name, label)
        # Downloads need nothing and wait for others: all of them first, several at a time.
        self._download([item for item in ordered if item.download], outcome)
        for item in ordered:
            if not item.download:
                self._made[item.name] = self._make(item, outcome)

    def _download(self, items: Sequence[Item], outcome: Outcome) -> None:
        """Make all items, each to its end: one that fails does not keep the user from hearing of the others."""
        failures = []
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            running = {item.name: pool.submit(self._make, item, outcome) for item in items}
            try:
                for name, made in running.items():
                    try:
                        self._made[name] = made.result()
                    except BuildError as error:
                        failures.append(str(error))
            except BaseException:
                self._stop()
                pool.shutdown(cancel_futures=True)
                raise
        if failures:
            count = f"{len(failures)} of {len(items)} downloads failed:\n" if len(failures) > 1 else ""
            raise BuildError(count + "\n".join(failures))

    def _make(self, item: Item, outcome: Outcome) -> Made:
        doing, did = ("downloaded", "downloads") if item.download else ("built", "builds")

        def started() -> None:
            self._progress.about(item.name, f"is being {doing}")

        def waits() -> None:
            self._progress.about(item.name, f"waits for another run that {did} it")

        try:
            made, built = self._store.make(item, self._made, started, waits)
        except (BuildError, OSError) as error:
            # An OSError is a full disk or a folder without rights, whose text names the file.
            raise BuildError(f"{item.name} could not be {doing}\n{error}") from error
        if built:
            outcome.built[item.name] = made.seconds
            size = f"{made.size / _MEGABYTE:.0f} MB " if item.download else ""
            self._progress.about(item.name, f"{size}{doing} in {made.seconds:.0f} s")
        return made

    def _fill(self, folder: Path, targets: Sequence[Target], outcome: Outcome) -> None:
        built = self.index(targets)
        todo = changes(folder, built.files)
        index = with_packages(folder, built)
        for change in todo:
            if change.what == "altered":
                self._say(f"{folder / change.path} was altered; put back what was built")
        outcome.changes[str(folder)] = todo
        if not todo and present_index(folder) == index:
            return
        items = {target.path: target.item for target in targets}

        def made(entry: Entry) -> Made:
            return self._made[items[entry.path].name]

        try:
            apply(folder, index, made, todo)
        except AlteredItem as altered:
            self._rebuild(altered.made, [target.item for target in targets], outcome)
            self._fill(folder, targets, outcome)

    def _rebuild(self, altered: Made, items: Sequence[Item], outcome: Outcome) -> None:
        self._say(f"{altered.path} was altered; it is built again")
        self._store.drop(altered)
        self._build(items, outcome)


def summary(index: Index, outcome: Outcome, seconds: float) -> str:
    """Return one line on the whole run."""
    size = sum(entry.size for entry in index.files) / _MEGABYTE
    return f"{len(index.files)} files, {size:.0f} MB, {len(outcome.built)} items built, {seconds:.1f} s"
