package redact

import "strings"

// shape is a token that is known by how it begins.
type shape struct {
	prefix string
	class  func(byte) bool // of what follows
	min    int             // bytes that follow at least
	edge   bool            // begins a word
}

func upperDigit(c byte) bool { return digit(c) || 'A' <= c && c <= 'Z' }
func lower(c byte) bool      { return digit(c) || 'a' <= c && c <= 'f' }

// shapes are as their issuers publish them. Lengths are a little less than today's:
// issuers change them, and no other word begins so.
var shapes = []shape{
	{"AKIA", upperDigit, 16, true}, {"ASIA", upperDigit, 16, true}, {"ABIA", upperDigit, 16, true}, {"ACCA", upperDigit, 16, true},
	{"ghp_", alnum, 20, false}, {"gho_", alnum, 20, false}, {"ghu_", alnum, 20, false}, {"ghs_", alnum, 20, false}, {"ghr_", alnum, 20, false},
	{"github_pat_", word, 20, false},
	{"glpat-", dotted, 16, false}, {"gloas-", dotted, 16, false}, {"gldt-", dotted, 16, false}, {"glrt-", dotted, 16, false}, {"glrtr-", dotted, 16, false},
	{"glcbt-", dotted, 16, false}, {"glptt-", dotted, 16, false}, {"glft-", dotted, 16, false}, {"glimt-", dotted, 16, false}, {"glagent-", dotted, 16, false},
	{"glsoat-", dotted, 16, false}, {"glffct-", dotted, 16, false}, {"glsa_", word, 24, false}, {"glc_ey", word, 24, false},
	{"xoxb-", dotted, 10, false}, {"xoxp-", dotted, 10, false}, {"xoxa-", dotted, 10, false}, {"xoxr-", dotted, 10, false}, {"xoxs-", dotted, 10, false},
	{"xoxc-", dotted, 10, false}, {"xoxd-", dotted, 10, false}, {"xoxe-", dotted, 10, false}, {"xoxe.", dotted, 10, false}, {"xapp-", dotted, 10, false},
	{"sk-", word, 20, true}, {"sk_live_", alnum, 10, true}, {"sk_test_", alnum, 10, true}, {"rk_live_", alnum, 10, true}, {"rk_test_", alnum, 10, true},
	{"pk_live_", alnum, 10, true}, {"pk_test_", alnum, 10, true}, {"whsec_", base64, 20, true},
	{"AIza", word, 30, true}, {"ya29.", dotted, 20, true}, {"GOCSPX-", word, 20, true}, {"1//0", word, 30, true},
	{"npm_", alnum, 30, true}, {"pypi-", word, 40, true}, {"hf_", alnum, 25, true}, {"SK", lower, 32, true}, {"HRKU-", word, 30, true},
	{"dop_v1_", lower, 40, true}, {"doo_v1_", lower, 40, true}, {"dor_v1_", lower, 40, true},
	{"dckr_pat_", word, 20, false}, {"dckr_oat_", word, 20, false}, {"hvs.", word, 20, true}, {"hvb.", word, 20, true},
	{"shpat_", hexDigit, 30, false}, {"shpca_", hexDigit, 30, false}, {"shppa_", hexDigit, 30, false}, {"shpss_", hexDigit, 30, false},
	{"AGE-SECRET-KEY-1", upperDigit, 40, true}, {"lin_api_", alnum, 30, true}, {"ATATT3", word, 30, true}, {"ntn_", alnum, 30, true},
	{"secret_", alnum, 40, true}, {"dapi", lower, 32, true}, {"PMAK-", word, 30, true}, {"NRAK-", upperDigit, 24, true}, {"figd_", word, 30, true},
	{"sntrys_", base64, 30, true}, {"sbp_", lower, 40, true}, {"gsk_", alnum, 40, true}, {"xai-", alnum, 40, true}, {"r8_", alnum, 30, true},
	{"pplx-", alnum, 40, true}, {"nvapi-", word, 40, true}, {"tskey-", word, 20, true}, {"rubygems_", lower, 40, true}, {"sq0atp-", word, 20, true},
	{"sq0csp-", word, 30, true}, {"pscale_tkn_", word, 20, true}, {"pscale_pw_", word, 20, true}, {"EAACEdEose0cBA", alnum, 20, true},
}

// token looks for the shape at i.
func (s *scan) token(p *shape, i int) {
	if !strings.HasPrefix(s.text[i:], p.prefix) || p.edge && !s.edge(i) {
		return
	}
	from := i + len(p.prefix)
	n := run(s.text, from, p.class)
	if n < p.min {
		return
	}
	// Names of styles and tests begin so, too: sk-folding-cube.
	if p.prefix == "sk-" && !strings.ContainsAny(s.text[from:from+n], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		return
	}
	s.add(i, from+n)
}

// edge reports whether a word can begin at i, also behind what is escaped as in a
// URL.
func (s *scan) edge(i int) bool {
	if i == 0 || !alnum(s.text[i-1]) {
		return true
	}
	return i >= 3 && s.text[i-3] == '%' && hexDigit(s.text[i-2]) && hexDigit(s.text[i-1]) ||
		i >= 2 && s.text[i-2] == '\\' && strings.IndexByte("nrt", s.text[i-1]) >= 0
}

// jwt is a JSON web token: eyJ… . eyJ… . signature.
func (s *scan) jwt(i int) {
	end, parts := i, 0
	for parts < 5 {
		n := run(s.text, end, word)
		if n < 8 && parts < 2 {
			return
		}
		end, parts = end+n, parts+1
		if end >= len(s.text) || s.text[end] != '.' {
			break
		}
		end++
	}
	if parts >= 2 && strings.HasPrefix(s.text[i:], "eyJ") {
		s.add(i, end)
	}
}

// sendgrid is SG.….….
func (s *scan) sendgrid(i int) {
	a := run(s.text, i+3, word)
	dot := i + 3 + a
	if !strings.HasPrefix(s.text[i:], "SG.") || a < 16 || dot >= len(s.text) || s.text[dot] != '.' {
		return
	}
	if b := run(s.text, dot+1, word); b >= 16 {
		s.add(i, dot+1+b)
	}
}

// hook is an address whose last parts let anyone post.
func (s *scan) hook(from int) {
	n := run(s.text, from, func(c byte) bool { return base64(c) || c == '_' || c == '-' })
	if n >= 16 {
		s.add(from, from+n)
	}
}
