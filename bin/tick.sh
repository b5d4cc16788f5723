#!/bin/sh
# tick.sh makes one tick for the scope $FLEET_SCOPE: it looks at everything,
# judges it, asks the owner what is new, and leaves a report in the scope's
# state directory, where latest.md, latest.html and latest.json lead to it, and
# latest.ndjson to the records that it was made of. After a tick that failed, they
# lead to the last report, which says so: latest.md always, latest.html and the reason
# in latest.json while fleet-render works and the records of the last report are there.
# So they do while the scope is switched off.
#
# Usage:
#
#	FLEET_SCOPE=ID tick.sh
#
# It runs when the scope's dispatch_enabled is exactly 1. FLEET_CONFIG names
# another configuration. FLEET_FIXTURES=DIR observes the recorded machine in
# DIR instead of this one, and its paths are the recorded ones: FLEET_CONFIG must
# be named; the state directory stays this machine's, so DIR/meta.json must name
# it as the host. Status: 0 done, switched off, or
# inside a tick; also when an observer could not read everything; 1 failed; 75
# another tick runs.
#
# A failed tick, and one that finds another running for over two hours, shows a
# dialog, and tells the owner's command when owner_channel is one, at most once a
# kind in six hours. Steps say what they meet in tick.log
# in the state directory, which is cut to its last 512 KiB when a tick finds it
# over 1 MiB. Snapshots are removed after a week; reports stay.
#
# Whatever ends a tick, the next one takes another number and directory. A file
# gets its name when it is whole; a name that ends in .part counts for nothing.
set -u
umask 077
unset GO_FLAGS_COMPLETION # makes every program print completions and end well

what=tick
case $0 in */*) self=${0%/*} ;; *) self=. ;; esac
self=$(CDPATH='' cd -- "${self:-/}" && pwd -P)/${0##*/} # the release, when a link leads to it

# What a program gets besides that shows something to the owner.
kept_for_owner='DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS'

named() { case $surfaces in *"\"$1\""*) ;; *) return 1 ;; esac; } # PRODUCT
# The names of a list of hosts as fleet-config writes it: each is a word of
# letters, digits, ., _ and -, and stands alone behind its key.
names_of() { printf '%s\n' "$1" | sed -e 's/[[{]/\
/g' | sed -n 's/^"name":"\([A-Za-z0-9._-]*\)",.*/\1/p'; }
last_report() { # last is the report of the newest tick that has one
	last=''
	for report in "$state"/ticks/?????/report.md "$state"/ticks/??????*/report.md; do [ ! -f "$report" ] || last=$report; done
}
outdated() { # WHY: latest.md is of an earlier tick, when there is one, and says so
	last_report
	[ -z "$last" ] || { stale "$1" "$last" "$state/failed.md" && lead "$state/failed.md" latest.md; }
}
# outdated_too WHY: so do latest.json and latest.html, where they can.
outdated_too() {
	last_report
	[ -z "$last" ] || for format in json html; do told "the tick failed: $1" "${last%report.md}snapshot.ndjson" $format "$state/failed.$format" latest.$format; done
}
reports() { # what there is of them is shown, also when one could not be made; says is a line of it
	missing='' asks=$dir/asks.md
	says=$(fed "$dir/snapshot.ndjson" fleet-render --into "$dir" --lead "$state") || missing="a report could not be made in $dir, or none of $state/latest.* lead to it"
	[ ! -f "$asks" ] || mv -f "$asks" "$state/asks/$number.md" || missing="$state/asks/$number.md could not be made"
	for format in md json html; do
		[ -f "$dir/report.$format" ] || missing="the $format report could not be made, $dir/report.$format"
	done
	lead "$dir/snapshot.ndjson" latest.ndjson || missing=${missing:-"$state/latest.ndjson could not be made"}
	[ -z "$missing" ] || fail "$missing"
}
note_end() { # STATUS
	snapshot=$dir/snapshot.ndjson
	[ -n "$dir" ] && [ -f "$snapshot" ] || snapshot=''
	fed "$snapshot" fleet-ledger exit --tick "$n" --status "$1"
}
fail() {
	trap '' TERM INT HUP
	to='' where="more is in $state/tick.log"
	[ -z "$dir" ] || rm -f "$dir/stages.part" "$dir/unwell.part" "$dir/sessions.part"
	echo "tick.sh: tick ${n:-without a number} failed: $1" >&2 || where="$state/tick.log cannot be written"
	say "tick ${n:-without a number} failed: $1; $where"
	held || exit 1 # what another tick shows is newer
	outdated "$1"
	[ -z "$n" ] || note_end 1
	outdated_too "$1"
	exit 1
}

