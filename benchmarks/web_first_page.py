"""The first page in a real Chromium with an empty cache: how many bytes are transferred, and when it can be used.

``python benchmarks/web_first_page.py 20`` opens it 20 times. It can be used once the choice of clinics is shown and a
click on one of them shows its parts. The times are from the page's own clock, from the start of loading.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from playwright.sync_api import Browser, sync_playwright

WATCH = """
  new MutationObserver((_, watch) => {
    const first = document.querySelector('main button');
    if (!window.choice && first) { window.choice = performance.now(); first.click(); }
    if (!window.choice || !document.querySelector('button.part')) return;
    window.usable = performance.now();
    watch.disconnect();
  }).observe(document, {childList: true, subtree: true});
"""


def visit(browser: Browser, entry: str) -> tuple[float, float, float]:
    """Bytes transferred until the page can be used, milliseconds until the choice is shown, and until it was used."""
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    got: list[float] = []
    wire.on("Network.loadingFinished", lambda event: got.append(event["encodedDataLength"]))
    page.add_init_script(WATCH)
    page.goto(entry)
    page.wait_for_function("() => window.usable")
    choice, usable = page.evaluate("() => [window.choice, window.usable]")
    context.close()
    return sum(got), choice, usable


def main() -> int:
    """Start a server, open the page, stop the server."""
    times = int((*sys.argv[1:], "20")[0])
    chromium = os.environ.get("POLYCLINIC_TEST_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "polyclinic", "web", "--store", f"{folder}/s.db", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            entry = server.stdout.readline().removeprefix("open ").strip()
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
                first, *found = [visit(browser, entry) for _ in range(times + 1)]
                browser.close()
        finally:
            server.terminate()
            server.wait(20)
    names = ("kB on the wire", "ms to the choice", "ms to its first use")
    for name, values in zip(names, zip(*found, strict=True), strict=True):
        scale = 1000 if "kB" in name else 1
        ordered = sorted(value / scale for value in values)
        p95 = ordered[int(len(ordered) * 0.95)]
        print(f"| {name} | {statistics.median(ordered):.0f} | {p95:.0f} | {ordered[-1]:.0f} |")
    print(f"the very first visit, to a new server with a new browser: {first[2]:.0f} ms to its first use")
    print(f"load of the machine {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
