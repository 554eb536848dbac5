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
    off: () => (
      <>
        <span className="font-medium text-warn">Notifications are off in this Redis:</span> changes by others
        are found by looking again, so they show later.
      </>
    ),
    advice: "To see them at once, run this in Redis, or start Lockkeeper with LOCKKEEPER_NOTIFICATIONS=set.",
    copy: "Copy the command",
  },
};
