// Package lockkeeper holds distributed locks over the HTTP API of a Lockkeeper server.
//
// [Client.WithLock] acquires a lock, renews it while a function runs, and releases it when the function returns or
// panics. The context of the function is cancelled as soon as the lock is lost.
//
// A lease cannot prevent a second holder after a long pause. Send the fencing token ([Lock.Fence]) with every write, and
// have the resource reject a token lower than the highest that it has accepted.
package lockkeeper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"
	"unicode/utf8"
)

// Forever as [LockOptions.Wait] waits until the context is done.
const Forever time.Duration = math.MaxInt64

// declaredMax is how many holds the server accepts in a request to wait.
const declaredMax = 16

// Client acquires locks. URL and APIKey are required; do not change the fields after the first use. All holds of a client
// are renewed together by one goroutine, which ends with the last hold. A Client is safe for concurrent use.
type Client struct {
	URL        string       // of the server, with its base path, such as https://locks.example.com
	APIKey     string       // needs the verb "lock"
	Target     string       // the first target of the server if empty
	HTTPClient *http.Client // must not follow redirects; nil for a default client

	// OnError receives errors that no call returns: failed renewals, and failed releases of WithLock. It must return quickly,
	// because no hold is renewed while it handles a failed renewal.
	OnError func(error)

	mu         sync.Mutex
	holds      map[*Hold]bool
	isRenewing bool
}

// String returns the URL, so that logs do not contain the API key.
func (c *Client) String() string { return "Lockkeeper client of " + c.URL }

