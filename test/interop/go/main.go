// redsync and bsm/redislock as one peer of the interop run: it reads `id verb argument …` lines and answers
// `id {json}` lines. Each library is an object by its name.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

const pollDelay = 100 * time.Millisecond

var errUnknown = errors.New("unknown verb, library or name")

// held is a hold of a library: its owner in Redis, and how it is extended and released.
type held struct {
	owner  string
	extend func() error
	drop   func() error
}

// taker acquires a lock at once, or polls for the given time; nil if it was refused.
type taker func(ctx context.Context, key string, wait, lease time.Duration) (*held, error)

type peer struct {
	takers map[string]taker
	mutex  sync.Mutex
	holds  map[string]*held
}

func main() {
	options, err := redis.ParseURL(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	client := redis.NewClient(options)
	p := &peer{
		takers: map[string]taker{"redsync": redsyncTaker(client), "redislock": redislockTaker(client)},
		holds:  map[string]*held{},
	}
	p.answer("ready", map[string]any{})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		go p.hear(words[0], words[1], words[2:])
	}
}

func (p *peer) hear(id, verb string, words []string) {
	answer, err := p.carryOut(verb, words)
	if err != nil {
		answer = map[string]any{"error": err.Error()}
	}
	p.answer(id, answer)
}

func (p *peer) answer(id string, what map[string]any) {
	text, _ := json.Marshal(what)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	fmt.Println(id, string(text))
}

func (p *peer) carryOut(verb string, words []string) (map[string]any, error) {
	switch {
	case verb == "hold" && len(words) == 5:
		return p.hold(words)
	case verb == "drop" && len(words) == 3:
		got, err := p.find(words[0]+" "+words[2], true)
		if err != nil {
			return nil, err
		}
		return told(got.drop), nil
	case verb == "extend" && len(words) == 3:
		got, err := p.find(words[0]+" "+words[2], false)
		if err != nil {
			return nil, err
		}
		return told(got.extend), nil
	}
	return nil, errUnknown
}

func (p *peer) hold(words []string) (map[string]any, error) {
	since := time.Now().UnixMilli()
	take := p.takers[words[1]]
	waitMs, waitErr := strconv.Atoi(words[3])
	leaseMs, leaseErr := strconv.Atoi(words[4])
	if take == nil || waitErr != nil || leaseErr != nil {
		return nil, errUnknown
	}
	got, err := take(context.Background(), words[2], milliseconds(waitMs), milliseconds(leaseMs))
	answer := map[string]any{"outcome": "refused", "sinceMs": since, "atMs": time.Now().UnixMilli()}
	if err != nil || got == nil {
		return answer, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.holds[words[0]+" "+words[2]] = got
	answer["outcome"], answer["owner"] = "granted", got.owner
	return answer, nil
}

func (p *peer) find(name string, isLast bool) (*held, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	got := p.holds[name]
	if got == nil {
		return nil, errUnknown
	}
	if isLast {
		delete(p.holds, name)
	}
	return got, nil
}

// told returns what the library reports about an act on a lock that it may no longer hold.
func told(act func() error) map[string]any {
	if err := act(); err != nil {
		return map[string]any{"outcome": "refused", "said": err.Error()}
	}
	return map[string]any{"outcome": "released", "said": ""}
}

func redsyncTaker(client *redis.Client) taker {
	locks := redsync.New(goredis.NewPool(client))
	return func(ctx context.Context, key string, wait, lease time.Duration) (*held, error) {
		tries := 1 + int(wait/pollDelay)
		mutex := locks.NewMutex(key, redsync.WithExpiry(lease), redsync.WithTries(tries), redsync.WithRetryDelay(pollDelay))
		err := mutex.LockContext(ctx)
		var taken *redsync.ErrTaken
		if errors.As(err, &taken) {
			return nil, nil
		}
		extend := func() error {
			_, err := mutex.Extend()
			return err
		}
		drop := func() error {
			_, err := mutex.Unlock()
			return err
		}
		return &held{mutex.Value(), extend, drop}, err
	}
}

func redislockTaker(client *redis.Client) taker {
	locks := redislock.New(client)
	return func(ctx context.Context, key string, wait, lease time.Duration) (*held, error) {
		retry := redislock.LimitRetry(redislock.LinearBackoff(pollDelay), int(wait/pollDelay))
		options := &redislock.Options{RetryStrategy: retry, Metadata: "@billing-7"}
		ctx, cancel := context.WithTimeout(ctx, wait+lease)
		defer cancel()
		lock, err := locks.Obtain(ctx, key, lease, options)
		if errors.Is(err, redislock.ErrNotObtained) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		extend := func() error { return lock.Refresh(context.Background(), lease, nil) }
		drop := func() error { return lock.Release(context.Background()) }
		return &held{lock.Token() + lock.Metadata(), extend, drop}, nil
	}
}

func milliseconds(count int) time.Duration {
	return time.Duration(count) * time.Millisecond
}
