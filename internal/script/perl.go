package script

import "strings"

// perlOpen notes what Perl's open does: a command that is started is a call of
// system, a file one of open with its mode and path.
func (s *session) perlOpen(args []*value) *value {
	if len(args) < 2 {
		s.emit("open", args, nil)
		return &value{}
	}
	handle, rest := args[0], args[1:]
	var made *value
	mode := strings.TrimSpace(rest[0].string())
	switch {
	case len(rest) > 1 && (strings.HasPrefix(mode, "|-") || strings.HasPrefix(mode, "-|")):
		s.emit("system", rest[1:], nil)
		made = s.output(rest[1:])
	case len(rest) > 1:
		mode, _, _ = strings.Cut(mode, ":")
		s.emit("open", append([]*value{lit(strings.TrimSpace(mode))}, rest[1:]...), nil)
		if strings.HasPrefix(mode, "<") {
			made = s.contents("open", rest[1])
		}
	case strings.HasPrefix(mode, "|"):
		s.emit("system", []*value{s.derive(rest[0], func(t string) (string, bool) {
			return strings.TrimPrefix(strings.TrimSpace(t), "|"), true
		})}, nil)
	case strings.HasSuffix(mode, "|"):
		cmd := s.derive(rest[0], func(t string) (string, bool) {
			return strings.TrimSuffix(strings.TrimSpace(t), "|"), true
		})
		s.emit("system", []*value{cmd}, nil)
		made = s.output([]*value{cmd})
	default:
		// The mode stands before the path: ">path".
		n := len(mode) - len(strings.TrimLeft(mode, "<>+&= "))
		how := strings.TrimSpace(mode[:n])
		if how == "" {
			how = "<"
		}
		path := s.derive(rest[0], func(string) (string, bool) { return mode[n:], true })
		if !path.known() {
			path.text = mode[n:]
		}
		s.emit("open", []*value{lit(how), path}, nil)
		if how == "<" {
			made = s.contents("open", path)
		}
	}
	if made == nil {
		made = &value{kind: object, name: "open", open: true}
	}
	for _, n := range []string{handle.ref, handle.name} {
		if n != "" {
			s.bind(n, made)
			break
		}
	}
	return lit("1")
}
