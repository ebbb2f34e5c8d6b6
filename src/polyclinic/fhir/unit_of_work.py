"""One unit of work: changes that happen together inside an open transaction.

`UnitOfWork` keeps every resource as it was before and as it is now. After the last change, `finish` makes the status of
Slots agree with their Appointments. It refuses a slot that is taken twice, a slot that is freed while an appointment
still holds it, and a deletion that leaves a dangling reference. An exception anywhere undoes everything, because the
caller's transaction rolls back.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping

from polyclinic.core.database import Transaction
from polyclinic.core.records import PreconditionFailed, RecordConflict, RecordGone, RecordMissing, Resource
from polyclinic.fhir import slot_holds, storage
from polyclinic.fhir.slot_rules import HOLDING, Key, slot_changes, slots_of
from polyclinic.fhir.storage import Stored
from polyclinic.fhir.write_buffer import WriteBuffer


def opaque_id() -> str:
    """A new, unique id for a resource that was given none. It has no meaning."""
    return uuid.uuid4().hex


class UnitOfWork:
    """The changes of one transaction."""

    def __init__(self, transaction: Transaction, now: int, *, hold: str | None = None) -> None:
        self.transaction = transaction
        self.now = now
        self.hold = hold
        self._writes = WriteBuffer(transaction, now)
        self._before: dict[Key, Stored | None] = {}
        self._parsed: dict[Key, Resource] = {}
        self.after: dict[Key, Resource | None] = {}

    def lock(self, keys: Iterable[Key], becoming: Mapping[Key, Resource]) -> set[Key]:
        """Read and lock resources, always in the same order, so that two transactions cannot deadlock.

        `keys` are all resources that change; `becoming` holds what is known of the new state of appointments. Returns
        what is locked. Appointments come first, because the slots that they gain or lose must be locked too. A slot
        that stays with its appointment is not touched, and nobody else can take or free it.
        """
        wanted = set(keys)
        appointments = [key for key in wanted if key[0] == "Appointment"]
        self._find_all(appointments)
        for key in {*appointments, *becoming}:
            held = slots_of(self.resource_before(key)) if key in self._before else []
            wanted.update(("Slot", slot) for slot in {*held} ^ {*slots_of(becoming.get(key))})
        self._find_all(wanted)
        return wanted

    def read(self, keys: Iterable[Key]) -> dict[Key, Resource | None]:
        """Read and lock resources as they are; None for those that do not exist.

        They are read once, for the caller and for the later comparison. So the caller may replace an element, but must
        not change it in place.
        """
        wanted = list(keys)
        self._find_all(wanted)
        found = {key: self.resource_before(key) for key in wanted}
        return {key: None if resource is None else dict(resource) for key, resource in found.items()}

    def _find_all(self, keys: Iterable[Key]) -> None:
        unknown = [key for key in dict.fromkeys(keys) if key not in self._before]
        if not unknown:
            return
        self._before.update(dict.fromkeys(unknown))
        for stored in storage.lock_keys(self.transaction, unknown):
            self._before[stored[:2]] = stored

    def flush(self) -> None:
        """Write the buffered rows, so that searches see them."""
        self._writes.flush()

    def before(self, key: Key) -> Stored | None:
        """The row as it was when this unit of work first read it."""
        if key not in self._before:
            self._before[key] = storage.find(self.transaction, *key, lock=True)
        return self._before[key]

    def resource_before(self, key: Key) -> Resource | None:
        """The resource as it was before this unit of work; None if it did not exist."""
        stored = self.before(key)
        if stored is None or stored.body is None:
            return None
        if key not in self._parsed:
            self._parsed[key] = stored.resource()
        return self._parsed[key]

    def current(self, key: Key) -> Resource:
        """The resource in its present state within this unit of work. Raises RecordMissing."""
        if key in self.after:
            resource = self.after[key]
            if resource is None:
                raise RecordGone(f"{key[0]}/{key[1]} was deleted")
            return resource
        resource = self.resource_before(key)
        if resource is None:
            if self.before(key) is None:
                raise RecordMissing(f"there is no {key[0]}/{key[1]}")
            raise RecordGone(f"{key[0]}/{key[1]} was deleted")
        return resource

    def create(self, resource: Resource) -> Resource:
        """Add a resource, under its own id or a new one. Raises RecordConflict when the id is in use."""
        resource = resource if resource.get("id") else {**resource, "id": opaque_id()}
        key = (resource["resourceType"], resource["id"])
        self._only_once(key)
        previous = self.before(key)
        if previous is None:
            created = self._writes.insert(resource)
        elif previous.body is None:
            created = self._writes.update(previous, resource)
        else:
            raise RecordConflict(f"{key[0]}/{key[1]} exists already")
        self.after[key] = created
        return created

    def update(self, resource: Resource, if_version: str | None = None) -> tuple[Resource, bool]:
        """Replace a resource, or create it under its id. Returns the new version and whether it was created."""
        key = (resource["resourceType"], resource["id"])
        self.require(key, if_version)
        previous = self.before(key)
        if previous is None or previous.body is None:
            return self.create(resource), True
        self._only_once(key)
        updated = self._writes.update(previous, resource, self.resource_before(key))
        self.after[key] = updated
        return updated, False

    def delete(self, key: Key, if_version: str | None = None) -> bool:
        """Delete a resource; False when there was nothing to delete."""
        self.require(key, if_version)
        self._only_once(key)
        previous = self.before(key)
        if previous is None or previous.body is None:
            return False
        self._writes.remove(previous)
        self.after[key] = None
        return True

    def require(self, key: Key, if_version: str | None) -> None:
        """Raise PreconditionFailed unless this version is the current one. None means that any version is accepted."""
        if if_version is None:
            return
        stored = self.before(key)
        if stored is None or stored.body is None or str(stored.version) != if_version:
            have = "does not exist" if stored is None or stored.body is None else f"is at version {stored.version}"
            raise PreconditionFailed(f"{key[0]}/{key[1]} {have}, not at version {if_version}")

    def _only_once(self, key: Key) -> None:
        if key in self.after:
            raise RecordConflict(f"{key[0]}/{key[1]} is changed twice in one transaction")

    def finish(self) -> None:
        """Make slots agree with appointments, and check that no deletion leaves a dangling reference."""
        changed = sorted(self.after)
        result = slot_changes(self.resource_before, self.after, self._held_for_us)
        for slot, status in sorted(result.statuses.items()):
            if status != "free" or not self._holders(slot):
                self._set_status(("Slot", slot), status)
        if result.holders:
            slot_holds.forget(self.transaction, sorted(result.holders))
        for key in changed:
            if key[0] == "Slot":
                self._refuse_freeing(key, result.holders)
            if self.after[key] is None:
                self._refuse_dangling(key)
        self.flush()

    def latest(self, resource: Resource) -> Resource | None:
        """The newest version of a resource that was written here: `finish` may have changed a slot again."""
        return self.after.get((resource["resourceType"], resource["id"]), resource)

    def _held_for_us(self, slot: str, status: str) -> bool:
        if status != "busy-tentative":
            return False
        held = slot_holds.find(self.transaction, slot)
        return held is not None and (held.token == self.hold or held.expires <= self.now)

    def _set_status(self, key: Key, status: str) -> None:
        """Change the status of a slot. If the slot was already written here, it gets one more version."""
        slot = self.current(key)
        if slot["status"] == status:
            return
        latest = self.before(key)
        if key in self.after:
            self.flush()
            latest = storage.find(self.transaction, *key)
        if latest is None:
            raise RecordMissing(f"there is no {key[0]}/{key[1]}")
        self.after[key] = self._writes.update(latest, {**slot, "status": status}, slot)

    def _refuse_freeing(self, key: Key, taken: dict[str, str]) -> None:
        """Refuse to free or delete a slot that an appointment still holds."""
        after = self.after[key]
        before = self.resource_before(key)
        if before is None or before["status"] == "free" or (after is not None and after["status"] != "free"):
            return
        if key[1] in taken:
            raise RecordConflict(f"Slot/{key[1]} cannot be freed: {taken[key[1]]} holds it")
        if holders := self._holders(key[1]):
            raise RecordConflict(f"Slot/{key[1]} cannot be freed: Appointment/{holders[0]} holds it")

    def _holders(self, slot: str) -> list[str]:
        """Appointments, other than those changed here, that occupy a slot."""
        self.flush()
        states = ", ".join(f"'{state}'" for state in HOLDING)
        found = self.transaction.execute(
            "SELECT a.id FROM fhir_index a JOIN fhir_index s ON s.id = a.id AND s.type = a.type"
            " WHERE a.type = 'Appointment' AND a.parameter = 'slot' AND a.value = ? AND a.system = 'Slot'"
            f" AND s.parameter = 'status' AND s.value IN ({states}) ORDER BY a.id",
            (slot,),
        )
        return [row[0] for row in found if ("Appointment", row[0]) not in self.after]

    def _refuse_dangling(self, key: Key) -> None:
        """Refuse to delete a resource that others refer to."""
        self.flush()
        others = storage.referrers(self.transaction, *key)
        if others:
            raise RecordConflict(f"{key[0]}/{key[1]} cannot be deleted: {', '.join(others[:3])} refers to it")
