#!/usr/bin/env bash
# rerun.sh OUT RUNS SECONDS DIR -- COMMAND...
# Runs COMMAND in DIR up to RUNS times or until SECONDS have passed.
# Writes one line per run to OUT: number, exit code, seconds.
set -u
out=$(realpath -m "$1"); runs=$2; budget=$3; dir=$4
shift 4
[ "${1:-}" = "--" ] && shift
cd "$dir" || exit 2
start=$SECONDS
: > "$out"
for ((i = 1; i <= runs; i++)); do
  left=$((budget - (SECONDS - start)))
  [ "$left" -le 0 ] && break
  t0=$(date +%s.%N)
  timeout "$left" "$@" > "$out.last.log" 2>&1
  code=$?
  # cut off by our own budget: says nothing about the test
  [ "$code" -eq 124 ] && [ $((SECONDS - start)) -ge "$budget" ] && break
  t1=$(date +%s.%N)
  printf '%d\t%d\t%.2f\n' "$i" "$code" "$(echo "$t1 - $t0" | bc)" >> "$out"
  [ "$code" -ne 0 ] && cp "$out.last.log" "$out.fail-$i.log"
done
exit 0
