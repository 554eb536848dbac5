package lockkeeper

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Latch is a count-down latch: clients wait until its count is zero. It is open while it has no count.
type Latch struct {
	client *Client
	key    string
}

type latchState struct{ Count, AsOf int64 }

// Latch returns the latch with this name. It sends nothing.
func (c *Client) Latch(key string) *Latch { return &Latch{c, key} }

// TrySetCount closes the latch. It returns false if the latch is closed already, and does not change it then.
func (l *Latch) TrySetCount(ctx context.Context, count int) (bool, error) {
	asked := request{method: http.MethodPut, body: map[string]any{"count": count}, idempotencyKey: newKey()}
	_, err := l.send(ctx, "", asked, &latchState{})
	if failure, ok := err.(*Error); ok && failure.Code == "already_exists" {
		return false, nil
	}
	return err == nil, err
}

// CountDown decreases the count by one and returns it. At zero the latch opens for all clients that wait.
func (l *Latch) CountDown(ctx context.Context) (int64, error) {
	return l.send(ctx, "/count-down", request{idempotencyKey: newKey()}, &latchState{})
}

// Count returns zero if the latch is open.
func (l *Latch) Count(ctx context.Context) (int64, error) {
	return l.send(ctx, "", request{method: http.MethodGet}, &latchState{})
}

// Wait waits until the latch is open. It returns [ErrTimeout] after wait.
func (l *Latch) Wait(ctx context.Context, wait time.Duration) error {
	var state latchState
	// The latch may be opened and closed again between two requests.
	asked := request{method: http.MethodGet, query: l.client.query(), wait: wait}
	asked.isOver = func() bool {
		asked.query.Set("openedAfter", strconv.FormatInt(state.AsOf, 10))
		return state.Count == 0
	}
	count, err := l.send(ctx, "", asked, &state)
	if err == nil && count > 0 {
		detail := fmt.Sprintf("The latch %s is still closed with a count of %d.", l.key, count)
		return &Error{Code: ErrTimeout.Code, Detail: detail, Key: l.key}
	}
	return err
}

func (l *Latch) send(ctx context.Context, verb string, asked request, state *latchState) (int64, error) {
	asked.path, asked.retryFor = "/latches/"+encodeKey(l.key)+verb, retryTime
	if asked.query == nil {
		asked.query = l.client.query()
	}
	_, err := l.client.post(ctx, asked, state)
	return state.Count, err
}

// Permits are those of a semaphore.
type Permits struct {
	Available int // negative if more are acquired than the limit, which was decreased
	Total     int // zero if unknown
}

// SetLimit sets the total number of permits of a semaphore, and creates a missing one. No acquired permit ends.
func (c *Client) SetLimit(ctx context.Context, key string, limit int) (Permits, error) {
	permits := Permits{Total: limit}
	asked := request{method: http.MethodPut, path: "/semaphores/" + encodeKey(key), query: c.query(), retryFor: retryTime}
	asked.body = map[string]any{"limit": limit}
	_, err := c.post(ctx, asked, &permits)
	return permits, err
}

func (c *Client) query() url.Values {
	query := url.Values{}
	if c.Target != "" {
		query.Set("target", c.Target)
	}
	return query
}
