#!/bin/sh
# Runs the Node that the peers need; 77 when one of the named peers is not installed.
# usage: run.sh 'PEER...' [OPTION...] SCRIPT [ARGUMENT...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
needs=$1
shift
# shellcheck disable=SC2086  # one word a peer
"$here/setup.sh" --check node22 $needs
POSTERN_PEERS=$("$here/setup.sh" --folder)
export POSTERN_PEERS
set -- "$POSTERN_PEERS"/node22/node_modules/node-linux-*/bin/node "$@"
exec "$@"
