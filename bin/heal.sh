#!/bin/sh
# heal.sh makes one sweep for the scope $FLEET_SCOPE: it looks at the agents that
# should run and the sessions that stopped, decides what is to be done, and, where
# the scope lets it act, does it. It leaves a report in the scope's state
# directory, heal.md, the same for jq in heal.json, and what it saw and did in
# heal/sweep.ndjson. After a sweep that failed both say so; heal.json names the reason
# while fleet-render works.
#
# Usage:
#
#	FLEET_SCOPE=ID heal.sh
#
# It runs when the scope's dispatch_enabled is exactly 1 and its heal is no null.
# It acts when the scope's mode is act and its dry_run exactly 0; else the report
# says what it would do. FLEET_CONFIG names another configuration. A recorded machine
# (FLEET_FIXTURES) is not swept. Every sweep that
# the configuration lets begin ends with an entry in the ledger: when that is missing
# for one and a half intervals, tick.sh asks about it. Status: 0 done, or switched off,
# or another fleet-act acts, such as an upgrade, which heal.md says: a failure when it
# has for over two hours; 1 failed; 75 another sweep runs.
#
# Steps say what they meet in heal.log in the state directory, which is cut to its
# last 512 KiB when a sweep finds it over 1 MiB.
set -u
umask 077
unset GO_FLAGS_COMPLETION # makes every program print completions and end well

what=sweep
case $0 in */*) self=${0%/*} ;; *) self=. ;; esac
self=$(CDPATH='' cd -- "${self:-/}" && pwd -P)/${0##*/} # the release, when a link leads to it
[ -r "${self%/*}/parts.sh" ] || { echo "heal.sh: ${self%/*}/parts.sh is missing, so no sweep runs" >&2; exit 1; }
# shellcheck source=bin/parts.sh
. "${self%/*}/parts.sh"
PATH=${self%/*}:$PATH # a pinned copy of heal.sh runs the programs beside it
kept="$kept TMUX_TMPDIR MACF_WORKSPACE_ROOT" # where sessions and agents are

fail() {
	trap '' TERM INT HUP
	from='' to=''
	echo "heal.sh: the sweep failed: $1" >&2
	say "the sweep failed: $1; more is in $state/heal.log"
	held || exit 1 # what another sweep shows is newer
	{ stale "$1" "$state/heal/report.md" "$state/heal/failed.md" && lead "$state/heal/failed.md" heal.md; } || say "$state/heal.md is of an earlier sweep, which could not be noted in it"
	told "the sweep failed: $1" "$state/heal/sweep.ndjson" sweep-json "$state/heal/failed.json" heal.json
	clean -- fleet-ledger swept --status 1 --detail "$1" || say 'that it failed could not be noted in the ledger'
	exit 1
}
judge() {
	stage cat "$dir"/*.ndjson | stage fleet-classify | stage fleet-reconcile ${desired:+"--desired=$desired"} 2>"$dir/said.part"
	cat "$dir/said.part" >&2
	judged cat fleet-classify fleet-reconcile
}
# act OUT COMMAND…: what an act adds to $last, which it copies first. It waits for
# effects, so it has more time than a step that looks; one that failed may have
# done something all the same, so its whole lines are kept whatever its end was.
act() {
	out=$1
	shift
	(third=45m && fed "$last" "$@" >"$out") 3>&- # a server that it starts would hold it open
	set -- $?
	[ -z "$(tail -c 1 "$out")" ] || { sed '$d' "$out" >"$out.whole" && mv -f "$out.whole" "$out"; } # it was killed within a line
	[ -s "$out" ] && [ "$(wc -l <"$out")" -ge "$(wc -l <"$last")" ] && last=$out
	return "$1"
}

sweep() {
	dir=$state/heal
	logs "$state/heal.log"
	echo "heal.sh: $(date -u +%Y-%m-%dT%H:%M:%SZ)" >&2
	kept_sweep=$dir/sweep.ndjson
	mkdir -p "$dir" || fail "$dir could not be made"
	for old in "$dir"/*.part "$dir"/*.ndjson; do [ "$old" = "$kept_sweep" ] || rm -f "$old"; done # of a sweep that was killed
	rm -f "$state/heal.md.part" "$state/heal.json.part" "$state/heal.log.part" # another's file may end in .part too
	dir=$dir/now
	{ rm -rf "$dir" && mkdir "$dir"; } || fail "$dir could not be made"

	observe config fleet-config tick || fail 'the configuration could not be read'
	observe ledger fleet-ledger observe &
	observe workspaces fleet-observe-workspaces &
	observe claude fleet-observe-claude --listing-cap "$cap"
	wait
	cat "$dir/config.ndjson" "$dir/workspaces.ndjson" >"$dir/agents.part" &&
		(more=$kept_for_gh from=$dir/agents.part && observe health fleet-observe-health ${token:+"--token-file=$token"}) &&
		rm -f "$dir/config.ndjson" "$dir/workspaces.ndjson" # it copied them
	into "$dir/decided.part" step sh "$self" --judge "$dir" "$desired" || fail "the records were not judged, or not kept in $dir$(unwell)$(sed -n '1s/^/; /p' "$dir/said.part" 2>/dev/null)"
	did=0 last=$dir/decided.part
	act "$dir/acted.part" fleet-act --execute || did=$?
	case $did$stalls in 75* | *0) ;; *) act "$dir/stalled.part" fleet-act --execute stalled || { status=$? && { [ $did -ne 0 ] || did=$status; }; } ;; esac
	into "$kept_sweep" fed "$last" cat || fail "$kept_sweep could not be written"
	rm -rf "$dir"
	beside=''
	[ $did -ne 75 ] || beside='another fleet-act acts'
	into "$state/heal/report.md" fed "$kept_sweep" fleet-render --format sweep || fail 'the report could not be made'
	into "$state/heal/report.json" fed "$kept_sweep" fleet-render --format sweep-json ${beside:+--failed "$beside, so this sweep did not, or not to its end; the next one does"} ||
		fail 'the report could not be made'
	lead "$state/heal/report.md" heal.md || fail "$state/heal.md could not be made"
	lead "$state/heal/report.json" heal.json || fail "$state/heal.json could not be made"
	case $did in
	0) ;;
	75) # another acts, such as an upgrade: that is no failure, unless it has been at it for long
		[ -z "$(find "$state/act.lock" \( -mmin +120 -o -mmin -0 \))" ] ||
			fail "another fleet-act has been acting for over two hours, or since a time that has not come yet, so no sweep acts; $state/act.lock says which"
		{ marked "**Another fleet-act acts, so this sweep of $(date -u +%Y-%m-%dT%H:%M:%SZ) did not, or not to its end; the next one does**" "$state/heal/report.md" "$state/heal/beside.md" &&
			lead "$state/heal/beside.md" heal.md; } || fail "$state/heal.md could not be made"
		;;
	*) fail "fleet-act did not end well; $state/heal/report.md says what was done" ;;
	esac
	fed "$kept_sweep" fleet-ledger swept --status 0 ${beside:+--detail "$beside"} || fail "its end could not be noted in the ledger; $state/heal/report.md says what it did"
	says=$(sed -n '/^[0-9][0-9]* [A-Za-z]/p' "$state/heal/report.md" | head -n 1)
	echo "sweep: $(warned)${says:-nothing was decided}: $state/heal/report.md${beside:+; $beside, so this sweep did not}"
}
# warned is what keeps the report from being taken for the whole, and stands above its
# counts: its alarm, and what nothing is decided about.
warned() {
	sed -n -e '/^[0-9|]/q' -e 's/^\*\*\(.*\)\.\*\*$/\1; /p' -e 's/^- \*\*\(Nothing is decided about .*\)\*\*$/\1; /p' "$state/heal/report.md" |
		sed -e '4s/.*/and more; /' -e 4q | tr -d '\n'
}
# unswept WHY: no sweep runs, which heal.md says, and heal.json where it can.
unswept() {
	elsewhere
	told "$1" "$state/heal/sweep.ndjson" sweep-json "$state/heal/failed.json" heal.json 2>/dev/null
	[ ! -f "$state/heal/report.md" ] || { stale "$1" "$state/heal/report.md" "$state/heal/failed.md" && lead "$state/heal/failed.md" heal.md; } 2>/dev/null
	echo "heal.sh: $1" >&2
	exit 1
}

