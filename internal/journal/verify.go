package journal

import (
	"io"
	"slices"
)

// Report is what [Verify] found.
type Report struct {
	// Lines counts the lines, damaged ones included, Segments the files.
	Lines    int `json:"lines"`
	Segments int `json:"segments"`
	// First and Last are the ids of the first and the last sound record.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
	// Link is the link of the last line: a later Verify that ends before it, or
	// never meets it, shows that the end was cut off.
	Link string `json:"link,omitempty"`
	// Faults are the faults in order, but for those that a checkpoint has settled.
	Faults []Fault `json:"faults,omitempty"`
}

// Verify walks the whole chain of the journal in dir and reports every line that
// was edited, is damaged, or does not follow its predecessor. What the chain alone
// cannot show is the removal of the last lines, or of whole segments at the
// beginning: package upkeep compares it with the ledger.
func Verify(dir string) (Report, error) {
	var rep Report
	all, err := segments(dir)
	if err != nil {
		return rep, err
	}
	rep.Segments = len(all)
	r := NewReader(dir, Position{})
	defer r.Close()
	known := map[string]bool{}
	for {
		line, err := r.Next()
		if err == io.EOF {
			rep.Faults = slices.DeleteFunc(rep.Faults, func(f Fault) bool { return known[f.Key()] })
			return rep, nil
		}
		if err != nil {
			return rep, err
		}
		rep.Lines++
		rep.Link = line.Link
		if line.Record != nil {
			if rep.First == "" {
				rep.First = line.Record.ID
			}
			rep.Last = line.Record.ID
			for _, key := range line.Record.Known {
				known[key] = true
			}
		}
		if line.Fault != nil {
			rep.Faults = append(rep.Faults, *line.Fault)
		}
	}
}
