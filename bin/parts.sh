# shellcheck shell=sh disable=SC2034,SC2154 # tick.sh and heal.sh set what is read here, and read what is set
# parts.sh has the steps that tick.sh and heal.sh are made of. Each of the two sources it
# with its own file in $self and what it makes in $what, a tick or a sweep, and has a
# function fail, which gets why that can't go on.
#
# What a step needs is in variables: $state, the scope's state directory; $lock, the lock
# file that fleet-step took for us; $third, how long a step may take; $dir, where what is
# seen is kept.
me=${self##*/}

# What a step gets of our environment, and what only gh's step gets besides.
kept='FLEET_CHILD HOME PATH USER LOGNAME SHELL TMPDIR LANG LC_ALL TZ DRY_RUN FLEET_SCOPE FLEET_CONFIG FLEET_NOW FLEET_FIXTURES
	CLAUDE_CONFIG_DIR PASEO_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR'
kept_for_gh='GH_TOKEN GITHUB_TOKEN GH_CONFIG_DIR DBUS_SESSION_BUS_ADDRESS HTTPS_PROXY https_proxy HTTP_PROXY http_proxy
	NO_PROXY no_proxy SSL_CERT_FILE SSL_CERT_DIR'
kept_for_ssh='SSH_AUTH_SOCK KRB5CCNAME'

from='' to='' more='' # whatever the caller's environment has; more: as one of kept_for_*, what the steps of a subshell get too
clean() { fleet-step --keep-env "$kept $more" "$@"; } # [OPTION]… -- COMMAND…

# held is whether who took the lock for us still has it. When it is gone, its number
# may be another process's by now, and the lock another's.
held() {
	kill -0 "$PPID" && IFS= read -r holder <"$lock" || return
	case $holder in "pid $PPID since "*) ;; *) return 1 ;; esac
}
# A step has a third of the tick's time, so one that hangs leaves some for the
# rest. It isn't begun when the lock is not ours any more.
step() { held && clean --timeout "$third" --kill-after 5s ${from:+"--input=$from"} ${to:+"--output=$to"} -- "$@"; }
fed() { # FILE COMMAND…
	from=$1
	shift
	step "$@"
	set -- $?
	from=''
	return "$1"
}
into() { # FILE STEP…: what it writes, when it ends well, or in part, and the disk has it
	to=$1
	shift
	"$@"
	set -- $?
	to=''
	return "$1"
}
observe() { # NAME COMMAND…: NAME.ndjson, when the observer told all that it saw
	out=$dir/$1.ndjson
	shift
	into "$out" step "$@"
	case $? in
	0 | 3) ;;
	*) return 1 ;; # its closing record is missing, so the report names it
	esac
}

# POSIX sh has no pipefail: a pipe ends well when its last stage does, whatever
# became of the others. So each stage notes its own status, and one that noted
# none was killed. judged NAME… is whether all stages ended well, and says which is the
# last that did not.
stage() {
	"$@"
	echo "$1 $?" >>"$dir/stages.part"
}
judged() {
	unwell=''
	for name in "$@"; do
		status=$(sed -n "s/^$name //p" "$dir/stages.part")
		case $status in
		0) continue ;;
		'' | 129 | 1[3-9]? | 2??) status='was killed' ;;
		*) status="ended with status $status" ;;
		esac
		unwell="$name $status" # those before it may have ended for it
	done
	[ -z "$unwell" ] || { echo "$unwell" | tee "$dir/unwell.part" >&2; return 1; }
}
# unwell is what judged said, behind what could not be done.
unwell() { sed 's/^/; /' "$dir/unwell.part" 2>/dev/null; }

lead() { ln -sf "${1#"$state"/}" "$state/$2.part" && mv -f "$state/$2.part" "$state/$2"; } # FILE LINK
# marked TEXT LAST FILE makes FILE, which is the report LAST, when there is one, under a
# TEXT that keeps anybody from taking it for what it is not.
marked() {
	if { printf '%s\n\n' "$1" && { [ ! -f "$2" ] || cat "$2"; }; } >"$3.part"; then
		mv -f "$3.part" "$3"
	else
		rm -f "$3.part"
		return 1
	fi
}
# stale WHY LAST FILE is marked with that this one failed.
stale() {
	says="**The $what of $(date -u +%Y-%m-%dT%H:%M:%SZ) failed: $1**"
	[ ! -f "$2" ] || says="$says

The last report that could be made:"
	marked "$says" "$2" "$3"
}

