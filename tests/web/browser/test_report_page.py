"""A report on a phone: tables and pictures may scroll, the page itself does not."""

from __future__ import annotations

from playwright.sync_api import BrowserContext

from polyclinic.eval.charts import Bars
from polyclinic.eval.estimate import Estimate
from polyclinic.eval.html import render_sections
from polyclinic.eval.sections import Cell, Figure, Section, Table
from tests.web.browser.conftest import fits


def test_a_long_count_does_not_make_a_report_wider_than_a_phone(context: BrowserContext) -> None:
    page = context.new_page()
    chart = Bars(["intake"], {"full": [1.5]})
    figure = Figure("Mean drafts per answer", chart, n="full 120 answers, single 118 answers, plain 97 answers, each")
    page.set_content(render_sections("Counsel", [Section("Drafts", [figure])]))
    fits(page)


def test_a_table_of_many_variants_fits_a_desk_screen(context: BrowserContext) -> None:
    """Names and figures are as long as those of the recipe of tables 1 and 3 of the EvoPatient paper."""
    page = context.new_page()
    alike = [f"evolved-{number}" for number in range(50, 57)]
    variants = ["cot-sc-3", "self-align", "few-shot-2", "online-library", "evolved-emptied"]
    names = ["disease", *(f"{name} (n = 1 to 2)" for name in [*alike, *variants])]
    row: list[Cell] = ["acute angle-closure glaucoma", *[Estimate(0.743, -0.161, 0.958, 2)] * 12]
    page.set_content(render_sections("Patient", [Section("Ability", [Table("Ability by disease", names, [row])])]))
    over = page.evaluate("(b => b.scrollWidth - b.clientWidth)(document.querySelector('.scroll'))")
    assert over <= 0
