# shellcheck shell=sh disable=SC2034,SC2154 # install.sh sets what is read here, and reads what is set
# install-release.sh is the part of install.sh that names a release, builds it, and
# removes those that nothing needs.

# source_state sets the name of the release that the checkout makes.
source_state() {
	for program in go git; do
		command -v "$program" >/dev/null || fail "$program is not on PATH"
	done
	commit=$(git -C "$checkout" rev-parse HEAD) || fail "$checkout is no git checkout with a commit"
	commit=$(printf %s "$commit" | cut -c 1-12)
	changes=$(git -C "$checkout" status --porcelain) || fail "git cannot tell what changed in $checkout"
	name=$commit
	[ -n "$changes" ] || return 0
	[ -n "$force" ] || fail "$checkout has uncommitted changes; commit them, or install them with --force"
	name=$commit-dirty
}

# docs BIN SHARE writes man pages and completions of the programs in BIN.
docs() {
	mkdir -p "$2/man/man1" "$2/completions/bash" "$2/completions/zsh" "$2/completions/fish"
	for program in "$1"/fleet-*; do
		p=${program##*/}
		{ "$program" --docs man >"$2/man/man1/$p.1" &&
			"$program" --docs bash >"$2/completions/bash/$p" &&
			"$program" --docs zsh >"$2/completions/zsh/_$p" &&
			"$program" --docs fish >"$2/completions/fish/$p.fish"; } || fail "what $p says of itself could not be written to $2"
	done
}

# build makes a release in a directory of its own, $built.
build() {
	say "building the programs of $name"
	built=$releases/.$commit.$$
	mkdir -p "$built/bin"
	trap 'rm -rf "$built"' EXIT
	trap 'exit 1' HUP INT TERM
	(cd "$checkout" && go build -buildvcs=true -o "$built/bin/" ./cmd/...) || fail 'the programs cannot be built'
	cp "$checkout"/bin/*.sh "$built/bin/"
	docs "$built/bin" "$built/share"
}

discard() { # moves it out of the way first: half a release has no release's name
	mv "$releases/$1" "$releases/.${1#.}.$$" && rm -rf "$releases/.${1#.}.$$" && say "removed $1"
}
# crontab_lines sets cron to the lines of the crontab, when there is one; else to why
# they could not be read.
crontab_lines() {
	cron=''
	command -v crontab >/dev/null || return 0
	cron=$(crontab -l 2>&1) && return
	case $cron in *[Nn]'o crontab for '* | *'No such file or directory'*) cron='' ;; *) return 1 ;; esac
}
# job_files sets files to what the files of jobs say; else to which could not be read.
job_files() {
	files=''
	for place in "$HOME/Library/LaunchAgents" "${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user"; do
		[ -d "$place" ] || continue
		{ [ -r "$place" ] && [ -x "$place" ]; } || { files=$place && return 1; }
		for file in "$place"/dev.fleet.*.plist "$place"/fleet-*.service; do
			[ -e "$file" ] || continue
			text=$(cat "$file" 2>/dev/null) || { files=$file && return 1; }
			files=$files$text
		done
	done
}
prune() {
	[ -d "$releases" ] || return 0
	if ! processes=$(ps -A -o args=); then
		say 'note: ps does not tell what runs, so no old release is removed'
		return
	fi
	if ! job_files; then
		say "note: $files cannot be read, and may name a release, so no old one is removed"
		return
	fi
	if ! crontab_lines; then
		say "note: your crontab cannot be read, and may name a release, so no old one is removed: $cron"
		return
	fi
	used=$processes$files$cron
	newest=0
	[ -d "$release" ] || newest=1 # a dry run, which doesn't make it
	# shellcheck disable=SC2045 # the names are ours: of hexadecimal digits, and dirty
	for old in $(ls -t "$releases"); do
		case $old in *[!0-9a-firty-]*) continue ;; esac
		newest=$((newest + 1))
		case $used/releases/$name/ in *"/releases/$old/"*) continue ;; esac
		[ $newest -gt 3 ] || continue
		will "remove the release $old" || discard "$old"
	done
	for left in "$releases"/.[0-9a-f]*.*; do # of installs that were killed
		[ ! -d "$left" ] || [ "$left" = "$built" ] || kill -0 "${left##*.}" 2>/dev/null || will "remove ${left##*/}, left by an install that was killed" || rm -rf "$left"
	done
}
