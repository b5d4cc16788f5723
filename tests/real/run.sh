#!/usr/bin/env bash
# run.sh installs what the tests against the real programs need, and runs them. A skipped test is a failure.
set -euo pipefail
cd "$(dirname "$0")/../.."

missing=()
for want in tmux:tmux gh:gh node:nodejs npm:npm chromium:chromium shellcheck:shellcheck systemd-analyze:systemd man:man-db mandoc:mandoc zsh:zsh fish:fish ssh:openssh-client /usr/sbin/sshd:openssh-server; do
	command -v "${want%:*}" >/dev/null || missing+=("${want#*:}")
done
if ((${#missing[@]})); then
	export DEBIAN_FRONTEND=noninteractive
	apt-get -qq update >&2
	apt-get -qq install --yes --no-install-recommends "${missing[@]}" >&2
fi
[[ $EUID != 0 ]] || mkdir -p /run/sshd # for sshd, which no service starts here
sh tests/rig/install-claude.sh .cache/claude-code >&2
mkdir -p .cache/page # for the page in Chromium
npm install --prefix .cache/page --no-audit --no-fund --ignore-scripts --loglevel=error playwright-core@1.65.1 axe-core@4.14.1 >&2

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
"${GO:-go}" test -tags real ./tests/real -count=1 -v -parallel 3 -timeout 20m | tee "$log" || status=$?
if grep -q -e '--- SKIP' "$log"; then
	echo 'run.sh: a test was skipped' >&2
	status=1
fi
exit "$status"
