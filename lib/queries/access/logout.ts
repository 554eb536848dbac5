"use client";

import { useState } from "react";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { logout } from "../../api/session-endpoints.ts";

export interface Logout {
  /** Whether the session is still valid because the last attempt failed. */
  readonly isFailed: boolean;
  run(): void;
}

/** Ends the session. Does not use `useMutation`, which nothing else in the first load needs. */
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
