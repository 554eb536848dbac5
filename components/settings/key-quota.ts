import type { ApiKeyQuotaInput } from "@/lib/contract/accounts/api-key.ts";

const MIB = 1024 * 1024;

/** The quotas as entered. If a field is empty, the server's limit applies. */
export interface QuotaText {
  readonly holds: string;
  readonly mebibytes: string;
}

export const NO_QUOTA_TEXT: QuotaText = { holds: "", mebibytes: "" };

export function toQuotaText({ holdsMax, bytesMax }: Required<ApiKeyQuotaInput>): QuotaText {
  return {
    holds: holdsMax === null ? "" : String(holdsMax),
    mebibytes: bytesMax === null ? "" : formatMebibytes(bytesMax),
  };
}

/** Parses the quotas as entered. An empty field becomes `null`. Returns `undefined` if a quota is invalid. */
export function parseQuotaText({ holds, mebibytes }: QuotaText): Required<ApiKeyQuotaInput> | undefined {
  const holdsMax = parsePositive(holds);
  const amount = parsePositive(mebibytes);
  if (holdsMax === undefined || amount === undefined) return undefined;
  if (holdsMax !== null && !Number.isInteger(holdsMax)) return undefined;
  const bytesMax = amount === null ? null : Math.round(amount * MIB);
  return bytesMax === 0 ? undefined : { holdsMax, bytesMax };
}

/** Converts bytes to MiB, rounded to one decimal place. The text does not contain the unit. */
export function formatMebibytes(bytes: number): string {
  return String(Math.round((bytes / MIB) * 10) / 10);
}

/** Parses a positive number. Returns `null` if the field is empty, and `undefined` if the input is invalid. */
function parsePositive(text: string): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const number = /^\d{1,9}(?:\.\d{1,3})?$/.test(trimmed) ? Number(trimmed) : 0;
  return number > 0 ? number : undefined;
}
