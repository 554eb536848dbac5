package lockkeeper_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lockkeeper/lockkeeper/packages/go"
)

func TestWithLockHoldsTheLockWhileWorkRuns(t *testing.T) {
	client, _ := newClient(t)
	for _, name := range []string{"", ":a/b", ":ä ö", ":..", ":%2F?#"} {
		key := newLockKey(t) + name
		err := client.WithLock(background, key, lockkeeper.LockOptions{}, func(ctx context.Context, hold *lockkeeper.Hold) error {
			if hold.Key != key || hold.Fence == "" || hold.HoldID == "" || hold.Err() != nil || ctx.Err() != nil {
				t.Errorf("unexpected hold %+v", hold.Lock)
			}
			if left := hold.Remaining(); left < 25*time.Second || left > 30*time.Second {
				t.Errorf("%s remain of the default lease", left)
			}
			_, err := client.Acquire(ctx, key, lockkeeper.LockOptions{})
			expectError(t, err, lockkeeper.ErrHeld)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		hold, err := client.Acquire(background, key, lockkeeper.LockOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(hold.Release(background), hold.Release(background)); err != nil {
			t.Error(err)
		}
		expectError(t, hold.Err(), lockkeeper.ErrReleased)
		expectError(t, context.Cause(hold.Context()), lockkeeper.ErrReleased)
	}
}

func TestAllOptionsAreSent(t *testing.T) {
	client, _ := newClient(t)
	key := newLockKey(t)
	options := lockkeeper.LockOptions{
		Lease: 20 * time.Second, Owner: "worker 7", Format: "timestamp", Unit: "ms",
		Record: lockkeeper.Record{Service: "orders", Host: "pod-7", PID: 311, Purpose: "import"},
	}
	hold, err := client.Acquire(background, key, options)
	if err != nil {
		t.Fatal(err)
	}
	lock := readLock(t, key)
	holder := lock["holders"].([]any)[0].(map[string]any)
	record, _ := holder["record"].(map[string]any)
	if lock["format"] != "timestamp" || holder["owner"] != "worker 7" || record["service"] != "orders" {
		t.Errorf("the server stored %v", lock)
	}
	if err := hold.Release(background); err != nil {
		t.Error(err)
	}
	hold, err = client.Acquire(background, key, lockkeeper.LockOptions{MinHold: time.Minute, Grace: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := hold.Release(background); err != nil {
		t.Error(err)
	}
	_, err = client.Acquire(background, key, lockkeeper.LockOptions{})
	expectError(t, err, lockkeeper.ErrHeld)
}

func TestClientsShareALockUpToItsLimit(t *testing.T) {
	client, _ := newClient(t)
	for _, each := range []struct{ first, fitting, refused lockkeeper.LockOptions }{
		{
			lockkeeper.LockOptions{Kind: "semaphore", Permits: 2, Limit: 3},
			lockkeeper.LockOptions{Kind: "semaphore", Limit: 3},
			lockkeeper.LockOptions{Kind: "semaphore"},
		},
		{
			lockkeeper.LockOptions{Kind: "read"},
			lockkeeper.LockOptions{Kind: "read"},
			lockkeeper.LockOptions{Kind: "write"},
		},
	} {
		key := newLockKey(t)
		for _, options := range []lockkeeper.LockOptions{each.first, each.fitting} {
			hold, err := client.Acquire(background, key, options)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := hold.Release(background); err != nil {
					t.Error(err)
				}
			}()
		}
		_, err := client.Acquire(background, key, each.refused)
		expectError(t, err, lockkeeper.ErrHeld)
	}
}

func TestTheErrorOfAHeldLockNamesItsHolder(t *testing.T) {
	client, _ := newClient(t)
	key := newLockKey(t)
	first, err := client.Acquire(background, key, lockkeeper.LockOptions{Owner: "pipeline 4711"})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Release(background)
	for wait, expected := range map[time.Duration]error{0: lockkeeper.ErrHeld, 50 * time.Millisecond: lockkeeper.ErrTimeout} {
		_, err := client.Acquire(background, key, lockkeeper.LockOptions{Wait: wait})
		expectError(t, err, expected)
		var failure *lockkeeper.Error
		if !errors.As(err, &failure) || failure.Status != 409 || failure.Holders[0].Owner != "pipeline 4711" ||
			failure.Holders[0].Fence != first.Fence {
			t.Errorf("unexpected error %#v", err)
		}
	}
}

func TestAWaiterAcquiresTheLockWhenItIsReleased(t *testing.T) {
	client, _ := newClient(t)
	key := newLockKey(t)
	first, err := client.Acquire(background, key, lockkeeper.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	acquired := make(chan error, 1)
	go func() {
		second, err := client.Acquire(background, key, lockkeeper.LockOptions{Wait: lockkeeper.Forever})
		if err == nil && second.Fence <= first.Fence {
			err = fmt.Errorf("the fence %s is not above %s", second.Fence, first.Fence)
		}
		if err == nil {
			err = second.Release(background)
		}
		acquired <- err
	}()
	waitForWaiter(t, key)
	if err := first.Release(background); err != nil {
		t.Fatal(err)
	}
	if err := <-acquired; err != nil {
		t.Error(err)
	}
}

func waitForWaiter(t *testing.T, key string) {
	t.Helper()
	waitUntil(t, "a client waits", func() bool {
		waiters, _ := readLock(t, key)["waiters"].(map[string]any)
		return waiters["count"] != 0.0
	})
}

func TestACancelledWaitLeavesTheQueue(t *testing.T) {
	client, _ := newClient(t)
	client.URL = os.Getenv("LOCKKEEPER_URL") // the test proxy also forwards requests that its client has abandoned
	key := newLockKey(t)
	first, err := client.Acquire(background, key, lockkeeper.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	reason := errors.New("shutting down")
	ctx, cancel := context.WithCancelCause(background)
	ended := make(chan error, 1)
	go func() {
		_, err := client.Acquire(ctx, key, lockkeeper.LockOptions{Wait: lockkeeper.Forever})
		ended <- err
	}()
	waitForWaiter(t, key)
	cancel(reason)
	expectError(t, <-ended, reason)
	if err := first.Release(background); err != nil {
		t.Error(err)
	}
	expectState(t, key, "free")
}

func TestAGrantThatArrivesAfterTheCancellationIsReleased(t *testing.T) {
	client, proxy := newClient(t)
	key := newLockKey(t)
	proxy.setOnce("acquire", "delay")
	ctx, cancel := context.WithTimeout(background, 300*time.Millisecond)
	defer cancel()
	_, err := client.Acquire(ctx, key, lockkeeper.LockOptions{})
	expectError(t, err, context.DeadlineExceeded)
	expectState(t, key, "free")
	if proxy.count("acquire") != 2 || proxy.count("release") != 1 {
		t.Errorf("sent %v", proxy.verbs)
	}
}

func TestNothingIsSentAfterTheContextHasEnded(t *testing.T) {
	client, proxy := newClient(t)
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, err := client.Acquire(ctx, newLockKey(t), lockkeeper.LockOptions{})
	expectError(t, err, context.Canceled)
	if len(proxy.verbs) != 0 {
		t.Errorf("sent %v", proxy.verbs)
	}
}

func TestThePanicOfWorkReleasesTheLock(t *testing.T) {
	client, _ := newClient(t)
	key := newLockKey(t)
	func() {
		defer func() {
			if recovered := recover(); recovered != "broken" {
				t.Errorf("recovered %v", recovered)
			}
		}()
		_ = client.WithLock(background, key, lockkeeper.LockOptions{}, func(context.Context, *lockkeeper.Hold) error {
			panic("broken")
		})
	}()
	expectState(t, key, "free")
}

func TestTheLockIsReleasedAfterTheContextOfTheCallerIsCancelled(t *testing.T) {
	client, _ := newClient(t)
	key := newLockKey(t)
	ctx, cancel := context.WithCancel(background)
	err := client.WithLock(ctx, key, lockkeeper.LockOptions{}, func(ctx context.Context, hold *lockkeeper.Hold) error {
		cancel()
		<-ctx.Done()
		if err := hold.Err(); err != nil {
			t.Errorf("the hold ended with its caller: %v", err)
		}
		return context.Cause(ctx)
	})
	expectError(t, err, context.Canceled)
	if errors.Is(err, lockkeeper.ErrLost) {
		t.Errorf("unexpected loss: %v", err)
	}
	expectState(t, key, "free")
}

func TestAllLocksOrNone(t *testing.T) {
	client, _ := newClient(t)
	keys := []string{newLockKey(t), newLockKey(t), newLockKey(t)}
	blocking, err := client.Acquire(background, keys[1], lockkeeper.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.AcquireAll(background, keys, lockkeeper.LockOptions{})
	expectError(t, err, lockkeeper.ErrHeld)
	var failure *lockkeeper.Error
	if !errors.As(err, &failure) || failure.Key != keys[1] {
		t.Errorf("the blocking key is %v", err)
	}
	expectState(t, keys[0], "free")
	if err := blocking.Release(background); err != nil {
		t.Fatal(err)
	}
	options := lockkeeper.LockOptions{Lease: time.Second}
	err = client.WithLocks(background, keys, options, func(ctx context.Context, hold *lockkeeper.Hold) error {
		for i, lock := range hold.Locks {
			if lock.Key != keys[i] || lock.Fence == "" {
				t.Errorf("lock %d is %+v", i, lock)
			}
			expectState(t, lock.Key, "held")
		}
		select {
		case <-ctx.Done():
			t.Errorf("lost: %v", context.Cause(ctx))
		case <-time.After(1500 * time.Millisecond): // longer than the lease
		}
		actOnLock(t, keys[2], "force-release")
		<-ctx.Done()
		return nil
	})
	expectError(t, err, lockkeeper.ErrLost)
	for _, key := range keys {
		expectState(t, key, "free")
	}
}

func TestAnOperatorAsksForTheRelease(t *testing.T) {
	client, proxy := newClient(t)
	for _, answer := range []string{"accepted", "refused"} {
		key := newLockKey(t)
		mayAnswer, answered := make(chan bool), make(chan error, 9)
		options := lockkeeper.LockOptions{Lease: 500 * time.Millisecond}
		options.OnReleaseRequested = func(asked *lockkeeper.ReleaseRequest) {
			if asked.Reason != "test" || asked.RequestedBy == "" || asked.Key != key {
				t.Errorf("unexpected request %+v", asked)
			}
			<-mayAnswer
			proxy.setOnce("answer-release-request", "lose_response")
			if answer == "accepted" {
				answered <- asked.Accept(background, "in a second")
			} else {
				answered <- asked.Refuse(background, "the import ends at 14:00")
			}
		}
		err := client.WithLock(background, key, options, func(ctx context.Context, hold *lockkeeper.Hold) error {
			actOnLock(t, key, "request-release")
			sent := proxy.count("renew")
			waitUntil(t, "the request arrives with several renewals", func() bool { return proxy.count("renew") > sent+3 })
			close(mayAnswer)
			if err := <-answered; err != nil {
				t.Errorf("the answer failed: %v", err)
			}
			asked := readLock(t, key)["holders"].([]any)[0].(map[string]any)["releaseRequested"].(map[string]any)
			if asked["state"] != answer {
				t.Errorf("the request is %v", asked)
			}
			return hold.Renew(ctx)
		})
		if err != nil || len(answered) > 0 {
			t.Errorf("%v, %d more calls", err, len(answered))
		}
	}
}

func TestAWrongServerOrKeyIsReported(t *testing.T) {
	working, _ := newClient(t)
	for name, test := range map[string]struct {
		client *lockkeeper.Client
		code   string
	}{
		"path":   {&lockkeeper.Client{URL: os.Getenv("LOCKKEEPER_URL") + "/elsewhere", APIKey: working.APIKey}, ""},
		"key":    {&lockkeeper.Client{URL: working.URL, APIKey: "lk_wrong"}, "unauthenticated"},
		"target": {&lockkeeper.Client{URL: working.URL, APIKey: working.APIKey, Target: "none"}, ""},
		"port":   {&lockkeeper.Client{URL: "http://127.0.0.1:1", APIKey: "lk_wrong"}, "unavailable"},
		"URL":    {&lockkeeper.Client{URL: "://", APIKey: "lk_wrong"}, "invalid"},
	} {
		ctx, cancel := context.WithTimeout(background, 8*time.Second)
		_, err := test.client.Acquire(ctx, newLockKey(t), lockkeeper.LockOptions{})
		cancel()
		var failure *lockkeeper.Error
		if !errors.As(err, &failure) || (test.code != "" && failure.Code != test.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text := fmt.Sprintf("%v %+v %s", working, working, working); strings.Contains(text, working.APIKey) {
		t.Errorf("%s contains the API key", text)
	}
}
