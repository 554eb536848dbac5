// The first steps of an application with the generated client.
package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"

	"lockkeeper/generated/client"
)

var (
	address = os.Args[1]
	apiKey  = os.Getenv("LOCKKEEPER_API_KEY")
	// A key that must be encoded exactly once.
	key = fmt.Sprintf("lock:generated/%x é%%2F", rand.Uint64())
	ctx = context.Background()
)

func main() {
	locks, err := client.NewClientWithResponses(address, client.WithRequestEditorFn(authorize))
	check(err)
	hold := acquire(locks)
	expect("the key", hold.Key, key)
	renewed, err := locks.RenewHoldWithResponse(ctx, hold.HoldId, nil, client.RenewInput{})
	check(err)
	expect("the fence of a renewal", renewed.JSON200.Fence, hold.Fence)
	status, err := locks.GetHoldWithResponse(ctx, hold.HoldId)
	check(err)
	expect("whether it is held", status.JSON200.Held, true)

	earlier := readPlainAsOf()
	read, err := locks.GetLockWithResponse(ctx, key, nil)
	check(err)
	later := readPlainAsOf()
	lock := read.JSON200
	var asOf int64 = lock.AsOf
	expect(fmt.Sprintf("whether %d <= %d <= %d", earlier, asOf, later), earlier <= asOf && asOf <= later, true)
	expect("the holder", *lock.Holders[0].HoldId, hold.HoldId)

	owner := "you"
	refused, err := locks.AcquireLockWithResponse(ctx, key, nil, client.AcquireInput{Owner: &owner})
	check(err)
	expect("the status", refused.StatusCode(), http.StatusConflict)
	problem, err := refused.ApplicationproblemJSON409.ValueByDiscriminator()
	check(err)
	held, isHeld := problem.(client.HeldProblem)
	expect("whether the refusal is that it is held", isHeld, true)
	expect("who holds it", held.Holders[0].Owner, "me")

	reason := "the smoke test"
	freed, err := locks.ForceReleaseLockWithResponse(ctx, key, nil, client.ForceReleaseInput{
		ExpectedVersion: *lock.Version, Reason: &reason,
	})
	check(err)
	expect("the outcome of the force-release", string(freed.JSON200.Outcome), "released")
	late, err := locks.RenewHoldWithResponse(ctx, hold.HoldId, nil, client.RenewInput{})
	check(err)
	expect("the status of the loss", late.StatusCode(), http.StatusGone)
	var lost client.LostProblem = *late.ApplicationproblemJSON410
	expect("the code of the loss", string(lost.Code), "lost")

	again := acquire(locks)
	expect("whether the fence rises", parse(again.Fence) > parse(hold.Fence), true)
	released, err := locks.ReleaseHoldWithResponse(ctx, again.HoldId, nil, client.ReleaseInput{})
	check(err)
	expect("the outcome", string(released.JSON200.Outcome), "released")
	fmt.Println("smoke passed")
}

func acquire(locks *client.ClientWithResponses) client.Hold {
	owner, leaseMs := "me", 60_000
	answer, err := locks.AcquireLockWithResponse(ctx, key, nil, client.AcquireInput{Owner: &owner, LeaseMs: &leaseMs})
	check(err)
	expect("the status of acquiring", answer.StatusCode(), http.StatusCreated)
	return *answer.JSON201
}

// readPlainAsOf reads the value as the server sent it, digit by digit.
func readPlainAsOf() int64 {
	request, err := http.NewRequest("GET", address+"/api/v1/locks/"+url.PathEscape(key), nil)
	check(err)
	check(authorize(ctx, request))
	answer, err := http.DefaultClient.Do(request)
	check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(err)
	found := regexp.MustCompile(`"asOf":(\d{13})[,}]`).FindAllSubmatch(body, -1)
	expect("how often asOf is answered", len(found), 1)
	return parse(string(found[0][1]))
}

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+apiKey)
	return nil
}

func parse(digits string) int64 {
	number, err := strconv.ParseInt(digits, 10, 64)
	check(err)
	return number
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(what string, found, wanted any) {
	if found != wanted {
		panic(fmt.Sprintf("%s: %v instead of %v", what, found, wanted))
	}
}
