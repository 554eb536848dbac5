package lockkeeper

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Lock is one lock of a [Hold].
type Lock struct {
	Key    string
	HoldID string // identifies the hold in the console, the API and logs
	Fence  string // fencing token, a decimal number that increases with every hold of the key
}

// Hold is the result of one acquire: one lock, or several with one deadline and one context.
type Hold struct {
	Lock         // the first one
	Locks []Lock // in the order of the keys

	client     *Client
	onRequest  func(*ReleaseRequest)
	ctx        context.Context
	cancel     context.CancelCauseFunc
	lease      time.Duration
	releaseKey string

	renewing    sync.Mutex  // held while a renewal or a downgrade is in flight
	isUncertain atomic.Bool // whether the result of a downgrade is pending or unknown

	mu       sync.Mutex
	sentAt   time.Time
	left     time.Duration // from sentAt on
	requests map[string]bool
	released map[string]bool // the HoldIDs whose release has succeeded
}

type grant struct {
	Lock
	KeyBase64                      string // the key in base64 if it is not valid UTF-8, otherwise empty
	LeaseMs, RemainingMs, WaitedMs int64
	Outcome                        string
	ReleaseRequested               *ReleaseRequest
	Problem                        Error
}

func (g grant) isOf(key string) bool {
	if g.KeyBase64 == "" {
		return g.Key == key
	}
	content, err := base64.StdEncoding.DecodeString(g.KeyBase64)
	return err == nil && string(content) == key
}

// grants is the response of an acquire of one or more locks, or of a batch.
type grants struct {
	grant
	Holds, Results []grant
}

func (c *Client) newHold(ctx context.Context, granted grants, sentAt time.Time, options LockOptions) *Hold {
	h := &Hold{client: c, onRequest: options.OnReleaseRequested, releaseKey: newKey()}
	h.requests, h.released = map[string]bool{}, map[string]bool{}
	h.ctx, h.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	for _, each := range granted.Holds {
		h.Locks = append(h.Locks, each.Lock)
		h.lease = time.Duration(each.LeaseMs) * time.Millisecond
	}
	h.Lock = h.Locks[0]
	// The server cannot have waited for longer than the request took.
	h.extend(granted.Holds, sentAt, min(time.Duration(granted.WaitedMs)*time.Millisecond, elapsed(sentAt)))
	c.watch(h)
	return h
}

// Context is cancelled when the hold is lost or released, with [ErrLost] or [ErrReleased] as its [context.Cause].
func (h *Hold) Context() context.Context { return h.ctx }

// Err returns nil while the lock is certainly held. Call it before each step with visible effects.
func (h *Hold) Err() error {
	if h.ctx.Err() == nil && h.Remaining() == 0 {
		h.cancel(newLoss(h.Key, "its lease ended before it was renewed"))
	}
	return context.Cause(h.ctx)
}

// Remaining returns the time until the deadline of the hold; zero after it was lost or released. It is measured from
// just before the request was sent, on the clock that advanced more, because the monotonic clock stops while a machine
// is suspended.
func (h *Hold) Remaining() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return 0
	}
	return max(0, h.left-elapsed(h.sentAt))
}

// Renew renews the hold now, in addition to the automatic renewals, and retries until its deadline. It returns [ErrLost]
// if the hold has ended, so that it also detects a force-release.
func (h *Hold) Renew(ctx context.Context) error {
	h.renewing.Lock()
	defer h.renewing.Unlock()
	err := h.client.renew(ctx, []*Hold{h}, h.Remaining())
	return cmp.Or(h.Err(), err)
}

// Downgrade turns the hold of a writer into that of a reader. No other writer can acquire the lock in between. The hold keeps its
// fencing token, lease and context, but not its HoldID. After [ErrUnknownOutcome], call it again: the hold is not renewed until then.
func (h *Hold) Downgrade(ctx context.Context) error {
	h.renewing.Lock()
	defer h.renewing.Unlock()
	// Set before the check: a concurrent Release either ends the hold before it, or repeats the downgrade.
	wasUncertain := h.isUncertain.Swap(true)
	if err := h.Err(); err != nil {
		h.isUncertain.Store(wasUncertain)
		return err
	}
	err := h.downgrade(ctx, wasUncertain)
	return cmp.Or(h.Err(), err)
}

// downgrade sends a downgrade. The caller has set isUncertain; a refusal restores wasUncertain. Concurrent downgrades of a hold
// return the same reader.
func (h *Hold) downgrade(ctx context.Context, wasUncertain bool) error {
	var reader grant
	asked := request{path: "/holds/" + h.listLocks()[0].HoldID + "/downgrade", body: map[string]any{}}
	asked.timeout, asked.retryFor = h.attemptTime(), max(h.Remaining(), attemptTime)
	sentAt, err := h.client.post(ctx, asked, &reader)
	if err == nil {
		h.mu.Lock()
		h.HoldID, h.Locks[0].HoldID = reader.HoldID, reader.HoldID
		h.mu.Unlock()
		h.isUncertain.Store(false)
		h.extend([]grant{reader}, sentAt, 0)
		return nil
	}
	isRefused := sentAt.IsZero() // nothing was sent
	if failure, ok := err.(*Error); ok {
		isRefused = !failure.Is(ErrUnknownOutcome) && failure.Code != "internal" && failure.Code != "not_replicated"
		if failure.Is(ErrLost) {
			h.cancel(newReportedLoss(h.Key, failure))
		}
	}
	if isRefused {
		h.isUncertain.Store(wasUncertain)
	}
	return err
}

