"""Kinds of sentences that were once read wrongly: each with one that says the opposite."""

from __future__ import annotations

import asyncio
from datetime import date

import pytest

from polyclinic.clinics.frontdesk.rules.addresses import same_address, tells_address
from polyclinic.clinics.frontdesk.rules.doctors import wants_doctor
from polyclinic.clinics.frontdesk.rules.intents import plain_intent
from polyclinic.clinics.frontdesk.rules.phones import says_number
from polyclinic.clinics.frontdesk.rules.sexes import sexes_said
from polyclinic.clinics.frontdesk.rules.spoken import mentions_date
from polyclinic.clinics.frontdesk.rules.stated import states_wish
from polyclinic.clinics.frontdesk.rules.urgency import hurry
from polyclinic.clinics.frontdesk.rules.wished_days import asks_from
from polyclinic.clinics.frontdesk.scenario.slots import Wish
from polyclinic.text.numbers import figures

TODAY = date(2025, 9, 1)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("My wedding is on the 12th, so the 17th, please.", False),
        ("The 12th, oh no, that's the wedding. Do the thirteenth instead.", False),
        ("The 12th? No, that's too late.", False),
        ("I fly home on the 12th. Something before that, please.", False),
        ("My wife has her check-up on the 12th. I just want to know where to park.", False),
        ("I've got tickets for the 12th. Let's go with the 30th.", False),
        ("I could do the 12th, but I'd prefer the 11th.", False),
        ("My appointment is on the 12th, could you tell me what time?", False),
        ("My sister's wedding is on the 10th, so I'd like the 12th.", True),
        ("The 12th is my only free day.", True),
        ("I can do the 12th, no problem.", True),
        ("My leave starts on the 12th, so any time from then.", True),
    ],
)
def test_a_day_named_for_another_reason_is_not_asked_for(text: str, asked: bool) -> None:
    assert asks_from(text, date(2025, 9, 12), TODAY) is asked


@pytest.mark.parametrize(
    ("text", "wished"),
    [
        ("My name is Kim Min-su, the same as your doctor. Anyone will do.", "no"),
        ("Kim Min-su speaking, I need an eye doctor.", "no"),
        ("My mate is going to Dr. Kim Min-su. I only want a blood test.", "no"),
        ("I've been under Dr. Kim Min-su for years, time for a change.", "no"),
        ("If it isn't Dr. Kim Min-su, I'm not coming.", "yes"),
        ("Does Dr. Kim Min-su have anything on Friday?", "yes"),
    ],
)
def test_a_doctors_name_is_not_always_a_wish(text: str, wished: str) -> None:
    assert wants_doctor("Dr. Kim Min-su", text) == wished


def test_who_cancels_a_visit_with_a_doctor_does_not_wish_for_that_doctor() -> None:
    async def nobody_reads(text: str, questions: object) -> tuple[()]:
        raise AssertionError(text)

    wish = Wish(kind="physician", physician="Dr. Kim Min-su")
    assert not asyncio.run(states_wish(nobody_reads, wish, ["Please cancel my visit with Dr. Kim Min-su."]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Grandma says the soonest you have.", "soon"),
        ("When can you see her?", "soon"),
        ("Sooner rather than later, please.", "soon"),
        ("Yesterday I asked for the first slot, please forget that. The first week of December.", "later"),
        ("Let's push it out, work is nuts right now.", "later"),
    ],
)
def test_hurry_is_told_from_patience(text: str, said: str) -> None:
    assert hurry(text, TODAY) == said


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("You can give my slot to someone else, I got treated at another hospital.", "cancel"),
        ("Keep the 3 pm and drop the 5 pm one.", "cancel"),
        ("My Saturday slot has to go on a weekday.", "move"),
        ("I'd like to keep the appointment, just not on that day.", "move"),
        ("Could you change the phone number you have for me?", "neither"),
        ("Cancel... wait, no, I mean confirm. Confirm it.", "neither"),
        ("I was thinking of cancelling, but my wife talked me out of it.", "neither"),
        ("It's my gallbladder, they want it out. I need a surgeon.", "neither"),
        ("Cancel the Tuesday one and put me down for Friday instead.", "move"),
        ("I've got two bookings. Delete the Thursday one, I'll come to the Friday one.", "cancel"),
        ("Could my scan be moved to another building? The time's fine.", "neither"),
        ("There's nothing to cancel, I just wonder when the pharmacy closes.", "neither"),
    ],
)
def test_what_a_caller_wants_with_a_visit(text: str, intent: str) -> None:
    assert plain_intent(text) == intent


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("plus four four, seven seven double-oh, nine double-oh, four six one", "+447700900461"),
        (
            "I've only got my UK one, plus four four, seven seven double-oh, nine double-oh, four six one",
            "+447700900461",
        ),
        ("oh-one-oh, then four threes, then nine one eight four", "+821033339184"),
        ("010 1222 and three zeros and a seven", "+821012220007"),
        ("zero one zero, four four... sorry, four five five one, two two three nine", "+821045512239"),
        ("my Nigerian line, 0803 551 2974, country code 234", "+2348035512974"),
    ],
)
def test_digits_told_by_their_count_are_heard(text: str, number: str) -> None:
    assert says_number(number, text, phone=True)
    assert not says_number(number[:-1] + str((int(number[-1]) + 1) % 10), text, phone=True)


