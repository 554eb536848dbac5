"""Shared by the tests: calls of the API without the package, and a proxy that injects faults."""

import json
import os
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request
import uuid
from base64 import urlsafe_b64encode
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lockkeeper import Client

URL = os.environ["LOCKKEEPER_URL"]
API_KEY = os.environ["LOCKKEEPER_API_KEY"]
WITHIN_S = 30


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.errors = []
        self.key = f"lock:python:{uuid.uuid4()}"
        self.client = Client(URL, API_KEY, on_error=self.errors.append)

    def start_proxy(self):
        proxy = FaultyProxy()
        self.addCleanup(proxy.stop)
        return proxy

    def wait_until(self, condition):
        until = time.monotonic() + WITHIN_S
        while not condition():
            self.assertLess(time.monotonic(), until, "It did not happen in time")
            time.sleep(0.01)


def call(method, path, body=None, headers=None):
    """Returns the status and the JSON of the response."""
    data = None if body is None else json.dumps(body).encode()
    all_headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(f"{URL}/api/v1{path}", data, all_headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=WITHIN_S) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def encode_key(key):
    """Encodes a key as a path segment, in the form that is valid for every key."""
    return "~" + urlsafe_b64encode(key.encode()).decode().rstrip("=")


def read_lock(key):
    return call("GET", f"/locks/{encode_key(key)}")[1]


def count_waiters(key):
    return read_lock(key)["waiters"]["count"] or 0


def force_release(key):
    body = {"expectedVersion": read_lock(key)["version"], "reason": "test"}
    status, result = call("POST", f"/locks/{encode_key(key)}/force-release", body)
    assert status == 200, result


def grant_late(key):
    """Returns a fault: the lock is acquired, but no time is left of its lease."""

    def acquire(body):
        status, value = call("POST", f"/locks/{encode_key(key)}/acquire", body)
        return status, {**value, "remainingMs": 0}

    return acquire


class BlockedRenewal:
    """A fault: the renewal is sent when the test sets ``may_end``."""

    def __init__(self):
        self.started, self.may_end, self.ended = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, body):
        self.started.set()
        self.may_end.wait(WITHIN_S)
        try:
            return call("POST", "/holds/renew", body)
        finally:
            self.ended.set()


def python(program):
    """Returns the command that runs a program with the package under test."""
    return [sys.executable, "-c", program]


class FaultyProxy:
    """Forwards requests to the server. ``faults`` lists the next faults by the last segment of the path.

    ``bad_gateway``, ``not_found``: responds with HTML without forwarding the request. ``lose_response``: forwards
    the request, but responds with HTML. ``drop``: forwards it, but closes the connection. A function gets the JSON of
    the request, and returns the status and the JSON of the response. ``always`` applies when ``faults`` is empty.
    """

    def __init__(self):
        self.faults = {}
        self.always = None
        self.requests = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                proxy.handle(self)

            do_GET = do_PUT = do_POST

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def handle(self, handler):
        verb = handler.path.split("?")[0].rsplit("/", 1)[1]
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        headers = {name: handler.headers[name] for name in ("Idempotency-Key",) if name in handler.headers}
        self.requests.append((verb, handler.headers.get("Idempotency-Key"), body))
        left = self.faults.get(verb, [])
        fault = left.pop(0) if left else self.always
        data = json.loads(body) if body else None
        if callable(fault):
            status, value = fault(data)
            fault = None
        elif fault in (None, "lose_response", "drop"):
            status, value = call(handler.command, handler.path[len("/api/v1") :], data, headers)
        if fault == "drop":
            handler.close_connection = True
            return
        if fault is not None:
            status = 404 if fault == "not_found" else 502
            content, kind = b"<html><body>nginx</body></html>", "text/html"
        else:
            content, kind = json.dumps(value).encode(), "application/json"
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)
