# A PostgreSQL of our own for the tests: Debian's package, a fresh cluster in a temporary folder, loopback only.
# It need not survive a crash, so it does not wait for the disk: its tests take a third less time.
# Where POLYCLINIC_TEST_POSTGRES names a server already, that one is used.

start_postgres() {
  if [ -n "${POLYCLINIC_TEST_POSTGRES:-}" ]; then return; fi
  if ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    (apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql) >/dev/null 2>&1 || true
  fi
  local bin
  bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
  if [ -z "$bin" ]; then
    echo "PostgreSQL could not be installed: its tests are skipped"
    return
  fi
  PG_FOLDER=$(mktemp -d)
  PG_PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  PG_RUN=""
  if [ "$(id -u)" = 0 ]; then
    chown postgres "$PG_FOLDER"
    PG_RUN="runuser -u postgres --"
  fi
  PG_CTL="$bin/pg_ctl"
  (cd "$PG_FOLDER" && $PG_RUN "$bin/initdb" -D "$PG_FOLDER/data" -A trust -U polyclinic -E UTF8 >/dev/null)
  (cd "$PG_FOLDER" && $PG_RUN "$PG_CTL" -D "$PG_FOLDER/data" -w -s -l "$PG_FOLDER/log" \
    -o "-c listen_addresses=127.0.0.1 -p $PG_PORT -k $PG_FOLDER -c max_connections=200 -c fsync=off -c synchronous_commit=off" start)
  export POLYCLINIC_TEST_POSTGRES="postgresql://polyclinic@127.0.0.1:$PG_PORT/postgres"
}

stop_postgres() {
  if [ -n "${PG_FOLDER:-}" ]; then
    (cd "$PG_FOLDER" && $PG_RUN "$PG_CTL" -D "$PG_FOLDER/data" -m immediate -s stop) || true
    rm -rf "$PG_FOLDER"
  fi
}
