import type { FormatName } from "@/lib/contract/format.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { Messages } from "@/lib/i18n/en/messages.ts";
import { FORMAT_LABELS } from "./format-labels.ts";

/** All that it may be: one, when its shape tells. */
export function listFormats({ format, candidates }: Lock): readonly FormatName[] {
  if (format === null) return [];
  // `token` says only that it is one string: the libraries that write one so say more.
  return format === "token" && candidates.length > 0 ? candidates : [format, ...candidates];
}

export function getFormatLabel(format: FormatName, messages: Pick<Messages["lock"], "formatNames">): string {
  return format === "token" || format === "timestamp" ? messages.formatNames[format] : FORMAT_LABELS[format];
}

/** For a cell: the library, or how many it may be. */
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

/** For a sentence and for a title. */
export function describeFormats(
  lock: Lock,
  messages: Pick<Messages["lock"], "either" | "formatNames">,
): string {
  const labels = listFormats(lock).map((format) => getFormatLabel(format, messages));
  const last = labels.at(-1) ?? "";
  return labels.length < 2 ? last : messages.either(labels.slice(0, -1), last);
}
