#!/bin/sh
# install.sh makes a tick of one scope run every hour, and a sweep of heal.sh as
# often as its heal says when it has one, under launchd on a Mac and under a
# systemd user timer on Linux.
#
# Usage:
#
#	install.sh --scope ID [--dry-run] [--force] [--no-job]
#	install.sh --scope ID --uninstall [--dry-run]
#
# The job runs a release: a copy of the programs, built from the commit that is
# checked out, in ~/.local/share/fleet-reconcile/releases. What happens to the
# checkout afterwards doesn't touch it. A release is built beside its place and
# moved there, so whatever ends an install, the next one can go on; the newest
# three stay, and any that a job, a crontab or a process still names; current,
# beside them, leads to the one that was installed last. A configuration,
# FLEET_CONFIG or ~/.config/ctx/fleet.json, is written when there is none. Doing
# it again changes only what isn't as it should be.
#
# --dry-run says what would be done and does nothing. --force takes a checkout
# with uncommitted changes. --no-job leaves out the job, for cron. --uninstall
# ends the job; releases, configuration and state stay. Status: 0 done; 1 failed;
# 2 called wrongly; 75 another install is at work.
set -eu
umask 022 # launchd takes no property list that others can write
export LC_ALL=C
unset GO_FLAGS_COMPLETION FLEET_NOW CDPATH

say() { printf 'install.sh: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }
wrong() { say "$1; usage: install.sh --scope ID [--dry-run] [--force] [--no-job] [--uninstall]" >&2; exit 2; }
quote() { printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"; }
# will TEXT says what would be done, in a dry run; else the caller does it.
will() { [ -n "$dry" ] && say "would $1"; }

parse() {
	scope='' dry='' force='' uninstall='' built='' manager='' no_job=''
	while [ $# -gt 0 ]; do
		case $1 in
		--scope) [ $# -ge 2 ] || wrong '--scope: which?' && scope=$2 && shift ;;
		--scope=*) scope=${1#--scope=} ;;
		--dry-run) dry=1 ;;
		--force) force=1 ;;
		--no-job) manager=none no_job=1 ;;
		--uninstall) uninstall=1 ;;
		--help | -h) sed -n -e '/^set -eu/q' -e '1d' -e 's/^# \{0,1\}//p' "$self" && exit ;;
		--locked) built=$2 name=$3 found=$4 && shift 3 ;; # our own: the lock is ours, and what was found out before
		*) wrong "what is $1?" ;;
		esac
		shift
	done
	case $scope in
	'') wrong '--scope: which?' ;;
	[!a-z0-9]* | *[!a-z0-9_-]*) wrong "--scope $scope: want an id of a-z, 0-9, _ and -, the first no sign" ;;
	esac
	[ ${#scope} -le 64 ] || wrong '--scope: want 64 characters at most'
}

# places sets where everything is.
places() {
	line_end='
'
	case ${HOME-} in
	*:* | *"$line_end"*) fail "HOME has a colon or a line end: a job's PATH cannot name it" ;;
	/*) ;;
	*) fail 'HOME is no path that begins with /' ;;
	esac
	base=$HOME/.local/share/fleet-reconcile
	releases=$base/releases
	config=${FLEET_CONFIG:-$HOME/.config/ctx/fleet.json}
	case $config in
	/*) ;;
	*) config=$PWD/$config ;;
	esac
	[ -z "$manager" ] || return 0
	case $(uname -s) in
	Darwin) manager=launchd ;;
	Linux) manager=systemd ;;
	*) fail "$(uname -s) has neither launchd nor systemd; --no-job installs the programs alone" ;;
	esac
}

# seed writes a configuration when there is none, and checks the one that is.
seed() {
	checked=$config
	if [ -e "$config" ]; then
		say "$config stays as it is"
	elif will "write $config, mode 0600: the scope $scope, report only"; then
		[ -n "${scratch-}" ] || scratch
		checked=$scratch/fleet.json
		"$programs/fleet-config" init --scope "$scope" --config "$checked" >/dev/null
	else
		wrote=$("$programs/fleet-config" init --scope "$scope" --config "$config") || fail "$config could not be written"
		say "wrote $wrote"
	fi
	"$programs/fleet-config" check --scope "$scope" --config "$checked" || fail "nothing was installed: mend the scope $scope in $checked first; fleet-config init --scope $scope prints one to begin with"
	say 'fleet-config check found no mistake in it'
}

place() {
	if [ -d "$release" ]; then
		say "release $name is there"
	elif ! will "build the release $name in $releases"; then
		mv "$built" "$release"
		say "release $name is in $releases"
	fi
	[ -n "$dry" ] || programs=$release/bin
	[ "$(readlink "$base/current" 2>/dev/null)" != "releases/$name" ] || return 0
	will "let $base/current lead to it" || ln -sfn "releases/$name" "$base/current"
}

# job KIND prints a file of the job. Its PATH has the places where claude and gh
# are now, and node, which they may be scripts for, and the usual ones, there or
# not: what is put there later is found. Of our environment it gets what says
# where the products keep their files.
job() {
	set -- "$1" --scope "$scope" --config "$config" --release "$release" --path "$found$HOME/.local/bin:$HOME/.claude/local:$HOME/.npm-global/bin:/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin"
	for var in CLAUDE_CONFIG_DIR PASEO_HOME GH_CONFIG_DIR XDG_CONFIG_HOME; do
		eval "[ -z \"\${$var-}\" ] || set -- \"\$@\" --env \"$var=\$$var\""
	done
	"$programs/fleet-config" job "$@" ${heal:+--heal}
}
find_programs() {
	found=''
	for program in claude gh node; do
		where=$(command -v "$program") || where=''
		case $program$where in
		*/*) found=$found${where%/*}: ;;
		node*) ;;
		*) say "warning: $program is not on PATH; the job will look in the usual places" >&2 ;;
		esac
	done
}

# put KIND FILE DO: writes a file of the job when it is not there or is
# otherwise, and runs DO before it changes, when there is room for it. changed tells
# that it did.
# shellcheck disable=SC2034 # the other files read it
put() {
	changed=''
	text=$(job "$1" && echo .) || fail "no file of the job was written: fleet-config job $1 failed"
	if [ "$text" = "$(cat "$2" 2>/dev/null; echo .)" ]; then
		say "$2 is as it should be"
		return
	fi
	changed=1
	will "write $2" && return
	{ mkdir -p "${2%/*}" && printf %s "${text%.}" >"$2.part"; } || fail "$2 could not be written"
	$3
	mv -f "$2.part" "$2" || fail "$2 could not be written"
	touch "$release" # the newest in use
	say "wrote $2"
}

steps() {
	seed
	sweeps=$("$programs/fleet-config" get "$scope" heal --config "$checked") || fail "nothing was installed: how often the scope $scope sweeps could not be read from $checked"
	every=$(printf '%s\n' "$sweeps" | sed -n 's/.*"interval_min":\([0-9]*\).*/\1/p')
	[ -z "$sweeps" ] || [ -n "$every" ] || fail "nothing was installed: fleet-config get $scope heal does not tell how often it sweeps: $sweeps"
	place
	put_job
	for_heal "$every"
	prune
}
# for_heal PUT: puts the job of heal.sh in, or takes it out when PUT is empty.
# shellcheck disable=SC2034 # the other files read runs
for_heal() {
	heal=1 runs="a sweep every $every minutes" && [ "$every" != 1 ] || runs="a sweep every minute"
	names
	if [ -n "$1" ]; then put_job; elif has_job; then take_out_job; fi
	heal='' runs='a tick every hour'
	names
}

