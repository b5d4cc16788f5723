#!/bin/sh
# install-gh.sh installs Debian's gh, once, and prints the path of its binary.
set -eu
if ! command -v gh >/dev/null 2>&1; then
	apt-get install -y --no-install-recommends gh >&2 || { apt-get update >&2 && apt-get install -y --no-install-recommends gh >&2; }
fi
command -v gh || { echo "install-gh.sh: there is no gh after installing it" >&2; exit 1; }
