package lockkeeper

import (
	"context"
	"errors"
	"testing"
	"time"
	"unsafe"
)

// shiftWallClock moves the wall clock reading of t, which [time.Time] keeps beside the monotonic one: whole seconds start
// at bit 30 of its first word.
func shiftWallClock(t time.Time, seconds int64) time.Time {
	*(*uint64)(unsafe.Pointer(&t)) += uint64(seconds) << 30
	return t
}

func TestTheDeadlineCountsOnTheClockThatAdvancedMore(t *testing.T) {
	now := time.Now()
	for name, test := range map[string]struct {
		sentAt time.Time
		isLost bool
	}{
		"before the deadline":           {now.Add(-time.Second), false},
		"after the deadline":            {now.Add(-2 * time.Minute), true},
		"the machine was suspended":     {shiftWallClock(now, -120), true},
		"the wall clock was set back":   {shiftWallClock(now.Add(-2*time.Minute), 600), true},
		"the same, before the deadline": {shiftWallClock(now, 600), false},
	} {
		h := &Hold{left: time.Minute, sentAt: test.sentAt}
		h.ctx, h.cancel = context.WithCancelCause(context.Background())
		if err := h.Err(); errors.Is(err, ErrLost) != test.isLost {
			t.Errorf("%s: the error is %v", name, err)
		}
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
