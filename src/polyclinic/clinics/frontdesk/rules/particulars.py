"""Who somebody is, compared by value: the same name, number or address however it is written.

Spaces, hyphens, commas and case do not change a value; a country code may stand before a phone number or be left out;
"Female", "F" and "woman" are one sex; an address is the same in another order. Everything else is another value.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyclinic.clinics.frontdesk.rules.addresses import same_address, says_address
from polyclinic.clinics.frontdesk.rules.names import same_name, says_name
from polyclinic.clinics.frontdesk.rules.phones import WHOLE_NUMBER, as_figures, digits, same_number, says_number
from polyclinic.clinics.frontdesk.rules.sexes import sex_of, sexes_said
from polyclinic.clinics.frontdesk.rules.whose import value_is_own
from polyclinic.people.demographics import Person
from polyclinic.text.normal import letters

FIELDS = ("name", "sex", "phone", "identifier", "address")


def same(field: str, written: str, person: Person) -> bool:
    """Whether what was written down is this person's."""
    told: str = getattr(person, field)
    if written == told:
        return True
    if field == "sex":
        return sex_of(written) == told
    if field == "phone":
        return same_number(written, told)
    if field == "identifier":
        return digits(written) == digits(told) and letters(written) == letters(told)
    if field == "name":
        return same_name(written, told, person.family, person.given)
    return same_address(written, told)


def was_said(field: str, person: Person, text: str) -> bool:
    """Whether a person's words hold this particular of theirs."""
    told: str = getattr(person, field)
    if field == "sex":
        return told in sexes_said(text)
    if not value_is_own(told, text):
        return False
    if _whole(told, text) and field != "phone":
        return True
    if field == "address":
        return says_address(told, text)
    if field == "name" and letters(f"{person.given}{person.family}") in letters(text):
        return True
    return stands(field, told, (text,))


def stands(field: str, value: str, heard: Sequence[str]) -> bool:
    """Whether a value that was written down stands in what was heard: nobody made it up. What was heard last is looked
    through first: it answers the last question.
    """
    heard = heard[::-1]
    if field == "sex":
        sex = sex_of(value)
        return sex != "" and any(sex in sexes_said(text) for text in heard)
    if field == "phone":
        return any(says_number(value, text) for text in heard)
    if field == "identifier":
        wanted = digits(value)
        return len(wanted) >= WHOLE_NUMBER and any(
            wanted in digits(text) or wanted in digits(as_figures(text)) for text in heard
        )
    if any(_whole(value, text) for text in heard):
        return True
    if field == "name":
        return any(says_name(value, text) for text in heard)
    wanted = letters(value)
    return len(wanted) >= WHOLE_NUMBER and any(says_address(value, text, whole=True) for text in heard)


def _whole(value: str, text: str) -> bool:
    """Whether a value stands in a text as words of its own."""
    begins = text.find(value) if value else -1
    if begins < 0:
        return False
    before, after = text[:begins][-1:], text[begins + len(value) :][:1]
    return not before.isalnum() and not after.isalnum()
