import { guideIn } from "@/lib/snippets/guide/guide.ts";
import { SHOWN } from "@/lib/snippets/guide/options.ts";
import { LABEL_OF_LANGUAGE, type Language, NEEDS_OF_LANGUAGE } from "@/lib/snippets/language.ts";
import { CodeBlock } from "./code-block.tsx";
import { Inline } from "./prose.tsx";

const POINTS = [
  "It waits for the lock, ten seconds at most. When it does not get it, it does nothing.",
  "It keeps a deadline of its own: `waitedMs` and `remainingMs` of the grant, counted on a monotonic clock from before the request was sent. Before each step it looks at it.",
  "It sends the `fence` along with every write. A process that was paused for longer than its lease does not know it: only the resource can refuse it, because its fence is lower than one that was there.",
  "It renews at a third of the lease. No answer is tried again until the deadline.",
  "When the lock is `lost`, or the deadline has passed, it stops: somebody else may be at work. It does not release, for nothing is left to release.",
  "When it has finished, it stops renewing first, and releases then. A crash releases nothing: the lease ends by itself.",
];

/** The first thing on the page: all that a first lock needs. */
export function Guide({ language, origin }: { language: Language; origin: string }) {
  return (
    <section id="guide" aria-labelledby="guide-title" className="flex flex-col gap-3">
      <h2 id="guide-title" className="text-lg font-semibold tracking-tight">
        From nothing to a safe lock in five minutes
      </h2>
      <p className="max-w-[78ch] text-ink-2">
        <strong className="font-medium text-ink">1. A key.</strong> Apps call the API with an API key: the one
        that was printed at the first start, or one of their own (Settings, or{" "}
        <a href="#makeApiKey" className="text-accent underline">
          makeApiKey
        </a>
        ) with <Inline text="`read` and `lock` for the keys that they need." />
      </p>
      <CodeBlock label="The key as a variable" text="export LOCKKEEPER_KEY=lk_…" />
      <p className="max-w-[78ch] text-ink-2">
        <strong className="font-medium text-ink">2. The program.</strong> Put your work where the steps are.
        It needs {NEEDS_OF_LANGUAGE[language]}.
      </p>
      <CodeBlock
        label={`A safe lock in ${LABEL_OF_LANGUAGE[language]}`}
        text={guideIn(language, { ...SHOWN, origin })}
      />
      <p className="text-ink-2">
        <strong className="font-medium text-ink">3. Why it is safe.</strong>
      </p>
      <ul className="flex max-w-[78ch] list-disc flex-col gap-1 pl-5 text-ink-2">
        {POINTS.map((point) => (
          <li key={point}>
            <Inline text={point} />
          </li>
        ))}
      </ul>
    </section>
  );
}
