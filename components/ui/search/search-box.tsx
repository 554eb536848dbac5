"use client";

import clsx from "clsx";
import { Search, X } from "lucide-react";
import dynamic from "next/dynamic";
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { Kbd } from "@/components/ui/kbd.tsx";
import { useShortcuts } from "@/components/ui/use-shortcuts.ts";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { applyCompletion, type Completion, getOptionId } from "./completion.ts";
import { type CompletionSource, useCompletion } from "./use-completion.ts";

const CompletionList = dynamic(
  () => import("./completion-list.tsx").then((module) => module.CompletionList),
  { ssr: false },
);

interface SearchBoxProps {
  value: string;
  onChange(value: string): void;
  label: string;
  placeholder: string;
  maxLength: number;
  /** Loads the completions when the box receives the focus for the first time. */
  loadCompletion?: () => Promise<CompletionSource>;
  /** Returns why the text is invalid; `undefined` if the text is valid. Invalid text is not submitted. */
  faultOf?: (text: string) => string | undefined;
}

export function SearchBox({
  value,
  onChange,
  label,
  placeholder,
  maxLength,
  loadCompletion,
  faultOf,
}: SearchBoxProps) {
  const messages = useMessages(ui);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [text, setText] = useSearchText(value, onChange, faultOf);
  const caret = useRef<number | null>(null);
  const take = (completion: Completion, accepted: string) => {
    const next = applyCompletion(text, completion, accepted);
    if (next.text.length > maxLength) return;
    setText(next.text);
    caret.current = next.caret;
    list.open(next.caret);
  };
  const list = useCompletion(text, loadCompletion, take);
  useLayoutEffect(() => {
    if (caret.current === null) return;
    input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  });
  useShortcuts({
    "/": (event) => {
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    },
  });
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (!list.onKey(event) && event.key === "Escape") input.current?.blur();
  };
  const { completion, active } = list;
  // While completions are shown, the operator is still typing, so incomplete text is not an error.
  const fault = completion === undefined ? faultOf?.(text) : undefined;
  return (
    <div
      className={clsx(
        "relative flex min-w-0 flex-1 items-center gap-2 rounded-[8px] border bg-panel pr-1.5 pl-2.5",
        fault === undefined ? "border-line focus-within:border-accent" : "border-bad",
      )}
    >
      <Search aria-hidden size={14} className="shrink-0 text-ink-3" />
      <input
        ref={input}
        type="text"
        aria-label={label}
        {...(loadCompletion !== undefined && {
          role: "combobox",
          "aria-autocomplete": "list",
          "aria-expanded": completion !== undefined,
          "aria-controls": completion === undefined ? undefined : `${id}-list`,
          "aria-activedescendant": active < 0 ? undefined : getOptionId(`${id}-list`, active),
        })}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        placeholder={placeholder}
        value={text}
        maxLength={maxLength}
        onChange={({ target }) => {
          setText(target.value);
          list.open(target.selectionEnd ?? target.value.length);
        }}
        onKeyDown={onKeyDown}
        onFocus={list.load}
        onBlur={list.close}
        autoComplete="off"
        spellCheck={false}
        className="h-8 max-sm:h-11 min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-3"
      />
      {text === "" ? (
        <Kbd>/</Kbd>
      ) : (
        <button
          type="button"
          aria-label={messages.clearSearch}
          className="grid size-6 place-items-center rounded-[5px] text-ink-3 hover:bg-line-soft hover:text-ink max-sm:-mr-1.5 max-sm:-my-px max-sm:h-11 max-sm:w-11"
          onClick={() => setText("")}
        >
          <X aria-hidden size={14} />
        </button>
      )}
      {completion !== undefined && (
        <CompletionList
          id={`${id}-list`}
          completion={completion}
          active={active}
          onSelect={(accepted) => take(completion, accepted)}
        />
      )}
      <SearchFault id={`${id}-fault`} fault={fault} />
    </div>
  );
}

/**
 * Shows why the search is invalid. The message covers the rows, so that the layout does not move while the operator
 * types.
 */
function SearchFault({ id, fault }: { id: string; fault: string | undefined }) {
  return (
    <div role="status" className="absolute top-full left-0 z-20 max-w-full">
      {fault !== undefined && (
        <p id={id} className="mt-1 rounded-[8px] border border-bad bg-panel px-2.5 py-1.5 text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}

/**
 * Returns the typed text and a function that sets the text. Submits valid text 120 ms after the last change. If the URL
 * changes for another reason, such as going back, the text from the URL replaces the typed text.
 */
function useSearchText(
  value: string,
  onChange: (value: string) => void,
  faultOf: SearchBoxProps["faultOf"],
): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  useEffect(() => {
    if (text === known || faultOf?.(text) !== undefined) return;
    const timer = setTimeout(() => {
      setKnown(text);
      onChange(text);
    }, 120);
    return () => clearTimeout(timer);
  });
  return [text, setText];
}
