# A Chromium for the tests of the browser: Debian's packages. The one without a window is preferred, because it needs half
# of the time. Where there is none, those tests are skipped.

install_chromium() {
  if command -v chromium-headless-shell >/dev/null 2>&1 || [ -n "${POLYCLINIC_TEST_CHROMIUM:-}" ]; then return; fi
  if [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium-headless-shell) >/dev/null 2>&1 || true
    if command -v chromium-headless-shell >/dev/null 2>&1 || command -v chromium >/dev/null 2>&1; then return; fi
    apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 || true
  fi
  command -v chromium >/dev/null 2>&1 || echo "Chromium could not be installed: its tests are skipped"
}
