"use client";

import { getFormatLabel } from "@/components/lock-facts/use-format-texts.ts";
import type { Formats } from "@/lib/contract/detection/format-rule.ts";
import { formatFacts } from "@/lib/i18n/en/format-facts.ts";
import { formats as english } from "@/lib/i18n/en/formats.tsx";
import { lock } from "@/lib/i18n/en/lock.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

type KnownFormatEntry = Formats["formats"][number];

const compareByLabel = (one: KnownFormatEntry, two: KnownFormatEntry) =>
  one.label.localeCompare(two.label, "en");

/** Lists the supported formats: what each library writes, and how the library reacts to a force-release. */
export function KnownFormats({ formats }: { formats: readonly KnownFormatEntry[] }) {
  const names = useMessages(lock);
  return (
    <dl>
      {[...formats].sort(compareByLabel).map((format) => (
        <div
          key={format.name}
          className="grid gap-x-4 gap-y-1 border-line-soft px-4 py-3 not-last:border-b sm:grid-cols-[180px_minmax(0,1fr)]"
        >
          <dt translate="no">
            <span className="font-medium">{getFormatLabel(format.name, names)}</span>
            <div className="font-mono text-2xs text-ink-3">{format.name}</div>
          </dt>
          <FormatDetails format={format} />
        </div>
      ))}
    </dl>
  );
}

function FormatDetails({ format }: { format: KnownFormatEntry }) {
  const messages = useMessages(english);
  const { of, layouts } = useMessages(formatFacts);
  const { oldOwner, comesBack, never } = of[format.name];
  const layout = layouts[format.name];
  return (
    <dd className="flex flex-col gap-1">
      <p className="text-ink-2">
        <span className="inline-block first-letter:uppercase">
          {layout}
          {messages.sentenceEnd}
        </span>{" "}
        {format.spoken && messages.acquirable} {format.renews.who === "all" && messages.selfRenewing}
      </p>
      <p>{oldOwner}</p>
      {comesBack !== undefined && <p className="text-warn">{comesBack}</p>}
      {never !== undefined && (
        <p className="text-warn">
          {messages.notReleasable} {never.why} {never.instead}
        </p>
      )}
    </dd>
  );
}
