package policy

import (
	"github.com/fireharp/overseer/internal/hint"
	"github.com/fireharp/overseer/internal/judgment"
	"github.com/fireharp/overseer/internal/rule"
	"github.com/fireharp/overseer/internal/yamlfile"
)

// judgments reads the questions that rules may refer to.
func (p *parser) judgments(v yamlfile.Node) {
	if v.Empty() {
		return
	}
	before := len(p.faults)
	fields, err := v.Fields("judgments")
	if !p.fault(err) {
		for _, f := range fields {
			p.judgment(f)
		}
	}
	p.unsure = len(p.faults) > before
}

var judgmentFields = []string{"type", "instructions", "criteria"}

func (p *parser) judgment(f yamlfile.Field) {
	fields, err := f.Value.Fields("judgment " + f.Name)
	if p.fault(err) {
		return
	}
	s := judgment.Spec{Name: f.Name}
	var criteria yamlfile.Node
	before := len(p.faults)
	for _, m := range fields {
		switch m.Name {
		case "type":
			t, err := m.Value.Word("type", string(judgment.Noul), string(judgment.Choice), string(judgment.Score))
			p.fault(err)
			s.Type = judgment.Type(t)
		case "instructions":
			s.Instructions, err = m.Value.Text("instructions")
			p.fault(err)
		case "criteria":
			criteria = m.Value
		default:
			p.unknown(m, judgmentFields)
		}
	}
	if len(p.faults) > before {
		return
	}
	if !criteria.Empty() {
		s.Criteria, err = readCriteria(s.Type, criteria)
		if p.fault(err) {
			return
		}
	}
	if err := s.Validate(); err != nil {
		p.fault(f.Key.Errorf("%w", err))
		return
	}
	p.Judgments = append(p.Judgments, s)
}

// readCriteria reads a score's list of levels, or the mapping of the others.
func readCriteria(t judgment.Type, v yamlfile.Node) ([]judgment.Criterion, error) {
	var out []judgment.Criterion
	if t == judgment.Score {
		list, err := v.List("criteria")
		if err != nil {
			return nil, err
		}
		for _, n := range list {
			s, err := n.Text("a level")
			if err != nil {
				return nil, err
			}
			out = append(out, judgment.Criterion{Text: s})
		}
		return out, nil
	}
	fields, err := v.Fields("criteria")
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		c := judgment.Criterion{Name: f.Name}
		if !f.Value.Empty() {
			if c.Text, err = f.Value.Text("criterion " + f.Name); err != nil {
				return nil, err
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// when reads the thresholds of a rule. Those that could never be right are faults.
func (p *parser) when(r *rule.Rule, v yamlfile.Node) {
	fields, err := v.Fields("when")
	if p.fault(err) {
		return
	}
	if len(fields) == 0 {
		p.fault(hint.Wrap(v.Errorf("when is empty"), "name a judgment and a threshold, or take it out"))
	}
	for _, f := range fields {
		value, err := f.Value.Value()
		if p.fault(err) {
			continue
		}
		c, err := judgment.ParseCondition(f.Name, value)
		if err == nil && !p.unsure {
			err = c.Check(p.Judgments)
		}
		if err != nil {
			p.fault(f.Key.Errorf("%w", err))
			continue
		}
		r.Judge = append(r.Judge, c)
	}
}

// Ask puts judgments to the model, all in one request, and returns the answers by
// name. Where some are missing the error names them; an [Inert] says that nobody
// was asked.
type Ask func([]judgment.Spec) (map[string]judgment.Answer, error)

// Inert is the error of an [Ask] that has nobody to ask: the rules with "when:" are
// then as if they were not there, whatever their on-error.
type Inert struct {
	Why string
}

func (e *Inert) Error() string { return e.Why }
