#!/bin/sh
# stub.sh PROGRAM ARGUMENT… stands for a service manager, or for what install.sh
# asks about the machine. It notes the call in calls and keeps what the real
# program would: a file a loaded job, an enabled timer. $STUB is its directory.
# In it, os is the system's name; linger says lingering; gone is a count of
# prints for which a job that was booted out is still there; refuse a count of
# bootstraps that fail; mute keeps the user manager from answering; stale makes
# the units want a reload; kill ends an install while it builds; crontab-shut says why
# the crontab cannot be read.
set -eu
cd "$STUB"
program=$1
shift
echo "$program $*" >>calls
count() { # FILE: true, and one less, while FILE has a number above 0
	[ -e "$1" ] && n=$(cat "$1") && [ "$n" -gt 0 ] && echo $((n - 1)) >"$1"
}
case "$program $*" in
'uname -s') cat os ;;
uname*) PATH=${PATH#*:} && exec uname "$@" ;;
sleep*) ;;
'launchctl print '*)
	[ -e "job-${2##*/}" ] && exit
	count gone
	;;
'launchctl bootout '*)
	[ -e "job-${2##*/}" ] || exit 3
	rm "job-${2##*/}"
	;;
'launchctl bootstrap '*)
	shift 2
	! count refuse || { echo 'Bootstrap failed: 5: Input/output error' && exit 5; }
	label=${1##*/}
	[ ! -e "job-${label%.plist}" ] || exit 37
	cp "$1" "job-${label%.plist}"
	;;
launchctl*) ;;
systemctl*)
	[ ! -e mute ] || { echo 'Failed to connect to bus: No medium found' >&2 && exit 1; }
	for unit; do :; done
	case $* in
	*is-enabled* | *is-active*) [ -e "on-$unit" ] ;;
	*enable*) case $* in *disable*) rm -f "on-$unit" ;; *) : >"on-$unit" ;; esac ;;
	*daemon-reload) rm -f stale ;;
	*NeedDaemonReload*) [ -e stale ] && echo NeedDaemonReload=yes || echo NeedDaemonReload=no ;;
	esac
	;;
'loginctl '*) cat linger 2>/dev/null || echo Linger=no ;;
'crontab -l')
	[ ! -e crontab-shut ] || { cat crontab-shut >&2 && exit 1; }
	cat crontab 2>/dev/null || { echo "no crontab for $(id -un)" >&2 && exit 1; }
	;;
'go build '*) # the programs that the tests run are there already
	while [ "$1" != -o ]; do shift; done
	[ ! -e kill ] || kill -KILL 0 # our process group: install.sh too
	ln "$BIN"/fleet-* "$2" 2>/dev/null || cp "$BIN"/fleet-* "$2"
	;;
esac
