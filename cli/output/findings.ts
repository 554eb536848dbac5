import type { Finding, Severity } from "../../lib/contract/target.ts";
import { toPrintable } from "./printable.ts";
import type { Style } from "./style.ts";

/** Formats findings with their risks and fixes, in the given order. */
export function formatFindings(findings: readonly Finding[], style: Style): string {
  if (findings.length === 0) return `${style.green("No findings.")}\n`;
  return findings.map((finding) => formatFinding(finding, style)).join("\n");
}

function formatFinding({ severity, title, risk, command, masters }: Finding, style: Style): string {
  const place = masters.length === 0 ? "" : style.dim(` (${toPrintable(masters.join(", "))})`);
  return [
    `${paintSeverity(severity, style)}  ${toPrintable(title)}${place}\n`,
    `         ${toPrintable(risk)}\n`,
    command === undefined ? "" : `         Fix: ${style.bold(toPrintable(command))}\n`,
  ].join("");
}

function paintSeverity(severity: Severity, style: Style): string {
  const text = severity.padEnd(7);
  if (severity === "danger") return style.red(text);
  return severity === "warning" ? style.yellow(text) : style.dim(text);
}

/** Returns whether any finding has severity `danger`. */
export function hasSeriousFinding(findings: readonly Pick<Finding, "severity">[]): boolean {
  return findings.some(({ severity }) => severity === "danger");
}
