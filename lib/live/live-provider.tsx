"use client";

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { TargetName } from "../api/request.ts";
import { createBrowserPorts } from "./browser-ports.ts";
import { EventLog } from "./event-log.ts";
import { createLiveCache } from "./live-cache.ts";
import { LiveContext } from "./live-context.ts";
import { LiveStore } from "./live-store.ts";

/** All below is about one target; for another one it has to be mounted anew. */
export function LiveProvider({ target, children }: { target: TargetName; children: ReactNode }) {
  const client = useQueryClient();
  const [store] = useState(
    () =>
      new LiveStore(
        createBrowserPorts(target),
        createLiveCache(client, target),
        () => performance.now(),
        new EventLog(),
        target,
      ),
  );
  useEffect(() => {
    store.start();
    return () => store.stop();
  }, [store]);
  return <LiveContext value={store}>{children}</LiveContext>;
}
