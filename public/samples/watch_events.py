"""Prints the lock events of Lockkeeper as they happen, one line each: id, type and JSON.

    export LOCKKEEPER_URL=http://127.0.0.1:3000 LOCKKEEPER_API_KEY=lk_...
    python3 watch_events.py                                        # all events
    python3 watch_events.py 'key=lock:orders:*&type=expired,gap'   # a filter, as a query string

Reconnects after every failure and resumes after the last event that it printed. A `gap` or `reset` line means that
events were missed; `snapshot` lines with the held locks follow a `reset`. Events without an id (printed as `-`) are
not replayed after a reconnect. Needs Python 3.9.
"""
import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ["LOCKKEEPER_URL"] + "/api/v1/events?" + "".join(sys.argv[1:2])
SILENCE_S = 15  # the server sends a keep-alive every 5 s
last_id = ""
pause_s = 1


def handle_message(id="", event="", data="", **_):
    global last_id, pause_s
    if event in ("hello", "reset"):
        pause_s = 1  # The stream works. Before the first event, resume where the stream began.
        if not last_id:
            last_id = json.loads(data)["newest"] or "0-0"
    if event and event != "hello":
        print(id or "-", event, data, flush=True)
    last_id = id or last_id  # also without an event: the id of one that was sent before it had an id


def read_stream():
    headers = {"Authorization": "Bearer " + os.environ["LOCKKEEPER_API_KEY"]}
    if last_id:
        headers["Last-Event-ID"] = last_id
    with urllib.request.urlopen(urllib.request.Request(URL, headers=headers), timeout=SILENCE_S) as response:
        fields = {}
        for line in response:
            text = line.decode().rstrip("\r\n")
            if text:
                name, _, value = text.partition(": ")
                fields[name] = value
            else:  # An empty line completes a message. Half a message is dropped, and sent again.
                handle_message(**fields)
                fields = {}


while True:
    reason = "the stream ended"
    try:
        read_stream()
    except urllib.error.HTTPError as error:
        reason = str(error)
        if 400 <= error.code < 500 and error.code not in (408, 429):
            sys.exit("watch_events: refused: " + error.read().decode())
    except Exception as error:  # no answer, silence, or another page instead of the stream
        reason = repr(error)
    print(f"watch_events: disconnected ({reason}), next attempt in {pause_s} s", file=sys.stderr, flush=True)
    time.sleep(pause_s)
    pause_s = min(pause_s * 2, 30)
