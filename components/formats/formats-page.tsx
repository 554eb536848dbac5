"use client";

import { useId } from "react";
import { StaleOverlay } from "@/components/app/stale-overlay.tsx";
import { PageHeader, SECTION_PAGE_CLASS } from "@/components/ui/page-header.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import type { Formats } from "@/lib/contract/detection/format-rule.ts";
import { formats as english } from "@/lib/i18n/en/formats.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useFormats } from "@/lib/queries/formats.ts";
import { KnownFormats } from "./known-formats.tsx";
import { LockFinder } from "./lock-finder.tsx";
import { RuleList } from "./rule-list.tsx";

export function FormatsPage() {
  const messages = useMessages(english);
  const formats = useFormats();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <StaleOverlay className={SECTION_PAGE_CLASS}>
        <PageHeader title={messages.title} />
        {formats.isError && <ProblemNote problem={formats.error} onAgain={() => void formats.refetch()} />}
        {formats.isPending && <p className="text-ink-3">{messages.loading}</p>}
        {formats.data !== undefined && <LoadedFormats formats={formats.data} />}
      </StaleOverlay>
    </div>
  );
}

function LoadedFormats({ formats }: { formats: Formats }) {
  const messages = useMessages(english);
  const rules = useId();
  const known = useId();
  const finder = useId();
  return (
    <>
      <section aria-labelledby={rules} className="rounded-[10px] border border-line bg-panel">
        <div className="border-b border-line-soft px-4 py-3">
          <h2 id={rules} className="font-semibold">
            {messages.rules}
          </h2>
          <p className="text-ink-2">{messages.rulesIntro}</p>
        </div>
        <RuleList formats={formats} />
      </section>
      <section aria-labelledby={finder} className="rounded-[10px] border border-line bg-panel">
        <h2 id={finder} className="border-b border-line-soft px-4 py-3 font-semibold">
          {messages.notWatched}
        </h2>
        <div className="px-4 py-3">
          <LockFinder />
        </div>
      </section>
      <section aria-labelledby={known} className="rounded-[10px] border border-line bg-panel">
        <h2 id={known} className="border-b border-line-soft px-4 py-3 font-semibold">
          {messages.supportedFormats}
        </h2>
        <KnownFormats formats={formats.formats} />
      </section>
    </>
  );
}
