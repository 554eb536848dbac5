import clsx from "clsx";
import { Command } from "@/components/ui/command.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { Finding, Severity } from "@/lib/contract/target.ts";

const TONES: Record<Severity, string> = {
  danger: "text-bad",
  warning: "text-warn",
  unknown: "text-ink-2",
  note: "text-ink-2",
};

const WORDS: Record<Severity, string> = {
  danger: "Danger",
  warning: "Warning",
  unknown: "Not known",
  note: "Note",
};

/**
 * What was found, the worst first: what can go wrong, and the command against it.
 *
 * @param many whether there are several masters, so that it matters at which
 */
export function FindingList({ findings, many }: { findings: readonly Finding[]; many: boolean }) {
  if (findings.length === 0) {
    return <p className="px-4 py-3 text-ink-2">Nothing was found that makes it unsafe for locks.</p>;
  }
  return (
    <ul aria-label="Findings">
      {findings.map(({ code, severity, title, risk, command, masters }) => (
        <li
          key={`${code} ${masters.join(" ")}`}
          className="grid gap-x-4 gap-y-1 border-line-soft px-4 py-3 not-last:border-b sm:grid-cols-[88px_minmax(0,1fr)]"
        >
          <span className={clsx("font-medium", TONES[severity])}>{WORDS[severity]}</span>
          <div className="flex min-w-0 flex-col gap-1.5">
            <p className="font-medium">
              <SafeText text={title} wrap />
            </p>
            <p className="text-ink-2">
              <SafeText text={risk} wrap />
            </p>
            {many && masters.length > 0 && (
              <p className="font-mono text-2xs text-ink-3">
                <SafeText text={masters.join(", ")} wrap />
              </p>
            )}
            {command !== undefined && <Command text={command} label={`Copy the command: ${title}`} />}
          </div>
        </li>
      ))}
    </ul>
  );
}
