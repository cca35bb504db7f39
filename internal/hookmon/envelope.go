package hookmon

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// Envelope wraps a payload for the log, as one line without its line break:
//
//	{"agent":"claudecode","payload":{…}}
//
// The payload's bytes are kept as they came, but for white space around it. A
// payload that is spread over several lines also loses the white space between
// its values, since an envelope is one line.
//
// What is not JSON is kept as text, with an error that says so:
//
//	{"agent":"claudecode","raw":"…"}
//
// and what is not even text in base64, which "encoding" then tells.
func Envelope(agent string, payload []byte) ([]byte, error) {
	name, err := json.Marshal(agent)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(make([]byte, 0, len(payload)+64))
	b.WriteString(`{"agent":`)
	b.Write(name)
	body := bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(payload), []byte("\ufeff")))
	if json.Valid(body) {
		b.WriteString(`,"payload":`)
		if bytes.ContainsAny(body, "\r\n") {
			err = json.Compact(b, body)
		} else {
			b.Write(body)
		}
		b.WriteByte('}')
		return b.Bytes(), err
	}
	if utf8.Valid(payload) {
		raw, err := encode(string(payload))
		if err != nil {
			return nil, err
		}
		b.WriteString(`,"raw":`)
		b.Write(raw)
	} else {
		b.WriteString(`,"encoding":"base64","raw":"`)
		b.WriteString(base64.StdEncoding.EncodeToString(payload))
		b.WriteByte('"')
	}
	b.WriteByte('}')
	if len(body) == 0 {
		return b.Bytes(), errors.New("the payload is empty")
	}
	return b.Bytes(), errors.New("the payload is not JSON, it is logged as text")
}
