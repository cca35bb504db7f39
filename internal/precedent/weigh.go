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
// A deny of the very action decides alone, however many allows there are, unless
// whoever gave it later allowed this very action. It is the very action if the ruling
// speaks for it (see [Action.Licensed]); on files, only if it names the same.
//
// Any other ruling is looked at if it was given on the same sort of tool and is as like
// as MinScore. It counts if it allows and speaks for the action, or is about a part of
// it (see [Action.Includes]). Of those, as many denies as allows deny. AllowThreshold
// that speak for the action, and not one deny, allow. Where a person has allowed this
// very action, denies of what is merely like it do not deny it; they only keep it from
// being allowed unasked.
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
	topK := max(s.TopK, 1)
	if cited := standing(all); len(cited) > 0 {
		return event.Deny, cited[:min(len(cited), topK)]
	}
	denied := slices.ContainsFunc(all, func(c candidate) bool { return c.Decision == event.Deny })
	all = all[:min(len(all), topK)]
	var allows, licensed, denies []event.Precedent
	same := 0 // denies of all that the action does
	for _, c := range all {
		p := c.cite()
		switch {
		case c.Decision == event.Deny:
			denies = append(denies, p)
			if c.same {
				same++
			}
			continue
		case c.exact:
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

// standing are the denies of the very action that nobody has taken back by allowing
// it later. Only their own word lifts them: what is merely revealed by a call that ran
// has no name to it and lifts no more than what was revealed by a refusal.
func standing(all []candidate) (cited []event.Precedent) {
	for _, d := range all {
		lifts := func(c candidate) bool {
			return c.exact && c.Decision == event.Allow && c.By == d.By && c.Time.After(d.Time) && (c.Source != completion || d.Source == refusal)
		}
		if d.exact && d.Decision == event.Deny && !slices.ContainsFunc(all, lifts) {
			cited = append(cited, d.cite())
		}
	}
	return cited
}

// candidate is a ruling that is looked at.
type candidate struct {
	Ruling
	score float64
	exact bool // speaks for the very action
	same  bool // is about no other words than the action's
}

func (c *candidate) cite() event.Precedent {
	return event.Precedent{Event: c.Event, Decision: c.Decision, By: c.By, Source: c.Source, Time: c.Time, Score: math.Round(c.score*100) / 100}
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
	c.exact = a.Licensed(&sig)
	if r.Decision == event.Deny {
		c.exact = c.exact && (!a.onFiles() || a.has(sig.Words)) || a.String() == r.Signature
	}
	c.same = a.has(sig.Words)
	if c.score = Score(a.Words, sig.Words); c.score < s.MinScore {
		return c, c.exact && r.Decision == event.Deny
	}
	return c, c.exact || a.Includes(&sig)
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

// alike is how like two weighty actions must be for one to be taken for the other
// without having all of its words: half of them, which a force push to another branch
// with another spelling of the flag still has (git push -f, git push --force).
const alike = 0.5

// Includes reports whether a does at least what the other action did: it runs all of
// its programs, has its kinds of effects, and has all of its words and scopes. The
// words may differ (see alike) where both have an effect that weighs more than what is
// done to files every hour: dropping this table or that is the same kind of harm,
// deleting this folder or that is not, unless it is the same folder (rm -rf, rm -fr).
func (a *Action) Includes(b *Signature) bool {
	if len(b.Programs) == 0 || !subset(b.Programs, a.Programs) {
		return false
	}
	weighty, scoped := false, true
	for _, y := range b.Effects {
		x, ok := a.effect(y.Kind)
		if !ok {
			return false
		}
		scoped = scoped && subset(y.Scopes, x.Scopes)
		same := y.Kind == effect.DeleteRecursive && len(y.Anchors) > 0 && subset(y.Anchors, x.Anchors)
		weighty = weighty || same || !slices.Contains(everyday, y.Kind)
	}
	return scoped && a.has(b.Words) || weighty && Score(a.Words, b.Words) >= alike
}

// everyday are the kinds of effects of which it matters on what.
var everyday = []effect.Kind{
	effect.FileRead, effect.FileWrite, effect.FileDelete, fileMove, effect.DeleteRecursive,
}

// onFiles reports whether all that a does is done to files.
func (a *Action) onFiles() bool {
	return len(a.Effects) > 0 && !slices.ContainsFunc(a.Effects, func(e Effect) bool { return !slices.Contains(everyday, e.Kind) })
}

// has reports whether all of the words are among the action's, as far as can be told:
// where its own were cut, those beyond the cut may be.
func (a *Action) has(words []uint32) bool {
	for _, w := range words {
		if !slices.Contains(a.Words, w) && (len(a.Words) < maxWords || w < a.Words[maxWords-1]) {
			return false
		}
	}
	return true
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
