# shellcheck shell=sh disable=SC2154 # what install.sh has
# install-systemd.sh is the part of install.sh that knows systemd user units.
names() { unit=fleet-reconcile-$scope && [ -z "$heal" ] || unit=fleet-heal-$scope; }
units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
uid=$(id -u)

# manager_answers fails, before anything is written, where no job can be loaded.
manager_answers() {
	if [ -z "${XDG_RUNTIME_DIR-}" ] && [ -d "/run/user/$uid" ]; then
		export XDG_RUNTIME_DIR="/run/user/$uid" # what su and sudo leave out
	fi
	command -v systemctl >/dev/null && systemctl --user show-environment >/dev/null 2>&1 && return
	if [ -n "$dry" ]; then
		say "note: the systemd user manager of $(id -un) does not answer, so an install would stop here; --no-job does without"
		return
	fi
	say "nothing was done: the systemd user manager of $(id -un) does not answer (systemctl --user show-environment)." >&2
	say 'Log in as this user, not through su or sudo, or start it at boot: loginctl enable-linger' >&2
	fail "Or let cron do it: install.sh --scope $scope --no-job prints the line for the crontab."
}
kick() { printf '%s\n' "systemctl --user start $unit.service"; }

put_job() {
	put systemd-service "$units/$unit.service" :
	reload=$changed
	put systemd-timer "$units/$unit.timer" :
	timer_changed=$changed
	case $(systemctl --user show -p NeedDaemonReload "$unit.service" "$unit.timer" 2>/dev/null) in *=yes*) reload=1 ;; esac
	if [ -n "$reload$timer_changed" ] && ! will 'reload the systemd user manager'; then
		systemctl --user daemon-reload || fail 'systemctl --user daemon-reload failed'
	fi
	if systemctl --user -q is-enabled "$unit.timer" >/dev/null 2>&1 && systemctl --user -q is-active "$unit.timer" 2>/dev/null; then
		if [ -z "$timer_changed" ]; then
			say "$unit.timer is enabled and active"
		elif ! will "restart $unit.timer"; then
			systemctl --user restart "$unit.timer" || fail "$unit.timer did not start again"
			say "restarted $unit.timer"
		fi
	elif ! will "enable and start $unit.timer"; then
		systemctl --user --quiet enable --now "$unit.timer" || fail "$unit.timer was not enabled; its units are in $units"
		say "enabled $unit.timer: $runs"
	fi
	case $(loginctl show-user "$(id -un)" -p Linger 2>/dev/null) in
	*=yes) ;;
	*) say 'note: ticks run only while you are logged in; to have them always: loginctl enable-linger' ;;
	esac
}

has_job() {
	for file in "$units/$unit.service" "$units/$unit.timer" "$units/timers.target.wants/$unit.timer"; do
		[ ! -e "$file" ] && [ ! -L "$file" ] || return 0
	done
	return 1
}
take_out_job() {
	will "disable and stop $unit.timer and remove its units from $units" && return
	if systemctl --user show-environment >/dev/null 2>&1; then
		systemctl --user --quiet disable --now "$unit.timer" || say "note: $unit.timer could not be disabled; its files are removed all the same" >&2
		systemctl --user stop "$unit.service" || :
	fi # else nothing of it runs, and the link to it goes with the files
	rm -f "$units/timers.target.wants/$unit.timer" "$units/$unit.timer" "$units/$unit.service" || fail "the units of $unit could not be removed from $units"
	systemctl --user daemon-reload 2>/dev/null || :
	say "removed $unit.timer and $unit.service from $units"
}
