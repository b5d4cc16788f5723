# shellcheck shell=sh disable=SC2154 # what install.sh has
# install-none.sh is the part of install.sh for --no-job: a line for cron.

manager_answers() { :; }
names() { :; }
kick() { printf '%s\n' "${with}FLEET_SCOPE=$scope sh $(quote "$base/current/bin/tick.sh")"; }
removal() { printf '%s\n' "take its lines out with crontab -e"; }

put_job() {
	script=tick.sh when='7 * * * *'
	[ -z "$heal" ] || script=heal.sh when="*/$every * * * *"
	line="FLEET_SCOPE=$scope FLEET_CONFIG=$(quote "$config") PATH=$(quote "$base/current/bin:$found/usr/local/bin:/usr/bin:/bin") /bin/sh $(quote "$base/current/bin/$script")"
	say 'no job was installed; for cron, this line in crontab -e:'
	printf '%s %s\n' "$when" "$(printf %s "$line" | sed 's/%/\\%/g')"
}

has_job() { return 1; }
