package toolcall

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/patch"
	"github.com/fireharp/overseer/internal/pipeline"
)

// pipelines leaves out that a file of a CI service is changed where the change is an
// ordinary one: that it is written stays.
func (c *call) pipelines() {
	const build effect.Kind = "trust.build"
	if !slices.ContainsFunc(c.effects, func(e effect.Effect) bool { return e.Kind == build }) {
		return
	}
	ordinary := map[string]bool{}
	for _, ch := range c.changes() {
		abs := c.places.Abs(ch.File)
		was, seen := ordinary[abs]
		ordinary[abs] = (was || !seen) && c.work.Spend(1+len(ch.New)/2) && pipeline.Ordinary(ch, c.command)
	}
	c.effects = slices.DeleteFunc(c.effects, func(e effect.Effect) bool {
		return e.Kind == build && len(e.Targets) == 1 && ordinary[e.Targets[0].Name]
	})
}

// changes are the texts that the call puts into files.
func (c *call) changes() []pipeline.Change {
	var out []pipeline.Change
	if slices.Contains(patchTools, strings.ToLower(c.tool.Name)) {
		for _, ch := range patch.Changes(c.patchText()) {
			if ch.Op == patch.Add || ch.Op == patch.Update {
				out = append(out, pipeline.Change{File: ch.File, Old: ch.Removed, New: ch.Added, Whole: ch.Op == patch.Add})
			} else {
				out = append(out, pipeline.Change{File: ch.File})
			}
		}
		return out
	}
	if len(c.tool.Paths) != 1 {
		return nil
	}
	edits := c.input().Get("edits").Array()
	if len(edits) == 0 {
		edits = append(edits, c.input())
	}
	for _, e := range edits {
		ch := pipeline.Change{File: c.tool.Paths[0]}
		for _, name := range []string{"content", "contents", "file_text", "new_string", "new_str", "new_text", "newText"} {
			ch.New += e.Get(name).Str
		}
		ch.Whole = e.Get("content").Exists() || e.Get("contents").Exists() || e.Get("file_text").Exists()
		for _, name := range []string{"old_string", "old_str", "old_text", "oldText"} {
			ch.Old += e.Get(name).Str
		}
		out = append(out, ch)
	}
	return out
}