// Record describes the holder to people. The console shows it.
type Record struct {
	Service string `json:"service,omitempty"`
	Host    string `json:"host,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Purpose string `json:"purpose,omitempty"`
	Trace   string `json:"trace,omitempty"`
	Session string `json:"session,omitempty"` // groups the holds of a worker in the console
}

// LockOptions are the options of an acquire. Durations are sent in whole milliseconds.
type LockOptions struct {
	Lease        time.Duration // the lock expires after this time unless it is renewed; 30 s if zero, 0.5 s or more
	Wait         time.Duration // how long to wait for a held lock; zero fails at once with ErrHeld
	Owner        string        // human-readable label; the name of the API key if empty
	Record       Record
	Format, Unit string        // how the lock is stored: redisson (default), token, or timestamp with Unit s or ms
	Kind         string        // lock (default), fair, read, write, semaphore or plain_semaphore; the same for all clients of a key
	Permits      int           // of a semaphore; 1 if zero
	Limit        int           // total permits of a semaphore, which is created with it; zero if it must exist
	Grace        time.Duration // how long the lock stays held after its lease expired without a release
	MinHold      time.Duration // how long the lock stays held after it was acquired, even if it is released

	// Holding declares holds that are not released before the wait ends, at most 16 locks, so that the server finds deadlocks.
	// Those of the WithLock calls of this client that ctx comes from are added automatically. Not for AcquireAll.
	Holding    []*Hold
	OnDeadlock string // report (default); refuse: the youngest wait in a deadlock that chose this gets ErrDeadlock. Not for AcquireAll

	// OnReleaseRequested is called in its own goroutine, once for each request of an operator to release the lock.
	OnReleaseRequested func(*ReleaseRequest)
}

// Acquire acquires a lock. If the lock is held, even by this client, the call waits for up to options.Wait. ctx limits the
// acquire, not the hold. If ctx is cancelled, a lock that was granted in the meantime is released before Acquire
// returns, within 2 s. Errors are an [*Error], or wrap the cause of ctx.
func (c *Client) Acquire(ctx context.Context, key string, options LockOptions) (*Hold, error) {
	return c.acquire(ctx, "/locks/"+encodeKey(key)+"/acquire", []string{key}, map[string]any{}, options)
}

// AcquireAll acquires all locks or none, and holds nothing while it waits. The loss of one lock is the loss of all.
// The keys must be valid UTF-8.
func (c *Client) AcquireAll(ctx context.Context, keys []string, options LockOptions) (*Hold, error) {
	for _, key := range keys {
		// JSON would replace the invalid bytes, and thus lock another key.
		if !utf8.ValidString(key) {
			detail := fmt.Sprintf("AcquireAll cannot send the key %q, because it is not valid UTF-8. Use Acquire or another key.", key)
			return nil, &Error{Code: "invalid", Detail: detail, Key: key}
		}
	}
	return c.acquire(ctx, "/locks/acquire", keys, map[string]any{"keys": keys}, options)
}

// Work is the function that a lock protects.
type Work = func(ctx context.Context, hold *Hold) error

// WithLock runs work while it holds the lock, and releases the lock when work returns or panics. The context of work is
// cancelled with ctx, and when the lock is lost, with [ErrLost] as its [context.Cause]. After a loss, WithLock returns
// ErrLost, joined with the error of work. If the lease ended before the response to the acquire arrived, work does not run.
func (c *Client) WithLock(ctx context.Context, key string, options LockOptions, work Work) error {
	hold, err := c.Acquire(ctx, key, options)
	return c.run(ctx, hold, err, work)
}

// WithLocks is [Client.WithLock] with [Client.AcquireAll].
func (c *Client) WithLocks(ctx context.Context, keys []string, options LockOptions, work Work) error {
	hold, err := c.AcquireAll(ctx, keys, options)
	return c.run(ctx, hold, err, work)
}

func (c *Client) run(ctx context.Context, hold *Hold, err error, work Work) (end error) {
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(hold.ctx, func() { cancel(context.Cause(hold.ctx)) })()
	defer func() {
		lost := hold.Err()
		limited, stop := context.WithTimeout(context.WithoutCancel(ctx), retryTime)
		defer stop()
		if err := hold.Release(limited); errors.Is(err, ErrLost) {
			lost = err
		} else {
			c.report(err)
		}
		if errors.Is(lost, ErrLost) && !errors.Is(end, ErrLost) {
			end = errors.Join(end, lost)
		}
	}()
	if err := hold.Err(); err != nil {
		return err
	}
	return work(context.WithValue(ctx, enclosing{}, append([]*Hold{hold}, holdsOf(ctx)...)), hold)
}

// enclosing is the key under which the context of work has the holds of the WithLock calls around it, innermost first.
type enclosing struct{}

func holdsOf(ctx context.Context) []*Hold {
	holds, _ := ctx.Value(enclosing{}).([]*Hold)
	return holds
}

// declare returns the ids of the holds that a call keeps while it waits.
func (c *Client) declare(holding, around []*Hold) []string {
	ids := []string{}
	for _, hold := range holding {
		ids = hold.appendIDs(ids)
	}
	for _, hold := range around {
		if hold.client == c && hold.Err() == nil {
			ids = hold.appendIDs(ids)
		}
	}
	return ids[:min(len(ids), declaredMax)]
}

func (c *Client) acquire(ctx context.Context, path string, keys []string, body map[string]any, options LockOptions) (*Hold, error) {
	if !utf8.ValidString(options.Owner) {
		detail := fmt.Sprintf("The owner %q is not valid UTF-8. Use printable characters.", options.Owner)
		return nil, &Error{Code: "invalid", Detail: detail}
	}
	if options.Lease == 0 {
		options.Lease = 30 * time.Second
	}
	body["leaseMs"], body["renewEveryMs"] = options.Lease.Milliseconds(), max(1, options.Lease.Milliseconds()/3)
	body["graceMs"], body["minHoldMs"] = options.Grace.Milliseconds(), options.MinHold.Milliseconds()
	body["record"] = options.Record
	if options.OnReleaseRequested != nil {
		body["receivesReleaseRequests"] = true
	}
	for name, text := range map[string]string{
		"owner": options.Owner, "format": options.Format, "kind": options.Kind, "unit": options.Unit,
		"onDeadlock": options.OnDeadlock,
	} {
		if text != "" {
			body[name] = text
		}
	}
	for name, count := range map[string]int{"permits": options.Permits, "limit": options.Limit} {
		if count != 0 {
			body[name] = count
		}
	}
	around := holdsOf(ctx)
	if body["keys"] != nil {
		around = nil // while it waits for several locks, a caller declares nothing
	}
	if ids := c.declare(options.Holding, around); options.Wait > 0 && len(ids) > 0 {
		body["holding"] = ids
	}
	asked := request{path: path, query: c.query(), body: body, idempotencyKey: newKey(), wait: options.Wait, retryFor: retryTime}
	granted, sentAt, err := c.postAcquire(ctx, asked, keys)
	if err == nil {
		return c.newHold(ctx, granted, sentAt, options), nil
	}
	// A minimum hold time would block the lock for longer than the lease of an abandoned grant.
	if ctx.Err() == nil || sentAt.IsZero() || options.MinHold > 0 {
		return nil, err
	}
	// Repeating the request reveals whether it was granted.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonTime)
	defer cancel()
	delete(body, "waitMs")
	asked.wait = 0
	if granted, sentAt, err := c.postAcquire(limited, asked, keys); err == nil {
		c.report(c.newHold(limited, granted, sentAt, options).Release(limited))
	}
	return nil, err
}

// postAcquire returns one grant for each key, in the order of the keys, or an error.
func (c *Client) postAcquire(ctx context.Context, asked request, keys []string) (grants, time.Time, error) {
	var granted grants
	sentAt, err := c.post(ctx, asked, &granted)
	if granted.Holds == nil {
		granted.Holds = []grant{granted.grant}
	}
	if err == nil && !slices.EqualFunc(granted.Holds, keys, grant.isOf) {
		// A proxy may have returned the response of another request.
		err = &Error{Code: "unexpected_response", Detail: "The response contains other locks than the request. Check the URL."}
	}
	return granted, sentAt, err
}

func (c *Client) report(err error) {
	if err != nil && c.OnError != nil {
		c.OnError(err)
	}
}
