#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time, one after the other
# or, with a second argument, that many at a time; prints how often each was
# run. An input that breaks a law fails the run and stays as a seed, in
# testdata/fuzz of its package. A third argument chooses targets by a pattern
# over "directory target".
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s} jobs=${2:-1} only=${3:-.}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# ended LOG: nothing but the end of its time stopped the target. The go command
# reports that as a failure of the target when the machine is busy.
ended() { grep -q '^    context deadline exceeded$' "$1" && ! grep -q 'Failing input written' "$1"; }

# one DIRECTORY TARGET
one() {
  local log=$out/$2-${1//\//_} began=$SECONDS execs
  if (cd "$1" && "$out/${1//\//_}.test" -test.run NONE -test.fuzz "^$2\$" -test.fuzztime "$time" -test.fuzzminimizetime 10x \
    -test.parallel 1 -test.fuzzcachedir "$cache/${1#./}" >"$log" 2>&1) || ended "$log"; then
    execs=$(sed -n 's/^fuzz: elapsed.* execs: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
    echo "fuzz: $1 $2: ${execs:-no} execs in $((SECONDS - began)) s"
  else
    echo "fuzz: $1 $2: FAIL"
    cat "$log"
    : >"$out/failed"
  fi
}

targets=$(grep -rE --include='*_test.go' '^func Fuzz[A-Za-z_0-9]*\(' cmd internal tests |
  sed 's|^\(.*\)/[^/:]*:func \(Fuzz[A-Za-z_0-9]*\).*|./\1 \2|' | grep -E "$only" | sort)
total=$(printf '%s\n' "$targets" | grep -c .)

# Each package is linked once, not once a target.
cache=$(go env GOCACHE)/fuzz/$(go list -m)
for dir in $(printf '%s\n' "$targets" | cut -d ' ' -f 1 | uniq); do
  go test -c -fuzz . -o "$out/${dir//\//_}.test" "$dir"
done

# Each of the given number of lines takes every so-manyth target: bash 3.2
# can't wait for whichever ends first.
lane=0
while [ "$lane" -lt "$jobs" ]; do
  printf '%s\n' "$targets" | awk -v n="$jobs" -v i="$lane" 'NR % n == i' |
    while read -r dir target; do one "$dir" "$target" </dev/null; done &
  lane=$((lane + 1))
done
wait
if [ -e "$out/failed" ]; then
  echo "fuzz: finds above; git status shows the inputs, kept as seeds" >&2
  exit 1
fi
echo "fuzz: $total targets, no finds"
