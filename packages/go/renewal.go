package lockkeeper

import (
	"context"
	"slices"
	"time"
)

const (
	renewMax   = 1000 // holds of one request
	renewPause = 100 * time.Millisecond
	clockCheck = time.Second // finds holds that ended while the machine was suspended
)

func (c *Client) watch(h *Hold) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.holds) == 0 {
		c.holds = map[*Hold]bool{}
	}
	c.holds[h] = true
	h.watchDeadline()
	if !c.isRenewing {
		c.isRenewing = true
		go c.keepRenewing()
	}
}

func (h *Hold) watchDeadline() {
	if h.Err() == nil {
		time.AfterFunc(min(h.Remaining(), clockCheck), h.watchDeadline)
	}
}

// keepRenewing renews the holds until none is left. Failed renewals are retried after the pause.
func (c *Client) keepRenewing() {
	for due, isLast := c.listDue(); !isLast; due, isLast = c.listDue() {
		var failures []error
		for len(due) > 0 {
			batch := due[:min(len(due), renewMax)]
			due = due[len(batch):]
			failures = append(failures, c.renew(context.Background(), batch, 0))
			for _, h := range batch {
				h.renewing.Unlock()
			}
		}
		// OnError may call methods that wait for the renewals.
		for _, failure := range failures {
			c.report(failure)
		}
		time.Sleep(renewPause)
	}
}

// listDue returns the holds that have used a third of their lease, and locks their renewals. If there is one, those that have
// used a sixth join it, so that holds with the same lease are renewed by the same request. Renewing a hold that is being
// downgraded would report the loss of the writer.
func (c *Client) listDue() (due []*Hold, isLast bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var joining []*Hold
	for h := range c.holds {
		if left := h.Remaining(); h.Err() != nil {
			delete(c.holds, h)
		} else if left <= h.lease*2/3 {
			due = append(due, h)
		} else if left <= h.lease*5/6 {
			joining = append(joining, h)
		}
	}
	if len(due) > 0 {
		due = append(due, joining...)
	}
	due = slices.DeleteFunc(due, func(h *Hold) bool {
		return h.isUncertain.Load() || !h.renewing.TryLock()
	})
	c.isRenewing = len(c.holds) > 0
	return due, !c.isRenewing
}

// renew renews the holds and ends those that are lost. It returns why any other renewal failed.
func (c *Client) renew(ctx context.Context, holds []*Hold, retryFor time.Duration) error {
	asked, locks := request{timeout: attemptTime, retryFor: retryFor}, []Lock{}
	for _, h := range holds {
		asked.timeout = min(asked.timeout, h.attemptTime())
		locks = append(locks, h.listLocks()...)
	}
	results, sentAt, err := c.postHolds(ctx, "renew", locks, asked)
	for _, h := range holds {
		own := results[:min(len(results), len(h.Locks))]
		results = results[len(own):]
		isRenewed := len(own) > 0
		for i := range own {
			if own[i].Problem.Is(ErrLost) {
				h.cancel(newReportedLoss(h.Locks[i].Key, &own[i].Problem))
			} else if own[i].Outcome != "renewed" {
				isRenewed, err = false, &own[i].Problem
			}
		}
		if isRenewed {
			h.extend(own, sentAt, 0)
		}
	}
	return err
}

// postHolds returns one result for each lock, in the order of the locks, or an error.
func (c *Client) postHolds(ctx context.Context, verb string, locks []Lock, asked request) ([]grant, time.Time, error) {
	items := make([]map[string]string, len(locks))
	for i, lock := range locks {
		items[i] = map[string]string{"holdId": lock.HoldID}
	}
	asked.path, asked.body = "/holds/"+verb, map[string]any{"holds": items}
	var reply grants
	sentAt, err := c.post(ctx, asked, &reply)
	if err == nil && len(reply.Results) != len(locks) {
		err = &Error{Code: "unexpected_response", Detail: "The response lacks results."}
	}
	return reply.Results, sentAt, err
}