judge() {
	stage cat "$dir"/*.ndjson | stage fleet-classify | stage fleet-asks | stage fleet-ledger append
	judged cat fleet-classify fleet-asks fleet-ledger
}

tick() {
	n='' dir='' # whatever the caller's environment has
	logs "$state/tick.log"
	n=$(step fleet-ledger fire) || fail "it got no number from $state/ledger.jsonl"
	for name in latest.md latest.json latest.html latest.ndjson failed.md failed.json failed.html off.md off.json off.html tick.log; do set -- "$@" "$state/$name.part"; done
	rm -f "$@" "$state"/ticks/*/*.part # of ticks that were killed; another's file may be called like that
	set --
	echo "tick.sh: tick $n, $(date -u +%Y-%m-%dT%H:%M:%SZ)" >&2
	number=$(printf %05d "$n")
	dir=$state/ticks/$number
	for place in "$state/ticks" "$state/asks"; do [ -d "$place" ] || mkdir "$place" || fail "$place could not be made"; done
	mkdir "$dir" || fail "$dir could not be made"

	fixtures=${FLEET_FIXTURES:+--fixtures=$FLEET_FIXTURES}
	# What needs nothing of Claude Code is read while it lists, which takes longest.
	# A product that the configuration does not name is left alone.
	observe claude fleet-observe-claude --listing-cap "$cap" ${fixtures:+"$fixtures"} & claude=$!
	observe config fleet-config tick --tick "$n" ${fixtures:+"$fixtures"} || { wait && fail "the configuration could not be read"; }
	named paseo && observe paseo fleet-observe-paseo ${fixtures:+"$fixtures"} &
	named board && observe board fleet-observe-board ${fixtures:+"$fixtures"} &
	observe schedule fleet-observe-schedule ${fixtures:+"$fixtures"} & # no verdict rests on it
	observe ledger fleet-ledger observe &
	[ "$hosts" = '[]' ] || for host in $(names_of "$hosts"); do
		more=$kept_for_ssh && observe "host-$host" fleet-observe-claude --host "$host" --listing-cap "$cap" ${fixtures:+"$fixtures"} &
	done
	wait $claude
	if named gh && cat "$dir/config.ndjson" "$dir/claude.ndjson" >"$dir/sessions.part" && (more=$kept_for_gh from=$dir/sessions.part && observe gh fleet-observe-gh ${token:+"--token-file=$token"} ${fixtures:+"$fixtures"}); then
		rm -f "$dir/config.ndjson" "$dir/claude.ndjson" # it copied them
	fi
	wait

	into "$dir/snapshot.ndjson" step sh "$self" --judge "$dir" || fail "the records were not judged, or not kept in $dir/snapshot.ndjson$(unwell)"
	for name in "$dir"/*.ndjson; do [ "$name" = "$dir/snapshot.ndjson" ] || set -- "$@" "$name"; done
	rm -f "$@" "$dir"/*.part
	reports
	find "$state/ticks" -name "*.ndjson" -mtime +7 -exec rm -f {} + &
	note_end 0 || fail 'its end could not be noted in the ledger'
	wait
	echo "tick $n: $says: $dir/report.md"
}

# dialog TEXT shows a text, in the place of a subshell.
dialog() {
	exec >/dev/null 2>&1 </dev/null
	if command -v osascript; then
		exec osascript -e 'on run argv' -e 'display dialog (item 1 of argv) with title "fleet" buttons {"OK"} default button 1 with icon caution giving up after 60' \
			-e 'end run' -- "$1"
	elif command -v zenity; then
		exec zenity --warning --no-markup --title fleet --timeout 60 --text "$1"
	elif command -v kdialog; then
		exec kdialog --title fleet --passivepopup "$1" 60
	fi
	exec notify-send -- fleet "$1"
}
# shown TEXT: whether the dialog was, which is ended after 90 s.
shown() {
	dialog "$1" &
	dialog=$!
	sleep 90 >/dev/null 2>&1 &
	limit=$!
	trap 'kill $dialog $limit 2>/dev/null; exit 1' TERM INT HUP
	while kill -0 $limit 2>/dev/null && kill -0 $dialog 2>/dev/null; do sleep 1; done
	kill $dialog $limit 2>/dev/null
	for _ in 1 2 3 4 5; do kill -0 $dialog 2>/dev/null || break; sleep 1; done
	! kill -0 $dialog 2>/dev/null || kill -9 $dialog # it is deaf
	wait $dialog
	set -- $?
	trap - TERM INT HUP # their numbers may be other processes' by now
	case $1 in 0 | 5) ;; *) return 1 ;; esac # 5: zenity's time was up
}

# alert KIND TEXT tells the owner: in a dialog, from the shell alone, since what
# broke may be every program of ours, and through the owner's command when there
# is one. What reached nobody is told again by the next tick.
alert() {
	echo "tick.sh: $2" >&2
	! stamps found "$1" || return 0
	shown "fleet, scope $FLEET_SCOPE: $2"
	told=$?
	says=$(more=$kept_for_owner && clean --timeout 2m --kill-after 5s -- fleet-asks alert "$1" "$2" 2>&1)
	case $?$says in
	0*delivered) told=0 ;;
	*fleet-asks:*) printf '%s\n' "$says" | sed -n '/^fleet-asks: alerting the owner/p' >&2 ;;
	esac
	[ $told -ne 0 ] || stamps made "$1" || echo "tick.sh: that this was told could not be noted anywhere, so the next tick tells it again" >&2
}
# stamps found KIND: whether one says that its alert was told in the last six
# hours. One of a time that has not come yet, as after a clock was set back, says
# nothing. stamps made KIND: makes one, where that can be done.
stamps() {
	for place in "$state" "$usual" "${XDG_CACHE_HOME:-$HOME/.cache}/fleet-reconcile/$FLEET_SCOPE" "${TMPDIR:-/tmp}/fleet-$(id -u)-$FLEET_SCOPE"; do
		[ "$1" = found ] || mkdir -p "$place" 2>/dev/null || continue
		[ -n "$(find "$place/" -prune -user "$(id -u)" ! -perm -0002 2>/dev/null)" ] || continue # what others may write says nothing
		if [ "$1" = made ]; then
			! touch "$place/.alert-$2" 2>/dev/null || return 0
		elif [ -n "$(find "$place/.alert-$2" -mmin -360 ! -mmin -0 2>/dev/null)" ]; then
			return 0
		fi
	done
	return 1
}
broken() { # KIND TEXT
	case $1 in lock | ask) ;; *) outdated "$2" 2>/dev/null && outdated_too "$2" 2>/dev/null ;; esac
	alert "$1" "$2"
	exit 1
}

# off WHY: no tick is to run, which latest.md, latest.json and latest.html say of the last one.
off() {
	echo "tick.sh: scope $FLEET_SCOPE $1" >&2
	elsewhere
	last_report
	[ -z "$last" ] || {
		for format in json html; do told "no tick ran: scope $FLEET_SCOPE $1" "${last%report.md}snapshot.ndjson" $format "$state/off.$format" latest.$format; done
		marked "**At $(date -u +%Y-%m-%dT%H:%M:%SZ) no tick ran: scope $FLEET_SCOPE $1**" "$last" "$state/off.md" && lead "$state/off.md" latest.md
	} 2>/dev/null
	exit 0
}

# recorded refuses a recorded machine that the ledger of this one can't remember.
recorded() {
	[ -n "${FLEET_CONFIG-}" ] || { echo 'tick.sh: FLEET_FIXTURES is set, so FLEET_CONFIG must name the configuration' >&2; exit 1; }
	[ -f "$FLEET_FIXTURES/meta.json" ] || { echo "tick.sh: FLEET_FIXTURES=$FLEET_FIXTURES is no recording: it has no meta.json" >&2; exit 1; }
	there=$(sed -n 's/.*"host": *"\([^"]*\)".*/\1/p' "$FLEET_FIXTURES/meta.json") here=$(uname -n)
	[ "$there" = "${here%%.*}" ] || { echo "tick.sh: $FLEET_FIXTURES/meta.json names the host $there, and this is ${here%%.*}: whose ledger is used must be whose machine is read" >&2; exit 1; }
}
around() {
	state=$usual # until the configuration says where it is
	values=$(settings state_dir tick_timeout_min listing_cap gh_token_file surfaces hosts)
	case $? in
	0) ;;
	2 | 3) elsewhere && broken config 'the configuration has a mistake, so no tick runs; fleet-config check names it' ;;
	*) elsewhere && broken programs "a program of fleet is missing or broken in ${self%/*}, so no tick runs" ;;
	esac
	[ -n "$values" ] || off 'is switched off: dispatch_enabled is not 1'
	{ IFS= read -r dir && read -r minutes && read -r cap && IFS= read -r token && IFS= read -r surfaces && IFS= read -r hosts; } <<END ||
