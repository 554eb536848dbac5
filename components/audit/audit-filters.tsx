"use client";

import clsx from "clsx";
import dynamic from "next/dynamic";
import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { SearchBox } from "@/components/ui/search/search-box.tsx";
import { audit } from "@/lib/i18n/en/audit.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import type { AuditUrl } from "./use-audit-url.ts";

const AuditTimeFilter = dynamic(
  () => import("./audit-time-filter.tsx").then((module) => module.AuditTimeFilter),
  {
    ssr: false,
  },
);

/** The text filters, with placeholder examples. The examples are search terms, so they are not translated. */
const FILTER_BOXES = [
  { name: "who", example: "mei, key:*", width: "sm:w-28" },
  { name: "action", example: "force_release", width: "sm:w-32" },
  { name: "at", example: null, width: "sm:w-24" },
  { name: "key", example: "lock:orders:*", width: "sm:w-36" },
  { name: "outcome", example: "released, none", width: "sm:w-32" },
] as const;

/** Renders the filters of the audit log. The page lists the actions that match all filters. */
export function AuditFilters({ url }: { url: AuditUrl }) {
  const messages = useMessages(audit);
  const { view, span } = url;
  // On phones, the filters are collapsed at first.
  const [isOpen, setOpen] = useState(false);
  const values = {
    who: view.who,
    action: view.action,
    at: view.target,
    key: view.key,
    outcome: view.outcome,
  };
  return (
    <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <legend className="sr-only">{messages.filters}</legend>
      <div className="flex w-full flex-wrap gap-2">
        <SearchBox
          value={view.text ?? ""}
          onChange={(text) => url.setWord("q", text)}
          label={messages.search}
          placeholder={messages.searchHint}
          maxLength={300}
        />
        <AuditTimeFilter span={span} onChoose={url.setSpan} />
      </div>
      <Button className="sm:hidden" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? messages.fewer : messages.more}
      </Button>
      <div
        className={clsx(
          "flex flex-wrap items-center gap-x-3 gap-y-2 max-sm:w-full max-sm:flex-col max-sm:items-stretch",
          !isOpen && "max-sm:hidden",
        )}
      >
        {FILTER_BOXES.map(({ name, example, width }) => (
          <FilterBox
            key={name}
            label={messages.filterLabels[name]}
            placeholder={example ?? messages.anyName}
            width={width}
            value={values[name] ?? ""}
            onChange={(text) => url.setWord(name, text)}
          />
        ))}
      </div>
      {url.isFiltered && <Button onClick={url.clear}>{messages.showAll}</Button>}
    </fieldset>
  );
}

interface FilterBoxProps {
  label: string;
  placeholder: string;
  width: string;
  value: string;
  onChange(text: string): void;
}

/**
 * Renders a text filter. Applies the text on Enter or blur instead of on each keystroke, because each request reads the
 * whole log.
 */
function FilterBox({ label, placeholder, width, value, onChange }: FilterBoxProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  const commit = () => text !== known && onChange(text);
  return (
    <label className="flex items-center gap-1.5 text-ink-2">
      <span className="max-sm:w-16">{label}</span>
      <input
        value={text}
        placeholder={placeholder}
        maxLength={300}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
        className={clsx(
          "h-7 min-w-0 rounded-[7px] border border-line bg-panel px-2 text-ink placeholder:text-ink-3 max-sm:h-11 max-sm:flex-1",
          width,
        )}
      />
    </label>
  );
}
