"""The protocol of a peer of the interop run: `id verb argument ...` lines, answered with `id {json}` lines."""

import json
import sys
import threading
import time

writing = threading.Lock()


def now_ms():
    return int(time.time() * 1000)


def answer(request_id, what):
    with writing:
        print(request_id, json.dumps(what), flush=True)


def carry_out(verbs, request_id, verb, words):
    try:
        answer(request_id, verbs[verb](*words))
    except Exception as fault:
        answer(request_id, {"error": repr(fault)})


def serve(verbs):
    """Runs each request in a separate thread."""
    answer("ready", {})
    for line in sys.stdin:
        request_id, verb, *words = line.split()
        threading.Thread(target=carry_out, args=(verbs, request_id, verb, words), daemon=True).start()