@pytest.mark.parametrize(
    ("text", "sexes"),
    [
        ("Sorry, I clicked male by mistake. I'm a woman.", {"female"}),
        ("My grandfather, he needs new hearing aids. I'm his granddaughter.", {"male"}),
        ("Sir, I have a fever.", set()),
        ("Your form has only male and female.", set()),
        ("Does it make a difference if I'm a man or a woman?", set()),
        ("People always assume Sam is a boy. She's my daughter.", {"female"}),
        ("I'm her father, I'm ringing for her. She's nine.", {"female"}),
        ("You saw my husband in spring. Now it's for our daughter.", {"female"}),
        ("Grandad can't hear you, so I'm doing the talking. I'm his granddaughter.", {"male"}),
    ],
)
def test_a_sex_is_told_of_the_patient_only(text: str, sexes: set[str]) -> None:
    assert sexes_said(text) == sexes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Are you open on December 25th?", False),
        ("I enlisted on 25 December 1968.", False),
        ("My bill is from December 25.", False),
        ("I'm a Christmas baby, December 25th, 1968.", True),
        ("I had my hip replaced on 25 December 1968.", False),
        ("My passport runs out on 25 December 1968.", False),
        ("He was born on the 25th of December, the year I can't remember.", False),
        ("I typed 25 December 1968 in the app, that was a typo. It's 26 December 1968.", False),
        ("December 25th 1967, ah no, 1968.", True),
    ],
)
def test_a_date_of_something_else_is_no_date_of_birth(text: str, told: bool) -> None:
    assert mentions_date(date(1968, 12, 25), text, TODAY, birth=True) is told


def test_an_address_is_the_same_under_other_names_of_town_and_country() -> None:
    assert same_address("Lindenstr. 18, 50674 Cologne, Deutschland", "Lindenstraße 18, 50674 Köln, Germany")
    assert not same_address("Lindenstr. 18, 50674 Munich, Germany", "Lindenstraße 18, 50674 Köln, Germany")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("12 Hill St., Springfield", True),
        ("62704 Springfield, Hill Street 12", True),
        ("12 Hillstreet, Springfield", True),
        ("12 Hill Street, Springfield, IL 62704. My card is 550316-2245883.", True),
        ("14 Hill Street, Springfield 62704", False),
        ("12 Hill Road, Springfield 62704", False),
        ("12 Hill Street, Shelbyville 62704", False),
        ("12 Hill Street, Springfield 62705", False),
        ("12 Hill Street, Springfield, IL 62705", False),
        ("12 Hill Street, Springfield 62705, sorry, 62704", True),
    ],
)
def test_an_address_is_judged_by_number_street_place_and_code(said: str, told: bool) -> None:
    assert tells_address("12 Hill Street, Springfield 62704", said) is told


def test_a_record_in_hangul_holds_the_province_of_the_address() -> None:
    address = "50, Hangang-daero, Anyang-si, Gyeonggi-do 17285"
    assert same_address("경기도 안양시 한강대로 50", address)
    assert not same_address("경기도 안양시 한강대로 51", address)
    assert not same_address("충청북도 안양시 한강대로 50", address)


def test_hundreds_follow_thousands() -> None:
    assert figures("one thousand four hundred fifty") == "1450"
    assert figures("two thousand and seven") == "2007"
    assert figures("the sixth, oh, no") == "the 6th, oh, no"
