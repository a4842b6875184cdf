#!/bin/sh
# Installs the Debian packages that tests drive, those that are missing; says so where it cannot, and tests then skip.
set -eu
missing=""
for package in $(cat "$1"); do
    if [ "$package" = nodejs ] && command -v node >/dev/null; then continue; fi
    if [ "$package" = npm ] && command -v npm >/dev/null; then continue; fi
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
run=""
if [ "$(id -u)" -ne 0 ]; then run="sudo -n"; fi
if ! command -v apt-get >/dev/null || { [ -n "$run" ] && ! $run true 2>/dev/null; }; then
    echo "not installed, tests that need them will skip:$missing" >&2
    exit 0
fi
$run apt-get update -qq
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing >/dev/null
