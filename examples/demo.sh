#!/bin/sh
# A tour in a scratch home: sets overseer up, judges a handful of events of both
# agents as their hooks would, and explains one verdict. Nothing outside of the
# scratch folder is read or written.
#
# usage: demo.sh <overseer>
set -eu
overseer=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/home" "$scratch/repo"
cd "$scratch/repo"

# A clean environment: no agent's marks, no settings of yours.
run() { env -i HOME="$scratch/home" PATH="$PATH" USER="${USER:-you}" "$@"; }
say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

say overseer init
run "$overseer" init
say overseer install
run "$overseer" install

# judge <agent> <command>: sends a PreToolUse event as the agent would.
judge() {
	printf '\n%-6s wants to run: %s\n' "$1" "$2"
	code=0
	printf '{"session_id":"demo","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"},"tool_use_id":"t"}' "$PWD" "$2" |
		run "$overseer" hook PreToolUse --agent "$1" 2>/dev/null || code=$?
	echo "  (exit $code)"
}

say "events, as the agents send them"
judge claude "go test ./..."
judge claude "git reset --hard"
judge claude "rm -rf /"
judge codex "go test ./..."
judge codex "git reset --hard"
judge codex "overseer approve ev_1"

say overseer ledger tail
run "$overseer" ledger tail

id=$(run "$overseer" ledger tail --decision deny --json | sed -n 's/.*"id":"\(ev_[0-9A-Z]*\)".*/\1/p' | head -n 1)
say overseer why "$id"
run "$overseer" why "$id"
