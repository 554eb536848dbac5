"use client";

import { useState } from "react";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { logout } from "../../api/session-endpoints.ts";

export interface Logout {
  /** Whether the last call to `run` failed, so that the session may still be active. */
  readonly isFailed: boolean;
  run(): void;
}

/**
 * Returns `run`, which ends the session, and `isFailed`, which reports whether the last call failed. Does not use
 * `useMutation`, to keep the code of `useMutation` out of the first load of a page.
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
