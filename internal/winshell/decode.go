package winshell

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"
	"unicode/utf16"
)

// fromBase64 decodes base64 as .NET does, with or without padding.
func fromBase64(s string) (string, bool) {
	s = strings.TrimRight(strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, s), "=")
	b, err := base64.RawStdEncoding.DecodeString(s)
	return string(b), err == nil
}

// fromUTF16 reads bytes as UTF-16LE.
func fromUTF16(s string) (string, bool) {
	if len(s)%2 != 0 {
		return "", false
	}
	u := make([]uint16, len(s)/2)
	for i := range u {
		u[i] = uint16(s[2*i]) | uint16(s[2*i+1])<<8
	}
	return string(utf16.Decode(u)), true
}

// readable turns decoded bytes into text: UTF-16LE where every second byte is zero.
func readable(s string) string {
	if len(s) > 1 && len(s)%2 == 0 && s[1] == 0 {
		if t, ok := fromUTF16(s); ok {
			return t
		}
	}
	return s
}

func fromHex(s string) (string, bool) {
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "-", "", "0x", "", ",", "").Replace(s))
	return string(b), err == nil
}

// inflate undoes gzip or deflate, into maxText bytes at most.
func inflate(s string) (string, bool) {
	var in io.Reader
	if strings.HasPrefix(s, "\x1f\x8b") {
		z, err := gzip.NewReader(bytes.NewReader([]byte(s)))
		if err != nil {
			return "", false
		}
		in = z
	} else {
		in = flate.NewReader(strings.NewReader(s))
	}
	b, err := io.ReadAll(io.LimitReader(in, maxText+1))
	return string(b), err == nil && len(b) > 0 && len(b) <= maxText
}

func reverse(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}
