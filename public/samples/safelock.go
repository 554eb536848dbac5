// Safelock runs work while holding a Lockkeeper lock, and stops it when the lock is lost.
//
// It needs Go 1.21 and, for Hold.Run, bash 4.4 and ps. Set LOCKKEEPER_URL to the origin of the server,
// such as http://127.0.0.1:3000, and LOCKKEEPER_API_KEY to your application's API key.
//
// The lock is renewed until the work returns and is then released, also after an error, a panic,
// SIGTERM or SIGINT. If the lock is lost or its deadline passes, the context of the work is cancelled
// and AssertHeld returns ErrLost. The command of Run is killed (SIGKILL, the whole process group) when
// the lock is lost and when this process is killed or stopped.
//
// Limits: only the context and AssertHeld stop work in this process. A pause between that call and the
// next write can outlast the lease, so send Fence with every write and have the resource reject a fence
// lower than the highest it has accepted. A command that leaves its process group (setsid) is not
// killed. os.Exit in the work skips the release.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Failure is why WithLock did no work, or stopped it, and what the program exits with.
type Failure struct {
	Status int // 75: not acquired, 76: lost, 128 and the number of the signal
	Reason string
}

func (f Failure) Error() string { return f.Reason }

var ErrLost = Failure{76, "the lock was lost"}

// guard runs a command in a process group of its own and reads the seconds left until the deadline,
// a line at a time. When they have passed, or the input ends, it kills the group. It exits with the
// status of the command, when no process of the group is left.
const guard = `
IFS= read -r left || exit 137
trap : INT TERM HUP
exec 3>&2 2>/dev/null
set -m
"$@" </dev/null 2>&3 3>&- 4>&- & work=$!
{ while IFS= read -rt "$left" left; do :; done; kill -KILL -- "-$work"; } >&2 3>&- 4>&- & switch=$!
wait "$work"
while kill -KILL -- "-$work" && ps -A -o pgid= -o stat= | grep -q "^ *$work [^Z]"; do sleep 0.02; done
wait "$work"; status=$?
kill -KILL -- "-$switch"
exit "$status"`

type answer struct {
	HoldID, Fence, Detail string
	WaitedMs, RemainingMs int64
}

// call returns the status 0 for no answer, or one that is not JSON.
func call(ctx context.Context, path string, body any, timeout time.Duration, key string) (int, answer) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	content, _ := json.Marshal(body)
	url := os.Getenv("LOCKKEEPER_URL") + "/api/v1" + path
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(content))
	if err != nil {
		return 0, answer{Detail: err.Error()}
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("LOCKKEEPER_API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, answer{Detail: err.Error()}
	}
	defer response.Body.Close()
	var got answer
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		return 0, answer{Detail: response.Status + " without JSON"}
	}
	return response.StatusCode, got
}

func newKey() string {
	random := make([]byte, 16)
	_, _ = rand.Read(random)
	return fmt.Sprintf("%x", random)
}

// Hold is a lock that is held. Send Fence along with every write.
type Hold struct {
	Fence    string
	path     string
	lease    time.Duration
	deadline atomic.Pointer[time.Time] // on the monotonic and the wall clock
	renewAt  time.Time
	ctx      context.Context
	lose     context.CancelCauseFunc
	running  sync.Mutex // held while a command runs
}