# off WHY: no sweep is to run, which heal.md and heal.json say of the last one.
off() {
	elsewhere
	told "no sweep ran: scope $FLEET_SCOPE ${1%%;*}" "$state/heal/sweep.ndjson" sweep-json "$state/heal/off.json" heal.json 2>/dev/null
	echo "heal.sh: scope $FLEET_SCOPE $1" >&2
	[ ! -f "$state/heal/report.md" ] || { marked "**At $(date -u +%Y-%m-%dT%H:%M:%SZ) no sweep ran: scope $FLEET_SCOPE ${1%%;*}**" "$state/heal/report.md" "$state/heal/off.md" && lead "$state/heal/off.md" heal.md; } 2>/dev/null
	exit 0
}

heal_around() {
	values=$(settings state_dir tick_timeout_min gh_token_file desired_agents heal listing_cap)
	case $? in
	0) ;;
	2 | 3) unswept 'the configuration has a mistake, so no sweep runs; fleet-config check names it' ;;
	*) unswept "a program of fleet is missing or broken in ${self%/*}, so no sweep runs" ;;
	esac
	[ -n "$values" ] || off 'is switched off: dispatch_enabled is not 1'
	{ IFS= read -r state && read -r minutes && IFS= read -r token && IFS= read -r desired && IFS= read -r heal && read -r cap; } <<END || { echo 'heal.sh: the configuration could not be read' >&2; exit 1; }
$values
END
	[ -n "$heal" ] || off 'keeps nothing alive: its heal is null; {} makes it, with what fleet-config keys says'
	case $heal in *'"stalls":[]'*) stalls=0 ;; *) stalls=1 ;; esac
	mkdir -p "$state" || { echo "heal.sh: $state cannot be made, so no sweep runs" >&2; exit 1; }
	noted
	to_end fleet-step --lock "$state/heal.lock" --timeout 120m -- sh "$self" --sweep "$state" "$((minutes * 20))s" "$cap" "$token" "$desired" "$stalls"
	set -- $?
	case $1 in 0 | 1 | 75) exit "$1" ;; esac
	echo "heal.sh: the sweep could not begin, or was ended after two hours: what keeps it to itself in $state ended with status $1" >&2
	exit 1
}

case ${1-} in
--sweep) state=$2 lock=$2/heal.lock third=$3 cap=$4 token=$5 desired=$6 stalls=$7 && sweep ;;
--judge) dir=$2 desired=$3 && judge ;;
--help | -h) sed -n -e '/^set -u/q' -e '1d' -e 's/^# \{0,1\}//p' "$self" ;;
'')
	[ $# -eq 0 ] || { echo 'heal.sh: unknown argument; try heal.sh --help' >&2; exit 1; }
	scoped
	[ -z "${FLEET_FIXTURES-}" ] || { echo 'heal.sh: FLEET_FIXTURES is set, and a recorded machine is not swept' >&2; exit 1; }
	heal_around
	;;
*) echo "heal.sh: unknown argument; try heal.sh --help" >&2; exit 1 ;;
esac
