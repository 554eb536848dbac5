"use client";

import { useState } from "react";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { logout } from "../../api/session-endpoints.ts";

export interface Logout {
  /** Whether the last attempt failed, so that the session is still active. */
  readonly isFailed: boolean;
  run(): void;
}

/**
 * Returns a function that ends the session. Does not use `useMutation`, to keep its code out of the first load of a
 * page.
 */
export function useLogout(): Logout {
  const store = useLiveStore();
  const [isFailed, setFailed] = useState(false);
  return {
    isFailed,
    run() {
      setFailed(false);
      logout().then(
        () => store.markLoggedOut(),
        () => setFailed(true),
      );
    },
  };
}
