package lockkeeper_test

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/lockkeeper/lockkeeper/packages/go"
)

const patience = 30 * time.Second

func TestTheYoungestWaitInADeadlockIsRefused(t *testing.T) {
	client, _ := newClient(t)
	a, b := newLockKey(t), newLockKey(t)
	first, err := client.Acquire(background, a, lockkeeper.LockOptions{Owner: "first"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := client.Acquire(background, b, lockkeeper.LockOptions{Owner: "second"})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		options := lockkeeper.LockOptions{Owner: "first", Wait: patience, Holding: []*lockkeeper.Hold{first}}
		hold, err := client.Acquire(background, b, options)
		if err == nil {
			err = hold.Release(background)
		}
		done <- err
	}()
	waitUntil(t, "the first client waits", func() bool { return countWaiters(t, b) == 1 })
	_, err = client.Acquire(background, a, lockkeeper.LockOptions{
		Owner: "second", Wait: patience, Holding: []*lockkeeper.Hold{second}, OnDeadlock: "refuse",
	})
	expectError(t, err, lockkeeper.ErrDeadlock)
	failure := &lockkeeper.Error{}
	if !errors.As(err, &failure) || failure.Key != a {
		t.Fatalf("unexpected error %v", err)
	}
	steps := []string{}
	for _, step := range failure.Cycle {
		steps = append(steps, step.Owner+" "+step.Key)
	}
	sort.Strings(steps)
	if fmt.Sprint(steps) != fmt.Sprint([]string{"first " + b, "second " + a}) {
		t.Errorf("unexpected cycle %v", steps)
	}
	if err := errors.Join(second.Release(background), <-done, first.Release(background)); err != nil {
		t.Error(err)
	}
}

func TestWithLockDeclaresTheHoldsAroundIt(t *testing.T) {
	client, _ := newClient(t)
	keys := []string{newLockKey(t), newLockKey(t)}
	isHeld := make(chan bool, 2)
	results := make(chan error, 2)
	for i := range keys {
		go func(outer, inner string) {
			results <- client.WithLock(background, outer, lockkeeper.LockOptions{}, func(ctx context.Context, _ *lockkeeper.Hold) error {
				isHeld <- true
				for len(isHeld) < 2 {
					time.Sleep(time.Millisecond)
				}
				// Both wait, so neither can continue.
				options := lockkeeper.LockOptions{Wait: patience, OnDeadlock: "refuse"}
				return client.WithLocks(ctx, []string{newLockKey(t)}, lockkeeper.LockOptions{}, func(ctx context.Context, _ *lockkeeper.Hold) error {
					return client.WithLock(ctx, inner, options, func(context.Context, *lockkeeper.Hold) error { return nil })
				})
			})
		}(keys[i], keys[1-i])
	}
	refused, granted := <-results, <-results
	if granted != nil {
		refused, granted = granted, refused
	}
	expectError(t, refused, lockkeeper.ErrDeadlock)
	if granted != nil {
		t.Error(granted)
	}
}

func TestEndedHoldsAndThoseOfOtherClientsAreNotDeclared(t *testing.T) {
	client, proxy := newClient(t)
	other := &lockkeeper.Client{URL: proxy.URL, APIKey: client.APIKey}
	wait := lockkeeper.LockOptions{Wait: time.Second}
	expectDeclared := func(ctx context.Context, expected ...*lockkeeper.Hold) {
		t.Helper()
		hold, err := client.Acquire(ctx, newLockKey(t), wait)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = hold.Release(background) }()
		body := proxy.lastBody("acquire")
		for _, each := range expected {
			if !strings.Contains(body, each.HoldID) {
				t.Errorf("%s is not declared: %s", each.Key, body)
			}
		}
		if count := strings.Count(body, `"h1.`); count != len(expected) {
			t.Errorf("%d holds are declared, expected %d", count, len(expected))
		}
	}
	_ = client.WithLock(background, newLockKey(t), wait, func(ctx context.Context, outer *lockkeeper.Hold) error {
		return other.WithLock(ctx, newLockKey(t), wait, func(ctx context.Context, _ *lockkeeper.Hold) error {
			return client.WithLock(ctx, newLockKey(t), wait, func(ctx context.Context, inner *lockkeeper.Hold) error {
				expectDeclared(ctx, inner, outer)
				expectDeclared(background)
				if err := inner.Release(background); err != nil {
					t.Error(err)
				}
				expectDeclared(context.WithoutCancel(ctx), outer)
				return nil
			})
		})
	})
	_, err := client.AcquireAll(background, []string{newLockKey(t)}, lockkeeper.LockOptions{OnDeadlock: "refuse"})
	expectError(t, err, &lockkeeper.Error{Code: "invalid"})
}

func countWaiters(t *testing.T, key string) float64 {
	t.Helper()
	waiters, _ := readLock(t, key)["waiters"].(map[string]any)
	count, _ := waiters["count"].(float64)
	return count
}
