import os


def do_work(hold):
    environment = os.environ
    if environment["WORK"] == "child":
        return hold.run(["bash", environment["CHILD_SCRIPT"]])
    log = os.open(environment["LOG_FILE"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    ends_at = time.monotonic() + int(environment["WORK_MS"]) / 1000
    while time.monotonic() < ends_at:
        hold.check()
        os.write(log, f"{environment['COPY']} {time.time_ns() // 1_000_000} {hold.fence}\n".encode())
        time.sleep(0.1)
    if environment["END"] == "throw":
        raise RuntimeError("the work failed")
    return 3 if environment["END"] == "exit3" else 0


exit_on_signals()
try:
    lease_s, wait_s = (int(os.environ[name]) / 1000 for name in ("LEASE_MS", "WAIT_MS"))
    with Client().lock(os.environ["KEY"], lease_s=lease_s, wait_s=wait_s) as hold:
        status = do_work(hold)
except LockHeld as error:
    print(f"not acquired: {error}", file=sys.stderr)
    status = 75
except LockLost as error:
    print(error, file=sys.stderr)
    status = 76
sys.exit(status)
