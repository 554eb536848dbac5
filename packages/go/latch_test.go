package lockkeeper_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/lockkeeper/lockkeeper/packages/go"
)

func TestALatchIsSetOnceAndOpensAtZero(t *testing.T) {
	client, _ := newClient(t)
	key := newLockKey(t)
	latch := client.Latch(key)
	for i, expected := range []bool{true, false} {
		if isSet, err := latch.TrySetCount(background, 2+i); err != nil || isSet != expected {
			t.Fatalf("set %d: %v %v", i, isSet, err)
		}
	}
	expectCount(t, 1)(latch.CountDown(background))
	expectCount(t, 1)(latch.Count(background))
	expectError(t, latch.Wait(background, 30*time.Millisecond), lockkeeper.ErrTimeout)
	done := make(chan error, 1)
	go func() { done <- latch.Wait(background, lockkeeper.Forever) }()
	expectCount(t, 0)(latch.CountDown(background))
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := latch.Wait(background, 0); err != nil {
		t.Error(err)
	}
}

func TestACancelledWaitForALatchEnds(t *testing.T) {
	client, proxy := newClient(t)
	key := newLockKey(t)
	latch := client.Latch(key)
	_, _ = latch.TrySetCount(background, 1)
	ctx, cancel := context.WithCancel(background)
	done := make(chan error, 1)
	go func() { done <- latch.Wait(ctx, lockkeeper.Forever) }()
	waitUntil(t, "the wait is sent", func() bool { return proxy.count(key) == 2 })
	cancel()
	expectError(t, <-done, context.Canceled)
	expectCount(t, 1)(latch.Count(background))
}

func TestAWaitThatIsSentInPartsDoesNotMissAnOpening(t *testing.T) {
	lockkeeper.SetWaitMax(t, 20*time.Millisecond)
	client, proxy := newClient(t)
	key := newLockKey(t)
	other := (&lockkeeper.Client{URL: os.Getenv("LOCKKEEPER_URL"), APIKey: client.APIKey}).Latch(key)
	_, _ = other.TrySetCount(background, 1)
	parts := 0
	proxy.set(func(verb string) string {
		parts++
		if verb == key && parts == 2 {
			// Opens and closes it between two parts.
			call(t, http.MethodPost, "/latches/"+key+"/count-down", nil)
			call(t, http.MethodPut, "/latches/"+key, map[string]any{"count": 1})
		}
		return ""
	})
	if err := client.Latch(key).Wait(background, 10*time.Second); err != nil {
		t.Error(err)
	}
	expectCount(t, 1)(other.Count(background))
}

func TestALatchCountsOnceIfAResponseIsLost(t *testing.T) {
	client, proxy := newClient(t)
	key := newLockKey(t)
	latch := client.Latch(key)
	proxy.setOnce(key, "lose_response")
	if isSet, err := latch.TrySetCount(background, 3); err != nil || !isSet {
		t.Errorf("%v %v", isSet, err)
	}
	proxy.setOnce("count-down", "lose_response")
	expectCount(t, 2)(latch.CountDown(background))
}

func TestTheLimitOfASemaphoreIsSet(t *testing.T) {
	client, _ := newClient(t)
	key := newLockKey(t)
	if permits, err := client.SetLimit(background, key, 2); err != nil || permits.Available != 2 || permits.Total != 2 {
		t.Errorf("%v %v", permits, err)
	}
	hold, err := client.Acquire(background, key, lockkeeper.LockOptions{Kind: "semaphore", Permits: 2})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = client.SetLimit(background, key, 1)
	for _, wait := range []time.Duration{0, 30 * time.Millisecond} {
		_, err = client.Acquire(background, key, lockkeeper.LockOptions{Kind: "semaphore", Wait: wait})
		failure := &lockkeeper.Error{}
		if !errors.As(err, &failure) || failure.Permits == nil || *failure.Permits != (lockkeeper.Permits{Available: -1, Total: 1}) {
			t.Errorf("%v %+v", err, failure.Permits)
		}
	}
	_, err = client.Latch(key).Count(background)
	expectError(t, err, &lockkeeper.Error{Code: "kind_conflict"})
	if err := hold.Release(background); err != nil {
		t.Error(err)
	}
}

