package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/approval"
	"github.com/fireharp/overseer/internal/home"
	"github.com/fireharp/overseer/internal/journal"
	"github.com/fireharp/overseer/internal/ledger"
	"github.com/fireharp/overseer/internal/precedent"
	"github.com/fireharp/overseer/internal/precedent/snapshot"
)

// While a team's server is away, a person can rule on what this machine has
// recorded: the ruling is a line of its journal, as always, which the next sync takes
// to the server once. Until then the snapshots tell the hooks of this machine.

// whileAway is what can be looked up of a ledger that is away: this machine's newest
// events. err says why it is.
func (w *world) whileAway(h home.Home, err error) (ledger.Store, error) {
	store, readErr := ledger.WithUnread(nil, h.Journal(), journal.Position{})
	if readErr != nil {
		return nil, err
	}
	fmt.Fprintf(w.stderr, "warning: %v\n", err)
	fmt.Fprintln(w.stderr, "warning: what you say of this machine's events holds here from now on; the next sync takes it to the server")
	return store, nil
}

// tellHooks amends the snapshots by what a person said of an event.
func (w *world) tellHooks(ctx context.Context, h home.Home, e *ledger.Entry, o journal.Record) error {
	sig, sigErr := precedent.Parse(e.Signature)
	err := approval.Refresh(ctx, h.Approvals(), func(context.Context) ([]approval.Approval, error) {
		set, err := approval.Load(h.Approvals())
		list := slices.DeleteFunc(set.Approvals, func(a approval.Approval) bool { return a.Event == e.ID || !a.Until.After(w.now()) })
		if !o.Until.IsZero() {
			list = append(list, approval.Approval{Event: e.ID, Action: e.Action, Form: sig.Form, Until: o.Until})
		}
		return list, err
	})
	if err != nil || sigErr != nil {
		return err
	}
	key, err := h.Key()
	if err != nil {
		return err
	}
	return snapshot.Refresh(ctx, h.Precedents(), key, func(context.Context) ([]precedent.Ruling, error) {
		all, err := snapshot.All(h.Precedents(), key)
		all = slices.DeleteFunc(all, func(r precedent.Ruling) bool { return r.Event == e.ID })
		if o.Decision == event.Allow || o.Decision == event.Deny {
			mine := precedent.Ruling{Event: e.ID, Decision: o.Decision, By: o.By, Source: o.Source, Time: o.Time, Signature: e.Signature}
			all = append([]precedent.Ruling{mine}, all...)
		}
		return all, err
	})
}
