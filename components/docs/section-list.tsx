"use client";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { Section } from "./api-sections.ts";
import { EnglishText } from "./english.tsx";

/** What there is on the page; on a phone the sections alone. */
export function SectionList({ sections }: { sections: readonly Section[] }) {
  const messages = useMessages(docs);
  return (
    <nav
      aria-label={messages.sections}
      className="py-4 max-lg:border-b max-lg:border-line-soft max-lg:py-2 lg:sticky lg:top-0 lg:max-h-[calc(100dvh-48px)] lg:overflow-y-auto"
    >
      <ul className="flex flex-wrap gap-x-4 gap-y-1 lg:flex-col lg:gap-3">
        <li>
          <a href="#guide" className="block leading-6 font-medium text-accent hover:underline">
            {messages.guideShort}
          </a>
        </li>
        <li>
          <a href="#listen" className="block leading-6 font-medium text-accent hover:underline">
            {messages.eventsTitle}
          </a>
        </li>
        {sections.map(({ name, operations }) => (
          <li key={name}>
            <a href={`#section-${name}`} className="block leading-6 font-medium hover:underline">
              <EnglishText>{name}</EnglishText>
            </a>
            <ul className="max-lg:hidden">
              {operations.map(({ operationId }) => (
                <li key={operationId}>
                  <a
                    href={`#${operationId}`}
                    translate="no"
                    className="block font-mono text-xs leading-6 text-ink-2 hover:text-ink hover:underline"
                  >
                    {operationId}
                  </a>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}
