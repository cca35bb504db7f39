package systemone

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/judgment"
)

// into adds the response's answers to answers and keeps them in the cache. The
// error is an [*Unanswered] that names those of open which have none.
func (r response) into(answers map[string]judgment.Answer, open []judgment.Spec, store store) error {
	model, wire, err := r.read()
	if err != nil {
		return unanswered(open, fmt.Errorf("%w%s", err, r.id(store.client)))
	}
	store.answers(model)
	var u Unanswered
	for _, s := range open {
		raw, ok := wire[s.Name]
		if !ok {
			u.add(s.Name, fmt.Errorf("the response has no answer to it%s", r.id(store.client)))
			continue
		}
		a, err := judgment.ParseAnswer(s, raw)
		if err != nil {
			u.add(s.Name, fmt.Errorf("%s%s", store.client.clean(err.Error()), r.id(store.client)))
			continue
		}
		a.Model = model
		answers[s.Name] = a
		store.put(s, raw)
	}
	store.evict()
	if len(u.Names) == 0 {
		return nil
	}
	return &u
}

// read takes the body apart: the model that answered, and the answers by name.
func (r response) read() (model string, answers map[string]json.RawMessage, err error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(r.body, &m); err != nil || m == nil {
		return "", nil, errors.New("the response is no JSON object")
	}
	// A server that does not say who answered is still believed: a label that is
	// missing must not switch rules off.
	if raw, ok := m["model"]; ok {
		if err := json.Unmarshal(raw, &model); err != nil {
			return "", nil, errors.New("the response's model is no string")
		}
	}
	if err := json.Unmarshal(m["answers"], &answers); err != nil || answers == nil {
		return "", nil, errors.New("the response has no answers")
	}
	return model, answers, nil
}

// message finds what a server says about a failure, in the forms that the vendor's
// client knows.
func message(body []byte) string {
	var m struct{ Error, Message, Detail any }
	if json.Unmarshal(body, &m) != nil {
		text := strings.TrimSpace(string(body))
		if strings.HasPrefix(text, "<") { // a gateway's page
			return ""
		}
		return text
	}
	for _, v := range []any{m.Error, m.Message, m.Detail} {
		if s := text(v); s != "" {
			return s
		}
	}
	return ""
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		s, _ := v["message"].(string)
		return s
	case []any: // [{"loc": ["body", "questions"], "msg": "…"}]
		var all []string
		for _, e := range v {
			e, _ := e.(map[string]any)
			msg, ok := e["msg"].(string)
			if !ok {
				continue
			}
			var at []string
			loc, _ := e["loc"].([]any)
			for _, l := range loc {
				if l != "body" {
					at = append(at, fmt.Sprint(l))
				}
			}
			if len(at) > 0 {
				msg = strings.Join(at, ".") + ": " + msg
			}
			all = append(all, msg)
		}
		return strings.Join(all, "; ")
	}
	return ""
}

// status is a status with its usual words.
func status(code int) string {
	words := map[int]string{
		400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 408: "Request Timeout",
		422: "Unprocessable Content", 429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
		503: "Service Unavailable", 504: "Gateway Timeout",
	}
	return strings.TrimSpace(strconv.Itoa(code) + " " + words[code])
}
