package judgment

import (
	"slices"
	"strconv"
)

// steps are how far a threshold on a probability is moved to see what changes.
var steps = []float64{-0.10, -0.05, 0, 0.05, 0.10}

func (r *ruleTally) stats(key ruleKey, kind Type, top float64) RuleStats {
	s := RuleStats{Rule: key.rule, Condition: r.condition, Weighed: r.weighed, Held: r.held, Fired: r.fired}
	for c := range r.conditions {
		if c != r.condition {
			s.Earlier = append(s.Earlier, c)
		}
	}
	slices.Sort(s.Earlier)
	op, text := splitTest(r.condition)
	present, ok := number(text)
	if !ok || !slices.Contains([]string{">=", ">", "<=", "<"}, op) || len(r.answers) == 0 {
		return s
	}
	now, _ := r.count(op, present)
	for _, v := range candidates(kind, op, present, top) {
		t := Threshold{Condition: op + " " + strconv.FormatFloat(v, 'f', -1, 64), Present: v == present}
		if t.Present {
			t.Condition = r.condition
		}
		t.Held, t.Matched = r.count(op, v)
		t.Change = t.Held - now
		s.Thresholds = append(s.Thresholds, t)
	}
	return s
}

// candidates are the thresholds worth a look: for a score its levels, for a
// probability the ones around the present. Those that can never hold are left
// out, unless the rule has one.
func candidates(kind Type, op string, present, top float64) []float64 {
	var all []float64
	if kind == Score {
		for v := 0.0; v <= top; v++ {
			all = append(all, v)
		}
	} else {
		for _, s := range steps {
			all = append(all, round(present+s))
		}
	}
	all = slices.DeleteFunc(all, func(v float64) bool {
		return v < 0 || v > top || op == ">" && v == top || op == "<" && v == 0
	})
	if !slices.Contains(all, present) {
		all = append(all, present)
	}
	slices.Sort(all)
	return all
}

// count is at how many events the threshold would have held, and at how many of
// them the rest of the rule too.
func (r *ruleTally) count(op string, threshold float64) (held, matched int) {
	c := Condition{Op: op, Value: strconv.FormatFloat(threshold, 'g', -1, 64)}
	for _, a := range r.answers {
		if !c.Holds(Answer{Type: Noul, Noul: a.value}) {
			continue
		}
		held++
		if a.others {
			matched++
		}
	}
	return held, matched
}
