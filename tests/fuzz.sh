#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time, one after the other.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s}
grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r file; do
  dir=$(dirname "$file")
  grep -oE '^func Fuzz[A-Za-z_0-9]*' "$file" | sed 's/func //' | while read -r target; do
    echo "$dir $target"
    go test "$dir" -run NONE -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x
  done
done