// WithLock waits for the lock, 55 s at most, and runs the work while it is held.
func WithLock(
	parent context.Context, key string, lease, wait time.Duration, work func(context.Context, *Hold) error,
) (err error) {
	ctx, lose := context.WithCancelCause(parent)
	defer lose(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	defer func() { signal.Stop(signals); close(signals) }()
	go func() {
		if received, ok := <-signals; ok {
			lose(Failure{128 + int(received.(syscall.Signal)), "stopped by signal: " + received.String()})
		}
	}()
	hold := &Hold{lease: lease, ctx: ctx, lose: lose}
	if err := hold.acquire(key, wait); err != nil {
		return err
	}
	go hold.renew()
	defer func() {
		lost := hold.AssertHeld()
		if err == nil || lost != nil {
			err = lost
		}
		hold.release()
	}()
	return work(ctx, hold)
}

func (h *Hold) acquire(key string, wait time.Duration) error {
	encoded := base64.RawURLEncoding.EncodeToString([]byte(key))
	path := "/locks/~" + encoded + "/acquire" // after ~, base64url, which is valid for every key
	host, _ := os.Hostname()
	record := map[string]any{"host": host, "pid": os.Getpid()} // shown in the console
	body := map[string]any{"leaseMs": h.lease.Milliseconds(), "waitMs": wait.Milliseconds(), "record": record}
	idempotencyKey := newKey() // the same for each try: together they make one hold at most
	giveUpAt := time.Now().Add(wait + 15*time.Second)
	for {
		sentAt := time.Now()
		status, got := call(h.ctx, path, body, wait+5*time.Second, idempotencyKey)
		if status == http.StatusCreated {
			h.Fence, h.path = got.Fence, "/holds/"+got.HoldID
			h.extend(sentAt, got.WaitedMs+got.RemainingMs)
			return nil
		}
		if h.ctx.Err() != nil {
			return context.Cause(h.ctx)
		}
		if (status >= 400 && status < 500) || time.Now().After(giveUpAt) {
			return Failure{75, "not acquired: " + got.Detail}
		}
		time.Sleep(time.Second)
	}
}

// extend counts from before the request was sent, less a margin for killing a command and clock drift.
func (h *Hold) extend(sentAt time.Time, ms int64) {
	deadline := sentAt.Add(time.Duration(ms)*time.Millisecond - h.lease/20)
	h.deadline.Store(&deadline)
	h.renewAt = deadline.Add(h.lease/20 - h.lease*2/3)
}

// left counts on both clocks: the monotonic one stops while the machine is suspended, the other may be set back.
func (h *Hold) left() time.Duration {
	deadline, now := *h.deadline.Load(), time.Now()
	return min(deadline.Sub(now), deadline.Round(0).Sub(now.Round(0))) // Round removes the monotonic time
}

// AssertHeld returns an error unless the lock is held. Call it before each step whose effect others see.
func (h *Hold) AssertHeld() error {
	if h.left() <= 0 {
		h.lose(ErrLost)
	}
	return context.Cause(h.ctx)
}

func (h *Hold) renew() {
	for h.AssertHeld() == nil {
		if delay := min(time.Until(h.renewAt), h.left()); delay > 0 {
			time.Sleep(min(delay, time.Second)) // a sleep lasts longer if the machine is suspended
			continue
		}
		sentAt := time.Now()
		status, got := call(h.ctx, h.path+"/renew", struct{}{}, min(h.lease/3, h.left()), newKey())
		h.renewAt = time.Now().Add(h.lease / 10) // sooner, unless it is renewed
		switch {
		case status == http.StatusOK && h.AssertHeld() == nil:
			h.extend(sentAt, got.RemainingMs)
		case status >= 400 && status < 500 && status != 408 && status != 429:
			h.lose(ErrLost)
		}
	}
}

// Run runs a command, one at a time, and returns its exit status. Its environment has LOCK_FENCE.
func (h *Hold) Run(name string, args ...string) (status int, err error) {
	h.running.Lock()
	defer h.running.Unlock()
	if err := h.AssertHeld(); err != nil {
		return 0, err
	}
	command := exec.Command("bash", append([]string{"-c", guard, "guard", name}, args...)...)
	command.Env = append(os.Environ(), "LOCK_FENCE="+h.Fence)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	input, err := command.StdinPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return 0, err
	}
	go func() {
		defer input.Close()
		for h.AssertHeld() == nil {
			if _, err := fmt.Fprintf(input, "%.3f\n", max(h.left().Seconds(), 0.001)); err != nil {
				return // the command has ended
			}
			time.Sleep(200 * time.Millisecond)
		}
	}()
	_ = command.Wait() // the status tells
	return command.ProcessState.ExitCode(), h.AssertHeld()
}

func (h *Hold) release() {
	h.lose(ErrLost)
	h.running.Lock() // only when no command runs
	for try := 0; try < 2; try++ {
		status, _ := call(context.Background(), h.path+"/release", struct{}{}, 5*time.Second, newKey())
		if status >= 200 && status < 500 {
			return
		}
	}
}

// ExitStatus is what a program exits with after an error of WithLock.
func ExitStatus(err error) int {
	var failure Failure
	if errors.As(err, &failure) {
		return failure.Status
	}
	return 1
}

// Your work starts here.
func main() {
	status := 0
	work := func(_ context.Context, hold *Hold) (err error) {
		for step := 1; step <= 5; step++ {
			if err := hold.AssertHeld(); err != nil {
				return err
			}
			fmt.Printf("step %d with fence %s\n", step, hold.Fence)
			time.Sleep(time.Second)
		}
		status, err = hold.Run("sh", "-c", `echo "command with fence $LOCK_FENCE"`)
		return err
	}
	err := WithLock(context.Background(), "lock:example", 30*time.Second, 10*time.Second, work)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = ExitStatus(err)
	}
	os.Exit(status)
}
