// Package e2e proves overseer on the real coding agents: Claude Code and Codex
// CLI, pinned in package-lock.json, run without a person on a scripted model
// (package model) in a scratch home in which overseer was installed by its own
// commands. The tests look at the world afterwards - which files exist, what the
// model was told, what the ledger holds - and not at what overseer answered.
//
//	npm ci --prefix e2e
//	OVERSEER_E2E=1 go test ./e2e -count=1
//
// OVERSEER_E2E_CLAUDE=1 runs the tests on Claude Code alone. No account is
// needed and nothing leaves the machine.
package e2e
