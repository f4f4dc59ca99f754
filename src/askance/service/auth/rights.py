"""What a person or a program may do: a role in all tasks, or a role in each of some tasks."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from askance.service.messages import Role

_tasks = msgspec.json.Decoder(dict[str, Role])


class Person(NamedTuple):
    """A person or program. `role` is for all tasks, also for those to come; otherwise `tasks` has the roles."""

    name: str
    role: Role | None
    tasks: Mapping[str, Role] | None = None

    def role_in(self, task: str) -> Role | None:
        """The role in a task; None if it must not be seen."""
        return self.role if self.tasks is None else self.tasks.get(task)

    @property
    def roles(self) -> set[Role]:
        """The roles that it has somewhere."""
        return {self.role} if self.role is not None else set((self.tasks or {}).values())


def encoded(tasks: Mapping[str, Role] | None) -> str | None:
    """The roles in tasks, as the store keeps them."""
    return None if tasks is None else msgspec.json.encode(dict(sorted(tasks.items()))).decode()


def decoded(tasks: str | None) -> dict[str, Role] | None:
    """The roles in tasks, as the store has kept them."""
    return None if tasks is None else _tasks.decode(tasks)
