#!/bin/sh
# setup.sh lays out, in the working directory, what a tick needs: tick.sh in a
# directory of its own, where stubs go too; the captured machine, under the name
# of this one, so that the observers and fleet-ledger speak of one host; a Paseo
# home and a board on it; and a configuration. It needs $ROOT.
set -eu
mkdir bin home
cp "$ROOT/bin/tick.sh" "$ROOT/bin/parts.sh" bin/
cp -R "$ROOT/fixtures/cc-2.1.280" machine
chmod -R u+w machine
host=$(uname -n | cut -d . -f 1)
sed "s/\"host\": *\"[^\"]*\"/\"host\": \"$host\"/" "$ROOT/fixtures/cc-2.1.280/meta.json" >machine/meta.json
cp -R "$ROOT/fixtures/paseo-0.1.65/62-daemon-killed9-15s/root/home/dev/.paseo" machine/root/home/dev/
mkdir -p machine/root/home/dev/.local/state/ctx/lamp
: >machine/root/home/dev/.local/state/ctx/lamp/events.jsonl
cat >fleet.json <<END
{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "state_dir": "$PWD/state", "tick_timeout_min": 5, "owner_channel": {"kind": "none"},
   "surfaces": ["claude", "paseo", "gh", "board"],
  "repos": ["/home/dev/src/storefront", "/home/dev/src/billing", "/home/dev/src/infra", "/home/dev/src/etl"]}}}
END
