#!/bin/sh
# setup.sh lays out, in the working directory, what a sweep needs: heal.sh and
# tick.sh in a directory of their own, where stubs go too; a home with the
# workspace of one agent, which is down, and its empty registry; and a
# configuration that only reports. It needs $ROOT.
set -eu
mkdir -p bin home/registry home/repos/code/.macf
cp "$ROOT/bin/heal.sh" "$ROOT/bin/parts.sh" bin/
git init -q home/repos/code
cat >home/repos/code/.macf/macf-agent.json <<END
{"project": "lamp", "agent_name": "code", "routing_label": "code", "agent_role": "r", "agent_type": "permanent", "registry": {"type": "local", "path": "~/registry"},
  "versions": {"cli": "0.2.46", "plugin": "1", "actions": "1"}}
END
printf '#!/bin/sh\n' >home/repos/code/claude.sh
chmod +x home/repos/code/claude.sh
cat >fleet.json <<END
{"v": 1, "scopes": {"lamp": {"dispatch_enabled": 1, "mode": "report", "dry_run": 0, "state_dir": "$PWD/state", "owner_channel": {"kind": "none"}, "surfaces": ["claude"],
  "repos": ["$PWD/home/repos/code"], "heal": {}}}}
END
