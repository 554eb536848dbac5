/** The page of locks before its first rows. */
export const locks = {
  namespace: "locks" as const,
  title: "Locks",
  search: "Search locks",
  searchHint: "Key, owner or record; key:lock:orders:*  held>5m  waiters>0",
  unreachable: {
    title: "Lockkeeper cannot be reached",
    text: () => (
      <>
        The page is here, its server is not. It tries again every few seconds and goes on by itself. Is{" "}
        <code className="font-mono text-xs">npm start</code> still running?
      </>
    ),
  },
  notifications: {
    off: (delays: { ends: string; newLocks: string } | undefined) => (
      <>
        <span className="font-medium text-warn">Notifications are off in this Redis:</span>{" "}
        {delays === undefined
          ? "changes by other clients appear late. Measuring how late…"
          : `the end of a lock appears within ${delays.ends}, a new lock within ${delays.newLocks} (measured).`}
      </>
    ),
    advice:
      "To see changes at once, run this in Redis, or start Lockkeeper with LOCKKEEPER_NOTIFICATIONS=set.",
    copy: "Copy the command",
  },
};
