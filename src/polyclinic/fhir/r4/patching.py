"""Apply a patch that names R4's elements: convert the resource to R4, patch it, and keep only what changed."""

from __future__ import annotations

from collections.abc import Callable

from polyclinic.core.records import Resource
from polyclinic.fhir.patch import BadPatch
from polyclinic.fhir.r4.mapping import to_r4, to_r5


def patched_in_r4(resource: Resource, apply: Callable[[Resource], Resource]) -> Resource:
    """Return the stored resource with the elements that the patch changed.

    Elements that R4 does not have stay as they are.
    """
    shown = to_r4(resource)
    try:
        before, after = to_r5(to_r4(resource)), to_r5(apply(shown))
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadPatch(f"the patched resource is not R4: {type(error).__name__} {error}") from error
    changed = {name for name in (*before, *after) if before.get(name) != after.get(name)}
    kept = {name: value for name, value in resource.items() if name not in changed}
    return kept | {name: value for name, value in after.items() if name in changed}
