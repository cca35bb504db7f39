package script

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

func itoa(n int) string { return strconv.Itoa(n) }

func parseInt(v *value, base int) (int, bool) {
	if !v.known() {
		return 0, false
	}
	t := strings.TrimSpace(v.text)
	if base == 16 {
		t = strings.TrimPrefix(t, "0x")
	}
	n, err := strconv.ParseInt(t, base, 32)
	return int(n), err == nil
}

// unpercent resolves %41.
func unpercent(t string) (string, bool) {
	u, err := url.PathUnescape(t)
	return u, err == nil
}

// fromBase64 decodes base64 in all its spellings.
func fromBase64(t string) (string, bool) {
	t = strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "", " ", "", "=", "").Replace(t)
	b, err := base64.RawStdEncoding.DecodeString(t)
	return string(b), err == nil
}

func fromHex(t string) (string, bool) {
	t = strings.NewReplacer(" ", "", "\n", "", ":", "").Replace(t)
	b, err := hex.DecodeString(t)
	return string(b), err == nil
}

func fromBase32(t string) (string, bool) {
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(strings.ToUpper(t), "="))
	return string(b), err == nil
}

func rot13(t string) (string, bool) {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, t), true
}

func fail(string) (string, bool) { return "", false }

// decode does decoders: what they give is of origin Decoded, also where it is known.
func (s *session) decode(fn string, args []*value) *value {
	if len(args) == 0 {
		return nil
	}
	src := args[0]
	var f func(string) (string, bool)
	second := ""
	if len(args) > 1 {
		second = strings.ToLower(args[1].string())
	}
	switch fn {
	case "base64.b64decode", "base64.urlsafe_b64decode", "base64.standard_b64decode", "base64.decodebytes", "base64.decodestring", "b64decode", "binascii.a2b_base64", "atob", "base64_decode", "MIME.Base64.decode_base64", "decode_base64", "Base64.decode64", "Base64.strict_decode64", "Base64.urlsafe_decode64", "base64enc.base64decode", "base64.decode", "openssl.base64_decode", "jsonlite.base64_dec", "base64_dec", "mime.unb64":
		f = fromBase64
	case "bytes.fromhex", "bytearray.fromhex", "binascii.unhexlify", "binascii.a2b_hex", "unhexlify", "hex2bin", "hex.DecodeString", "base64.b16decode":
		f = fromHex
	case "base64.b32decode":
		f = fromBase32
	case "base64.b85decode", "base64.a85decode", "zlib.decompress", "gzip.decompress", "bz2.decompress", "lzma.decompress", "marshal.loads", "zlib.gunzipSync", "zlib.inflateSync", "zlib.inflateRawSync", "zlib.brotliDecompressSync", "gzinflate", "gzuncompress", "gzdecode", "bzdecompress", "Zlib.Inflate.inflate", "Zlib.gunzip", "Zlib.inflate", "convert_uudecode", "Compress.Zlib.uncompress", "openssl_decrypt", "memDecompress", "cryptography.fernet.Fernet.decrypt", "Crypto.Cipher.AES.new.decrypt", "zlib.decompressobj.decompress", "crypto.createDecipheriv", "uudecode", "quopri.decodestring":
		f = fail
	case "str_rot13":
		f = rot13
	case "codecs.decode", "codecs.getdecoder":
		switch {
		case strings.HasPrefix(second, "rot"):
			f = rot13
		case strings.Contains(second, "hex"):
			f = fromHex
		case strings.Contains(second, "base64"):
			f = fromBase64
		default:
			f = func(t string) (string, bool) { return t, true }
		}
	case "Buffer.from", "Buffer":
		switch second {
		case "base64", "base64url":
			f = fromBase64
		case "hex":
			f = fromHex
		default:
			return nil
		}
	case "pack":
		if len(args) > 1 && src.known() {
			var flat []*value
			for _, a := range args[1:] {
				flat = a.flat(flat, 0)
			}
			return s.pack(src.text, flat)
		}
		return nil
	case "unpack":
		if len(args) > 1 && src.known() {
			if strings.HasPrefix(src.text, "u") || strings.HasPrefix(src.text, "m") {
				f = fail
				src = args[1]
				if src.known() && strings.HasPrefix(args[0].text, "m") {
					f = fromBase64
				}
				break
			}
		}
		return nil
	default:
		if strings.HasSuffix(fn, ".decrypt") || strings.HasSuffix(fn, ".decompress") {
			f = fail
			src = args[len(args)-1]
			break
		}
		return nil
	}
	out := s.derive(src, f)
	return out.each(func(v *value) *value {
		w := *v
		w.origin |= effect.Decoded
		w.name = ""
		return &w
	})
}

// pack does pack("H*", …) and pack("c*", …).
func (s *session) pack(format string, args []*value) *value {
	out := lit("")
	if len(args) == 0 || format == "" {
		return out
	}
	switch format[0] {
	case 'H':
		for _, a := range args {
			out = s.concat(out, s.derive(a, fromHex))
		}
	case 'c', 'C', 'U', 'W':
		out = s.result("chr", args, nil)
	case 'm':
		out = s.derive(args[0], func(t string) (string, bool) { return base64.StdEncoding.EncodeToString([]byte(t)), true })
		return out
	case 'a', 'A':
		out = s.join("", &value{kind: list, list: args, lit: true})
	default:
		out = s.derive(args[0], fail)
	}
	w := *out
	w.origin |= effect.Decoded
	return &w
}
