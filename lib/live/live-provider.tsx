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

/** Provides the live state of one target to all components below. To change the target, mount a new provider. */
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

/** Makes queries and page requests wait while the server is unreachable. Returns a function that ends this. */
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