func TestAWriterBecomesAReader(t *testing.T) {
	client, proxy := newClient(t)
	key := newLockKey(t)
	options := lockkeeper.LockOptions{Kind: "write", Lease: time.Second}
	writer, err := client.Acquire(background, key, options)
	if err != nil {
		t.Fatal(err)
	}
	holdID, fence := writer.HoldID, writer.Fence
	proxy.setOnce("downgrade", "lose_response")
	if err := writer.Downgrade(background); err != nil {
		t.Fatal(err)
	}
	if writer.HoldID == holdID || writer.Locks[0].HoldID != writer.HoldID || writer.Fence != fence {
		t.Errorf("unexpected hold %+v", writer.Lock)
	}
	reader, err := client.Acquire(background, key, lockkeeper.LockOptions{Kind: "read"})
	if err != nil {
		t.Fatal(err)
	}
	// It is renewed as a reader.
	renewals := proxy.count("renew")
	waitUntil(t, "further renewals", func() bool { return proxy.count("renew") > renewals+4 })
	if err := errors.Join(writer.Renew(background), writer.Err()); err != nil {
		t.Error(err)
	}
	if err := errors.Join(reader.Release(background), writer.Release(background)); err != nil {
		t.Error(err)
	}
	expectState(t, key, "free")
	expectError(t, writer.Downgrade(background), lockkeeper.ErrReleased)
}

// downgradeUnanswered acquires a lock and downgrades it. The proxy loses the response, and those to later downgrades.
func downgradeUnanswered(t *testing.T, options lockkeeper.LockOptions) (*lockkeeper.Hold, *proxy, string) {
	client, proxy := newClient(t)
	key := newLockKey(t)
	writer, err := client.Acquire(background, key, options)
	if err != nil {
		t.Fatal(err)
	}
	proxy.set(func(verb string) string {
		if verb == "downgrade" {
			return "lose_response"
		}
		return ""
	})
	ctx, cancel := context.WithTimeout(background, 100*time.Millisecond)
	defer cancel()
	expectError(t, writer.Downgrade(ctx), context.DeadlineExceeded)
	return writer, proxy, key
}

func TestAnUnansweredDowngradeIsRepeatedByTheRelease(t *testing.T) {
	writer, proxy, key := downgradeUnanswered(t, lockkeeper.LockOptions{Kind: "write", Lease: time.Second})
	if writer.Err() != nil {
		t.Errorf("the hold ended: %v", writer.Err())
	}
	proxy.set(func(string) string { return "" })
	if err := writer.Release(background); err != nil {
		t.Error(err)
	}
	expectState(t, key, "free")
}

func TestAReleaseReleasesTheReaderOfADowngradeThatStaysUnknown(t *testing.T) {
	writer, _, key := downgradeUnanswered(t, lockkeeper.LockOptions{Kind: "write"})
	if err := writer.Release(background); err != nil {
		t.Error(err)
	}
	expectState(t, key, "free")
}

func TestAReleaseDuringADowngradeReleasesTheReader(t *testing.T) {
	client, proxy := newClient(t)
	key := newLockKey(t)
	writer, err := client.Acquire(background, key, lockkeeper.LockOptions{Kind: "write"})
	if err != nil {
		t.Fatal(err)
	}
	proxy.setOnce("downgrade", "delay")
	downgraded := make(chan error, 1)
	go func() { downgraded <- writer.Downgrade(background) }()
	waitUntil(t, "the downgrade is carried out", func() bool { return readLock(t, key)["kind"] == "read" })
	if err := writer.Release(background); err != nil {
		t.Error(err)
	}
	expectState(t, key, "free")
	expectError(t, <-downgraded, lockkeeper.ErrReleased)
}

func TestARefusedDowngradeLeavesTheHold(t *testing.T) {
	client, proxy := newClient(t)
	hold, err := client.Acquire(background, newLockKey(t), lockkeeper.LockOptions{Lease: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := hold.Downgrade(background); err == nil {
		t.Error("a plain lock was downgraded")
	}
	waitUntil(t, "renewals", func() bool { return proxy.count("renew") > 2 })
	if err := errors.Join(hold.Err(), hold.Release(background)); err != nil || proxy.count("downgrade") != 1 {
		t.Errorf("%v after %d downgrades", err, proxy.count("downgrade"))
	}
}

func expectCount(t *testing.T, expected int64) func(int64, error) {
	t.Helper()
	return func(count int64, err error) {
		t.Helper()
		if err != nil || count != expected {
			t.Errorf("the count is %d (%v), expected %d", count, err, expected)
		}
	}
}
