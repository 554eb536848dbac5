package lockkeeper

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	attemptTime = 2500 * time.Millisecond // the server responds within 2 s
	retryTime   = 5 * time.Second         // how long an acquire and a release are repeated after failures
	abandonTime = 2 * time.Second
	pauseMax    = 250 * time.Millisecond
)

// waitMax limits the wait of one request. A repeated request keeps its place in the queue.
var waitMax = 55 * time.Second

// Errors for [errors.Is], which compares codes.
var (
	ErrHeld           = &Error{Code: "held"}            // another client holds the lock, and Wait was zero
	ErrTimeout        = &Error{Code: "timeout"}         // the lock was still held after Wait
	ErrDeadlock       = &Error{Code: "deadlock"}        // the wait was part of a deadlock, and OnDeadlock was refuse
	ErrLost           = &Error{Code: "lost"}            // the hold expired or was force-released: stop the work
	ErrReleased       = &Error{Code: "released"}        // this client has released the hold
	ErrUnavailable    = &Error{Code: "unavailable"}     // no server or no Redis could be reached; nothing was changed
	ErrUnknownOutcome = &Error{Code: "unknown_outcome"} // no response; the request may have been carried out
)

// Error is a failed request or the end of a hold.
type Error struct {
	Code    string                          // a problem code of the API, "released", or "unexpected_response" if another server responded
	Detail  string                          // human-readable
	Status  int                             // of the response; zero if there was none
	Key     string                          // of the lock, if the error is about one; of several locks, the one that was lost or refused
	Holders []struct{ Owner, Fence string } // of the codes held and timeout; nil for a semaphore and a latch
	Cycle   []struct{ Owner, Key string }   // of the code deadlock: each client, and the lock that it waits for
	Permits *Permits                        // of a semaphore, for the codes held and timeout

	retryAfter time.Duration
	cause      error
}

func (e *Error) Error() string { return fmt.Sprintf("lockkeeper: %s (%s)", e.Detail, e.Code) }

// Is reports whether target is an [*Error] with the same code.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// Unwrap returns the error of the connection, if there is one.
func (e *Error) Unwrap() error { return e.cause }

func (e *Error) isRetriable() bool {
	return e.Status == 408 || e.Status == 429 || e.Code == "internal" || e.Is(ErrUnavailable) || e.Is(ErrUnknownOutcome)
}

// request is a POST unless it has a method. It is retried after a failure, under the same Idempotency-Key if it has one.
type request struct {
	method, path   string
	query          url.Values
	body           map[string]any
	idempotencyKey string
	wait           time.Duration // sent in parts, in the query of a GET
	isOver         func() bool   // returns whether the response to a part of the wait ends it; false prepares the next part
	timeout        time.Duration // of one attempt, without its wait
	retryFor       time.Duration // in addition to wait; zero for one attempt
}

// post sends a request and retries it. It returns when the last attempt was sent; zero if there was none.
func (c *Client) post(ctx context.Context, r request, into any) (sentAt time.Time, err error) {
	waitUntil, isUnknown := time.Now().Add(r.wait), false
	for pause := pauseMax / 8; ctx.Err() == nil; pause = min(2*pause, pauseMax) {
		part := max(0, min(time.Until(waitUntil), waitMax))
		waitMs := max(1, part.Milliseconds())
		if r.wait > 0 && r.method == http.MethodGet {
			r.query.Set("waitMs", strconv.FormatInt(waitMs, 10))
		} else if r.wait > 0 {
			r.body["waitMs"] = waitMs
		}
		sentAt = time.Now()
		failure := c.attempt(ctx, r, part+cmp.Or(r.timeout, attemptTime), into)
		if failure == nil && part == waitMax && r.isOver != nil && !r.isOver() {
			continue
		} else if failure == nil {
			return sentAt, nil
		} else if failure.Code == ErrTimeout.Code && part == waitMax {
			continue
		}
		isUnknown = isUnknown || failure.Code == ErrUnknownOutcome.Code || failure.Code == "internal"
		delay := max(pause, failure.retryAfter)
		if !failure.isRetriable() || time.Now().Add(delay).After(waitUntil.Add(r.retryFor)) {
			if isUnknown && failure.Code == ErrUnavailable.Code {
				failure.Code = ErrUnknownOutcome.Code // an earlier attempt may have been carried out
			}
			return sentAt, failure
		}
		select {
		case <-ctx.Done():
		case <-time.After(delay):
		}
	}
	return sentAt, fmt.Errorf("lockkeeper: %w", context.Cause(ctx))
}

func (c *Client) attempt(ctx context.Context, r request, timeout time.Duration, into any) *Error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var content []byte
	if r.body != nil {
		content, _ = json.Marshal(r.body)
	}
	address := strings.TrimRight(c.URL, "/") + "/api/v1" + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	sent, err := http.NewRequestWithContext(ctx, cmp.Or(r.method, http.MethodPost), address, bytes.NewReader(content))
	if err != nil {
		return &Error{Code: "invalid", Detail: err.Error(), cause: err}
	}
	sent.Header.Set("Authorization", "Bearer "+c.APIKey)
	if content != nil {
		sent.Header.Set("Content-Type", "application/json")
	}
	if r.idempotencyKey != "" {
		sent.Header.Set("Idempotency-Key", r.idempotencyKey)
	}
	response, err := cmp.Or(c.HTTPClient, defaultClient).Do(sent)
	if err == nil {
		defer response.Body.Close()
		content, err = io.ReadAll(response.Body)
	}
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
		return &Error{Code: ErrUnavailable.Code, Detail: err.Error(), cause: err}
	} else if err != nil {
		return &Error{Code: ErrUnknownOutcome.Code, Detail: err.Error(), cause: err}
	} else if response.StatusCode < 300 && json.Unmarshal(content, into) == nil {
		return nil
	}
	failure := &Error{}
	if json.Unmarshal(content, failure) != nil || failure.Code == "" {
		*failure = Error{Code: "unexpected_response", Detail: "The response is not from Lockkeeper. Check the URL."}
		if response.StatusCode >= 500 { // of a proxy
			*failure = Error{Code: ErrUnknownOutcome.Code, Detail: "A proxy responded because the server did not."}
		}
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	failure.Status, failure.retryAfter = response.StatusCode, time.Duration(seconds)*time.Second
	return failure
}

var (
	plainKey      = regexp.MustCompile(`^[A-Za-z0-9_:-][A-Za-z0-9_:.-]*$`)
	defaultClient = &http.Client{CheckRedirect: refuseRedirect}
)

// refuseRedirect keeps a redirect from turning a POST into a GET.
func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// encodeKey encodes a key as one path segment. The form with ~ is valid for every key.
func encodeKey(key string) string {
	if plainKey.MatchString(key) {
		return key
	}
	return "~" + base64.RawURLEncoding.EncodeToString([]byte(key))
}

func newKey() string {
	random := make([]byte, 16)
	_, _ = rand.Read(random)
	return fmt.Sprintf("%x", random)
}

// elapsed returns the time since t by the clock that advanced more.
func elapsed(t time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)))
}
