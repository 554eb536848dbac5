package lockkeeper_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lockkeeper/lockkeeper/packages/go"
)

// scriptedServer grants every acquire. It responds to each release with the next of the outcomes, one for each hold, and then
// with not_held, as a server that no longer stores the idempotency key.
type scriptedServer struct {
	*httptest.Server
	mu       sync.Mutex
	outcomes [][]string
	released [][]string // the HoldIDs of each release
	sent     int        // number of requests
	isLate   bool       // whether no time is left of granted leases
}

func startScriptedServer(t *testing.T, outcomes ...[]string) (*lockkeeper.Client, *scriptedServer) {
	t.Helper()
	s := &scriptedServer{outcomes: outcomes}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := struct {
			Keys  []string
			Holds []struct{ HoldID string }
		}{}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sent++
		if path.Base(r.URL.Path) == "release" {
			ids, results := []string{}, []map[string]any{}
			for i, hold := range asked.Holds {
				outcome := "not_held"
				if at := len(s.released); at < len(s.outcomes) && i < len(s.outcomes[at]) {
					outcome = s.outcomes[at][i]
				}
				ids = append(ids, hold.HoldID)
				result := map[string]any{"holdId": hold.HoldID, "outcome": outcome}
				if outcome == "refused" {
					result["problem"] = map[string]any{"code": "forbidden", "detail": "No."}
				}
				results = append(results, result)
			}
			s.released = append(s.released, ids)
			_ = json.NewEncoder(w).Encode(map[string]any{"results": results})
			return
		}
		holds, remainingMs := []map[string]any{}, 30_000
		if s.isLate {
			remainingMs = 0
		}
		for i, key := range append(asked.Keys, "lock:a")[:max(1, len(asked.Keys))] {
			holds = append(holds, map[string]any{
				"key": key, "holdId": fmt.Sprintf("h1.%d", i), "fence": "7", "leaseMs": 30_000, "remainingMs": remainingMs,
			})
		}
		if asked.Keys == nil {
			_ = json.NewEncoder(w).Encode(holds[0])
		} else {
			_ = json.NewEncoder(w).Encode(map[string]any{"holds": holds})
		}
	}))
	t.Cleanup(s.Close)
	return &lockkeeper.Client{URL: s.URL, APIKey: "lk_test"}, s
}

func TestALockThatWorkReleasedIsNotReleasedAgain(t *testing.T) {
	for _, outcome := range []string{"released", "still_held"} {
		client, server := startScriptedServer(t, []string{outcome})
		err := client.WithLock(background, "lock:a", lockkeeper.LockOptions{}, func(_ context.Context, hold *lockkeeper.Hold) error {
			return errors.Join(hold.Release(background), hold.Release(background))
		})
		if err != nil || len(server.released) != 1 {
			t.Errorf("%s: %v after %d releases", outcome, err, len(server.released))
		}
	}
}

func TestALockThatWorkReleasedOnTheServerIsNotReleasedAgain(t *testing.T) {
	client, proxy := newClient(t)
	key := newLockKey(t)
	err := client.WithLock(background, key, lockkeeper.LockOptions{}, func(_ context.Context, hold *lockkeeper.Hold) error {
		return hold.Release(background)
	})
	if err != nil || proxy.count("release") != 1 {
		t.Errorf("%v after %d releases", err, proxy.count("release"))
	}
	expectState(t, key, "free")
}

