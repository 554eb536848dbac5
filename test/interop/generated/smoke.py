"""What an app does first with the client that was generated for it."""

import os
import re
import sys
from urllib.parse import quote
from uuid import uuid4

import httpx
from lockkeeper_client import AuthenticatedClient
from lockkeeper_client.api.holds import acquire_lock, get_hold, release_hold, renew_hold
from lockkeeper_client.api.locks import force_release_lock, get_lock
from lockkeeper_client.models import (
    AcquireInput,
    ForceReleased,
    ForceReleaseInput,
    HeldProblem,
    Hold,
    HoldStatus,
    Lock,
    LostProblem,
    Released,
    ReleaseInput,
    RenewInput,
)

URL = sys.argv[1]
API_KEY = os.environ["LOCKKEEPER_API_KEY"]
# A key that must be encoded, and only once.
KEY = f"lock:generated/{uuid4()} é%2F"


def main() -> None:
    client = AuthenticatedClient(base_url=URL, token=API_KEY)
    hold = acquire(client)
    expect("the key", hold.key, KEY)
    renewed = renew_hold.sync(hold.hold_id, client=client, body=RenewInput())
    assert isinstance(renewed, Hold), renewed
    expect("the fence of a renewal", renewed.fence, hold.fence)
    status = get_hold.sync(hold.hold_id, client=client)
    assert isinstance(status, HoldStatus), status
    expect("whether it is held", status.held, True)

    earlier = read_plain_as_of()
    lock = get_lock.sync(KEY, client=client)
    later = read_plain_as_of()
    assert isinstance(lock, Lock), lock
    as_of: int = lock.as_of
    expect("the type of asOf", type(as_of), int)
    expect(f"whether {earlier} <= {as_of} <= {later}", earlier <= as_of <= later, True)
    expect("the holder", lock.holders[0].hold_id, hold.hold_id)

    # The class says which facts there are.
    refused = acquire_lock.sync_detailed(KEY, client=client, body=AcquireInput(owner="you"))
    expect("the status", refused.status_code, 409)
    assert isinstance(refused.parsed, HeldProblem), refused
    expect("who holds it", refused.parsed.holders[0].owner, "me")

    assert isinstance(lock.version, str), lock.version
    forced = ForceReleaseInput(expected_version=lock.version, reason="the smoke test")
    freed = force_release_lock.sync(KEY, client=client, body=forced)
    assert isinstance(freed, ForceReleased), freed
    expect("the outcome of the force-release", freed.outcome, "released")
    lost = renew_hold.sync_detailed(hold.hold_id, client=client, body=RenewInput())
    expect("the status of the loss", lost.status_code, 410)
    assert isinstance(lost.parsed, LostProblem), lost
    expect("the code of the loss", lost.parsed.code, "lost")

    again = acquire(client)
    expect("whether the fence rises", int(again.fence) > int(hold.fence), True)
    released = release_hold.sync(again.hold_id, client=client, body=ReleaseInput())
    assert isinstance(released, Released), released
    expect("the outcome", released.outcome, "released")
    print("smoke passed")


def acquire(client: AuthenticatedClient) -> Hold:
    hold = acquire_lock.sync(KEY, client=client, body=AcquireInput(owner="me", lease_ms=60_000))
    assert isinstance(hold, Hold), hold
    return hold


def read_plain_as_of() -> int:
    """Reads what the server sent, digit by digit."""
    headers = {"Authorization": f"Bearer {API_KEY}"}
    answer = httpx.get(f"{URL}/api/v1/locks/{quote(KEY, safe='')}", headers=headers)
    [digits] = re.findall(r'"asOf":(\d{13})[,}]', answer.text)
    return int(digits)


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise SystemExit(f"{what}: {found} instead of {wanted}")


main()
