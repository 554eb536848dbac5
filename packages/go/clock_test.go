package lockkeeper

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A suspended machine stops the monotonic clock, and the wall clock advances.
func TestTheDeadlineCountsOnTheClockThatAdvancedMore(t *testing.T) {
	hold := func(sentAt time.Time) *Hold {
		h := &Hold{left: time.Minute, sentAt: sentAt}
		h.ctx, h.cancel = context.WithCancelCause(context.Background())
		return h
	}
	suspended := time.Now().Round(0).Add(-2 * time.Minute) // without a monotonic reading
	if err := hold(suspended).Err(); !errors.Is(err, ErrLost) {
		t.Errorf("the wall clock is ignored: %v", err)
	}
	if err := hold(time.Now().Add(-2 * time.Minute)).Err(); !errors.Is(err, ErrLost) {
		t.Errorf("the deadline is ignored: %v", err)
	}
	if err := hold(time.Now().Add(-time.Second)).Err(); err != nil {
		t.Errorf("the hold ended before its deadline: %v", err)
	}
}

func TestEveryKeyIsOnePathSegment(t *testing.T) {
	for key, expected := range map[string]string{
		"lock:orders:42": "lock:orders:42", "lock:a.b": "lock:a.b", ".": "~Lg", "..": "~Li4", "a/b": "~YS9i", "~a": "~fmE", "\xff": "~_w",
	} {
		if encoded := encodeKey(key); encoded != expected {
			t.Errorf("%q is encoded as %s", key, encoded)
		}
	}
}

func TestALateGrantDoesNotShortenTheDeadline(t *testing.T) {
	h := &Hold{}
	h.ctx, h.cancel = context.WithCancelCause(context.Background())
	now := time.Now()
	h.extend([]grant{{RemainingMs: 30_000}}, now, 0)
	h.extend([]grant{{RemainingMs: 30_000}}, now.Add(-10*time.Second), 0)
	if left := h.Remaining(); left < 29*time.Second {
		t.Errorf("%s remain", left)
	}
}
