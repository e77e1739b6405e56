#!/bin/sh
# One whole run with a real browser: the product host shows the link, Chromium opens it, signs in as the supervisor and pays back.
# usage: run.sh BIN_DIR OUT_DIR      keeps OUT_DIR/approved.png; npm packages go to OUT_DIR/node_modules
set -eu
bin=$1
out=$2
here=$(cd "$(dirname "$0")" && pwd)
fail() { printf 'browser: %s\n' "$*" >&2; exit 1; }

command -v node >/dev/null || fail 'node is missing: ./dev test --browser installs it'
[ -x "${POSTERN_CHROMIUM:-/usr/bin/chromium}" ] || fail 'chromium is missing: ./dev test --browser installs it'
mkdir -p "$out"
cp "$here"/*.mjs "$here"/package.json "$out"/
# Where the npm registry cannot be reached, nothing can be said about the page: ctest shows the test as skipped.
[ -d "$out/node_modules/playwright-core" ] ||
  (cd "$out" && timeout 100 npm install --no-audit --no-fund --no-package-lock --silent --fetch-retries 1 --fetch-timeout 20000) || {
  rm -rf "$out/node_modules"
  printf 'browser: skipped, the npm packages of tests/browser cannot be had here\n' >&2
  exit 77
}

state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT
XDG_STATE_HOME="$state" "$bin/postern" run T-1042 --open never --wait 90s >"$state/out" 2>"$state/err" &
host=$!
link=''
for _ in $(seq 300); do
  link=$(sed -n 's/^ *\(http:\/\/127\.0\.0\.1:[0-9]*\/approvals\/APR-[0-9]*\)$/\1/p' "$state/err" | head -n 1)
  [ -n "$link" ] && break
  kill -0 "$host" 2>/dev/null || break
  sleep 0.1
done
[ -n "$link" ] || { cat "$state/err" >&2; fail 'the host showed no link'; }

(cd "$out" && node approve.mjs "$link" 'Morgan Ellis' --screenshot approved.png) || { kill "$host"; wait "$host" || true; fail 'the browser could not approve'; }
wait "$host" || { cat "$state/err" >&2; fail "the host ended with $?"; }
grep -qx 'final: Refunded 4800 cents (RF-0001, approval APR-0001).' "$state/out" || { cat "$state/out" >&2; fail 'the final line is another'; }
grep -qx 'desk: 1 refund(s) on T-1042, $48.00 on ORD-5521 with APV-0001.' "$state/out" || { cat "$state/out" >&2; fail 'the desk line is another'; }
[ -s "$out/approved.png" ] || fail 'there is no screenshot'
printf 'browser: approved, paid, screenshot kept\n'
