// Steps runs work under a lock with the Go module. The kill matrix replaces the work.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	lockkeeper "github.com/lockkeeper/lockkeeper/packages/go"
)

type signalError struct{ syscall.Signal }

func (e signalError) Error() string { return "stopped by signal: " + e.Signal.String() }

// withLock returns the exit status of the program: 75 not acquired, 76 lost, 128 and the signal, 1 after another error.
func withLock(key string, options lockkeeper.LockOptions, work func(context.Context, *lockkeeper.Hold) error) (status int) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() { cancel(signalError{(<-signals).(syscall.Signal)}) }()
	defer func() {
		if recovered := recover(); recovered != nil {
			fmt.Fprintln(os.Stderr, "panic:", recovered)
			status = 1
		}
	}()
	client := &lockkeeper.Client{URL: os.Getenv("LOCKKEEPER_URL"), APIKey: os.Getenv("LOCKKEEPER_API_KEY")}
	isAcquired := false
	err := client.WithLock(ctx, key, options, func(ctx context.Context, hold *lockkeeper.Hold) error {
		isAcquired = true
		return work(ctx, hold)
	})
	var stopped signalError
	switch {
	case err == nil:
		return 0
	case errors.As(context.Cause(ctx), &stopped):
		status = 128 + int(stopped.Signal)
	case !isAcquired:
		fmt.Fprint(os.Stderr, "not acquired: ")
		status = 75
	case errors.Is(err, lockkeeper.ErrLost):
		status = 76
	default:
		status = 1
	}
	fmt.Fprintln(os.Stderr, err)
	return status
}

// Your work starts here.
func main() {
	os.Exit(withLock("lock:example", lockkeeper.LockOptions{}, func(_ context.Context, hold *lockkeeper.Hold) error {
		for step := 1; step <= 5; step++ {
			if err := hold.Err(); err != nil {
				return err
			}
			fmt.Printf("step %d with fence %s\n", step, hold.Fence)
			time.Sleep(100 * time.Millisecond)
		}
		return nil
	}))
}
