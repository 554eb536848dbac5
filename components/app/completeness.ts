import type { Health } from "@/lib/contract/live.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";

type ShellMessages = Messages["shell"];

/**
 * Describes how complete the index is. Returns a line about the last scan and, if applicable, lines about a running
 * scan, missed changes, omitted locks, unreadable keys and oversized keys.
 */
export function describeCompleteness(health: Health, messages: ShellMessages): string[] {
  const { now, scannedAt, scanMs, scan, missed, leftOut, unreadableKeys, oversizedKeys } = health;
  // Oversized keys are not locks, so they are reported separately.
  const unreadable = (unreadableKeys?.count ?? 0) - (unreadableKeys?.byReason.too_large ?? 0);
  const changes = missed.found + missed.gone + missed.changed;
  return [
    scannedAt === null || scanMs === null
      ? messages.neverScanned
      : messages.scanned(formatAge(now - scannedAt), messages.briefDuration(scanMs)),
    scan === undefined ? null : formatScanProgress(scan, messages),
    changes === 0 || missed.lastAt === null
      ? null
      : messages.missedChanges(changes, formatAge(now - missed.lastAt)),
    leftOut === undefined ? null : messages.omittedLocks(leftOut),
    unreadable === 0 ? null : messages.unreadable(unreadable),
    oversizedKeys === undefined ? null : messages.oversizedKeys(oversizedKeys),
  ].filter((line) => line !== null);
}

function formatScanProgress(
  { scanned, keys, ms }: NonNullable<Health["scan"]>,
  messages: ShellMessages,
): string {
  const all = keys === null ? null : keys.toLocaleString("en");
  return messages.scanning(scanned.toLocaleString("en"), all, messages.briefDuration(ms));
}

function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} m` : `${Math.round(seconds / 3600)} h`;
}
