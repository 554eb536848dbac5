"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { FinderReport } from "@/lib/contract/finder.ts";
import type { ForceReleased, ForceReleaseInput } from "@/lib/contract/force.ts";
import type { FormatRule, Formats } from "@/lib/contract/format-rule.ts";
import type { RawLock } from "@/lib/contract/raw.ts";
import type { RulesPreview } from "@/lib/contract/rule-preview.ts";
import type { Usual } from "@/lib/contract/stats.ts";
import {
  cancelFinder,
  forceRelease,
  getFinding,
  getFormats,
  getRawLock,
  getUsual,
  login,
  logout,
  previewRules,
  putRules,
  startFinder,
} from "./api.ts";
import { type EventSnapshot, NO_EVENTS } from "./event-log.ts";
import { useLiveStore } from "./live-context.ts";
import { ApiProblem, type Failure, type TargetName } from "./request.ts";
import { FIRST_STATE, type LiveState, type WindowView } from "./store.ts";

export function useLive(): LiveState {
  const store = useLiveStore();
  return useSyncExternalStore(store.subscribe, store.state, () => FIRST_STATE);
}

/** Redis's clock, renewed four times a second. Only components that show a time should ask. */
export function useServerNow(): number | null {
  const { ticker } = useLiveStore();
  return useSyncExternalStore(ticker.subscribe, ticker.read, () => null);
}

/** How long nothing was heard, in whole seconds; null: never heard. */
export function useSilence(): number | null {
  const store = useLiveStore();
  const seconds = () => {
    const ms = store.silenceMs();
    return ms === null ? null : Math.floor(ms / 1000);
  };
  return useSyncExternalStore(store.ticker.subscribe, seconds, () => null);
}

/** The events that the stream has brought. Those of all locks come while somebody mounted wants them. */
export function useEvents(wanted: "all" | "as_they_come" = "as_they_come"): EventSnapshot {
  const store = useLiveStore();
  const { events } = store;
  useEffect(() => (wanted === "all" ? store.showEvents() : undefined), [store, wanted]);
  return useSyncExternalStore(events.subscribe, events.snapshot, () => NO_EVENTS);
}

export function useEventPause(): { pause(): void; resume(): void } {
  const { events } = useLiveStore();
  return { pause: () => events.pause(), resume: () => events.resume() };
}

/** While mounted, the stream carries this window of the list. */
export function useShowWindow({ filter, sort, offset, limit, keep }: WindowView): void {
  const store = useLiveStore();
  useEffect(() => {
    store.showWindow({ filter, sort, offset, limit, ...(keep === undefined ? {} : { keep }) });
  }, [store, filter, sort, offset, limit, keep]);
  useEffect(() => () => store.showWindow(undefined), [store]);
}

/** While mounted, the stream carries the state of this lock. */
export function useShowLock(path: string | undefined): void {
  const store = useLiveStore();
  useEffect(() => (path === undefined ? undefined : store.showLock(path)), [store, path]);
}

export function useForceRelease(path: string) {
  const store = useLiveStore();
  return useMutation<ForceReleased, Failure, ForceReleaseInput>({
    mutationFn: (input) => forceRelease(path, input, store.target),
    onError(error) {
      if (error instanceof ApiProblem && error.status === 401) store.loggedOut();
    },
  });
}

const USUAL_EVERY_MS = 30_000;

/** What is usual for a lock of this name; undefined while it is not known. */
export function useUsual(path: string): Usual | undefined {
  const { target } = useLiveStore();
  const { data } = useQuery<Usual, Failure>({
    queryKey: ["usual", target, path],
    queryFn: () => getUsual(path, target),
    refetchInterval: USUAL_EVERY_MS,
  });
  return data;
}

const RAW_EVERY_MS = 3000;

/** A lock as it stands in Redis, looked at again and again. */
export function useRawLock(path: string) {
  const { target } = useLiveStore();
  return useQuery<RawLock, Failure>({
    queryKey: ["raw", target, path],
    queryFn: () => getRawLock(path, target),
    refetchInterval: RAW_EVERY_MS,
    retry: false,
  });
}

const formatsKey = (target: TargetName) => ["formats", target];

/** The formats that are known, and the rules. */
export function useFormats() {
  const { target } = useLiveStore();
  return useQuery<Formats, Failure>({
    queryKey: formatsKey(target),
    queryFn: () => getFormats(target),
  });
}

/** Takes the place of all rules but those of the configuration. */
export function useReplaceRules() {
  const client = useQueryClient();
  const { target } = useLiveStore();
  return useMutation<Formats, Failure, readonly FormatRule[]>({
    mutationFn: (rules) => putRules(rules, target),
    onSuccess: (formats) => client.setQueryData(formatsKey(target), formats),
  });
}

/** What rules would change; nothing is changed by asking. */
export function usePreviewRules() {
  const { target } = useLiveStore();
  return useMutation<RulesPreview, Failure, readonly FormatRule[]>({
    mutationFn: (rules) => previewRules(rules, target),
  });
}

const findingKey = (target: TargetName) => ["finding", target];

/** How far the finder is, looked at again and again while it runs. */
export function useFinding() {
  const { target } = useLiveStore();
  return useQuery<FinderReport, Failure>({
    queryKey: findingKey(target),
    queryFn: () => getFinding(target),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? 1000 : false),
  });
}

/** Starts the finder, or stops it. */
export function useFinder(what: "start" | "cancel") {
  const client = useQueryClient();
  const { target } = useLiveStore();
  return useMutation<FinderReport, Failure, void>({
    mutationFn: () => (what === "start" ? startFinder(target) : cancelFinder(target)),
    onSuccess: (finding) => client.setQueryData(findingKey(target), finding),
  });
}

export function useLogout() {
  const store = useLiveStore();
  return useMutation({ mutationFn: logout, onSuccess: () => store.loggedOut() });
}

export function useLogin() {
  return useMutation({ mutationFn: login });
}