next() {
	with=''
	[ "$config" = "$HOME/.config/ctx/fleet.json" ] || with="FLEET_CONFIG=$(quote "$config") "
	printf '%s\n' "One tick now:      $(kick)" \
		"What is asked:     $with$(quote "$base/current/bin/fleet-asks") list --scope $scope" \
		"Remove the job:    $(removal)"
}
removal() { printf '%s\n' "sh $(quote "$base/current/bin/install.sh") --scope $scope --uninstall"; } # install-none.sh has another

# locked DIR does the steps with the programs of the release in DIR, while no
# other install does.
locked() {
	status=0
	"$1/bin/fleet-step" --lock "$base/install.lock" -- sh "$self" --locked "$1" "$name" "$found" "--scope=$scope" ${no_job:+--no-job} || status=$?
	[ $status -ne 75 ] || say 'another install is at work; try again when it has ended' >&2
	[ $status -eq 0 ] || exit $status
	next
}

put_in() {
	if [ -n "$built" ]; then
		release=$releases/$name programs=$built/bin
		steps
		return
	fi
	manager_answers
	source_state
	find_programs
	release=$releases/$name programs=$releases/$name/bin
	if [ -d "$release" ]; then
		would=$dry
		plan=$(set -e && dry=1 steps)
		case $plan in
		*'install.sh: would '*) what=some ;;
		*) what=nothing ;;
		esac
		if [ "$what$would" = some ]; then
			locked "$release"
			return
		fi
		printf '%s\n' "$plan"
		[ $what = some ] || say 'nothing had to be changed'
		next
	elif [ -n "$dry" ]; then
		scratch
		programs=$scratch
		(cd "$checkout" && go build -o "$scratch/" ./cmd/fleet-config) || fail 'fleet-config cannot be built'
		steps
	else
		build
		if [ "$name" != "$commit" ]; then # what was built tells two states of one checkout apart
			sums=$(cd "$built/bin" && cksum ./*) || fail 'what was built cannot be read'
			name=$name-$(printf %s "$sums" | cksum | cut -d ' ' -f 1)
			release=$releases/$name
		fi
		locked "$built"
	fi
}
scratch() { # a directory that goes when we end
	scratch=${TMPDIR:-/tmp}/fleet-install.$$
	mkdir -m 700 "$scratch"
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 1' HUP INT TERM
}

take_out() {
	every='' && for_heal ''
	if has_job; then take_out_job; else say "no job of the scope $scope is installed; lines for cron, if you put some in, go out with crontab -e"; fi
	state=$("$checkout/bin/fleet-config" get "$scope" state_dir --config "$config" 2>/dev/null) || state="$HOME/.local/state/fleet-reconcile/$scope, unless state_dir says otherwise"
	if ! crontab_lines; then
		say "note: your crontab could not be read ($cron); if it has lines for $scope, crontab -e takes them out"
	elif printf '%s\n' "$cron" | grep -Eq "FLEET_SCOPE=$scope .*/(tick|heal)\.sh"; then
		say "note: your crontab still has lines for $scope; crontab -e takes them out"
	fi
	say "these stay: the configuration, $config; the state, $state; the releases, $releases"
}

self=$(cd -- "$(dirname -- "$0")" && pwd)/${0##*/}
checkout=${self%/bin/*}
# shellcheck source=bin/install-release.sh
. "${self%/*}/install-release.sh"
if [ "${1-}" = --docs ]; then # for make docs
	docs "$2" "$3"
	exit
fi
parse "$@"
places
# shellcheck source=/dev/null
. "${self%/*}/install-$manager.sh"
# shellcheck disable=SC2034
heal='' runs='a tick every hour'
names
if [ -n "$uninstall" ]; then take_out; else put_in; fi
