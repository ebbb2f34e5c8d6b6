"""An audition finds what a model cannot do, reports it by role, and shows the transcripts behind every figure."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from typing import cast

import pytest

from polyclinic.clinics.frontdesk.prompts.staff import StaffBooks
from polyclinic.clinics.frontdesk.readings import WISH
from polyclinic.core.known_scene import KnownScene
from polyclinic.core.message import ToolCall
from polyclinic.core.model import NANO, Completion, Model, Request, Usage
from polyclinic.core.read_text import ReadsPlainly
from polyclinic.errors import ConfigError, LimitReached
from polyclinic.eval.html import render_sections
from polyclinic.eval.terminal import table_text
from polyclinic.models.spec import parse_model
from polyclinic.runner.audition.audition import audition
from polyclinic.runner.audition.fitness import RoleFitness, audition_sections, cost_table, fitness_table
from polyclinic.runner.audition.perform import Performance, Played, perform_all
from polyclinic.runner.audition.picture import square
from polyclinic.runner.audition.reader import reader_scenes
from polyclinic.runner.audition.scenes import AuditionScene, Rehearsal, Watched, known_scene, rehearse, rehearse_all
from polyclinic.runner.readings import labelled
from polyclinic.runner.registry import load_clinic
from polyclinic.testing.fault_server import FaultServer, SentBody


def by_role(found: list[RoleFitness]) -> dict[str, RoleFitness]:
    return {role.role: role for role in found}


async def heard(server: FaultServer, clinic: str = "demo", scenes: int = 8) -> dict[str, RoleFitness]:
    return by_role(await audition(f"{server.url}:any?tries=2", [clinic], scenes=scenes))


async def test_an_understudy_is_fit_for_every_role() -> None:
    found = await audition("understudy", ["demo"])
    assert {role.role: role.verdict for role in found} == {"nurse": "fit", "caller": "fit", "judge": "fit"}
    assert all(10 <= len(role.performances) <= 20 for role in found)
    assert all(role.calls_per_episode > 0 for role in found)


async def test_scenes_alternate_between_all_prompts_of_a_role() -> None:
    rehearsal = await rehearse("demo")
    scenes = rehearsal.of_role("caller", 6)
    assert len(scenes) == 6
    assert sorted({scene.prompt for scene in scenes}) == ["CallerAsks", "CallerReacts"]
    again = await rehearse("demo")
    assert [scene.request.key for scene in again.of_role("caller", 6)] == [scene.request.key for scene in scenes]


async def test_a_model_that_fills_in_every_form_can_still_be_unfit() -> None:
    async with FaultServer() as server:
        found = await heard(server)
    assert found["judge"].shares["read"] == 1.0
    assert found["nurse"].shares["tools"] == 0.0  # the stub never uses the tool
    assert found["nurse"].verdict.startswith("not fit: tools used wrongly")


async def test_both_halves_of_a_wide_table_name_the_clinic_and_the_role() -> None:
    found = await audition("understudy", ["demo"])
    halves = table_text(fitness_table(found), 60, named_by=2).split("\n\n")
    assert len(halves) > 1
    assert all(any(line.split()[:2] == ["demo", "nurse"] for line in half.splitlines()) for half in halves)


@pytest.mark.parametrize(
    ("said", "figure", "verdict"),
    [
        ({"content": "I was told that it", "finish_reason": "length"}, "whole", "unreadable"),
        ("As an AI language model, I cannot assist with that.", "part", "falls out of the part"),
        ("The caller is confused and has a question about the dose.", "part", "falls out of the part"),
        (" ".join(f"And another thing {number}." for number in range(60)), "length", "too long"),
    ],
)
async def test_each_fault_changes_its_own_figure(said: str | SentBody, figure: str, verdict: str) -> None:
    def reply(body: SentBody) -> str | SentBody:
        if "response_format" in body:
            return '{"says": "How many?", "understood": true}'
        return dict(said) if isinstance(said, dict) else said

    async with FaultServer(reply=reply) as server:
        caller = (await heard(server))["caller"]
    assert (caller.shares[figure] or 0.0) < 0.6
    assert verdict in caller.verdict


async def test_the_right_tool_with_fitting_arguments_is_right_and_any_other_is_wrong() -> None:
    def using(name: str, arguments: SentBody) -> FaultServer:
        call = {"index": 0, "id": "c", "function": {"name": name, "arguments": json.dumps(arguments)}}
        return FaultServer(reply=lambda body: {"tool_calls": [call]} if body.get("tools") else "Yes.")

    shares = []
    for name, arguments in (
        ("leaflet", {"medicine": "x"}),
        ("leaflet", {"drug": "x"}),
        ("leaflets", {"medicine": "x"}),
    ):
        async with using(name, arguments) as server:
            shares.append((await heard(server))["nurse"].shares["tools"])
    assert shares == [1.0, 0.0, 0.0]


class Clerk:
    """Answers each decision of the desk as its understudy did, natively or in the form, or with a change to it."""

    name, kind = "clerk", "llm"

    def __init__(self, scenes: list[AuditionScene], *, native: bool, **changes: str) -> None:
        self._expected = {scene.request.key: json.loads(scene.expected.text) for scene in scenes}
        self._native, self._changes = native, changes

    async def answer(self, request: Request) -> Completion:
        form = self._expected.get(request.key, {}) | self._changes
        if not self._native:
            return Completion(text=json.dumps(form))
        needed = StaffBooks.needs.get(form["action"], ())
        call = ToolCall(id="c", name=form["action"], arguments={name: form[name] for name in needed})
        return Completion(tool_calls=(call,), finish="tool_calls")


async def test_the_desks_staff_is_measured_by_the_right_tool_natively_and_in_the_form() -> None:
    playing = parse_model("http://127.0.0.1:1/v1:any")
    rehearsal = await rehearse("frontdesk", variants=("tool",), scenarios="primary:1:8", episodes=8, playing=playing)
    scenes = [scene for scene in rehearsal.scenes if scene.prompt == "StaffBooks"]
    assert {json.loads(scene.expected.text)["action"] for scene in scenes} > {"physician_filter"}

    async def tools(clerk: Clerk) -> float | None:
        played = await perform_all(scenes, cast(Model, clerk), "tested", 4)
        return RoleFitness("frontdesk", "staff", "m", "llm", tuple(played), 1.0).shares["tools"]

    assert await tools(Clerk(scenes, native=True)) == 1.0
    assert await tools(Clerk(scenes, native=False)) == 1.0
    assert await tools(Clerk(scenes, native=True, action="fallback")) == 0.0
    doctor = scenes[0].request.prompt.model_dump()["physicians"][0]
    wrong_doctor = await tools(Clerk(scenes, native=False, physician=doctor))
    assert wrong_doctor is not None and 0.0 < wrong_doctor < 1.0
    assert await tools(Clerk(scenes, native=True, action="book")) == 0.0


class OneModel:
    """Every role is played by the same clerk."""

    def model(self, role: str) -> Model:
        return cast(Model, Clerk([], native=False))

    def describe(self) -> dict[str, str]:
        return {}


async def test_readings_count_as_calls_of_the_reader_and_not_as_scenes() -> None:
    rehearsal = Rehearsal(load_clinic("demo"), episodes=2)
    watched = Watched(OneModel(), rehearsal, None)
    question = ReadsPlainly(text="x", question=WISH.ask(wish="y"))
    for role in ("reader", "reader", "reader", "caller"):
        await watched.model(role).answer(Request(role, question, (), episode="e"))
    assert [rehearsal.calls_per_episode(role) for role in ("reader", "caller")] == [1.5, 0.5]
    assert [scene.role for scene in rehearsal.scenes] == ["caller"]


def test_the_cost_of_the_whole_run_is_the_sum_of_all_roles_with_the_readings() -> None:
    scene = known_scene(KnownScene("staff", ReadsPlainly(text="x", question=WISH.ask(wish="y")), {}))
    usage = Usage(input_tokens=300, output_tokens=100, cost_nano_usd=2 * NANO // 100)
    play = Performance(scene, [Played(Completion(usage=usage), "", 1.0)], taken=True)
    roles = [
        RoleFitness("frontdesk", role, "m", "llm", (play,), calls) for role, calls in (("staff", 2), ("reader", 3))
    ]
    rows = cost_table(roles).rows
    assert [row[1] for row in rows] == ["staff", "reader", "all roles"]
    assert [row[6:] for row in rows] == [
        [200, 80_000, "4.00"],
        [300, 120_000, "6.00"],
        [500, 200_000, "10.00"],
    ]


def test_a_test_picture_is_a_png_of_its_colour() -> None:
    data = b64decode(square("blue").data)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    rows = zlib.decompress(data[data.index(b"IDAT") + 4 : data.index(b"IEND") - 8])
    middle = 48 * (96 * 3 + 1) + 1 + 48 * 3
    assert rows[middle : middle + 3] == bytes((30, 60, 200))
    assert "blue" not in square("blue").caption


@pytest.mark.parametrize(("sees", "share"), [(True, 1.0), (False, 0.25)])
async def test_a_model_that_sees_pictures_is_distinguished_from_one_that_guesses(sees: bool, share: float) -> None:
    known = {square(colour).data: colour for colour in ("red", "green", "blue", "yellow")}

    def reply(body: SentBody) -> str:
        content = body["messages"][-1]["content"]
        if isinstance(content, list) and "Which colour has it" in str(content):
            pictures = [part["image_url"]["url"] for part in content if "image_url" in part]
            shown = pictures[-1].partition(",")[2]
            return json.dumps({"seen": "a square", "colour": known[shown] if sees else "red"})
        return "I would look at it again."

    async with FaultServer(reply=reply) as server:
        found = await heard(server, "rounds", scenes=2)
    assert found["tutor"].shares["seen"] == share
    assert ("does not see pictures" in found["tutor"].verdict) is not sees


async def test_every_figure_has_its_transcripts_on_the_page() -> None:
    async with FaultServer(reply=lambda body: "I will not say it in that form <b>.") as server:
        found = await audition(f"{server.url}:any", ["demo"], scenes=2)
    html = render_sections("Audition", audition_sections(found))
    assert html.count("I will not say it in that form &lt;b&gt;.") >= 6
    assert "not accepted" in html
    plain = found[0].as_json()
    assert plain["transcripts"]


async def test_an_audition_ends_in_time_and_is_refused_for_people() -> None:
    async with FaultServer(faults=1.0, kinds=["stall"]) as server:
        with pytest.raises(LimitReached, match="1 seconds"):
            await audition(f"{server.url}:any", ["demo"], max_seconds=1)
    with pytest.raises(ConfigError, match="cannot audition"):
        await audition("human", ["demo"])


def test_guard_and_critic_get_questions_with_known_answers_in_both_languages() -> None:
    known = load_clinic("counsel").known_scenes()
    for role, safe in (("guard", "acceptance"), ("critic", "none")):
        mine = [scene for scene in known if scene.role == role]
        assert 10 <= len(mine) <= 20
        assert {scene.prompt.language for scene in mine} == {"en", "ko"}
        right: list[set[str]] = [set().union(*scene.right.values()) for scene in mine]
        assert {safe} in right and any(safe not in values for values in right)
        assert not any(safe in values and len(values) > 1 for values in right)


@pytest.mark.parametrize(("label", "share"), [("acceptance", 7 / 18), ("active", 7 / 18), ("implicit", 11 / 18)])
async def test_a_guard_that_gives_every_text_the_same_label_is_not_fit(label: str, share: float) -> None:
    class Same:
        name, kind = "same", "llm"

        async def answer(self, request: Request) -> Completion:
            words = request.prompt.model_dump()["utterance"]
            return Completion(text=json.dumps({"reason": "so", "words": words, "label": label}))

    known = [known_scene(scene) for scene in load_clinic("counsel").known_scenes() if scene.role == "guard"]
    played = await perform_all(known, cast("Model", Same()), "tested", 4)
    fitness = RoleFitness("counsel", "guard", "same", "llm", tuple(played), 1.0)
    assert fitness.shares["right"] == pytest.approx(share)
    assert fitness.verdict == "not fit: wrong where the answer is known"
    assert any(f"label: {label}, right is" in play.why for play in played)


def test_readers_get_training_authors_lines_with_as_many_yes_as_no() -> None:
    scenes = reader_scenes(load_clinic("duty"))
    assert len(scenes) == 16
    assert sum(scene.right["q1"] == ("yes",) for scene in scenes) == 8
    trained_on = {row.text for row in labelled("duty", split="train")}
    assert {scene.request.prompt.model_dump()["text"] for scene in scenes} <= trained_on


async def test_scenes_use_the_prompts_that_the_model_itself_would_get() -> None:
    for model, wanted in (("http://127.0.0.1:1/v1:any", "TutorThinks"), ("local:/trained", "TutorGuides")):
        found = await rehearse("rounds", variants=("full",), scenarios="1", episodes=1, playing=parse_model(model))
        asked = {scene.prompt for scene in found.scenes if scene.role == "tutor"}
        assert wanted in asked and not {"TutorThinks", "TutorGuides"} <= asked


@pytest.mark.slow
@pytest.mark.parametrize("clinic", ["demo", "counsel", "duty", "frontdesk", "patient", "rounds"])
async def test_every_role_of_every_clinic_has_ten_to_twenty_scenes(clinic: str) -> None:
    rehearsal = await rehearse_all(clinic)
    rehearsal.scenes += reader_scenes(rehearsal.clinic)
    people = rehearsal.clinic.service.role if rehearsal.clinic.service is not None else ""
    roles = [role.name for role in rehearsal.clinic.roles if role.name != people]
    assert [*roles, *(["reader"] if rehearsal.clinic.readings else [])] == rehearsal.roles
    for role in rehearsal.roles:
        assert 10 <= len(rehearsal.of_role(role, 12)) <= 20, role
