#!/bin/sh
# sweep.sh HOME waits for the end of its standard input, then ends every process whose HOME is HOME and
# removes what they left. A test holds the other end, so they end with it, however it ends.
cat >/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
	left=$(grep -lzxF "HOME=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3)
	[ -n "$left" ] || break
	kill -9 $left 2>/dev/null
	sleep 0.2
done
rm -rf "$1" "/tmp/cc-daemon-$(id -u)/$(printf %s "$1/.claude" | sha256sum | cut -c1-8)"
