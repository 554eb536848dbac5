import type { FormatName } from "../../lib/contract/format.ts";
import type { Lock } from "../../lib/contract/lock.ts";
import { FORMAT_FACTS } from "../../lib/formats/format-catalogue.ts";
import { formatKey, type Key } from "../../lib/keys/key.ts";
import { ChangedError, FormatRequiredError, UnverifiedError } from "../errors/operator-errors.ts";
import { InvalidError } from "../errors/request-errors.ts";
import { describeHolder } from "../locks/verbs/error-factories.ts";

/** Phrases for messages about a release or extension that was refused. */
const NOT_DONE_TEXT = {
  release: { nothing: "Nothing was released.", to: "release it" },
  extend: { nothing: "Nothing was extended.", to: "extend it" },
} as const;

export function createUnverifiedError(
  lock: Lock,
  one: { readonly owner: Key; readonly version: string } | undefined,
  doing: keyof typeof NOT_DONE_TEXT = "release",
): UnverifiedError {
  const { nothing, to } = NOT_DONE_TEXT[doing];
  const who = one === undefined ? formatHolderNames(lock) : JSON.stringify(formatKey(one.owner));
  const version = one === undefined ? lock.version : one.version;
  return new UnverifiedError(
    `${who} holds the lock, but Lockkeeper has not observed it continuously since you saw it: it may have been released and acquired again. ${nothing} To ${to} anyway, send its current version with "onUnverified": "${doing}".`,
    { lock, version },
  );
}

export function createChangedError(lock: Lock): ChangedError {
  const { holders, remainingMs, version } = lock;
  const who =
    holders.length === 1 ? describeHolder(holders[0]?.owner ?? "") : `held by ${formatHolderNames(lock)}`;
  return new ChangedError(`This is not the hold that you saw: the lock is now ${who}. Nothing was changed.`, {
    lock,
    holders,
    remainingMs,
    version,
  });
}

export function createUnlistedError(lock: Lock): FormatRequiredError {
  return new FormatRequiredError(
    "The key is only possibly a lock and is not listed, so bulk releases exclude it. To release it, send a single force-release with its format.",
    { formats: lock.release?.formats ?? [], lock },
  );
}

export function createSingleHolderError(lock: Lock): ChangedError {
  const { holders, remainingMs, version } = lock;
  return new ChangedError(
    `The lock has ${holders.length} holders, and its format does not allow releasing only one of them. Nothing was changed. To release all of them, send the version of the lock.`,
    { lock, holders, remainingMs, version },
  );
}

export function createNotReservableError({ holders }: Lock): InvalidError {
  return new InvalidError(
    `Body, reservedMs: the lock has ${holders.length} holders and cannot be reserved while others hold it. Nothing was released. Omit reservedMs to release only this holder, or send the version of the lock to release all of them.`,
    { field: "reservedMs" },
  );
}

export function createFormatMismatchError(format: FormatName, lock: Lock): InvalidError {
  const { label, layout } = FORMAT_FACTS[format];
  const others = lock.release?.formats.filter((name) => name !== format) ?? [];
  const instead = others.length === 0 ? "" : ` Send another format: ${others.join(", ")}.`;
  return new InvalidError(
    `Body, format: the key does not have the layout of a lock of ${label} (${layout}). Nothing was changed.${instead}`,
    { field: "format" },
  );
}

const NAMED_HOLDERS_MAX = 3;

function formatHolderNames({ holders }: Lock): string {
  const named = holders.slice(0, NAMED_HOLDERS_MAX).map(({ owner }) => JSON.stringify(owner));
  const others = holders.length - named.length;
  return others > 0 ? `${named.join(", ")} and ${others} more` : named.join(" and ");
}
