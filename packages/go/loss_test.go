package lockkeeper_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/lockkeeper/lockkeeper/packages/go"
)

const lease = 1200 * time.Millisecond

var short = lockkeeper.LockOptions{Lease: lease}

// hold runs work while it holds a lock with a short lease.
func hold(t *testing.T, client *lockkeeper.Client, work func(context.Context, *lockkeeper.Hold) error) error {
	t.Helper()
	return client.WithLock(background, newLockKey(t), short, work)
}

// keepFor returns the cause if the context ends before the time has passed.
func keepFor(ctx context.Context, duration time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(duration):
		return nil
	}
}

func TestTheLeaseIsRenewedAtAThirdOfIt(t *testing.T) {
	client, proxy := newClient(t)
	err := hold(t, client, func(ctx context.Context, _ *lockkeeper.Hold) error { return keepFor(ctx, 2*lease) })
	if err != nil {
		t.Error(err)
	}
	if count := proxy.count("renew"); count < 4 || count > 7 {
		t.Errorf("renewed %d times in two leases", count)
	}
}

func TestHoldsAreRenewedTogether(t *testing.T) {
	client, proxy := newClient(t)
	held := map[*lockkeeper.Hold]bool{}
	for len(held) < 40 {
		options := lockkeeper.LockOptions{Lease: 3 * time.Second}
		if len(held)%4 == 0 {
			options.Lease = 30 * time.Second
		}
		acquired, err := client.Acquire(background, newLockKey(t), options)
		if err != nil {
			t.Fatal(err)
		}
		held[acquired] = true
	}
	time.Sleep(4 * time.Second)
	if count := proxy.count("renew"); count < 3 || count > 9 {
		t.Errorf("%d requests renewed 40 holds for 4 s", count)
	}
	for each := range held {
		if err := each.Release(background); err != nil {
			t.Error(err)
		}
	}
}

func TestAForceReleaseCancelsTheContext(t *testing.T) {
	client, _ := newClient(t)
	failed := errors.New("interrupted")
	err := hold(t, client, func(ctx context.Context, hold *lockkeeper.Hold) error {
		actOnLock(t, hold.Key, "force-release")
		releasedAt := time.Now()
		expectError(t, keepFor(ctx, 2*lease), lockkeeper.ErrLost)
		if noticed := time.Since(releasedAt); noticed > lease/3+300*time.Millisecond {
			t.Errorf("noticed after %s", noticed)
		}
		expectError(t, hold.Err(), lockkeeper.ErrLost)
		return failed
	})
	expectError(t, err, lockkeeper.ErrLost)
	expectError(t, err, failed)
}

func TestRenewNoticesAForceRelease(t *testing.T) {
	client, _ := newClient(t)
	err := client.WithLock(background, newLockKey(t), lockkeeper.LockOptions{}, func(ctx context.Context, hold *lockkeeper.Hold) error {
		if err := hold.Renew(ctx); err != nil {
			t.Error(err)
		}
		actOnLock(t, hold.Key, "force-release")
		return hold.Renew(ctx)
	})
	expectError(t, err, lockkeeper.ErrLost)
}

func TestALossAfterTheLastRenewalIsReturned(t *testing.T) {
	client, _ := newClient(t)
	err := client.WithLock(background, newLockKey(t), lockkeeper.LockOptions{}, func(_ context.Context, hold *lockkeeper.Hold) error {
		actOnLock(t, hold.Key, "force-release")
		return nil
	})
	expectError(t, err, lockkeeper.ErrLost)
}

func TestTheContextEndsAtTheDeadlineWithoutAResponse(t *testing.T) {
	for _, fault := range []string{"hang", "bad_gateway", "close", "lose_response"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			client, proxy := newClient(t)
			if fault == "lose_response" {
				proxy = nil // the server renews, but this client cannot know
				client, proxy = newClient(t)
			}
			err := hold(t, client, func(ctx context.Context, hold *lockkeeper.Hold) error {
				proxy.set(func(verb string) string {
					if verb == "renew" {
						return fault
					}
					return ""
				})
				left := hold.Remaining()
				startedAt := time.Now()
				expectError(t, keepFor(ctx, 3*lease), lockkeeper.ErrLost)
				if late := time.Since(startedAt) - left; late < -20*time.Millisecond || late > 150*time.Millisecond {
					t.Errorf("the context ended %s after the deadline", late)
				}
				return nil
			})
			expectError(t, err, lockkeeper.ErrLost)
		})
	}
}

