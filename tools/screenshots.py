"""Pictures of every place at 1280 and 390 px, in both themes, for the docs: `python tools/screenshots.py`.

It runs a few small runs and a session in a new store and needs a Chromium.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
RUNS = (["run", "duty", "--scenarios", "6", "--variant", "plain", "--variant", "full"], ["run", "demo"])


def main() -> int:
    """Take all pictures."""
    chromium = os.environ.get("POLYCLINIC_TEST_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        print("there is no chromium here")
        return 1
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "s.db")
        for words in RUNS:
            subprocess.run([sys.executable, "-m", "polyclinic", *words, "--store", store], check=True)
        server = subprocess.Popen(
            [sys.executable, "-m", "polyclinic", "web", "--store", store, "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            entry = server.stdout.readline().removeprefix("open ").strip()
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                take_all(browser, entry)
                browser.close()
        finally:
            server.terminate()
            server.wait(10)
    return 0


def take_all(browser: Browser, entry: str) -> None:
    """Every place, one after the other."""
    context = browser.new_context(locale="en-US", reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(entry)
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
    take(page, "practise")
    page.get_by_role("button", name="I know enough").click()
    page.get_by_label("Your diagnosis").fill("acute pancreatitis")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.get_by_role("link", name="See your feedback").click()
    page.wait_for_selector(".shorts")
    take(page, "feedback")
    page.get_by_role("link", name="Runs", exact=True).click()
    page.wait_for_selector("tbody tr")
    take(page, "runs")
    page.locator("tbody a").filter(has_text="Duty").first.click()
    page.wait_for_selector(".figure")
    take(page, "run")
    page.locator("#episodes ~ .scroll tbody a").first.click()
    page.wait_for_selector(".score")
    take(page, "episode")
    page.goto(entry.partition("?")[0] + "desk/counsel")
    page.get_by_role("button", name="Open a conversation").click()
    answer(page, "I am tired of all the treatments.")
    answer(page, "I am going to kill myself tonight.")
    take(page, "talk")
    page.get_by_role("link", name="Counsel desk").click()
    page.get_by_role("link", name="Look", exact=True).first.click()
    page.wait_for_selector(".talk article")
    take(page, "desk")


def answer(page: Page, words: str) -> None:
    """Say something, and wait for what follows."""
    page.wait_for_selector("textarea")
    before = page.locator(".log article").count()
    page.get_by_label("What you say").fill(words)
    page.keyboard.press("Enter")
    page.wait_for_function("n => document.querySelectorAll('.log article').length >= n", arg=before + 2)
    page.wait_for_selector("textarea:enabled")


def take(page: Page, name: str) -> None:
    """One place, wide and narrow; the narrow one in the dark."""
    for width, height, theme in ((1280, 860, "light"), (390, 844, "dark")):
        page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(400)
        page.evaluate("() => scrollTo(0, 0)")
        page.screenshot(path=PICTURES / f"{name}-{width}.png")
    page.set_viewport_size({"width": 1280, "height": 860})


if __name__ == "__main__":
    sys.exit(main())