$values
END
		broken config 'the configuration has a mistake, so no tick runs; fleet-config check names it'
	state=$dir
	[ -d "$state" ] || mkdir -p "$state" || broken state "$state cannot be made, so no tick runs"
	noted
	to_end fleet-step --lock "$state/tick.lock" --timeout "${minutes}m" -- sh "$self" --locked "$state" "$((minutes * 20))s" "$cap" "$surfaces" "$token" "$hosts"
	case $? in
	0) failed='' ;;
	75)
		[ -n "$(find "$state/tick.lock" \( -mmin +120 -o -mmin -0 \))" ] || exit 75
		broken lock "another tick has been running for over two hours, or since a time that has not come yet, so no tick runs; $state/tick.lock says which"
		;;
	126 | 127) broken programs "a program of fleet is missing or broken in ${self%/*}, so no tick runs" ;;
	*) failed=1 && alert tick "the tick failed; $state/tick.log says why" ;; # what earlier ones asked is shown all the same
	esac
	to_end fleet-step --keep-env "$kept $kept_for_owner" --timeout 12m --kill-after 5s -- fleet-asks show 2>>"$state/tick.log" || [ -n "$failed" ] || # of one tick one alert
		broken ask "the tick is done, but the owner could not be shown what is asked; $state/tick.log says why, and fleet-asks list what"
	[ -z "$failed" ]
}

