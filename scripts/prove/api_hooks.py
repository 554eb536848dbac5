"""Hooks for schemathesis: add credentials, and direct every other request to existing resources to avoid 404, 409 and 401."""

import itertools
import json
import os
from urllib.parse import quote

import jsonschema_rs
import requests
import schemathesis

SEEDS_FILE = os.environ["PROVE_API_SEEDS"]
# Waiting for a lock tests nothing.
WAIT_MS_MAX = 200
# One in this many requests is sent without credentials.
ANONYMOUS_EVERY = 50
OF_SESSIONS = ("/logout", "/session", "/browser-sessions", "/browser-sessions/{id}")
LINES = "application/x-ndjson"
turns = itertools.count()
session = requests.Session()


@schemathesis.hook
def before_call(context, case, kwargs):
    turn = next(turns)
    with open(SEEDS_FILE, encoding="utf-8") as file:
        seeds = json.load(file)
    if isinstance(case.body, dict) and isinstance(case.body.get("waitMs"), int):
        case.body["waitMs"] = min(case.body["waitMs"], WAIT_MS_MAX)
    is_seeded = turn % 2 == 1
    if is_seeded:
        use_path_seeds(case, seeds, turn // 2)
        use_body_seeds(case, seeds)
    case.headers = {**dict(case.headers or {}), **find_credentials(case, seeds, turn, is_seeded)}


def find_credentials(case, seeds, turn, is_seeded):
    if turn % ANONYMOUS_EVERY == 0:
        return {}
    if is_seeded and case.operation.path.endswith(OF_SESSIONS):
        return {"Cookie": seeds["cookie"], "Origin": seeds["url"], "Sec-Fetch-Site": "same-origin"}
    return {"Authorization": f"Bearer {seeds['apiKey']}"}


def use_path_seeds(case, seeds, turn):
    path, parameters = case.operation.path, case.path_parameters
    known = {
        "key": seeds["keys"][turn % len(seeds["keys"])],
        "holdId": seeds["holdIds"][turn % len(seeds["holdIds"])],
        "target": "default",
        "id": find_id(path, seeds),
    }
    if path.endswith("/reserve"):
        # Only locks that are not held can be reserved.
        known["key"] = f"lock:free:{turn}"
    for name in list(parameters or {}):
        if known.get(name) is not None:
            parameters[name] = known[name]


def find_id(path, seeds):
    if "/operators/" in path:
        return seeds["operator"]["name"]
    if "/keys/" in path:
        return seeds["apiKeyId"]
    if "/browser-sessions/" in path:
        return seeds["sessionId"]
    if "/live/" in path:
        return seeds["liveStreamId"]
    return None


def use_body_seeds(case, seeds):
    body, path = case.body, case.operation.path
    if not isinstance(body, dict):
        return
    if path.endswith("/login"):
        case.body = {"name": seeds["operator"]["name"], "password": seeds["operator"]["password"]}
    elif path.endswith("/password"):
        case.body = {**body, "password": seeds["operator"]["password"]}
    elif path.endswith("/locks/force-release"):
        items = [{"key": key, **describe_lock(seeds, key)} for key in seeds["keys"]]
        case.body = {**body, "items": items, "reason": "generated"}
    elif "expectedVersion" in body:
        body.update(describe_lock(seeds, case.path_parameters["key"]))
        if "force-release" in path:
            body["reason"] = "generated"


def describe_lock(seeds, key):
    """Adds the version of the current hold, which changes require."""
    headers = {"Authorization": f"Bearer {seeds['apiKey']}"}
    answer = session.get(f"{seeds['url']}/api/v1/locks/{quote(key, safe='')}", headers=headers, timeout=10)
    lock = answer.json()
    release = lock.get("release") or {}
    formats = release.get("formats") if release.get("may") == "with_format" else None
    return {
        "expectedVersion": lock.get("version") or "none",
        **({"format": formats[0]} if formats else {}),
    }


@schemathesis.check
def lines_conform(ctx, response, case):
    """Validates each line of a stream against its schema, which schemathesis does not do."""
    if LINES not in "".join(response.headers.get("content-type", [])):
        return
    document = case.operation.schema.raw_schema
    operation = document["paths"][case.operation.path][case.operation.method.lower()]
    schema = operation["responses"][str(response.status_code)]["content"][LINES]["schema"]
    validator = jsonschema_rs.validator_for({**schema, "components": document["components"]})
    for line in response.content.splitlines():
        fault = next(validator.iter_errors(json.loads(line)), None)
        assert fault is None, f"{fault}\n{line.decode()}"
