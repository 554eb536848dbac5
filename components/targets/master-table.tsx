import { StateDot } from "@/components/shell/target-badges.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { MasterHealth } from "@/lib/contract/live.ts";
import { shell } from "@/lib/words/en/shell.tsx";
import { useWords } from "@/lib/words/words.tsx";

const HEADS = ["Master", "State", "Answers in", "Clock", "Notifications"] as const;

/** Each Redis that takes writes: whether it answers, how soon, and how far its clock is off. */
export function MasterTable({ masters }: { masters: readonly MasterHealth[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="overflow-x-auto border-b border-line-soft" aria-label="Masters" tabIndex={0}>
      <table className="w-full min-w-[560px] text-left">
        <thead>
          <tr className="text-2xs text-ink-3">
            {HEADS.map((head) => (
              <th key={head} scope="col" className="px-4 pt-2 pb-1 font-normal">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {masters.map((master) => (
            <Row key={master.name} master={master} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ master: { name, state, lagMs, clockOffsetMs, notifications } }: { master: MasterHealth }) {
  const words = useWords(shell);
  const isDown = state === "down";
  return (
    <tr className="border-t border-line-soft">
      <th scope="row" className="px-4 py-1.5 font-mono text-xs font-normal">
        <SafeText text={name} />
      </th>
      <td className="px-4 py-1.5">
        <span className="flex items-center gap-2">
          <StateDot state={state} />
          {words.states[state]}
        </span>
      </td>
      <td className="px-4 py-1.5">{isDown || lagMs === null ? "–" : lagText(lagMs)}</td>
      <td className="px-4 py-1.5">{isDown ? "–" : clockText(clockOffsetMs)}</td>
      <td className="px-4 py-1.5">{isDown ? "–" : notifications}</td>
    </tr>
  );
}

function lagText(ms: number): string {
  return ms < 1 ? "under 1 ms" : `${Math.round(ms)} ms`;
}

/** Less than this nobody can tell apart from the way there and back. */
const SAME_MS = 50;

function clockText(offsetMs: number): string {
  if (Math.abs(offsetMs) < SAME_MS) return "as ours";
  return `${Math.abs(Math.round(offsetMs))} ms ${offsetMs > 0 ? "ahead" : "behind"}`;
}
