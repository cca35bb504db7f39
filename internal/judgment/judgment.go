// Package judgment is the vocabulary of semantic rules: the questions that a
// policy declares ([Spec]), the answers that a model gives to them ([Answer]), the
// thresholds that turn an answer into a yes or no ([Condition]), and what of an
// event is shown to the model ([State]). It is plain data and does no I/O; package
// systemone asks the model.
package judgment

import (
	"bytes"
	"encoding/json"
)

// Type is what kind of answer a judgment gets.
type Type string

// The types of System One's wire contract.
const (
	Noul   Type = "noul"   // a probability of yes, from 0 to 1
	Choice Type = "choice" // one of several options
	Score  Type = "score"  // a position along ordered levels, from 0
)

// object writes a JSON object whose members keep their order.
type object struct{ bytes.Buffer }

func (o *object) add(name string, value any) error {
	v, err := marshal(value)
	if err != nil {
		return err
	}
	k, err := marshal(name)
	if err != nil {
		return err
	}
	if o.Len() == 0 {
		o.WriteByte('{')
	} else {
		o.WriteByte(',')
	}
	o.Write(k)
	o.WriteByte(':')
	o.Write(v)
	return nil
}

func (o *object) close() []byte {
	if o.Len() == 0 {
		o.WriteByte('{')
	}
	o.WriteByte('}')
	return o.Bytes()
}

// marshal is json.Marshal with <, > and & as they are: commands are full of them,
// and a person reads the dry run.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
