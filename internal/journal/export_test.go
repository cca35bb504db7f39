package journal

import "context"

// AppendRaw appends JSON that no Record can hold, as a line of the chain.
func AppendRaw(dir, body string) error {
	unlock, err := lock(context.Background(), dir)
	if err != nil {
		return err
	}
	defer unlock()
	f, _, err := appendLocked(dir, []byte(body), Options{})
	if err != nil {
		return err
	}
	return f.Close()
}
