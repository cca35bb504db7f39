package judgment_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/event"
	"github.com/fireharp/overseer/internal/judgment"
)

// weighed makes one threshold of the rule r. Whether it held is computed, so that
// the cases cannot contradict themselves.
func weighed(name, test string, value any) event.Judgment {
	return weighedBy("r", name, test, value)
}

func weighedBy(rule, name, test string, value any) event.Judgment {
	j := event.Judgment{Name: name, Rule: rule, Condition: test, Value: value}
	c, err := judgment.ParseCondition("x", test)
	if err != nil {
		panic(err)
	}
	switch v := value.(type) {
	case float64:
		j.Held, j.Model = c.Holds(judgment.Answer{Type: judgment.Noul, Noul: v}), "m-1"
	case string:
		j.Held, j.Model = c.Holds(judgment.Answer{Type: judgment.Choice, Choice: v}), "m-1"
	}
	return j
}

func TestStats(t *testing.T) {
	t.Parallel()
	type events [][]event.Judgment
	one := func(js ...event.Judgment) []event.Judgment { return js }
	at := func(condition string, held, change int) judgment.Threshold {
		return judgment.Threshold{Condition: condition, Held: held, Change: change, Matched: held}
	}
	now := func(condition string, held int) judgment.Threshold {
		return judgment.Threshold{Condition: condition, Present: true, Held: held, Matched: held}
	}
	for _, tt := range []struct {
		name   string
		specs  []judgment.Spec
		events events
		want   []judgment.Stats
	}{
		{"nothing", nil, nil, []judgment.Stats{}},
		{"a noul", nil, events{
			one(weighed("n", ">= 0.85", 0.0)), one(weighed("n", ">= 0.85", 0.8)), one(weighed("n", ">= 0.85", 0.9)),
			one(weighed("n", ">= 0.85", 1.0)), one(weighed("n", ">= 0.85", nil)),
		}, []judgment.Stats{{
			Judgment: "n", Type: judgment.Noul, Events: 5, Answered: 4, Unanswered: 1,
			Spread:    &judgment.Spread{Min: 0, Q1: 0.6, Median: 0.85, Q3: 0.925, Max: 1},
			Histogram: []int{1, 0, 0, 0, 0, 0, 0, 0, 1, 2},
			Models:    []judgment.Count{{Name: "m-1", N: 4}},
			Rules: []judgment.RuleStats{{Rule: "r", Condition: ">= 0.85", Weighed: 5, Held: 2, Fired: 2, Thresholds: []judgment.Threshold{
				at(">= 0.75", 3, 1), at(">= 0.8", 3, 1), now(">= 0.85", 2), at(">= 0.9", 2, 0), at(">= 0.95", 1, -1),
			}}},
		}}},
		{"a choice with one option that nobody took", []judgment.Spec{{Name: "c", Type: judgment.Choice, Criteria: []judgment.Criterion{{Name: "local"}, {Name: "shared"}, {Name: "moon"}}}}, events{
			one(weighed("c", "== shared", "local")), one(weighed("c", "== shared", "shared")), one(weighed("c", "== shared", "shared")),
		}, []judgment.Stats{{
			Judgment: "c", Type: judgment.Choice, Events: 3, Answered: 3,
			Options: []judgment.Count{{Name: "shared", N: 2}, {Name: "local", N: 1}, {Name: "moon", N: 0}},
			Models:  []judgment.Count{{Name: "m-1", N: 3}},
			Rules:   []judgment.RuleStats{{Rule: "r", Condition: "== shared", Weighed: 3, Held: 2, Fired: 2}},
		}}},
		{"a score has levels", []judgment.Spec{{Name: "s", Type: judgment.Score, Criteria: make([]judgment.Criterion, 4)}}, events{
			one(weighed("s", ">= 1.5", 0.4)), one(weighed("s", ">= 1.5", 1.6)), one(weighed("s", ">= 1.5", 2.0)),
		}, []judgment.Stats{{
			Judgment: "s", Type: judgment.Score, Events: 3, Answered: 3,
			Spread: &judgment.Spread{Min: 0.4, Q1: 1, Median: 1.6, Q3: 1.8, Max: 2},
			Levels: []int{1, 0, 2, 0},
			Models: []judgment.Count{{Name: "m-1", N: 3}},
			Rules: []judgment.RuleStats{{Rule: "r", Condition: ">= 1.5", Weighed: 3, Held: 2, Fired: 2, Thresholds: []judgment.Threshold{
				at(">= 0", 3, 1), at(">= 1", 2, 0), now(">= 1.5", 2), at(">= 2", 1, -1), at(">= 3", 0, -2),
			}}},
		}}},
		{"a score that nobody declares", nil, events{one(weighed("s", "> 1", 1.2))}, []judgment.Stats{{
			Judgment: "s", Type: judgment.Score, Events: 1, Answered: 1,
			Spread: &judgment.Spread{Min: 1.2, Q1: 1.2, Median: 1.2, Q3: 1.2, Max: 1.2},
			Levels: []int{0, 1, 0},
			Models: []judgment.Count{{Name: "m-1", N: 1}},
			Rules: []judgment.RuleStats{{Rule: "r", Condition: "> 1", Weighed: 1, Held: 1, Fired: 1, Thresholds: []judgment.Threshold{
				at("> 0", 1, 0), now("> 1", 1),
			}}},
		}}},
		{"the other thresholds of the rule", nil, events{
			one(weighed("c", "== a", "a"), weighed("c.confidence", "< 0.5", 0.45)),
			one(weighed("c", "== a", "b"), weighed("c.confidence", "< 0.5", 0.4)),
			one(weighed("c", "== a", "b"), weighed("c.confidence", "< 0.5", 0.52)),
		}, []judgment.Stats{{
			Judgment: "c", Type: judgment.Choice, Events: 3, Answered: 3,
			Options: []judgment.Count{{Name: "b", N: 2}, {Name: "a", N: 1}},
			Models:  []judgment.Count{{Name: "m-1", N: 3}},
			Rules:   []judgment.RuleStats{{Rule: "r", Condition: "== a", Weighed: 3, Held: 1, Fired: 1}},
		}, {
			Judgment: "c.confidence", Type: judgment.Confidence, Events: 3, Answered: 3,
			Spread:    &judgment.Spread{Min: 0.4, Q1: 0.425, Median: 0.45, Q3: 0.485, Max: 0.52},
			Histogram: []int{0, 0, 0, 0, 2, 1, 0, 0, 0, 0},
			Models:    []judgment.Count{{Name: "m-1", N: 3}},
			Rules: []judgment.RuleStats{{Rule: "r", Condition: "< 0.5", Weighed: 3, Held: 2, Fired: 1, Thresholds: []judgment.Threshold{
				at("< 0.4", 0, -2),
				{Condition: "< 0.45", Held: 1, Change: -1, Matched: 0},
				{Condition: "< 0.5", Present: true, Held: 2, Matched: 1},
				{Condition: "< 0.55", Held: 3, Change: 1, Matched: 1},
				{Condition: "< 0.6", Held: 3, Change: 1, Matched: 1},
			}}},
		}}},
		{"two rules ask, one answer", nil, events{one(weighedBy("a", "n", ">= 1", 1.0), weighedBy("b", "n", "== 1", 1.0))}, []judgment.Stats{{
			Judgment: "n", Type: judgment.Noul, Events: 1, Answered: 1,
			Spread:    &judgment.Spread{Min: 1, Q1: 1, Median: 1, Q3: 1, Max: 1},
			Histogram: []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
			Models:    []judgment.Count{{Name: "m-1", N: 1}},
			Rules: []judgment.RuleStats{
				{Rule: "a", Condition: ">= 1", Weighed: 1, Held: 1, Fired: 1, Thresholds: []judgment.Threshold{at(">= 0.9", 1, 0), at(">= 0.95", 1, 0), now(">= 1", 1)}},
				{Rule: "b", Condition: "== 1", Weighed: 1, Held: 1, Fired: 1},
			},
		}}},
		{"never answered", []judgment.Spec{noul}, events{one(weighed(noul.Name, ">= 0.5", nil))}, []judgment.Stats{{
			Judgment: noul.Name, Type: judgment.Noul, Events: 1, Unanswered: 1,
			Rules: []judgment.RuleStats{{Rule: "r", Condition: ">= 0.5", Weighed: 1}},
		}}},
		{"the threshold was another before", nil, events{
			one(weighed("n", ">= 0.5", 0.6)), one(weighed("n", ">= 0.7", 0.6)),
		}, []judgment.Stats{{
			Judgment: "n", Type: judgment.Noul, Events: 2, Answered: 2,
			Spread:    &judgment.Spread{Min: 0.6, Q1: 0.6, Median: 0.6, Q3: 0.6, Max: 0.6},
			Histogram: []int{0, 0, 0, 0, 0, 0, 2, 0, 0, 0},
			Models:    []judgment.Count{{Name: "m-1", N: 2}},
			Rules: []judgment.RuleStats{{Rule: "r", Condition: ">= 0.7", Earlier: []string{">= 0.5"}, Weighed: 2, Held: 1, Fired: 1, Thresholds: []judgment.Threshold{
				at(">= 0.6", 2, 2), at(">= 0.65", 0, 0), now(">= 0.7", 0), at(">= 0.75", 0, 0), at(">= 0.8", 0, 0),
			}}},
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			begun := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
			var forth, back judgment.Tally
			for i := range tt.events {
				add(&forth, begun.Add(time.Duration(i)*time.Second), tt.events[i])
				k := len(tt.events) - 1 - i
				add(&back, begun.Add(time.Duration(k)*time.Second), tt.events[k])
			}
			if diff := cmp.Diff(tt.want, forth.Stats(tt.specs)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, back.Stats(tt.specs)); diff != "" {
				t.Errorf("the newest event first (-want +got)\n%s", diff)
			}
		})
	}
}

// add adds an event at which the rules fired whose thresholds all held.
func add(t *judgment.Tally, at time.Time, judged []event.Judgment) {
	missed := map[string]bool{}
	for _, j := range judged {
		missed[j.Rule] = missed[j.Rule] || !j.Held
	}
	var fired []string
	for rule, m := range missed {
		if !m {
			fired = append(fired, rule)
		}
	}
	t.Add(at, judged, fired)
}

// TestStatsOfSeveralModels tells them apart.
func TestStatsOfSeveralModels(t *testing.T) {
	t.Parallel()
	var tally judgment.Tally
	for i, model := range []string{"m-1", "m-2", "m-2"} {
		j := weighed("n", ">= 0.5", 0.5)
		j.Model = model
		add(&tally, time.Unix(int64(i), 0), []event.Judgment{j})
	}
	want := []judgment.Count{{Name: "m-2", N: 2}, {Name: "m-1", N: 1}}
	if diff := cmp.Diff(want, tally.Stats(nil)[0].Models); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestStatsOfDamage takes in what no overseer writes: a ledger may hold anything.
func TestStatsOfDamage(t *testing.T) {
	t.Parallel()
	var tally judgment.Tally
	for i, v := range []any{1e308, -1e308, math.NaN(), math.Inf(1), true, []any{1}, map[string]any{}, "x", "", -0.5} {
		for _, test := range []string{"", ">=", ">= x", ">= 1e308", "< -5", "== \x1b", ">= 1e999", "0.5"} {
			tally.Add(time.Unix(int64(i), 0), []event.Judgment{{Name: "n", Rule: test, Condition: test, Value: v}, {}, {}}, nil)
		}
	}
	got := tally.Stats([]judgment.Spec{{Name: "n", Type: judgment.Score}})
	if len(got) != 2 || got[1].Events != 80 || got[1].Answered != 40 || got[1].Unanswered != 40 {
		t.Errorf("%+v", got)
	}
	if _, err := json.Marshal(got); err != nil {
		t.Error(err)
	}
	for _, r := range got[1].Rules {
		if len(r.Thresholds) > 110 {
			t.Errorf("%q has %d thresholds", r.Condition, len(r.Thresholds))
		}
	}
}
