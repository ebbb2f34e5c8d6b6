"""The ward board plays a run of the front desk; a booking opens its dialogue and its FHIR resources."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.web.browser.conftest import Server, all_well

EMPTY = re.compile(r"^0 booked, 0 cancelled")


def _wait_until_done(page: Page, server: Server, run: str) -> None:
    for _ in range(120):
        rows = page.request.get(f"{server.url}/api/runs").json()
        (row,) = [each for each in rows if each["id"] == run]
        if not row["left"] and not row["going"]:
            return
        page.wait_for_timeout(500)
    raise AssertionError("the run did not end within a minute")


def test_the_ward_board_fills_up_by_the_clock_and_a_booking_can_be_opened(page: Page, server: Server) -> None:
    page.get_by_role("link", name="Ward board", exact=True).click()
    expect(page.get_by_text("No run of a hospital yet.")).to_be_visible()
    made = page.request.post(f"{server.url}/api/runs", data={"clinic": "frontdesk", "scenarios": "primary:1:6"})
    assert made.status == 201
    page.goto(f"{server.url}/board?run={made.json()['id']}")
    so_far = page.get_by_text(re.compile(r"^\d+ booked, "))
    expect(so_far).to_be_visible()
    server.kill()
    server.start()
    page.request.post(f"{server.url}/api/runs/{made.json()['id']}/resume")
    _wait_until_done(page, server, made.json()["id"])
    page.reload()
    expect(page.get_by_text("The run is going on")).to_be_hidden(timeout=60_000)
    expect(so_far).not_to_have_text(EMPTY)
    whole = so_far.inner_text()
    clock = page.get_by_role("slider", name="Clock")
    clock.focus()
    clock.press("Home")
    expect(so_far).to_have_text(EMPTY)
    page.get_by_label("Speed").select_option(label="720 minutes a second")
    page.get_by_role("button", name="Play").click()
    expect(so_far).not_to_have_text(EMPTY)
    clock.press("End")
    expect(so_far).to_have_text(whole)
    all_well(page)
    full = page.locator(".cell").filter(has_not_text=re.compile(r"^\s*0 %")).first
    full.click()
    page.locator(".list .button").first.click()
    expect(page.locator(".log article").first).to_be_visible()
    page.get_by_text(re.compile("^Appointment ")).first.click()
    expect(page.locator("details[open] pre").first).to_contain_text('"resourceType": "Appointment"')
    all_well(page)
    page.get_by_label("What varies").select_option("clerks")
    page.get_by_role("button", name="Work it out").click()
    expect(page.locator("canvas").nth(1)).to_be_visible()
    page.get_by_role("button", name="한국어").click()
    expect(page.get_by_role("heading", name="병동 현황판")).to_be_visible()
    all_well(page)
