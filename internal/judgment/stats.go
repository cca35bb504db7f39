package judgment

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fireharp/overseer/event"
)

// Stats is how one judgment, or the confidence of one, was answered over the
// recorded events.
type Stats struct {
	// Judgment is the name, with ".confidence" behind it where that was compared.
	Judgment string `json:"judgment"`
	// Type is a [Type] or "confidence"; "" where nothing was ever answered and no
	// declaration says it.
	Type Type `json:"type,omitempty"`
	// Events were judged by it. Each was answered or not, however many rules asked.
	Events     int `json:"events"`
	Answered   int `json:"answered"`
	Unanswered int `json:"unanswered"`
	// Spread is that of the numbers, nil if there are none.
	Spread *Spread `json:"spread,omitempty"`
	// Histogram counts probabilities in ten bins, the last one including 1.
	Histogram []int `json:"histogram,omitempty"`
	// Levels counts scores by the level that is nearest, from 0.
	Levels []int `json:"levels,omitempty"`
	// Options counts the options that were chosen, the most frequent first; those
	// declared and never chosen are there with 0.
	Options []Count `json:"options,omitempty"`
	// Models are the versions that answered, the most frequent first. A threshold
	// means something for one of them only.
	Models []Count `json:"models,omitempty"`
	// Rules are the thresholds on it.
	Rules []RuleStats `json:"rules"`
}

// Spread is a five-number summary. Quartiles between two values are interpolated.
type Spread struct {
	Min    float64 `json:"min"`
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	Max    float64 `json:"max"`
}

// Count is how often something was met.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// RuleStats is one threshold of a rule over the recorded events.
type RuleStats struct {
	Rule string `json:"rule"`
	// Condition is the threshold at the newest event, Earlier those before it.
	Condition string   `json:"condition"`
	Earlier   []string `json:"earlier,omitempty"`
	// Weighed is at how many events it was compared, Held at how many the answer
	// met it as it was then, Fired at how many the whole rule matched.
	Weighed int `json:"weighed"`
	Held    int `json:"held"`
	Fired   int `json:"fired"`
	// Thresholds is what others would have changed, in rising order. It is empty
	// where there is no order: for options, and for == and !=.
	Thresholds []Threshold `json:"thresholds,omitempty"`
}

// Threshold is one that could stand in a rule instead.
type Threshold struct {
	Condition string `json:"condition"`
	// Present is true for the one that the rule has.
	Present bool `json:"present,omitempty"`
	// Held is how many of the recorded answers would have met it, Change how many
	// more or fewer than meet the present one.
	Held   int `json:"held"`
	Change int `json:"change"`
	// Matched is how many of those had all other thresholds of the rule met too.
	Matched int `json:"matched"`
}

// Tally gathers what was recorded of judgments. The zero value is empty.
type Tally struct {
	judgments map[string]*tally
}

type tally struct {
	events   int
	answers  []any // float64 or string
	newest   time.Time
	kind     any // the newest answer
	models   map[string]int
	rules    map[ruleKey]*ruleTally
	topGiven float64 // the largest value that was compared with
}

// A rule may have a lower and an upper bound, so its thresholds are told apart by
// the operator. That changing the operator makes another one of it is rare.
type ruleKey struct{ rule, op string }

type ruleTally struct {
	newest     time.Time
	condition  string
	conditions map[string]bool
	weighed    int
	held       int
	fired      int
	answers    []weighed
}

// weighed is a number and whether the rest of the rule was met at that event.
type weighed struct {
	value  float64
	others bool
}

// Add takes in one event: when it was, which thresholds were weighed and the ids
// of the rules that fired. The order of events does not matter.
func (t *Tally) Add(at time.Time, judged []event.Judgment, fired []string) {
	if t.judgments == nil {
		t.judgments = map[string]*tally{}
	}
	type threshold struct {
		name string
		ruleKey
	}
	met, answered, done := map[string]bool{}, map[string]bool{}, map[threshold]bool{}
	for i, j := range judged {
		one := t.judgments[j.Name]
		if one == nil {
			one = &tally{models: map[string]int{}, rules: map[ruleKey]*ruleTally{}}
			t.judgments[j.Name] = one
		}
		if !met[j.Name] {
			met[j.Name] = true
			one.events++
		}
		if v := answerOf(j.Value); v != nil && !answered[j.Name] {
			answered[j.Name] = true
			one.answer(at, v, j.Model)
		}
		op, want := splitTest(j.Condition)
		if v, ok := number(want); ok {
			one.topGiven = max(one.topGiven, v)
		}
		key := ruleKey{j.Rule, op}
		k := threshold{j.Name, key}
		if done[k] {
			continue // a rule of the same name out of another file
		}
		done[k] = true
		r := one.rules[key]
		if r == nil {
			r = &ruleTally{conditions: map[string]bool{}}
			one.rules[key] = r
		}
		r.add(at, j, othersHeld(judged, i), slices.Contains(fired, j.Rule))
	}
}

// answerOf is the answer, nil if there is none of a type that judgments have.
func answerOf(v any) any {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v
		}
	}
	return nil
}

// othersHeld reports whether all other thresholds of the rule were met.
func othersHeld(judged []event.Judgment, i int) bool {
	for k, j := range judged {
		if k != i && j.Rule == judged[i].Rule && !j.Held {
			return false
		}
	}
	return true
}

