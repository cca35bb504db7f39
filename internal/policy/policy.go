// Package policy reads the checked-in policy file (.hookmon-policy.yaml) and
// decides by it. Its rules compile to the one rule type, [rule.Rule]; what is its
// own is how they are written and that the strictest of them wins. The hookmon
// face answers by a policy alone, the overseer face lets it tighten a verdict.
//
// Reading is strict: a policy that is understood only in part is none.
package policy

import (
	"fmt"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/rule"
)

// File is the name of a policy file in a project.
const File = ".hookmon-policy.yaml"

// Policy is one policy file.
type Policy struct {
	// File is where it was read from.
	File string
	// Rules are in the file's order. Their ids are policy.1, policy.2, …
	Rules []*rule.Rule
	// Default is the decision on an event that no rule matches.
	Default event.Decision
	// DefaultLine is the line of default-action, 0 if there is none.
	DefaultLine int
	// Judgments are the questions that rules refer to.
	Judgments []judgment.Spec
	// Warnings say what is no fault and yet hardly meant: a rule that can never
	// fire, or not have the effect it names.
	Warnings []string
}

// DefaultRule is default-action as a rule, for those who list rules; nil if it is
// to allow. It never fires by itself.
func (p *Policy) DefaultRule() *rule.Rule {
	if p.Default == event.Allow {
		return nil
	}
	return &rule.Rule{
		ID: "policy.default", Scope: rule.Policy, When: []rule.Condition{otherwise{}},
		Do: rule.Do(p.Default), File: p.File, Line: p.DefaultLine,
	}
}

// otherwise stands for "no rule of the policy matches".
type otherwise struct{}

// Holds implements [rule.Condition].
func (otherwise) Holds(*rule.Subject) bool { return false }
func (otherwise) String() string           { return "default-action" }

// id names the i-th rule of a file, counted from 0.
func id(i int) string { return fmt.Sprintf("policy.%d", i+1) }

// Answered reports whether the event's agent obeys an answer to it in time to
// prevent what it announces, so that a policy has a say in it. Every other event
// is observed only, whatever the rules say.
func Answered(e *event.Event) bool {
	if e.Caller != "" && answered(e.Caller, e.NativeName(), e.Name) {
		return true
	}
	return answered(e.Agent, e.NativeName(), e.Name) || e.Caller != "" && answered(e.Agent, e.Name, e.Name)
}

// answered is the table behind [Answered]; name is the agent's own, shared the one
// of all agents, which decides for an agent that is not in the table.
func answered(agent, name, shared string) bool {
	switch agent {
	case "claude":
		return name == event.PreToolUse
	case "cursor":
		switch name {
		case "preToolUse", "postToolUse", "postToolUseFailure", "beforeShellExecution",
			"beforeMCPExecution", "beforeReadFile", "subagentStart", "beforeTabFileRead":
			return true
		}
		return false
	case "codex":
		return name == event.PreToolUse || name == event.PermissionRequest
	}
	e := event.Event{Name: shared}
	return e.AboutToRun()
}
