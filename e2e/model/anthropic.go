package model

import (
	"encoding/json"
	"net/http"
	"slices"
)

// messages answers a request of Anthropic's Messages API, as a stream where it
// asks for one.
func (s *Server) messages(w http.ResponseWriter, body []byte) {
	var req struct {
		Model    string
		Stream   bool
		Tools    []tool
		Messages []struct{ Content blocks }
	}
	if !s.decode(w, body, &req) {
		return
	}
	results := map[string]Result{}
	for _, m := range req.Messages {
		for _, b := range m.Content {
			if b.Type == "tool_result" {
				results[b.ToolUseID] = Result{string(b.Content), b.IsError}
			}
		}
	}
	calls := s.answer(req.Tools, results)

	var full []any
	var stream []message
	stop := "end_turn"
	for i, call := range calls {
		block := map[string]any{"type": "text", "text": call.Text}
		empty := map[string]any{"type": "text", "text": ""}
		delta := map[string]any{"type": "text_delta", "text": call.Text}
		if call.Tool != "" {
			block = map[string]any{"type": "tool_use", "id": call.ID, "name": call.Tool, "input": call.Input}
			empty = map[string]any{"type": "tool_use", "id": call.ID, "name": call.Tool, "input": map[string]any{}}
			delta = map[string]any{"type": "input_json_delta", "partial_json": string(call.Input)}
			stop = "tool_use"
		}
		full = append(full, block)
		stream = append(stream,
			message{"content_block_start", map[string]any{"index": i, "content_block": empty}},
			message{"content_block_delta", map[string]any{"index": i, "delta": delta}},
			message{"content_block_stop", map[string]any{"index": i}},
		)
	}
	msg := map[string]any{
		"id": "msg_" + calls[0].ID, "type": "message", "role": "assistant", "model": req.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 10, "output_tokens": 1},
	}
	if !req.Stream {
		msg["content"], msg["stop_reason"] = full, stop
		writeJSON(w, msg)
		return
	}
	stream = slices.Insert(stream, 0, message{"message_start", map[string]any{"message": msg}})
	stream = append(stream,
		message{"message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil},
			"usage": map[string]any{"output_tokens": 5},
		}},
		message{"message_stop", map[string]any{}},
	)
	writeStream(w, stream)
}

// blocks is the content of a message: a string, which brings no tool result, or
// a list of blocks.
type blocks []struct {
	Type      string
	ToolUseID string `json:"tool_use_id"`
	IsError   bool   `json:"is_error"`
	Content   content
}

func (b *blocks) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return nil
	}
	type plain blocks // without this method
	return json.Unmarshal(raw, (*plain)(b))
}
