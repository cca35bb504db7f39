package precedent

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/effect"
)

// Settings tune the weight of rulings.
type Settings struct {
	// MinScore is the least likeness, from 0 to 1, of a ruling that is looked at.
	MinScore float64
	// AllowThreshold is how many allows an action needs.
	AllowThreshold int
	// TopK is how many rulings are weighed, the likest first.
	TopK int
	// Since is when the oldest ruling that counts was given.
	Since time.Time
}

// Weigh says what rulings come to for an action, and cites those that it rests on,
// the likest first. The decision is "" if they come to nothing.
//
// A ruling is looked at if it was given on the same sort of tool and is as like as
// MinScore. It counts if it allows and speaks for the action (see [Action.Licensed]),
// or is about a part of it (see [Action.Includes]). Of those, as many denies as allows
// deny. AllowThreshold that speak for the action, and not one deny, allow. Where a
// person has allowed this very action, denies of what is merely like it do not deny
// it; they only keep it from being allowed unasked.
func Weigh(a *Action, rulings []Ruling, s Settings) (event.Decision, []event.Precedent) {
	var all []candidate
	for _, r := range rulings {
		c, ok := a.candidate(r, s)
		if ok && !slices.ContainsFunc(all, func(x candidate) bool { return x.Event == c.Event }) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.Time.Compare(a.Time), cmp.Compare(a.Event, b.Event))
	})
	denied := slices.ContainsFunc(all, func(c candidate) bool { return c.Decision == event.Deny })
	all = all[:min(len(all), max(s.TopK, 1))]
	var allows, licensed, denies []event.Precedent
	same := 0 // denies of all that the action does
	for _, c := range all {
		p := event.Precedent{Event: c.Event, Decision: c.Decision, By: c.By, Source: c.Source, Time: c.Time, Score: math.Round(c.score*100) / 100}
		switch {
		case c.Decision == event.Deny:
			denies = append(denies, p)
			if c.same {
				same++
			}
			continue
		case c.licensed:
			licensed = append(licensed, p)
		}
		allows = append(allows, p)
	}
	switch {
	case len(denies) > 0 && len(denies) >= len(allows) && (same > 0 || len(licensed) == 0):
		return event.Deny, append(denies, allows...)
	case !denied && len(licensed) >= max(s.AllowThreshold, 1):
		return event.Allow, licensed
	}
	return "", nil
}

// candidate is a ruling that is looked at.
type candidate struct {
	Ruling
	score    float64
	licensed bool // allows, and speaks for the action
	same     bool // is about no other words than the action's
}

func (a *Action) candidate(r Ruling, s Settings) (candidate, bool) {
	c := candidate{Ruling: r}
	if r.Decision != event.Allow && r.Decision != event.Deny || r.Time.Before(s.Since) {
		return c, false
	}
	sig, err := Parse(r.Signature)
	if err != nil || sig.Tool != a.Tool {
		return c, false
	}
	if c.score = Score(a.Words, sig.Words); c.score < s.MinScore {
		return c, false
	}
	c.same = subset(sig.Words, a.Words)
	c.licensed = r.Decision == event.Allow && a.Licensed(&sig)
	return c, c.licensed || a.Includes(&sig)
}

// Licensed reports whether a ruling on an action speaks for a: whether a does no
// more. All that counts as it is written is the same; a has no effect that the
// other lacked and none that is more certain; its targets lie in no other scopes,
// and in the project's folders where the other's lay or below.
func (a *Action) Licensed(b *Signature) bool {
	if a.Form == "" || a.Form != b.Form || a.Tool != b.Tool {
		return false
	}
	for _, x := range a.Effects {
		y, ok := b.effect(x.Kind)
		if !ok || x.Unsure != y.Unsure || !subset(x.Scopes, y.Scopes) {
			return false
		}
	}
	for _, p := range a.within {
		y, _ := b.effect(p.kind)
		if !slices.ContainsFunc(p.anchors, func(h uint64) bool { return slices.Contains(y.Anchors, h) }) {
			return false
		}
	}
	return true
}

// Includes reports whether a does at least what the other action did: it runs all
// of its programs and has its kinds of effects. Where that says little, because the
// other only read or wrote files, a must also have all of its words.
func (a *Action) Includes(b *Signature) bool {
	if len(b.Programs) == 0 || !subset(b.Programs, a.Programs) {
		return false
	}
	plain := len(b.Effects) > 0
	for _, y := range b.Effects {
		if _, ok := a.effect(y.Kind); !ok {
			return false
		}
		plain = plain && (y.Kind == effect.FileRead || y.Kind == effect.FileWrite)
	}
	return !plain || subset(b.Words, a.Words)
}

func (s *Signature) effect(k effect.Kind) (Effect, bool) {
	for _, e := range s.Effects {
		if e.Kind == k {
			return e, true
		}
	}
	return Effect{}, false
}

func subset[T comparable](a, b []T) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

// Score is the likeness of two sorted lists of words from 0 to 1: the share of
// their words that both have (Jaccard's index), estimated where one was cut.
func Score(a, b []uint32) float64 {
	both, union := 0, 0
	for i, j := 0, 0; (i < len(a) || j < len(b)) && union < maxWords; union++ {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			i++
		case i == len(a) || b[j] < a[i]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	if union == 0 {
		return 0
	}
	return float64(both) / float64(union)
}
