#!/usr/bin/env bash
# Compare the schema after "up" with the schema after "up, down, up".
set -euo pipefail
dsn="$1"; migrations="$2"
work="$(mktemp -d)"; trap 'rm -rf "$work"' EXIT

dump() { pg_dump --schema-only --no-owner "$dsn" | grep -v '^--' > "$1"; }
ups() { find "$migrations" -name '*.sql' ! -name '*.down.sql' | sort; }
downs() { find "$migrations" -name '*.down.sql' | sort -r; }

dump "$work/first"
for file in $(downs); do psql "$dsn" -q -v ON_ERROR_STOP=1 -f "$file"; done
for file in $(ups); do psql "$dsn" -q -v ON_ERROR_STOP=1 -f "$file"; done
dump "$work/second"
diff -u "$work/first" "$work/second"
