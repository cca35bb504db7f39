package model

import (
	"net/http"
	"slices"
)

// responses answers a request of OpenAI's Responses API, as a stream where it
// asks for one.
func (s *Server) responses(w http.ResponseWriter, body []byte) {
	var req struct {
		Stream bool
		Tools  []tool
		Input  []struct {
			Type   string
			CallID string `json:"call_id"`
			Output content
			Tools  []tool
		}
	}
	if !s.decode(w, body, &req) {
		return
	}
	results, tools := map[string]Result{}, flatten(req.Tools)
	for _, in := range req.Input {
		tools = append(tools, flatten(in.Tools)...) // newer models are told of their tools in a message
		if in.Type == "function_call_output" || in.Type == "custom_tool_call_output" {
			results[in.CallID] = Result{Text: string(in.Output)}
		}
	}
	calls := s.answer(tools, results)

	var items []any
	var stream []message
	for i, call := range calls {
		item := outputItem(call)
		items = append(items, item)
		stream = append(stream,
			message{"response.output_item.added", map[string]any{"output_index": i, "item": item}},
			message{"response.output_item.done", map[string]any{"output_index": i, "item": item}},
		)
	}
	id := "resp_" + calls[0].ID
	done := map[string]any{
		"id": id, "object": "response", "status": "completed", "output": items,
		"usage": map[string]any{
			"input_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 0},
			"output_tokens": 5, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
			"total_tokens": 15,
		},
	}
	if !req.Stream {
		writeJSON(w, done)
		return
	}
	begun := map[string]any{"id": id, "object": "response", "status": "in_progress", "output": []any{}}
	stream = slices.Insert(stream, 0, message{"response.created", map[string]any{"response": begun}})
	stream = append(stream, message{"response.completed", map[string]any{"response": done}})
	writeStream(w, stream)
}

// outputItem is one part of an answer.
func outputItem(call Call) map[string]any {
	switch {
	case call.Tool == "":
		return map[string]any{
			"type": "message", "id": "msg_" + call.ID, "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": call.Text, "annotations": []any{}}},
		}
	case call.freeform:
		return map[string]any{
			"type": "custom_tool_call", "id": "ctc_" + call.ID, "call_id": call.ID,
			"name": call.Tool, "input": call.Input, "status": "completed",
		}
	}
	return map[string]any{ // the arguments are JSON within a string
		"type": "function_call", "id": "fc_" + call.ID, "call_id": call.ID,
		"name": call.Tool, "arguments": string(call.Input), "status": "completed",
	}
}

// flatten takes the tools out of the namespaces that hold them.
func flatten(tools []tool) []tool {
	var flat []tool
	for _, t := range tools {
		if t.Tools != nil {
			flat = append(flat, flatten(t.Tools)...)
		} else {
			flat = append(flat, t)
		}
	}
	return flat
}
