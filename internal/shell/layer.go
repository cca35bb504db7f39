package shell

// layer holds what a shell knows by name: its variables, arrays, functions, aliases.
// A subshell has a layer of its own upon its parent's, which the parent does not
// change while the subshell runs; nothing is copied.
type layer[V any] struct {
	own map[string]held[V]
	up  *layer[V]
}

// held is a value, or the note that a name was unset.
type held[V any] struct {
	value V
	set   bool
}

// above is an empty layer upon l.
func (l *layer[V]) above() layer[V] {
	for l != nil && len(l.own) == 0 {
		l = l.up
	}
	return layer[V]{up: l}
}

func (l *layer[V]) get(name string) (V, bool) {
	for ; l != nil; l = l.up {
		if h, ok := l.own[name]; ok {
			return h.value, h.set
		}
	}
	var none V
	return none, false
}

func (l *layer[V]) put(name string, v V) { l.note(name, held[V]{v, true}) }

func (l *layer[V]) remove(name string) {
	if _, ok := l.get(name); ok {
		l.note(name, held[V]{})
	}
}

func (l *layer[V]) note(name string, h held[V]) {
	if l.own == nil {
		l.own = map[string]held[V]{}
	}
	l.own[name] = h
}

// take adds what a layer upon this one holds by itself.
func (l *layer[V]) take(from *layer[V]) {
	for name, h := range from.own {
		l.note(name, h)
	}
}
