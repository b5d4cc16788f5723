#!/bin/sh
# plan.sh [AGENT=STATE[:PLACE]]… makes the file stream: of now, with records that are
# written, and what fleet-reconcile decides of them and the list $LIST. An agent is
# down, well, or deaf, in the workspace spaces/AGENT or PLACE, which gets a claude.sh when it has none; a session, session=ID,
# stopped at a limit that is over, works in spaces or PLACE. OF is the scope whose ledger
# is told of, when it is another.
set -eu
fleet-config tick >tick.part
now=$(jq -r 'select(.kind == "tick").at' tick.part)
host=$(jq -r 'select(.kind == "tick").host' tick.part)
places=places.part healths=healths.part sessions=sessions.part verdicts=verdicts.part
for file in $places $healths $sessions $verdicts; do : >"$file"; done

rec() { # FILE PROGRAM KIND SUBJECT DATA
	printf '{"v":1,"kind":"%s","at":"%s","host":"%s","by":"%s","subject":"%s","data":%s}\n' "$3" "$now" "$host" "$2" "$4" "$5" >>"$1"
}
closing() { # FILE PROGRAM HOST
	n=$(wc -l <"$1" | tr -d ' ')
	printf '{"v":1,"kind":"surface","at":"%s","host":"%s","by":"%s","subject":"%s","data":{"ok":true,"rows":%d,"records":%d}}\n' "$now" "$3" "$2" "$2" "$n" "$n" >>"$1"
}

rec $places fleet-observe-workspaces surface macf/workspaces '{"ok":true,"rows":1}'
rec $places fleet-observe-workspaces surface macf/processes '{"ok":true,"rows":1}'
for part in jobs sessions transcripts; do rec $sessions fleet-observe-claude surface claude/$part "${CLAUDE-{\"ok\":true}}"; done
rec $healths fleet-observe-health surface macf/roster:lamp '{"ok":true,"rows":1}'
for one; do
	agent=${one%%=*} state=${one#*=} path=spaces/$agent
	case $state in *:*) path=${state#*:} state=${state%%:*} ;; esac
	case $path in /*) ;; *) path=$PWD/$path ;; esac
	if [ "$agent" = session ]; then
		[ "$path" != "$PWD/spaces/session" ] || path=$PWD/spaces
		rec $sessions fleet-observe-claude session "$state" "{\"session_id\":\"$state\",\"cwd\":\"$path\"}"
		rec $verdicts fleet-classify verdict "$state" '{"class":"2","class_name":"at a limit","reset_at":"2026-11-29T08:00:00.000Z","session":{"ours":true,"job_id":"aaaaaaaa"}}'
		continue
	fi
	[ ! -d "$path" ] || [ -e "$path/claude.sh" ] || { printf '#!/bin/sh\n' >"$path/claude.sh" && chmod +x "$path/claude.sh"; }
	processes='[]'
	[ "$state" = down ] || processes="[{\"pid\":$$,\"kind\":\"claude\",\"cwd\":\"$path\",\"start\":\"2026-11-29T08:00:00.000Z\"}]"
	rec $places fleet-observe-workspaces workspace "$path" "{\"agent\":\"$agent\",\"project\":\"lamp\",\"path\":\"$path\",\"tmux_session\":\"lamp@$agent\",\"processes\":$processes}"
	[ "$state" != well ] || rec $healths fleet-observe-health health "lamp/$agent" "{\"agent\":\"$agent\",\"project\":\"lamp\",\"online\":true,\"version\":\"0.2.46\"}"
done
closing $places fleet-observe-workspaces "$host"
closing $healths fleet-observe-health "$host"
closing $sessions fleet-observe-claude "$host"
closing $verdicts fleet-classify ''
{ cat tick.part $places $healths $sessions $verdicts && { fleet-ledger observe ${OF:+"--scope=$OF"} || [ $? -eq 3 ]; }; } >looked.part
fleet-reconcile ${LIST:+"--desired=$LIST"} <looked.part >stream
rm -f ./*.part
