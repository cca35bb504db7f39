package systemone

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fireharp/overseer/internal/judgment"
)

const (
	// DefaultCacheMax is how many answers are kept, a few hundred bytes each.
	DefaultCacheMax = 4096
	// maxEntry bounds one answer on disk; a larger one is not kept.
	maxEntry = 64 << 10
	// clockSkew is how far in the future an answer may lie.
	clockSkew = 5 * time.Minute
	// sealSize is how much of a signature is used, in bytes.
	sealSize = 20
	// modelPrefix marks the files that say which model answered last.
	modelPrefix = "model-"
	tempPrefix  = ".overseer-judgment-"
)

// Cache keeps single answers in a folder, so that sets of judgments that overlap
// share them. A file's name is made of everything that the answer depends on: the
// endpoint, the model asked and the model that answers, the judgment, the state.
// Files are written whole or not at all, and any number of processes may share a
// folder. Name and content are signed with the API key: an answer that an agent
// wrote there is none. Nothing that goes wrong here fails a call; the server is
// asked then.
type Cache struct {
	// Dir is the folder. It is made when the first answer is kept.
	Dir string
	// TTL is how long an answer holds; 0 keeps none and uses none.
	TTL time.Duration
	// Max is how many answers are kept, 0 for DefaultCacheMax. The oldest go first.
	Max int
	// Now is the clock, nil for the system's.
	Now func() time.Time
}

// Seen is which model answered last where a name such as jev-latest was asked for.
// A change means that thresholds may have to be set anew.
type Seen struct {
	Asked    string    `json:"asked"`
	Answered string    `json:"answered"`
	Since    time.Time `json:"since"`
	// Before is the model that answered until then, "" if none is known.
	Before string `json:"before,omitempty"`
}

// LastModel tells which model answered last. ok is false where the cache does not
// know.
func (c *Client) LastModel() (seen Seen, ok bool) {
	s := c.Cache.of(c, nil)
	return s.seen, s.seen.Answered != ""
}

// store is the cache as one call sees it.
type store struct {
	client *Client
	cache  *Cache // nil keeps nothing
	state  []byte
	seen   Seen
	model  string // who answers, "" where that is not known yet
}

type entry struct {
	At     time.Time       `json:"at"`
	Model  string          `json:"model"`
	Answer json.RawMessage `json:"answer"`
}

// of opens the cache for one call.
func (c *Cache) of(client *Client, state []byte) store {
	s := store{client: client, state: state}
	if c == nil || c.TTL <= 0 || c.Dir == "" || client.Key == "" {
		return s
	}
	s.cache = c
	if content, ok := s.read(s.modelFile()); ok && json.Unmarshal(content, &s.seen) == nil {
		s.model = s.seen.Answered
	}
	return s
}

// get finds an answer to a judgment by the model that answered last.
func (s *store) get(spec judgment.Spec) (judgment.Answer, bool) {
	if s.cache == nil {
		return judgment.Answer{}, false
	}
	name := s.entryFile(spec)
	content, ok := s.read(name)
	if !ok {
		return judgment.Answer{}, false
	}
	var e entry
	if err := json.Unmarshal(content, &e); err != nil {
		s.remove(name)
		return judgment.Answer{}, false
	}
	if age := s.now().Sub(e.At); age >= s.cache.TTL || age < -clockSkew {
		s.remove(name)
		return judgment.Answer{}, false
	}
	a, err := judgment.ParseAnswer(spec, e.Answer)
	if err != nil {
		s.remove(name)
		return judgment.Answer{}, false
	}
	a.Model, a.Cached = e.Model, true
	return a, true
}

// answers takes note of the model that answered this call.
func (s *store) answers(model string) {
	if s.cache == nil || s.model == model && s.seen.Asked != "" {
		return
	}
	s.seen = Seen{Asked: s.asked(), Answered: model, Since: s.now().UTC(), Before: s.model}
	s.model = model
	s.write(s.modelFile(), s.seen)
}

// put keeps an answer as it came off the wire.
func (s *store) put(spec judgment.Spec, wire json.RawMessage) {
	if s.cache == nil {
		return
	}
	s.write(s.entryFile(spec), entry{At: s.now().UTC(), Model: s.model, Answer: wire})
}

