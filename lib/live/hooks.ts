"use client";

import { useEffect, useSyncExternalStore } from "react";
import { type EventSnapshot, NO_EVENTS } from "./event-log.ts";
import { useLiveStore } from "./live-context.ts";
import { INITIAL_LIVE_STATE, type LiveState, type WindowView } from "./live-store.ts";
import type { CountSnapshot } from "./view-counts.ts";

export function useLiveState(): LiveState {
  const store = useLiveStore();
  return useSyncExternalStore(store.subscribe, store.state, () => INITIAL_LIVE_STATE);
}

/**
 * Returns the time on the Redis clock in Unix milliseconds; `null` until known. Updated four times a second, so use
 * this hook only in components that show a time.
 */
export function useServerNow(): number | null {
  const { ticker } = useLiveStore();
  return useSyncExternalStore(ticker.subscribe, ticker.read, () => null);
}

/** Returns the whole seconds since the last message from the stream; `null` before the first message. */
export function useSecondsSinceMessage(): number | null {
  const store = useLiveStore();
  const seconds = () => {
    const ms = store.getMsSinceMessage();
    return ms === null ? null : Math.floor(ms / 1000);
  };
  return useSyncExternalStore(store.ticker.subscribe, seconds, () => null);
}

/**
 * Returns the latest events from the stream. The stream contains the events of all locks only while at least one
 * mounted component passes `all`.
 */
export function useEvents(wanted: "all" | "subscribed_only" = "subscribed_only"): EventSnapshot {
  const store = useLiveStore();
  const { events } = store;
  useEffect(() => (wanted === "all" ? store.subscribeEvents() : undefined), [store, wanted]);
  return useSyncExternalStore(events.subscribe, events.snapshot, () => NO_EVENTS);
}

export function useEventPause(): { pause(): void; resume(): void } {
  const { events } = useLiveStore();
  return { pause: () => events.pause(), resume: () => events.resume() };
}

/** Subscribes to a window of the list of locks while the component is mounted. Replaces any earlier window. */
export function useWindowSubscription({ filter, sort, offset, limit, keep }: WindowView): void {
  const store = useLiveStore();
  useEffect(() => {
    store.subscribeWindow({ filter, sort, offset, limit, ...(keep === undefined ? {} : { keep }) });
  }, [store, filter, sort, offset, limit, keep]);
  useEffect(() => () => store.subscribeWindow(undefined), [store]);
}

/** Returns the latest counts, all from the same point in time; `undefined` until the first counts arrive. */
export function useCounts(): CountSnapshot | undefined {
  const store = useLiveStore();
  return useSyncExternalStore(store.onCounts, store.counts, () => undefined);
}

/** Subscribes to the number of matching locks for each filter while the component is mounted. */
export function useFilterCountSubscription(filters: readonly string[]): void {
  const store = useLiveStore();
  const text = JSON.stringify(filters);
  useEffect(() => store.subscribeCounts({ counts: JSON.parse(text) as string[] }), [store, text]);
}

/** Subscribes to the counts of the namespaces below the prefix while the component is mounted. */
export function useNamespaceCountSubscription(prefix: string): void {
  const store = useLiveStore();
  useEffect(() => store.subscribeCounts({ namespaces: [prefix] }), [store, prefix]);
}

/**
 * Subscribes to the state of a lock while the component is mounted.
 *
 * @param path the key as a path segment; `undefined` for no subscription
 */
export function useLockSubscription(path: string | undefined): void {
  const store = useLiveStore();
  useEffect(() => (path === undefined ? undefined : store.subscribeLock(path)), [store, path]);
}
