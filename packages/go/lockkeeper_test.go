package lockkeeper_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockkeeper/lockkeeper/packages/go"
)

// proxy forwards requests to the server that LOCKKEEPER_URL names, and damages chosen ones.
type proxy struct {
	*httptest.Server
	mu    sync.Mutex
	fault func(verb string) string // "", bad_gateway, lose_response, hang, close or delay
	verbs []string
	// bodies has the last request body of each verb.
	bodies map[string]string
}

func startProxy(t *testing.T) *proxy {
	t.Helper()
	origin := os.Getenv("LOCKKEEPER_URL")
	if origin == "" {
		t.Skip("LOCKKEEPER_URL and LOCKKEEPER_API_KEY are not set; `npm run interop -- --only \"Go module\"` sets them")
	}
	p := &proxy{fault: func(string) string { return "" }, bodies: map[string]string{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		verb := path.Base(r.URL.Path)
		p.mu.Lock()
		p.verbs = append(p.verbs, verb)
		fault := p.fault(verb)
		p.mu.Unlock()
		content, _ := io.ReadAll(r.Body) // a server notices a disconnect only after it has read the body
		p.mu.Lock()
		p.bodies[verb] = string(content)
		p.mu.Unlock()
		switch fault {
		case "hang":
			<-r.Context().Done()
			return
		case "close":
			panic(http.ErrAbortHandler)
		}
		status, header, body := http.StatusBadGateway, http.Header{}, []byte("<html>502 Bad Gateway</html>")
		if fault != "bad_gateway" {
			// Does not use the request's context, because a proxy may forward a request that its client has abandoned.
			sent, _ := http.NewRequest(r.Method, origin+r.URL.RequestURI(), bytes.NewReader(content))
			sent.Header = r.Header.Clone()
			response, err := http.DefaultClient.Do(sent)
			if err == nil && fault != "lose_response" {
				status, header = response.StatusCode, response.Header
				body, _ = io.ReadAll(response.Body)
			}
			if err == nil {
				response.Body.Close()
			}
		}
		if fault == "delay" {
			<-r.Context().Done()
			return
		}
		for _, name := range []string{"Content-Type", "Retry-After"} {
			w.Header()[name] = header[name]
		}
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) set(fault func(verb string) string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = fault
}

// setOnce damages the first request of a verb.
func (p *proxy) setOnce(verb, fault string) {
	isDone := false
	p.set(func(asked string) string {
		if asked != verb || isDone {
			return ""
		}
		isDone = true
		return fault
	})
}

func (p *proxy) count(verb string) (count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, each := range p.verbs {
		if each == verb {
			count++
		}
	}
	return count
}

func (p *proxy) lastBody(verb string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bodies[verb]
}

func newClient(t *testing.T) (*lockkeeper.Client, *proxy) {
	p := startProxy(t)
	return &lockkeeper.Client{URL: p.URL, APIKey: os.Getenv("LOCKKEEPER_API_KEY")}, p
}

var counter struct {
	sync.Mutex
	value int
}

func newLockKey(t *testing.T) string {
	counter.Lock()
	defer counter.Unlock()
	counter.value++
	return fmt.Sprintf("lock:go:%s:%d:%d", strings.ReplaceAll(t.Name(), "/", ":"), time.Now().UnixNano(), counter.value)
}

// call sends a request as an operator.
func call(t *testing.T, method, path string, body any) map[string]any {
	t.Helper()
	content, _ := json.Marshal(body)
	if body == nil {
		content = nil
	}
	request, _ := http.NewRequest(method, os.Getenv("LOCKKEEPER_URL")+"/api/v1"+path, bytes.NewReader(content))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("LOCKKEEPER_API_KEY"))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	reply := map[string]any{}
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s: %d %v %v", path, response.StatusCode, reply, err)
	}
	return reply
}

func readLock(t *testing.T, key string) map[string]any {
	t.Helper()
	return call(t, http.MethodGet, "/locks/"+url.PathEscape(key), nil)
}

func actOnLock(t *testing.T, key, verb string) {
	t.Helper()
	body := map[string]any{"expectedVersion": readLock(t, key)["version"], "reason": "test"}
	call(t, http.MethodPost, "/locks/"+url.PathEscape(key)+"/"+verb, body)
}

func expectState(t *testing.T, key, state string) {
	t.Helper()
	if lock := readLock(t, key); lock["state"] != state {
		t.Errorf("%s is %v, expected %s", key, lock["state"], state)
	}
}

func expectError(t *testing.T, err, expected error) {
	t.Helper()
	if !errors.Is(err, expected) {
		t.Errorf("the error is %v, expected %v", err, expected)
	}
}

func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("did not happen within 10 s: %s", what)
		}
	}
}

var background = context.Background()
