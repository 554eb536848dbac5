"use client";

import { onlineManager, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { holdPageRequests } from "../api/page-requests.ts";
import { reachability } from "../api/reachability.ts";
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
    const stopFollowing = followReachability(store);
    return () => {
      stopFollowing();
      store.stop();
    };
  }, [store]);
  useEffect(() => holdPageRequests(reachability), []);
  return <LiveContext value={store}>{children}</LiveContext>;
}

/** While the server is unreachable, queries and page requests wait for the stream to find it again. */
function followReachability(store: LiveStore): () => void {
  const follow = () => {
    const { connection } = store.state();
    reachability.set(connection !== "reconnecting" && connection !== "stale");
    onlineManager.setOnline(reachability.isReachable);
  };
  follow();
  const unsubscribe = store.subscribe(follow);
  return () => {
    unsubscribe();
    reachability.set(true);
    onlineManager.setOnline(true);
  };
}
