import type { FormatName } from "@/lib/contract/format.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { FORMAT_LABELS } from "./format-labels.ts";

/**
 * Returns the formats that a lock might have. The result has a single format if the key's value determines the format,
 * and is empty if no format is known.
 */
export function listFormats({ format, candidates }: Lock): readonly FormatName[] {
  if (format === null) return [];
  // `token` means only that the value is a single string. The candidates, which are libraries that write such strings,
  // are more specific.
  return format === "token" && candidates.length > 0 ? candidates : [format, ...candidates];
}

export function getFormatLabel(format: FormatName, messages: Pick<Messages["lock"], "formatNames">): string {
  return format === "token" || format === "timestamp" ? messages.formatNames[format] : FORMAT_LABELS[format];
}

/**
 * Describes the format of a lock for a cell of the table: the name of the format, or the number of candidates. Appends
 * `?` for a possible lock.
 */
export function describeFormat(
  lock: Lock,
  messages: Pick<Messages["lock"], "formats" | "formatNames">,
): string {
  const formats = listFormats(lock);
  const [first] = formats;
  if (first === undefined) return "";
  const sure = lock.confidence === "possible" ? "?" : "";
  return formats.length === 1
    ? getFormatLabel(first, messages) + sure
    : messages.formats(formats.length) + sure;
}

/** Lists the possible formats of a lock for a sentence or a tooltip. */
export function describeFormats(
  lock: Lock,
  messages: Pick<Messages["lock"], "either" | "formatNames">,
): string {
  const labels = listFormats(lock).map((format) => getFormatLabel(format, messages));
  const last = labels.at(-1) ?? "";
  return labels.length < 2 ? last : messages.either(labels.slice(0, -1), last);
}
