import type { Health } from "@/lib/contract/live.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import type { UnitMessages } from "../ui/format-duration.ts";
import { formatLag } from "./connection.ts";

type ShellMessages = Messages["shell"];

/**
 * Describes how complete the index is. Returns a line about the last scan and, if applicable, lines about a running
 * scan, missed changes, omitted locks, unreadable keys and oversized keys.
 */
export function describeCompleteness(health: Health, messages: ShellMessages, units: UnitMessages): string[] {
  const { now, scannedAt, scanMs, scan, missed, leftOut, unreadableKeys, oversizedKeys } = health;
  // Oversized keys are not locks, so they are reported separately.
  const unreadable = (unreadableKeys?.count ?? 0) - (unreadableKeys?.byReason.too_large ?? 0);
  const changes = missed.found + missed.gone + missed.changed;
  return [
    scannedAt === null || scanMs === null
      ? messages.neverScanned
      : messages.scanned(formatAge(now - scannedAt, units), formatLag(scanMs, messages, units)),
    scan === undefined ? null : formatScanProgress(scan, messages, units),
    changes === 0 || missed.lastAt === null
      ? null
      : messages.missedChanges(changes, formatAge(now - missed.lastAt, units)),
    leftOut === undefined ? null : messages.omittedLocks(leftOut),
    unreadable === 0 ? null : messages.unreadable(unreadable),
    oversizedKeys === undefined ? null : messages.oversizedKeys(oversizedKeys),
  ].filter((line) => line !== null);
}

function formatScanProgress(
  { scanned, keys, ms }: NonNullable<Health["scan"]>,
  messages: ShellMessages,
  units: UnitMessages,
): string {
  const all = keys === null ? null : keys.toLocaleString("en");
  return messages.scanning(scanned.toLocaleString("en"), all, formatLag(ms, messages, units));
}

function formatAge(ms: number, { units }: UnitMessages): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} ${units.s}`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} ${units.m}`;
  return `${Math.round(seconds / 3600)} ${units.h}`;
}
