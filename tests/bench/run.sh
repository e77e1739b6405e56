#!/bin/sh
# Called by ./dev bench. Prints each figure beside its goal; asserts nothing.
set -eu
cd "$(dirname "$0")/../.."
exec python3 tests/bench/bench.py "$@"