// Release releases the lock. It returns [ErrLost] if the hold had already ended, so that there is nothing to release. After
// any other error, Release can be called again. After a success, it returns nil and sends nothing.
func (h *Hold) Release(ctx context.Context) error {
	asked := request{idempotencyKey: h.releaseKey, timeout: h.attemptTime(), retryFor: retryTime}
	h.cancel(ErrReleased)
	if h.isUncertain.Load() && len(h.listUnreleased()) > 0 {
		_ = h.downgrade(ctx, true) // only its result shows which of the two holds to release
	}
	locks := h.listUnreleased()
	if len(locks) == 0 {
		return nil
	}
	results, _, err := h.client.postHolds(ctx, "release", locks, asked)
	return h.applyReleases(locks, results, err)
}

// listLocks returns a copy, because a downgrade changes a HoldID.
func (h *Hold) listLocks() []Lock {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.Locks)
}

// listUnreleased returns the locks that a release must be sent for. The server stores idempotency keys for a limited time.
// Later, it would report a released lock as lost, or release another count of a hold that was re-entered through the API.
func (h *Hold) listUnreleased() (locks []Lock) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, lock := range h.Locks {
		if !h.released[lock.HoldID] {
			locks = append(locks, lock)
		}
	}
	return locks
}

// applyReleases stores the releases that succeeded. It returns the loss of a lock, or else the last error.
func (h *Hold) applyReleases(locks []Lock, results []grant, err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	lost := ""
	for i, each := range results[:min(len(results), len(locks))] {
		if id := locks[i].HoldID; each.Outcome == "released" || each.Outcome == "still_held" {
			h.released[id] = true
		} else if each.Outcome == "not_held" {
			if !h.released[id] { // otherwise, a concurrent call has released it
				lost = cmp.Or(lost, locks[i].Key)
			}
		} else if each.Problem.Code != "" {
			err = &each.Problem
		}
	}
	if lost != "" {
		return newLoss(lost, "its lease ended, or it was force-released")
	}
	return err
}

// appendIDs appends the ids of the locks that are not in the list yet.
func (h *Hold) appendIDs(ids []string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, lock := range h.Locks {
		if !slices.Contains(ids, lock.HoldID) {
			ids = append(ids, lock.HoldID)
		}
	}
	return ids
}

// attemptTime limits one attempt, so that several fit before the deadline.
func (h *Hold) attemptTime() time.Duration {
	return min(attemptTime, max(h.lease/6, h.Remaining()/3))
}

func newLoss(key, why string) *Error {
	detail := fmt.Sprintf("The hold of %s has ended: %s. Stop the work that it protects.", key, why)
	return &Error{Code: ErrLost.Code, Detail: detail, Key: key}
}

// newReportedLoss returns the loss that the server reported for a lock.
func newReportedLoss(key string, problem *Error) *Error {
	return &Error{Code: ErrLost.Code, Detail: problem.Detail, Key: key}
}

// extend applies grants of all locks. Responses may arrive in either order, and no request shortens a lease.
func (h *Hold) extend(granted []grant, sentAt time.Time, waited time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	left := Forever
	for i, each := range granted {
		left = min(left, waited+time.Duration(each.RemainingMs)*time.Millisecond)
		asked := each.ReleaseRequested
		if h.onRequest != nil && asked != nil && asked.State == "requested" && !h.requests[asked.RequestID] {
			h.requests[asked.RequestID] = true
			asked.Lock, asked.client = h.Locks[i], h.client
			go h.onRequest(asked)
		}
	}
	if left-elapsed(sentAt) > h.left-elapsed(h.sentAt) {
		h.sentAt, h.left = sentAt, left
	}
}

// ReleaseRequest is an operator's request to release a lock. If you accept it, stop the work and release the lock.
type ReleaseRequest struct {
	Lock                                  `json:"-"`
	RequestID, Reason, RequestedBy, State string
	client                                *Client
}

// Accept lets the operator know that the lock will be released. It does not release it.
func (r *ReleaseRequest) Accept(ctx context.Context, text string) error {
	return r.answer(ctx, "accepted", text)
}

// Refuse lets the operator know why the lock is kept.
func (r *ReleaseRequest) Refuse(ctx context.Context, text string) error {
	return r.answer(ctx, "refused", text)
}

func (r *ReleaseRequest) answer(ctx context.Context, answer, text string) error {
	body := map[string]any{"requestId": r.RequestID, "answer": answer, "text": text}
	asked := request{path: "/holds/" + r.HoldID + "/answer-release-request", body: body, retryFor: retryTime}
	_, err := r.client.post(ctx, asked, &ReleaseRequest{})
	return err
}
