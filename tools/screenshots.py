"""Screenshots of every place at 1280 and 390 px, in both themes, for the docs: `python tools/screenshots.py [PLACE …]`.

It makes a few small runs and sessions in a new store and needs a Chromium. Without a place's name, all are taken. With
`LOOK=FOLDER` in the environment, each is taken in both languages, themes and widths into that folder, to look at them.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
LOOK = os.environ.get("LOOK", "")
WIDE, NARROW = (1280, 860), (390, 844)
LOOKS = [(WIDE, "light", "en"), (NARROW, "dark", "en")]
if LOOK:
    LOOKS = list(product((WIDE, NARROW), ("light", "dark"), ("en", "ko")))
STORE = "polyclinic.db"
DEMO = ["run", "demo", "--variant", "plain", "--variant", "tool", "--scenarios", "6"]
TAUGHT = ["run", "demo", "--variant", "taught", "--scenarios", "series:14"]
HOSPITAL = ["run", "frontdesk", "--scenarios", "primary:1:80"]
SHIFTS = ["run", "duty", "--scenarios", "6", "--variant", "plain", "--variant", "full"]


def main() -> int:
    """Take the screenshots of the named places, or of all."""
    chosen = sys.argv[1:] or list(PLACES)
    chromium = os.environ.get("POLYCLINIC_TEST_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        print("there is no chromium here")
        return 1
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for words in [words for place in chosen for words in PLACES[place][1]]:
            subprocess.run([sys.executable, "-m", "polyclinic", *words, "--store", STORE], check=True, cwd=folder)
        server = subprocess.Popen(
            [sys.executable, "-m", "polyclinic", "web", "--store", STORE, "--cases", "cases", "--port", "0"],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            entry = server.stdout.readline().removeprefix("open ").strip()
            with sync_playwright() as play:
                browser = play.chromium.launch(
                    executable_path=chromium, args=["--no-sandbox", "--disable-dev-shm-usage"]
                )
                for place in chosen:
                    PLACES[place][0](Visit(browser, entry))
                browser.close()
        finally:
            server.terminate()
            server.wait(10)
    return 0


class Visit:
    """A person in the browser, with a way to let others join."""

    def __init__(self, browser: Browser, entry: str) -> None:
        self.browser, self.entry, self.base = browser, entry, entry.partition("?")[0].rstrip("/")
        self.page = self.come()

    def come(self) -> Page:
        """A page in a separate browser."""
        page = self.browser.new_context(locale="en-US", reduced_motion="reduce").new_page()
        page.set_default_timeout(120_000)
        page.goto(self.entry)
        return page

    def join(self, path: str, name: str) -> Page:
        """A person who joins by a code."""
        page = self.come()
        page.goto(self.base + path)
        page.get_by_label("Your name").fill(name)
        page.get_by_role("button", name="Join", exact=True).click()
        page.get_by_role("button", name="Begin", exact=True).first.click()
        return page


def practise(visit: Visit) -> None:
    """An interview from its choice to its feedback."""
    page = visit.page
    page.get_by_role("button", name="The standardized patient").click()
    page.locator("button.part").filter(has_text="doctor").first.click()
    page.wait_for_selector("text=Since midnight")
    take(page, "start")
    page.get_by_role("button", name="Begin", exact=True).click()
    for words in ("Good morning. Where does it hurt?", "Does the pain go into your back?", "Do you drink alcohol?"):
        answer(page, words)
    page.get_by_role("button", name="Order a test").click()
    page.get_by_label("Which test?").fill("serum lipase")
    page.locator(".drawer button").click()
    page.wait_for_selector("text=980")
    page.wait_for_selector(".composer textarea")
    take(page, "practise", first=".log article:nth-last-of-type(4)")
    page.get_by_role("button", name="I know enough").click()
    page.get_by_label("Your diagnosis").fill("acute pancreatitis")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.get_by_role("link", name="See your feedback").click()
    page.wait_for_selector(".shorts")
    take(page, "feedback")


def runs(visit: Visit) -> None:
    """The table, a run, an episode."""
    page = visit.page
    page.get_by_role("link", name="Runs", exact=True).click()
    page.wait_for_selector("tbody tr")
    take(page, "runs")
    page.locator("tbody a").filter(has_text="Duty").first.click()
    page.wait_for_selector(".figure")
    page.wait_for_selector("canvas")
    take(page, "run")
    page.locator("#episodes ~ .scroll tbody a").first.click()
    page.wait_for_selector(".score")
    take(page, "episode")


def desk(visit: Visit) -> None:
    """A person in danger, and the desk that sees the case."""
    page = visit.page
    page.goto(f"{visit.base}/desk/counsel")
    page.get_by_role("button", name="Open a conversation").click()
    answer(page, "I am tired of all the treatments.")
    answer(page, "I am going to kill myself tonight.")
    take(page, "talk")
    page.goto(f"{visit.base}/desk/counsel")
    page.get_by_role("link", name="Look", exact=True).first.click()
    page.wait_for_selector(".talk article")
    take(page, "desk")


def board(visit: Visit) -> None:
    """The hospital at the end of its run, with a booking open."""
    page = visit.page
    page.goto(f"{visit.base}/board")
    page.wait_for_selector("canvas")
    page.locator(".cell").filter(has_not_text="0 %").first.click()
    page.locator(".list .button").first.click()
    page.wait_for_selector(".log article")
    take(page, "board")


def cases(visit: Visit) -> None:
    """A case in its form, and the list of all cases."""
    page = visit.page
    page.goto(f"{visit.base}/cases/patient/patient")
    page.get_by_label("Begin from").select_option("pan-01")
    page.wait_for_selector("text=No problems found.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_selector("text=Saved:")
    take(page, "case")
    page.goto(f"{visit.base}/cases")
    page.wait_for_selector("text=my-pan-01")
    take(page, "cases")


def libraries(visit: Visit) -> None:
    """What was learned, and the prompt that it changed."""
    page = visit.page
    page.goto(f"{visit.base}/libraries")
    page.locator("a").filter(has_text=".phrases").first.click()
    page.locator("summary").first.click()
    page.wait_for_selector(".diff .plus")
    take(page, "libraries")


def classes(visit: Visit) -> None:
    """A class of three: one is watched and gets a hint, one has just begun, one has finished."""
    page = visit.page
    page.get_by_role("link", name="Class", exact=True).click()
    form = page.locator("section", has=page.get_by_role("heading", name="Open a class"))
    form.get_by_label(re.compile("^Title")).fill("Abdominal pain, Tuesday group")
    form.get_by_label(re.compile("^Your name")).fill("Dr Kim")
    form.get_by_label(re.compile("^Clinic")).select_option("patient")
    form.locator(".case input").nth(1).check()
    form.get_by_role("button", name="Open the class").click()
    code = page.locator(".sign").inner_text()
    ada, ben, cho = (visit.join(f"/join?code={code}", name) for name in ("Ada", "Ben", "최서연"))
    for trainee in (ada, ben):
        answer(trainee, "Good morning. Where does it hurt?")
    answer(ada, "Does the pain go into your back?")
    cho.get_by_role("button", name="I know enough").click()
    cho.get_by_label("Your diagnosis").fill("acute pancreatitis")
    cho.get_by_role("button", name="Answer", exact=True).click()
    cho.wait_for_selector("text=The session has ended.")
    page.locator(".member").first.get_by_role("link", name="Watch: Ada").click()
    page.get_by_label("Hint to Ada").fill("What does he drink on a usual day?")
    page.get_by_role("button", name="Send the hint").click()
    ada.wait_for_selector("text=Hint from Dr Kim")
    page.locator(".watch .log article").nth(3).wait_for()
    take(page, "class")


def rate(visit: Visit) -> None:
    """A transcript beside its rubric; then the agreement of two raters, who reward thanks and sometimes disagree."""
    page = visit.page
    page.get_by_role("link", name="Rate", exact=True).click()
    run = page.get_by_label(re.compile("^Run to rate"))
    run.locator("option").filter(has_text="helpline").first.wait_for(state="attached")
    run.select_option(
        index=[i for i, text in enumerate(run.locator("option").all_inner_texts()) if "helpline" in text][-1]
    )
    page.get_by_label(re.compile("^Title")).fill("Courtesy on the telephone")
    page.get_by_label(re.compile("^Conversations")).fill("8")
    page.get_by_label(re.compile("^Pairs")).fill("2")
    page.get_by_role("button", name="Open the rating").click()
    code = page.locator(".sign").inner_text()
    for name, harsh in (("Kim", 0), ("Lee", 3)):
        rater = visit.join(f"/rate/join?code={code}", name)
        for at in range(8):
            here = rater.url
            rater.get_by_role("radiogroup").first.wait_for()
            thanked = "Thank you for calling" in " ".join(rater.locator("[data-line]").all_inner_texts())
            level = (4 if thanked else 2) - (1 if harsh and at % harsh == 1 else 0)
            for number in range(rater.get_by_role("radiogroup").count()):
                chosen = rater.get_by_role("radiogroup").nth(number).locator(".level")
                chosen.nth(min(level, chosen.count() - 1)).get_by_role("radio").check()
                rater.locator(".level.set").nth(number).wait_for()
            if at == 1 and name == "Kim":
                take(rater, "rate")
            rater.get_by_role("button", name="Next").click()
            rater.wait_for_function("before => location.href !== before", arg=here)
        for _ in range(4):
            here = rater.url
            rater.get_by_role("button", name="The first").click()
            rater.wait_for_selector("text=saved")
            rater.get_by_role("button", name="Next").click()
            rater.wait_for_function("before => location.href !== before", arg=here)
    page.reload()
    page.wait_for_selector("text=alpha (ordinal)")
    take(page, "agreement", first="#agreement")


def answer(page: Page, words: str) -> None:
    """Say something, and wait for what follows."""
    page.wait_for_selector("textarea")
    before = page.locator(".log article").count()
    page.get_by_label("What you say").fill(words)
    page.keyboard.press("Enter")
    page.wait_for_function("n => document.querySelectorAll('.log article').length >= n", arg=before + 2)
    page.wait_for_selector("textarea:enabled")


def take(page: Page, name: str, first: str = "") -> None:
    """Take a wide screenshot in the light theme and a narrow one in the dark theme, without a pointer over an element.

    `first`: the element at the top.
    """
    for size, theme, language in LOOKS:
        file = Path(LOOK, f"{name}-{size[0]}-{theme}-{language}.png") if LOOK else PICTURES / f"{name}-{size[0]}.png"
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        show(page, size, language)
        page.mouse.move(0, 0)
        page.wait_for_timeout(400)
        page.evaluate(
            """first => scrollTo(0, first && document.querySelector(first).getBoundingClientRect().y + scrollY
              - document.querySelector('header').offsetHeight - 8)""",
            first,
        )
        with Image.open(io.BytesIO(page.screenshot())) as picture:
            few = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)  # this needs a third of the bytes
            few.save(file, optimize=True)
    show(page, WIDE, "en")


def show(page: Page, size: tuple[int, int], language: str) -> None:
    """Show the page in this size and language."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    other = page.get_by_role("button", name="한국어" if language == "ko" else "English", exact=True)
    if page.locator("html").get_attribute("lang") != language:
        other.click()


PLACES: dict[str, tuple[Callable[[Visit], None], list[list[str]]]] = {
    "practise": (practise, []),
    "runs": (runs, [DEMO, SHIFTS]),
    "class": (classes, []),
    "desk": (desk, []),
    "rate": (rate, [DEMO]),
    "board": (board, [HOSPITAL]),
    "cases": (cases, []),
    "libraries": (libraries, [TAUGHT]),
}
"""For each place: the function that takes its screenshots, and the runs that it shows."""


if __name__ == "__main__":
    sys.exit(main())
