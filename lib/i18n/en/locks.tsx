/** Messages for the locks page that are needed before the first rows are loaded. */
export const locks = {
  namespace: "locks" as const,
  title: "Locks",
  search: "Search locks",
  searchHint: "Key, owner, record, or a filter: key:lock:orders:*  held>5m  waiters>0",
  unreachable: {
    title: "Cannot reach Lockkeeper",
    text: () => (
      <>
        The server is not responding. This page retries every few seconds. Check that{" "}
        <code className="font-mono text-xs">npm start</code> is still running.
      </>
    ),
  },
  notifications: {
    off: (delays: { ends: string; newLocks: string } | undefined) => (
      <>
        <span className="font-medium text-warn">Keyspace notifications are off in this Redis:</span>{" "}
        {delays === undefined
          ? "changes by other clients appear late. Measuring the delay…"
          : `ended locks appear within ${delays.ends}, new locks within ${delays.newLocks} (measured).`}
      </>
    ),
    advice:
      "To see changes immediately, run this command in Redis or start Lockkeeper with LOCKKEEPER_NOTIFICATIONS=set.",
    copy: "Copy command",
  },
};
