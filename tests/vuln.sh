#!/usr/bin/env bash
# Looks for known vulnerabilities in what the programs and tests call.
set -euo pipefail
cd "$(dirname "$0")/.."
scanner=golang.org/x/vuln/cmd/govulncheck@v1.9.0
data=golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018

# What the standard library of an older patch release lacks is mended by a
# newer Go, not here: it is judged as of the one named.
export GOTOOLCHAIN=go1.26.11

if command -v curl >/dev/null && curl -fsS -m 20 -o /dev/null https://vuln.go.dev/index/db.json 2>/dev/null; then
  db=https://vuln.go.dev
else
  # A build machine may reach a module proxy and nothing else. The data of the
  # database is a module too: as old as its version, and the same every time.
  dir=$(go mod download -json "$data" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  db=file://$dir/data/osv
fi
echo "vuln: $db"
go run "$scanner" -db "$db" ./...
