#!/bin/sh
# Whether this machine can do the exercises of docs/lab, one line a thing, and what to do about what is missing. Changes nothing and
# installs nothing. Exit code: 0 it can; 1 something that an exercise needs is missing.
# usage: docs/lab/preflight.sh [--programs FOLDER]     where the programs are; build/bin when not said
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
programs="$root/build/bin"
missing=0
if [ $# -gt 0 ]; then
  if [ "$1" != --programs ] || [ $# -ne 2 ]; then
    printf 'preflight: wrong use: %s (only --programs FOLDER)\n' "$*" >&2
    exit 2
  fi
  programs=$2
fi

# The verdict, what, and what to do: `good`, `note` (an exercise gets by without), `bad`.
good() { printf 'ok       %-12s %s\n' "$1" "$2"; }
note() { printf 'without  %-12s %s\n' "$1" "$2"; }
bad() {
  printf 'MISSING  %-12s %s\n' "$1" "$2"
  missing=$((missing + 1))
}

check_machine() {
  cores=$(nproc 2>/dev/null || echo 0)
  megabytes=$(awk '/MemAvailable/ {print int($2 / 1024)}' /proc/meminfo 2>/dev/null || echo 0)
  free=$(df -Pm "$root" 2>/dev/null | awk 'NR == 2 {print $4}')
  if [ "$cores" -ge 2 ]; then good cores "$cores"; else note cores "$cores: the first build takes an hour; ask for a machine that has it built"; fi
  if [ "$megabytes" -ge 2000 ]; then good memory "$megabytes MB"; else bad memory "$megabytes MB free, and building needs 2000: end other programs"; fi
  if [ "${free:-0}" -ge 4000 ]; then good disk "$free MB"; else bad disk "${free:-0} MB free in $root, and the build needs 4000"; fi
}

check_programs() {
  for program in postern postern-desk postern-approvals postern-payments postern-issuer postern-lab; do
    if [ ! -x "$programs/$program" ]; then
      bad "$program" "not in $programs: run ./dev build"
    elif ! said=$("$programs/$program" --version 2>/dev/null </dev/null); then
      bad "$program" "it does not start here: run ./dev clean, then ./dev build"
    else
      good "$program" "$(printf '%s\n' "${said:-starts}" | head -n 1)"
    fi
  done
}

# Everything listens on 127.0.0.1, on ports that the system gives out; the range must not be used up.
check_ports() {
  if [ ! -r /proc/net/tcp ]; then
    note ports "/proc/net/tcp cannot be read, so nobody can say which are free"
    return
  fi
  read -r low high </proc/sys/net/ipv4/ip_local_port_range 2>/dev/null || { low=32768 high=60999; }
  used=$(awk 'NR > 1 && $4 == "0A"' /proc/net/tcp | wc -l)
  if [ $((high - low - used)) -ge 200 ]; then
    good ports "$((high - low - used)) of 127.0.0.1 are free"
  else
    bad ports "only $((high - low - used)) of 127.0.0.1 are free: end what listens"
  fi
  if ! awk '$1 ~ /^127\./ || $2 == "localhost" {found = 1} END {exit !found}' /etc/hosts 2>/dev/null; then
    note localhost "/etc/hosts does not name it; use 127.0.0.1 in the browser"
  fi
}

check_folders() {
  state=${XDG_STATE_HOME:-${HOME:-}/.local/state}
  place=$state
  while [ -n "$place" ] && [ ! -e "$place" ]; do place=$(dirname "$place"); done
  if [ -w "${place:-/nowhere}" ]; then good state "$state"; else bad state "$state cannot be written: set XDG_STATE_HOME to a folder of yours"; fi
}

check_optional() {
  if command -v xdg-open >/dev/null 2>&1; then good browser "xdg-open"; else note browser "no xdg-open: copy the link by hand, or use --supervisor approve"; fi
  if command -v node >/dev/null 2>&1; then good node "$(node --version), for the Inspector and the interop matrix (lab 1 and lab 3)"; else note node "the Inspector and the interop matrix are optional; the rest needs no node"; fi
  if [ -n "${ANTHROPIC_API_KEY:-}" ]; then
    note "model key" "one is set and would be used: unset ANTHROPIC_API_KEY, and the scripted model answers"
  else
    good "model key" "none is needed, and none is set: the scripted model answers"
  fi
}

check_machine
check_programs
check_ports
check_folders
check_optional
if [ "$missing" -gt 0 ]; then
  printf '%s thing(s) missing. Nothing was changed.\n' "$missing"
  exit 1
fi
printf 'This machine can do the exercises. Begin with docs/lab/README.md.\n'