# told WHY RECORDS FORMAT FILE LINK: LINK leads to FILE, the report of RECORDS, when there are
# some, which says WHY it is outdated. That takes a program, which may be what broke: then
# what LINK has of a JSON report says only that it is outdated.
told() {
	[ -f "$2" ] || return 0
	! { clean --timeout 1m --kill-after 5s "--input=$2" "--output=$4" -- fleet-render --failed "$1" --format "$3" && lead "$4" "$5"; } || return 0
	case $3 in *json) ;; *) return 1 ;; esac
	later="A later $what failed, or none is to run: the page beside this says which. "
	{ sed "/^  \"alarm\": \"$later/!s/^  \"alarm\": \"/&$later/" "$state/$5" >"$4.part" && mv -f "$4.part" "$4" && lead "$4" "$5"; } || { rm -f "$4.part"; return 1; }
}

# logs FILE sends what is said to FILE, which is cut to its last 512 KiB when it is over
# 1 MiB; say still tells who called us.
logs() {
	exec 3>&2
	trap 'fail "it was told to end, or had no time left"' TERM INT HUP
	[ ! -e "$1" ] || [ -f "$1" ] || { exec 2>/dev/null; fail "$1 is no file"; }
	[ ! -f "$1" ] || [ "$(wc -c <"$1")" -le 1048576 ] ||
		{ tail -c 524288 "$1" >"$1.part" && mv "$1.part" "$1"; } || rm -f "$1.part"
	exec 2>>"$1"
}
say() { echo "$me: $*" >&3; }

# to_end COMMAND… is its status; told to end, it ends the command and exits with 1.
to_end() {
	"$@" &
	trap 'kill -TERM $!; wait $!; exit 1' TERM INT HUP # launchd tells this process alone
	wait $!
	set -- $?
	trap - TERM INT HUP # its number may be another process's by now
	return "$1"
}

# scoped ends what is to run inside a tick, or for no scope.
scoped() {
	[ -z "${FLEET_CHILD-}" ] || { echo "$me: FLEET_CHILD is set: inside a tick no $what runs" >&2; exit 0; }
	[ -n "${FLEET_SCOPE-}" ] || { echo "$me: FLEET_SCOPE names no scope; try $me --help" >&2; exit 1; }
	case $FLEET_SCOPE in [!a-z0-9]* | *[!a-z0-9_-]*) echo "$me: FLEET_SCOPE=$FLEET_SCOPE is no scope" >&2; exit 1 ;; esac
	FLEET_CHILD=1
	export FLEET_CHILD # every step has it
}
# The state directory is where the configuration says. A link to it stays in the usual
# place, since the configuration may be what broke.
usual=${HOME-}/.local/state/fleet-reconcile/${FLEET_SCOPE-}
noted() {
	if [ "$state" = "$usual" ]; then
		[ ! -h "$usual/state" ] || rm -f "$usual/state"
	else
		[ -d "$usual" ] || mkdir -p "$usual"
		ln -sfn "$state" "$usual/state"
	fi
} 2>/dev/null
# elsewhere sets $state to what is there by the configuration, however little else of it
# can be read, or by that link, or to the usual place.
elsewhere() {
	state=$(clean -- fleet-config get "$FLEET_SCOPE" state_dir 2>/dev/null) && [ -d "$state" ] && return
	state=$(readlink "$usual/state" 2>/dev/null) && [ -d "$state" ] || state=$usual
}
# settings KEY… are the scope's, a line each, nothing when it is switched off.
settings() {
	set -- "$FLEET_SCOPE" dispatch_enabled "$@"
	if [ -n "${FLEET_FIXTURES-}" ]; then # whose repositories are to be there, and this machine's state
		values=$(clean -- fleet-config check --scope "$FLEET_SCOPE" "--fixtures=$FLEET_FIXTURES" && clean -- fleet-config get "$@")
	else
		values=$(clean -- fleet-config get --checked "$@")
	fi
	set -- $?
	case $1$values in
	01*) printf '%s' "${values#1?}" ;;
	2*) [ "$(clean -- fleet-config get "$FLEET_SCOPE" dispatch_enabled 2>&1)" = 0 ] || return 2 ;;
	*) return "$1" ;;
	esac
}