func (t *tally) answer(at time.Time, value any, model string) {
	t.answers = append(t.answers, value)
	if model != "" {
		t.models[model]++
	}
	if t.kind == nil || !at.Before(t.newest) {
		t.newest, t.kind = at, value
	}
}

func (r *ruleTally) add(at time.Time, j event.Judgment, others, fired bool) {
	if r.condition == "" || !at.Before(r.newest) {
		r.newest, r.condition = at, j.Condition
	}
	r.conditions[j.Condition] = true
	r.weighed++
	if j.Held {
		r.held++
	}
	if fired {
		r.fired++
	}
	if v, ok := answerOf(j.Value).(float64); ok {
		r.answers = append(r.answers, weighed{v, others})
	}
}

// splitTest takes a test such as ">= 0.85" apart.
func splitTest(test string) (op, value string) {
	for _, op := range operators {
		if rest, ok := strings.CutPrefix(test, op); ok {
			return op, strings.TrimSpace(rest)
		}
	}
	return "", test
}

// Stats counts what was gathered, sorted by the judgments' names. The types and
// the levels are taken from specs where the recorded answers fit them; else they
// are guessed: a number beyond 1 makes a score.
func (t *Tally) Stats(specs []Spec) []Stats {
	out := []Stats{}
	for name, one := range t.judgments {
		out = append(out, one.stats(name, specs))
	}
	slices.SortFunc(out, func(a, b Stats) int { return cmp.Compare(a.Judgment, b.Judgment) })
	return out
}

func (t *tally) stats(name string, specs []Spec) Stats {
	s := Stats{Judgment: name, Events: t.events, Answered: len(t.answers), Unanswered: t.events - len(t.answers)}
	var numbers []float64
	chosen := map[string]int{}
	for _, a := range t.answers {
		switch a := a.(type) {
		case float64:
			numbers = append(numbers, a)
		case string:
			chosen[a]++
		}
	}
	slices.Sort(numbers)
	spec := specOf(name, specs)
	s.Type = t.typeOf(name, spec, numbers)
	top := 1.0
	if s.Type == Score {
		top = t.top(spec, numbers)
	}
	if s.Type == Choice && spec.Type == Choice {
		for _, o := range spec.names() {
			chosen[o] += 0
		}
	}
	s.Options, s.Models = counts(chosen), counts(t.models)
	if len(numbers) > 0 {
		s.Spread = spread(numbers)
		if s.Type == Score {
			s.Levels = levels(numbers, top)
		} else {
			s.Histogram = histogram(numbers)
		}
	}
	for key, r := range t.rules {
		s.Rules = append(s.Rules, r.stats(key, s.Type, top))
	}
	slices.SortFunc(s.Rules, func(a, b RuleStats) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Condition, b.Condition))
	})
	return s
}

func specOf(name string, specs []Spec) Spec {
	for _, s := range specs {
		if s.Name == name {
			return s
		}
	}
	return Spec{}
}

// typeOf is the declared type, unless the recorded answers are of another.
func (t *tally) typeOf(name string, spec Spec, numbers []float64) Type {
	_, isText := t.kind.(string)
	beyond := t.topGiven > 1 || len(numbers) > 0 && numbers[len(numbers)-1] > 1
	switch {
	case isText:
		return Choice
	case strings.HasSuffix(name, "."+Confidence):
		return Confidence
	case t.kind == nil:
		return spec.Type
	case beyond || spec.Type == Score:
		return Score
	}
	return Noul
}

// maxLevels bounds what is counted level by level.
const maxLevels = 100

// top is the highest level, as far as one can know it.
func (t *tally) top(spec Spec, numbers []float64) float64 {
	top := max(1, math.Ceil(t.topGiven))
	if len(numbers) > 0 {
		top = max(top, math.Ceil(numbers[len(numbers)-1]))
	}
	if spec.Type == Score {
		top = max(top, float64(len(spec.Criteria)-1))
	}
	return min(top, maxLevels)
}

func counts(m map[string]int) []Count {
	var out []Count
	for name, n := range m {
		out = append(out, Count{name, n})
	}
	slices.SortFunc(out, func(a, b Count) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Name, b.Name)) })
	return out
}

// spread summarises sorted numbers.
func spread(sorted []float64) *Spread {
	at := func(q float64) float64 {
		pos := q * float64(len(sorted)-1)
		i := int(pos)
		if i+1 >= len(sorted) {
			return sorted[i]
		}
		between := pos - float64(i)
		return round(sorted[i]*(1-between) + sorted[i+1]*between)
	}
	return &Spread{sorted[0], at(0.25), at(0.5), at(0.75), sorted[len(sorted)-1]}
}

// round takes away what adding binary fractions puts behind a decimal.
func round(v float64) float64 {
	const digits = 1e9
	if r := math.Round(v*digits) / digits; !math.IsInf(r, 0) {
		return r
	}
	return v
}

func histogram(numbers []float64) []int {
	const bins = 10
	out := make([]int, bins)
	for _, v := range numbers {
		out[min(int(min(max(v, 0), 1)*bins), bins-1)]++
	}
	return out
}

func levels(numbers []float64, top float64) []int {
	out := make([]int, int(top)+1)
	for _, v := range numbers {
		out[int(math.Round(min(max(v, 0), top)))]++
	}
	return out
}
