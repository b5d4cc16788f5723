# shellcheck shell=sh disable=SC2154 # what install.sh has
# install-launchd.sh is the part of install.sh that knows launchd.
names() {
	label=dev.fleet.reconcile.$scope && [ -z "$heal" ] || label=dev.fleet.heal.$scope
	plist=$HOME/Library/LaunchAgents/$label.plist
}
uid=$(id -u)

# manager_answers fails, before anything is written, where no job can be loaded.
manager_answers() { command -v launchctl >/dev/null || fail 'launchctl is not on PATH'; }
kick() { printf '%s\n' "launchctl kickstart gui/$uid/$label"; }

loaded() { launchctl print "gui/$uid/$label" >/dev/null 2>&1; }
# unload ends a tick that runs, too, which has a minute for that.
unload() {
	loaded || return 0
	launchctl bootout "gui/$uid/$label" >/dev/null 2>&1 || : # it says so when it isn't gone at once
	tries=0
	while loaded; do
		tries=$((tries + 1))
		[ $tries -le 75 ] || fail "launchd still has $label 75 seconds after launchctl bootout"
		sleep 1
	done
	say "unloaded $label"
}
# A job is unloaded before its file changes, so that one that is loaded and has
# the right file is the right one, whenever we are killed.
put_job() {
	put launchd "$plist" unload
	if [ -z "$changed" ] && loaded; then
		say "$label is loaded"
		return
	fi
	will "load $label" && return
	mkdir -p "$HOME/Library/Logs"
	launchctl enable "gui/$uid/$label" || :
	tries=1
	until out=$(launchctl bootstrap "gui/$uid" "$plist" 2>&1) || loaded; do
		[ $tries -lt 3 ] || fail "$label is not loaded: launchctl bootstrap failed three times: $out"
		tries=$((tries + 1))
		sleep 2
	done
	say "loaded $label: $runs, the first after that time"
}


trash() { # FILE: on a Mac, what a person can have back
	mkdir -p "$HOME/.Trash" || fail "$1 stays: $HOME/.Trash could not be made"
	to=$HOME/.Trash/$label.plist
	more=1
	while [ -e "$to" ]; do
		more=$((more + 1))
		to="$HOME/.Trash/$label $more.plist"
	done
	mv "$1" "$to" || fail "$1 stays: it could not be moved to $to"
	say "moved $1 to $to"
}
has_job() { [ -e "$plist" ] || { [ -z "$heal" ] && loaded; }; }
take_out_job() {
	will "unload $label and move $plist to the Trash" && return
	unload
	[ ! -e "$plist" ] || trash "$plist"
}
