import type { FormatName } from "@/lib/contract/format.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import { FORMAT_LABELS } from "./format-labels.ts";

/** All that it may be: one, when its shape tells. */
export function formatsOf({ format, candidates }: Lock): readonly FormatName[] {
  if (format === null) return [];
  // `token` says only that it is one string: the libraries that write one so say more.
  return format === "token" && candidates.length > 0 ? candidates : [format, ...candidates];
}

export function formatLabel(format: FormatName): string {
  return FORMAT_LABELS[format];
}

/** For a cell: the library, or how many it may be. */
export function formatText(lock: Lock): string {
  const formats = formatsOf(lock);
  const [first] = formats;
  if (first === undefined) return "";
  const sure = lock.confidence === "possible" ? "?" : "";
  return formats.length === 1 ? formatLabel(first) + sure : `one of ${formats.length}${sure}`;
}

/** For a sentence and for a title. */
export function formatsText(lock: Lock): string {
  const labels = formatsOf(lock).map(formatLabel);
  const last = labels.at(-1) ?? "";
  return labels.length < 2 ? last : `${labels.slice(0, -1).join(", ")} or ${last}`;
}
