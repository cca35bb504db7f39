package systemone

import (
	"context"
	"time"
)

// SetWait replaces the pause between two attempts.
func (c *Client) SetWait(f func(context.Context, time.Duration) error) { c.wait = f }

// RetryAfter is retryAfter.
var RetryAfter = retryAfter
