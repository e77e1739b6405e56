#!/bin/sh
# The same seed gives the same recording, whoever makes it and wherever: in two folders, with two homes, as two users,
# under two locales and two time zones. Whole files are compared, byte for byte.
#
#   determinism.sh PROGRAM SCENARIO...       PROGRAM: postern-lab
set -eu
program=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
chmod 755 "$folder"

# Another user may not be allowed to where this was built.
cp "$program" "$folder/postern-lab"
chmod 755 "$folder/postern-lab"
mkdir -m 700 "$folder/one"
mkdir -m 700 "$folder/a second folder"

installed() { locale -a 2>/dev/null | tr 'A-Z' 'a-z' | tr -d '-' | grep -qx "$(echo "$1" | tr 'A-Z' 'a-z' | tr -d '-')"; }
other_locale=C.UTF-8
for candidate in tr_TR.UTF-8 de_DE.UTF-8; do
  if installed "$candidate"; then other_locale=$candidate; fi
done

as_another=
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  as_another='setpriv --reuid=65534 --regid=65534 --clear-groups'
  chown 65534:65534 "$folder/a second folder"
else
  echo 'skipped: the second user, because only root can become another one'
fi
echo "locales C and $other_locale, time zones Asia/Tokyo and America/New_York"

for scenario in "$@"; do
  (cd "$folder/one" && env -i PATH="$PATH" HOME="$folder/one" TMPDIR="$folder/one" USER=one LANG=C LC_ALL=C TZ=Asia/Tokyo \
    "$folder/postern-lab" record --scenario "$scenario" --out "$folder/one/$scenario.run")
  # shellcheck disable=SC2086  # a command and its arguments, or nothing
  (cd "$folder" && env -i PATH="$PATH" HOME="$folder/a second folder" TMPDIR="$folder/a second folder" USER=other \
    LANG=$other_locale LC_ALL=$other_locale TZ=America/New_York XDG_STATE_HOME="$folder/a second folder/x" \
    $as_another "$folder/postern-lab" record --scenario "$scenario" --out "$folder/a second folder/$scenario.run")
  cmp "$folder/one/$scenario.run" "$folder/a second folder/$scenario.run"
  echo "$scenario: $(wc -c <"$folder/one/$scenario.run") bytes the same"
done
