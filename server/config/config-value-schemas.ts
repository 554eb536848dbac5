import { z } from "zod";
import { FormatRule } from "../../lib/contract/detection/format-rule.ts";
import { FORMAT_NAMES } from "../../lib/contract/format.ts";
import type { Rate } from "../api/http/rate-limits.ts";

/** Schema of a comma-separated list of patterns. */
export const createListSchema = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((text) =>
      text
        .split(",")
        .map((pattern) => pattern.trim())
        .filter((pattern) => pattern !== ""),
    );

const RATE_PATTERN = /^(\d{1,7}(?:\.\d{1,3})?)(?:\/(\d{1,8}))?$/;

/** Schema of a rate: `PER_SECOND`, `PER_SECOND/BURST`, or `off` for no limit. The default burst is twice the rate. */
export const rateSchema = z
  .string()
  .optional()
  .transform((text, context): Rate | "off" | undefined => {
    if (text === undefined || text === "off") return text;
    const [, perSecond = "", burst] = RATE_PATTERN.exec(text) ?? [];
    const found = { perSecond: Number(perSecond), burst: Number(burst ?? Math.ceil(2 * Number(perSecond))) };
    if (found.perSecond > 0 && found.burst >= 1) return found;
    context.addIssue({
      code: "custom",
      message: "must be RATE or RATE/BURST per second, such as 200 or 200/400, or off",
    });
    return z.NEVER;
  });

/** Schema of a comma-separated list of `PATTERN=FORMAT`. */
export const formatRulesSchema = z
  .string()
  .default("")
  .transform((text, context): FormatRule[] => {
    const parts = text.split(",").map((part) => part.trim());
    const rules = parts.flatMap((part) => (part === "" ? [] : [parseFormatRule(part)]));
    const fault = rules.find((rule) => typeof rule === "string");
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
    return rules.filter((rule) => typeof rule !== "string");
  });

/** Parses `PATTERN=FORMAT`. Returns the rule, or an error message if it is invalid. */
function parseFormatRule(part: string): FormatRule | string {
  const at = part.lastIndexOf("=");
  const rule = FormatRule.safeParse({ pattern: part.slice(0, Math.max(0, at)), format: part.slice(at + 1) });
  if (at <= 0) {
    return `must be a comma-separated list of PATTERN=FORMAT, such as order-*=redlock-net; ${JSON.stringify(part)} is invalid`;
  }
  if (rule.success) return rule.data;
  const [issue] = rule.error.issues;
  if (issue?.path[0] !== "format") return `has a rule whose pattern is invalid: it ${issue?.message}`;
  const name = JSON.stringify(part.slice(at + 1));
  return `has the unknown format ${name}; the formats are ${FORMAT_NAMES.join(", ")}`;
}
