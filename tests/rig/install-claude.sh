#!/bin/sh
# install-claude.sh DIR [VERSION] installs Claude Code under DIR with npm, once, and prints the path of its binary.
set -eu
dir=${1:?usage: install-claude.sh DIR [VERSION]}
version=${2:-2.1.280}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# The package's own launcher is absent on some platforms; its optional dependency holds the native binary.
find_binary() {
	for f in "$dir"/node_modules/@anthropic-ai/claude-code-*/claude "$dir"/node_modules/@anthropic-ai/claude-code/bin/claude.exe; do
		if [ -x "$f" ] && [ "$(HOME=$dir "$f" --version 2>/dev/null)" = "$version (Claude Code)" ]; then
			printf '%s\n' "$f"
			return 0
		fi
	done
	return 1
}

if ! find_binary; then
	npm install --prefix "$dir" --no-audit --no-fund --loglevel=error "@anthropic-ai/claude-code@$version" >&2
	find_binary || { echo "install-claude.sh: no working binary of $version under $dir" >&2; exit 1; }
fi