PATH=${self%/*}:$PATH # a pinned copy of tick.sh runs the programs beside it
[ -r "${self%/*}/parts.sh" ] || { # what broke may be this too
	clean() {
		while [ "$1" != -- ]; do shift; done
		shift
		"$@"
	}
	case ${FLEET_SCOPE-} in
	'' | *[!a-z0-9_-]*) echo "tick.sh: ${self%/*}/parts.sh is missing" >&2; exit 1 ;;
	esac
	[ "$(fleet-config get "$FLEET_SCOPE" dispatch_enabled 2>&1)" != 0 ] || { echo "tick.sh: scope $FLEET_SCOPE is switched off: dispatch_enabled is not 1" >&2; exit 0; }
	usual=$HOME/.local/state/fleet-reconcile/$FLEET_SCOPE
	state=$usual
	alert programs "${self%/*}/parts.sh is missing, so no tick runs"
	exit 1
}
# shellcheck source=bin/parts.sh
. "${self%/*}/parts.sh"
case ${1-} in
--locked) state=$2 lock=$2/tick.lock third=$3 cap=$4 surfaces=$5 token=$6 hosts=${7-} && tick ;;
--judge) dir=$2 && judge ;;
--help | -h) sed -n -e '/^set -u/q' -e '1d' -e 's/^# \{0,1\}//p' "$self" ;;
'')
	[ $# -eq 0 ] || { echo 'tick.sh: unknown argument; try tick.sh --help' >&2; exit 1; }
	scoped
	[ -z "${FLEET_FIXTURES-}" ] || recorded
	around
	;;
*) echo "tick.sh: unknown argument; try tick.sh --help" >&2; exit 1 ;;
esac
