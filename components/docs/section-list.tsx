"use client";

import { docs } from "@/lib/i18n/en/docs.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { Section } from "./api-sections.ts";
import { ReferenceText } from "./reference-text.tsx";

/** The prefix that all API paths share. The list omits it. */
const API_PREFIX = "/api/v1";

/** Shows the table of contents. In windows narrower than 1024 px, lists only the sections. */
export function SectionList({ sections }: { sections: readonly Section[] }) {
  const messages = useMessages(docs);
  return (
    <nav
      aria-label={messages.sections}
      className="py-4 max-lg:border-b max-lg:border-line-soft max-lg:py-2 lg:sticky lg:top-0 lg:max-h-[calc(100dvh-48px)] lg:overflow-y-auto"
    >
      <ul className="flex flex-wrap gap-x-4 gap-y-1 lg:flex-col lg:gap-3">
        <li>
          <a
            href="#guide"
            className="block py-0.5 leading-6 font-medium text-accent hover:underline max-sm:py-2.5"
          >
            {messages.guideShort}
          </a>
        </li>
        <li>
          <a
            href="#listen"
            className="block py-0.5 leading-6 font-medium text-accent hover:underline max-sm:py-2.5"
          >
            {messages.eventsTitle}
          </a>
        </li>
        {sections.map(({ name, label, operations }) => (
          <li key={name}>
            <a
              href={`#section-${name}`}
              className="block py-0.5 leading-6 font-medium hover:underline max-sm:py-2.5"
            >
              <ReferenceText>{label}</ReferenceText>
            </a>
            <ul className="max-lg:hidden">
              {operations.map(({ operationId, summary, method, path }) => (
                <li key={operationId}>
                  <a
                    href={`#${operationId}`}
                    translate="no"
                    title={summary}
                    className="group grid grid-cols-[46px_minmax(0,1fr)] gap-x-1.5 py-0.5 font-mono text-xs leading-5 text-ink-2 hover:text-ink"
                  >
                    <span className="text-2xs leading-5 font-semibold text-ink-3">{method}</span>{" "}
                    <span className="wrap-anywhere group-hover:underline">
                      {path.replace(API_PREFIX, "")}
                    </span>
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
