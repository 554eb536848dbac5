"use client";

import { useId } from "react";
import { Greyed } from "@/components/shell/greyed.tsx";
import { Button } from "@/components/ui/button.tsx";
import type { Formats } from "@/lib/contract/format-rule.ts";
import { useFormats } from "@/lib/live/hooks.ts";
import { KnownFormats } from "./known-formats.tsx";
import { LockFinder } from "./lock-finder.tsx";
import { RuleList } from "./rule-list.tsx";

export function FormatsPage() {
  const formats = useFormats();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <Greyed className="mx-auto flex max-w-[1080px] flex-col gap-4 px-3 py-4 sm:px-5">
        <h1 className="text-lg font-semibold tracking-tight">Formats</h1>
        {formats.isError && (
          <div role="alert" className="flex items-center gap-3 rounded-[10px] bg-bad-bg px-4 py-3 text-bad">
            <p className="flex-1">{formats.error.message}</p>
            <Button onClick={() => void formats.refetch()}>Try again</Button>
          </div>
        )}
        {formats.isPending && <p className="text-ink-3">Looking…</p>}
        {formats.data !== undefined && <Page formats={formats.data} />}
      </Greyed>
    </div>
  );
}

function Page({ formats }: { formats: Formats }) {
  const rules = useId();
  const known = useId();
  const finder = useId();
  return (
    <>
      <section aria-labelledby={rules} className="rounded-[10px] border border-line bg-panel">
        <div className="border-b border-line-soft px-4 py-3">
          <h2 id={rules} className="font-semibold">
            Rules
          </h2>
          <p className="text-ink-2">
            Several libraries write the same into Redis. A rule says which one it is for keys of a name; the
            first that fits counts. Locks of these keys are certain from then on, and are freed as that
            library would.
          </p>
        </div>
        <RuleList formats={formats} />
      </section>
      <section aria-labelledby={finder} className="rounded-[10px] border border-line bg-panel">
        <h2 id={finder} className="border-b border-line-soft px-4 py-3 font-semibold">
          Locks that are not watched
        </h2>
        <div className="px-4 py-3">
          <LockFinder />
        </div>
      </section>
      <section aria-labelledby={known} className="rounded-[10px] border border-line bg-panel">
        <h2 id={known} className="border-b border-line-soft px-4 py-3 font-semibold">
          What is known
        </h2>
        <KnownFormats formats={formats.formats} />
      </section>
    </>
  );
}