func (s *store) asked() string { return or(s.client.Model, DefaultModel) }

func (s *store) modelFile() string {
	return modelPrefix + s.sign("model", s.endpoint(), s.asked())
}

func (s *store) entryFile(spec judgment.Spec) string {
	question, err := json.Marshal(spec)
	if err != nil {
		question = []byte(err.Error())
	}
	return s.sign("answer", s.endpoint(), s.asked(), s.model, spec.Name, string(question), string(s.state))
}

func (s *store) endpoint() string { return or(s.client.Endpoint, DefaultEndpoint) }

// sign is a name, or a seal, that only who has the API key can make. Each part is
// preceded by its length, so that no two lists of parts read the same.
func (s *store) sign(parts ...string) string {
	h := hmac.New(sha256.New, []byte(s.client.Key))
	for _, p := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p)))) // a hash takes everything
		io.WriteString(h, p)
	}
	return hex.EncodeToString(h.Sum(nil)[:sealSize])
}

// read gets a file's content if its seal is right. A file that is broken, too large
// or not a file is removed.
func (s *store) read(name string) ([]byte, bool) {
	path := filepath.Join(s.cache.Dir, name)
	info, err := os.Lstat(path) // a pipe would keep us waiting
	if err != nil {
		return nil, false
	}
	if !info.Mode().IsRegular() || info.Size() > maxEntry {
		s.remove(name)
		return nil, false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	seal, content, _ := strings.Cut(string(data), "\n")
	if !hmac.Equal([]byte(seal), []byte(s.sign("seal", name, content))) {
		s.remove(name)
		return nil, false
	}
	return []byte(content), true
}

func (s *store) remove(name string) { _ = os.Remove(filepath.Join(s.cache.Dir, name)) }

// write puts a sealed file into place in one step. It is not synced to disk: what a
// power cut leaves behind has no seal, and is asked for again.
func (s *store) write(name string, v any) {
	content, err := json.Marshal(v)
	if err != nil || len(content) > maxEntry-64 {
		return
	}
	if err := s.cache.folder(); err != nil {
		return
	}
	f, err := os.CreateTemp(s.cache.Dir, tempPrefix+"*") // made with mode 0600
	if err != nil {
		return
	}
	_, err = f.WriteString(s.sign("seal", name, string(content)) + "\n" + string(content))
	if err2 := f.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(s.cache.Dir, name))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

// folder makes the folder, for this user alone. One that exists stays as it is: it
// may be shared with others, and the files in it are readable by their owner only.
func (c *Cache) folder() error { return os.MkdirAll(c.Dir, 0o700) }

// Check reports why answers cannot be kept, nil if they can or need not be.
func (c *Cache) Check() error {
	if c == nil || c.TTL <= 0 {
		return nil
	}
	if err := c.folder(); err != nil {
		return err
	}
	f, err := os.CreateTemp(c.Dir, tempPrefix+"*")
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// evict removes the oldest answers where there are too many, and an eighth more, so
// that it need not be done again at once. Files that are not the cache's stay.
func (s *store) evict() {
	if s.cache == nil {
		return
	}
	most := s.cache.Max
	if most <= 0 {
		most = DefaultCacheMax
	}
	d, err := os.Open(s.cache.Dir)
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	names = slices.DeleteFunc(names, func(n string) bool { return !isEntry(n) })
	if len(names) <= most {
		return
	}
	written := map[string]time.Time{}
	for _, n := range names {
		if info, err := os.Lstat(filepath.Join(s.cache.Dir, n)); err == nil {
			written[n] = info.ModTime()
		}
	}
	slices.SortFunc(names, func(a, b string) int { return written[a].Compare(written[b]) })
	for _, n := range names[:len(names)-most+most/8] {
		s.remove(n)
	}
}

// isEntry knows the files of answers, and those that a killed process left behind.
func isEntry(name string) bool {
	if strings.HasPrefix(name, tempPrefix) {
		return true
	}
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2*sealSize
}

func (s *store) now() time.Time {
	if s.cache.Now != nil {
		return s.cache.Now()
	}
	return time.Now()
}
