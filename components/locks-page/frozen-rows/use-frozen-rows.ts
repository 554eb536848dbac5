"use client";

import { type RefObject, useEffect, useMemo, useState } from "react";
import type { LiveWindow } from "@/lib/contract/live.ts";
import { type Kept, useKept } from "@/lib/live/live-cache.ts";
import {
  changesSince,
  type HeldList,
  heldAfter,
  heldFrom,
  type RowEnd,
  type Stillness,
} from "./frozen-list.ts";

export interface Pausable {
  /** What to show: as it is, or in the order in which it is held. */
  window: LiveWindow | undefined;
  /** As it is, whatever is shown. */
  latest: LiveWindow | undefined;
  /** By path: rows that are shown and have ended. */
  ends: ReadonlyMap<string, RowEnd>;
  paused: boolean;
  /** null: it goes on as it comes. */
  stillness: Stillness | null;
  /** Rows that have come and gone since. */
  changes: number;
  toggle(): void;
  resume(): void;
  /** The list as it is now; it stands still from there. */
  takeAnew(): void;
}

interface Reading {
  latest: LiveWindow | undefined;
  /** Somebody is in the list, with the pointer or the keyboard. */
  isReading: boolean;
  /** The places on screen. */
  visible: RefObject<readonly [number, number]>;
}

const NO_ENDS: ReadonlyMap<string, RowEnd> = new Map();

/** Rows do not move while they are read: the order holds still while somebody is in the list, all of it while paused. */
export function usePausable({ latest, isReading, visible }: Reading): Pausable {
  const [paused, setPaused] = useState(false);
  const [held, setHeld] = useState<HeldList | null>(null);
  const kept = useKept();
  const stillness = stillnessOf(paused, isReading);
  const next = listAfter(held, { latest, kept, visible, stillness });
  if (next !== held) setHeld(next);
  const window = useMemo(() => shownOf(next, latest), [next, latest]);
  const ends = useMemo(() => endsOf(next), [next]);
  return {
    window,
    latest,
    ends,
    paused,
    stillness,
    changes: next === null || latest === undefined ? 0 : changesSince(next, latest),
    toggle: () => setPaused(!paused),
    resume() {
      setPaused(false);
      setHeld(null);
    },
    takeAnew: () => setHeld(latest === undefined ? null : heldFrom(latest)),
  };
}

function stillnessOf(paused: boolean, isReading: boolean): Stillness | null {
  if (paused) return "paused";
  return isReading ? "reading" : null;
}

interface ListNews extends Pick<Reading, "latest" | "visible"> {
  kept: Kept | undefined;
  stillness: Stillness | null;
}

function listAfter(held: HeldList | null, { latest, kept, visible, stillness }: ListNews): HeldList | null {
  if (stillness === null || latest === undefined) return null;
  if (held === null) return heldFrom(latest);
  return heldAfter(held, { latest, kept, visible: visible.current, stillness });
}

function shownOf(held: HeldList | null, latest: LiveWindow | undefined): LiveWindow | undefined {
  if (held === null || latest === undefined) return latest;
  const { offset, total, rows } = held;
  return { ...latest, offset, total, items: rows.map(({ lock }) => lock) };
}

function endsOf(held: HeldList | null): ReadonlyMap<string, RowEnd> {
  const ended = held?.rows.flatMap(({ path, end }) => (end === null ? [] : [[path, end] as const])) ?? [];
  return ended.length === 0 ? NO_ENDS : new Map(ended);
}

/** As many as one question may name, and no more than fits into it. */
const KEEP_MAX = 200;
const KEEP_CHARACTERS_MAX = 40_000;
/** Who only passes over the table keeps nothing. */
const KEEP_AFTER_MS = 150;

/** The paths of the rows that are held: what becomes of them is asked for wherever they stand. */
export function useKeep(held: readonly string[] | undefined): string[] | undefined {
  const [keep, setKeep] = useState<string[] | undefined>();
  const text = held?.join(" ");
  useEffect(() => {
    const timer = setTimeout(() => setKeep(text === undefined ? undefined : keepOf(text)), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return keep;
}

function keepOf(text: string): string[] {
  let characters = 0;
  return text
    .split(" ")
    .slice(0, KEEP_MAX)
    .filter((path) => {
      characters += path.length;
      return characters <= KEEP_CHARACTERS_MAX;
    });
}
