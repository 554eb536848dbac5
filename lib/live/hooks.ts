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

/** Redis's clock, renewed four times a second. Only components that show a time should ask. */
export function useServerNow(): number | null {
  const { ticker } = useLiveStore();
  return useSyncExternalStore(ticker.subscribe, ticker.read, () => null);
}

/** How long nothing was heard, in whole seconds; null: never heard. */
export function useSecondsSinceMessage(): number | null {
  const store = useLiveStore();
  const seconds = () => {
    const ms = store.getMsSinceMessage();
    return ms === null ? null : Math.floor(ms / 1000);
  };
  return useSyncExternalStore(store.ticker.subscribe, seconds, () => null);
}

/** The events that the stream has brought. Those of all locks come while somebody mounted wants them. */
export function useEvents(wanted: "all" | "as_they_come" = "as_they_come"): EventSnapshot {
  const store = useLiveStore();
  const { events } = store;
  useEffect(() => (wanted === "all" ? store.subscribeEvents() : undefined), [store, wanted]);
  return useSyncExternalStore(events.subscribe, events.snapshot, () => NO_EVENTS);
}

export function useEventPause(): { pause(): void; resume(): void } {
  const { events } = useLiveStore();
  return { pause: () => events.pause(), resume: () => events.resume() };
}

/** While mounted, the stream carries this window of the list. */
export function useWindowSubscription({ filter, sort, offset, limit, keep }: WindowView): void {
  const store = useLiveStore();
  useEffect(() => {
    store.subscribeWindow({ filter, sort, offset, limit, ...(keep === undefined ? {} : { keep }) });
  }, [store, filter, sort, offset, limit, keep]);
  useEffect(() => () => store.subscribeWindow(undefined), [store]);
}

/** Every number of all locks, of one moment; undefined: none has come yet. */
export function useCounts(): CountSnapshot | undefined {
  const store = useLiveStore();
  return useSyncExternalStore(store.onCounts, store.counts, () => undefined);
}

/** While mounted, the stream counts the matches of these filters. */
export function useFilterCountSubscription(filters: readonly string[]): void {
  const store = useLiveStore();
  const text = JSON.stringify(filters);
  useEffect(() => store.subscribeCounts({ counts: JSON.parse(text) as string[] }), [store, text]);
}

/** While mounted, the stream counts the namespaces below this prefix. */
export function useNamespaceCountSubscription(prefix: string): void {
  const store = useLiveStore();
  useEffect(() => store.subscribeCounts({ namespaces: [prefix] }), [store, prefix]);
}

/** While mounted, the stream carries the state of this lock. */
export function useLockSubscription(path: string | undefined): void {
  const store = useLiveStore();
  useEffect(() => (path === undefined ? undefined : store.subscribeLock(path)), [store, path]);
}
