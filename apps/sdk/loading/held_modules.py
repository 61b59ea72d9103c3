"""The modules of apps as they stood at one time, for code that imports while it runs after another version was loaded."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType

import apps


@dataclass(frozen=True, slots=True)
class HeldModules:
    """Modules by their name; none unless given."""

    modules: Mapping[str, ModuleType] = field(default_factory=dict)

    @classmethod
    def hold(cls) -> HeldModules:
        """What stands for the modules of all apps now."""
        return cls({name: module for name, module in sys.modules.copy().items() if name.startswith("apps.")})

    def put_back(self, app_ids: Iterable[str]) -> None:
        """Let `import apps.<app_id>...` find the held modules of these apps and no others, whatever was loaded since.

        Where the package is still the same, so are its modules, and those imported since stay. The next load sees from their
        stamps that the files are others.
        """
        for app_id in app_ids:
            package = f"apps.{app_id}"
            held = self.modules.get(package)
            if held is not None and sys.modules.get(package) is held:
                continue
            forget_modules(package)
            vars(apps).pop(app_id, None)
            sys.modules.update({name: module for name, module in self.modules.items() if _belongs(name, package)})
            if held is not None:
                setattr(apps, app_id, held)


def forget_modules(package: str) -> None:
    """Take the package and all in it out of Python's table, so that the next import runs their code anew."""
    for name in list(sys.modules):  # a copy, since other threads import meanwhile
        if _belongs(name, package):
            sys.modules.pop(name, None)


def _belongs(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")