func TestALossIsReturnedByEachRelease(t *testing.T) {
	client, _ := startScriptedServer(t, []string{"not_held"}, []string{"not_held"})
	hold, err := client.Acquire(background, "lock:a", lockkeeper.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expectError(t, hold.Release(background), lockkeeper.ErrLost)
	expectError(t, hold.Release(background), lockkeeper.ErrLost)
}

func TestOnlyFailedReleasesAreRepeated(t *testing.T) {
	client, server := startScriptedServer(t, []string{"released", "refused", "released"}, []string{"released"})
	hold, err := client.AcquireAll(background, []string{"lock:a", "lock:b", "lock:c"}, lockkeeper.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expectError(t, hold.Release(background), &lockkeeper.Error{Code: "forbidden"})
	if err := errors.Join(hold.Release(background), hold.Release(background)); err != nil {
		t.Error(err)
	}
	if len(server.released) != 2 || !slices.Equal(server.released[1], []string{"h1.1"}) {
		t.Errorf("released %v", server.released)
	}
}

func TestALossNamesItsLock(t *testing.T) {
	client, _ := startScriptedServer(t, []string{"released", "not_held", "not_held"})
	hold, err := client.AcquireAll(background, []string{"lock:a", "lock:b", "lock:c"}, lockkeeper.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expectLossOf(t, hold.Release(background), "lock:b")
}

func TestARenewalNamesTheLockThatIsLost(t *testing.T) {
	client, _ := newClient(t)
	keys := []string{newLockKey(t), newLockKey(t)}
	hold, err := client.AcquireAll(background, keys, lockkeeper.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	actOnLock(t, keys[1], "force-release")
	expectLossOf(t, hold.Renew(background), keys[1])
	expectLossOf(t, hold.Release(background), keys[1])
}

func expectLossOf(t *testing.T, err error, key string) {
	t.Helper()
	loss := &lockkeeper.Error{}
	if !errors.As(err, &loss) || !loss.Is(lockkeeper.ErrLost) || loss.Key != key {
		t.Errorf("%v names %q, expected the loss of %q", err, loss.Key, key)
	}
	if strings.Count(loss.Detail, "Stop the work") != 1 {
		t.Errorf("unexpected detail %q", loss.Detail)
	}
}

func TestConcurrentReleasesSucceed(t *testing.T) {
	client, _ := startScriptedServer(t, []string{"released"}, []string{"released"}, []string{"released"}, []string{"released"})
	hold, err := client.Acquire(background, "lock:a", lockkeeper.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 4)
	for range cap(done) {
		go func() { done <- hold.Release(background) }()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := hold.Release(background); err != nil {
		t.Error(err)
	}
}

func TestWorkDoesNotRunIfTheLeaseEndedBeforeTheGrantArrived(t *testing.T) {
	for _, outcome := range []string{"released", "not_held"} {
		client, server := startScriptedServer(t, []string{outcome}, []string{outcome, outcome})
		server.isLate = true
		client.OnError = func(err error) { t.Errorf("unexpected error %v", err) }
		work := func(context.Context, *lockkeeper.Hold) error {
			t.Error("the work runs")
			return nil
		}
		expectError(t, client.WithLock(background, "lock:a", lockkeeper.LockOptions{}, work), lockkeeper.ErrLost)
		expectError(t, client.WithLocks(background, []string{"lock:a", "lock:b"}, lockkeeper.LockOptions{}, work), lockkeeper.ErrLost)
		if len(server.released) != 2 {
			t.Errorf("released %v", server.released)
		}
	}
}

func TestAGrantOfAnotherLockIsRefused(t *testing.T) {
	client, _ := startScriptedServer(t)
	unexpected := &lockkeeper.Error{Code: "unexpected_response"}
	_, err := client.Acquire(background, "lock:b", lockkeeper.LockOptions{})
	expectError(t, err, unexpected)
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"holds":[]}`))
	}))
	t.Cleanup(empty.Close)
	client = &lockkeeper.Client{URL: empty.URL, APIKey: "lk_test"}
	_, err = client.AcquireAll(background, []string{"lock:a", "lock:b"}, lockkeeper.LockOptions{})
	expectError(t, err, unexpected)
}

func TestTextThatJSONCannotCarryIsRefused(t *testing.T) {
	client, server := startScriptedServer(t)
	work := func(context.Context, *lockkeeper.Hold) error {
		t.Error("the work runs")
		return nil
	}
	keys := []string{"lock:a", "lock:\xff"}
	_, err := client.AcquireAll(background, keys, lockkeeper.LockOptions{})
	failure := &lockkeeper.Error{}
	if !errors.As(err, &failure) || failure.Code != "invalid" || failure.Key != keys[1] || !strings.Contains(failure.Detail, `"lock:\xff"`) {
		t.Errorf("%v", err)
	}
	owner := lockkeeper.LockOptions{Owner: "caf\xe9"}
	_, withOwner := client.Acquire(background, "lock:a", owner)
	for _, err := range []error{
		client.WithLocks(background, keys, lockkeeper.LockOptions{}, work),
		withOwner,
		client.WithLock(background, "lock:a", owner, work),
		client.WithLocks(background, keys[:1], owner, work),
	} {
		expectError(t, err, &lockkeeper.Error{Code: "invalid"})
	}
	if server.sent != 0 {
		t.Errorf("sent %d requests", server.sent)
	}
}

func TestAKeyThatIsNotUTF8IsLockedByItsBytes(t *testing.T) {
	client, _ := newClient(t)
	key := newLockKey(t)
	hold, err := client.Acquire(background, key+"\xff", lockkeeper.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	expectState(t, key+"\ufffd", "free")
	if err := hold.Release(background); err != nil {
		t.Error(err)
	}
}
