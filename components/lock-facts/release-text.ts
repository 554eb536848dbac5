import type { Lock } from "@/lib/contract/lock.ts";
import type { Words } from "@/lib/i18n/en/messages.ts";

type ReleaseWords = Pick<Words["lock"], "release">;

/** What to know before this lock is freed; null: nothing. */
export function releaseText({ release, format, kind }: Lock, { release: told }: ReleaseWords): string | null {
  if (release?.why === undefined) return null;
  if (told === null) return [release.why, release.instead].filter((text) => text !== undefined).join(" ");
  switch (release.may) {
    case "with_format":
      return told.shapeAlone;
    case "yes":
      return kind === "latch" ? told.latch : told.permit;
    case "never":
      if (format === "bullmq" || format === "bull") return told.job;
      return format === "redisson" ? told.number : told.notFreed;
  }
}

/** Why this lock is freed by nobody; null when it may be. */
export function neverFreed(lock: Lock, words: ReleaseWords): string | null {
  return lock.release?.may === "never" ? releaseText(lock, words) : null;
}
