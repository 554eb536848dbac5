"use client";

import { type RefObject, useEffect, useMemo, useState } from "react";
import type { LiveWindow } from "@/lib/contract/live.ts";
import { type PinnedLocks, usePinnedLocks } from "@/lib/live/live-cache.ts";
import {
  countChanges,
  type FreezeReason,
  type FrozenList,
  freezeList,
  type RowEnding,
  updateFrozenList,
} from "./frozen-list.ts";

export interface FrozenRows {
  /** The list to show: the live list, or the frozen list if `freezeReason` is not `null`. */
  window: LiveWindow | undefined;
  /** The live list, even while the rows are frozen. */
  latest: LiveWindow | undefined;
  /** How the holds of shown rows ended, by lock path. Contains only rows whose hold has ended. */
  ends: ReadonlyMap<string, RowEnding>;
  paused: boolean;
  /** Why the rows are frozen; `null` if they are live. */
  freezeReason: FreezeReason | null;
  /** Number of rows that were added or whose hold ended since the list was frozen. */
  changes: number;
  toggle(): void;
  resume(): void;
  /** Replaces the frozen rows with the current list. */
  refresh(): void;
}

interface FrozenRowsInput {
  latest: LiveWindow | undefined;
  /** Whether the pointer or the keyboard focus is in the list. */
  isReading: boolean;
  /** Indexes of the first and the last visible row in the whole list. */
  visible: RefObject<readonly [number, number]>;
}

const NO_ENDINGS: ReadonlyMap<string, RowEnding> = new Map();

/**
 * Keeps rows in place while the operator reads the list or has paused it. While the operator reads, each row shows the
 * current hold of its lock. While the list is paused, a row keeps its hold even if another hold has replaced it.
 */
export function useFrozenRows({ latest, isReading, visible }: FrozenRowsInput): FrozenRows {
  const [paused, setPaused] = useState(false);
  const [held, setHeld] = useState<FrozenList | null>(null);
  const pinned = usePinnedLocks();
  const freezeReason = getFreezeReason(paused, isReading);
  const next = nextFrozenList(held, { latest, pinned: pinned, visible, freezeReason: freezeReason });
  if (next !== held) setHeld(next);
  const window = useMemo(() => toShownWindow(next, latest), [next, latest]);
  const ends = useMemo(() => collectEndings(next), [next]);
  return {
    window,
    latest,
    ends,
    paused,
    freezeReason: freezeReason,
    changes: next === null || latest === undefined ? 0 : countChanges(next, latest),
    toggle: () => setPaused(!paused),
    resume() {
      setPaused(false);
      setHeld(null);
    },
    refresh: () => setHeld(latest === undefined ? null : freezeList(latest)),
  };
}

function getFreezeReason(paused: boolean, isReading: boolean): FreezeReason | null {
  if (paused) return "paused";
  return isReading ? "reading" : null;
}

interface FrozenListInput extends Pick<FrozenRowsInput, "latest" | "visible"> {
  pinned: PinnedLocks | undefined;
  freezeReason: FreezeReason | null;
}

function nextFrozenList(
  held: FrozenList | null,
  { latest, pinned, visible, freezeReason }: FrozenListInput,
): FrozenList | null {
  if (freezeReason === null || latest === undefined) return null;
  if (held === null) return freezeList(latest);
  return updateFrozenList(held, {
    latest,
    pinned: pinned,
    visible: visible.current,
    freezeReason: freezeReason,
  });
}

function toShownWindow(held: FrozenList | null, latest: LiveWindow | undefined): LiveWindow | undefined {
  if (held === null || latest === undefined) return latest;
  const { offset, total, rows } = held;
  return { ...latest, offset, total, items: rows.map(({ lock }) => lock) };
}

function collectEndings(held: FrozenList | null): ReadonlyMap<string, RowEnding> {
  const ended = held?.rows.flatMap(({ path, end }) => (end === null ? [] : [[path, end] as const])) ?? [];
  return ended.length === 0 ? NO_ENDINGS : new Map(ended);
}

/** Maximum number of pinned rows; must match the API. */
const PINNED_ROWS_MAX = 200;
const PINNED_CHARACTERS_MAX = 40_000;
/** Delay in ms before rows are pinned. Without the delay, a pointer that only crosses the table would pin rows. */
const PIN_DELAY_MS = 150;

/**
 * Returns the lock paths of the frozen rows to pin, up to 200 paths and 40,000 characters; `undefined` if `held` is
 * `undefined`. The server keeps reporting pinned rows after they leave the window, so the page learns how their holds
 * ended. Changes to `held` take effect after a delay of `PIN_DELAY_MS`.
 */
export function usePinnedPaths(held: readonly string[] | undefined): string[] | undefined {
  const [pinnedPaths, setPinnedPaths] = useState<string[] | undefined>();
  const text = held?.join(" ");
  useEffect(() => {
    const timer = setTimeout(
      () => setPinnedPaths(text === undefined ? undefined : limitPinnedPaths(text)),
      PIN_DELAY_MS,
    );
    return () => clearTimeout(timer);
  }, [text]);
  return pinnedPaths;
}

function limitPinnedPaths(text: string): string[] {
  let characters = 0;
  return text
    .split(" ")
    .slice(0, PINNED_ROWS_MAX)
    .filter((path) => {
      characters += path.length;
      return characters <= PINNED_CHARACTERS_MAX;
    });
}