func TestAFailedRequestIsRepeated(t *testing.T) {
	for _, verb := range []string{"acquire", "renew", "release"} {
		for _, fault := range []string{"bad_gateway", "lose_response", "close", "hang"} {
			t.Run(verb+" "+fault, func(t *testing.T) {
				t.Parallel()
				client, proxy := newClient(t)
				proxy.setOnce(verb, fault)
				var key string
				err := hold(t, client, func(ctx context.Context, hold *lockkeeper.Hold) error {
					key = hold.Key
					return keepFor(ctx, lease*3/2)
				})
				if err != nil || proxy.count(verb) < 2 {
					t.Errorf("%v after %d requests", err, proxy.count(verb))
				}
				expectState(t, key, "free")
			})
		}
	}
}

func TestAHoldSurvivesAnUnreachableServer(t *testing.T) {
	client, proxy := newClient(t)
	address := proxy.Listener.Addr().String()
	var failures []error
	client.OnError = func(err error) { failures = append(failures, err) }
	options := lockkeeper.LockOptions{Lease: 4 * time.Second}
	err := client.WithLock(background, newLockKey(t), options, func(ctx context.Context, _ *lockkeeper.Hold) error {
		handler := proxy.Config.Handler
		proxy.Close()
		if err := keepFor(ctx, 2500*time.Millisecond); err != nil {
			return err
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		restarted := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
		restarted.Start()
		t.Cleanup(restarted.Close)
		return keepFor(ctx, 4*time.Second)
	})
	if err != nil || len(failures) == 0 {
		t.Errorf("%v after %d failures", err, len(failures))
	}
	for _, failure := range failures {
		expectError(t, failure, lockkeeper.ErrUnavailable)
	}
}

func TestOnErrorCanRenewTheHold(t *testing.T) {
	client, proxy := newClient(t)
	proxy.setOnce("renew", "bad_gateway")
	holds, renewed := make(chan *lockkeeper.Hold, 1), make(chan error, 1)
	client.OnError = func(error) { renewed <- (<-holds).Renew(background) }
	err := hold(t, client, func(ctx context.Context, hold *lockkeeper.Hold) error {
		holds <- hold
		select {
		case err := <-renewed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAnUnknownOutcomeIsNotReportedAsARefusal(t *testing.T) {
	client, proxy := newClient(t)
	proxy.set(func(string) string { return "lose_response" })
	startedAt := time.Now()
	_, err := client.Acquire(background, newLockKey(t), lockkeeper.LockOptions{Lease: time.Second})
	expectError(t, err, lockkeeper.ErrUnknownOutcome)
	if took := time.Since(startedAt); took < 4*time.Second || took > 8*time.Second {
		t.Errorf("gave up after %s", took)
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	client, _ := newClient(t)
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	before := runtime.NumGoroutine()
	for range 20 {
		if err := hold(t, client, func(context.Context, *lockkeeper.Hold) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	waitUntil(t, "the goroutines of the client have ended", func() bool {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		return runtime.NumGoroutine() <= before
	})
}

func TestMoreHoldsThanOneRequestCanRenew(t *testing.T) {
	client, proxy := newClient(t)
	held := make(chan *lockkeeper.Hold, 1050)
	var workers sync.WaitGroup
	for range 10 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for range cap(held) / 10 {
				acquired, err := client.Acquire(background, newLockKey(t), lockkeeper.LockOptions{Lease: 10 * time.Second})
				if err != nil {
					t.Error(err)
					return
				}
				held <- acquired
			}
		}()
	}
	workers.Wait()
	time.Sleep(11 * time.Second)
	if count := proxy.count("renew"); count < 4 || count > 16 {
		t.Errorf("%d requests renewed 1,050 holds", count)
	}
	close(held)
	for each := range held {
		if err := errors.Join(each.Err(), each.Release(background)); err != nil {
			t.Fatal(err)
		}
	}
}
