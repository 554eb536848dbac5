// Prints the lock events of Lockkeeper as they happen, one line each: id, type and JSON.
//
//	export LOCKKEEPER_URL=http://127.0.0.1:3000 LOCKKEEPER_API_KEY=lk_...
//	go run watchevents.go                                        # all events
//	go run watchevents.go 'key=lock:orders:*&type=expired,gap'   # a filter, as a query string
//
// Reconnects after every failure and resumes after the last event that it printed. A gap or reset line means that
// events were missed; snapshot lines with the held locks follow a reset. Events without an id (printed as -) are not
// replayed after a reconnect. Needs Go 1.22.
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

const silence = 15 * time.Second // the server sends a keep-alive every 5 s

var lastID, pause = "", time.Second

func handle(id, event, data string) {
	if event == "hello" || event == "reset" {
		pause = time.Second // The stream works. Before the first event, resume where the stream began.
		if lastID == "" {
			var begin struct{ Newest string }
			json.Unmarshal([]byte(data), &begin)
			lastID = cmp.Or(begin.Newest, "0-0")
		}
	}
	if event != "" && event != "hello" {
		fmt.Println(cmp.Or(id, "-"), event, data)
	}
	lastID = cmp.Or(id, lastID) // also without an event: the id of one that was sent before it had an id
}

func readStream(url string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	watchdog := time.AfterFunc(silence, cancel)
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("LOCKKEEPER_API_KEY"))
	if lastID != "" {
		request.Header.Set("Last-Event-ID", lastID)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if code := response.StatusCode; code >= 400 && code < 500 && code != 408 && code != 429 {
		problem, _ := io.ReadAll(response.Body)
		log.Fatalf("refused: %s", problem)
	} else if code != 200 {
		return fmt.Errorf("HTTP status %d", code)
	}
	lines := bufio.NewReader(response.Body) // not a Scanner: a line can be longer than 64 KiB
	fields := map[string]string{}
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err // Half a message is dropped, and sent again.
		}
		watchdog.Reset(silence)
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			handle(fields["id"], fields["event"], fields["data"])
			clear(fields)
		} else {
			name, value, _ := strings.Cut(line, ": ")
			fields[name] = value
		}
	}
}

func main() {
	url := os.Getenv("LOCKKEEPER_URL") + "/api/v1/events?" + strings.Join(os.Args[1:], "&")
	for {
		err := readStream(url)
		log.Printf("disconnected (%v), next attempt in %s", err, pause)
		time.Sleep(pause)
		pause = min(pause*2, 30*time.Second)
	}
}
