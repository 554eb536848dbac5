"use client";

import { Search, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Kbd } from "@/components/ui/kbd.tsx";
import { useKeys } from "@/components/ui/use-keys.ts";

interface SearchBoxProps {
  value: string;
  onChange(value: string): void;
  label: string;
  placeholder: string;
  maxLength: number;
}

export function SearchBox({ value, onChange, label, placeholder, maxLength }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  // Typing runs ahead of the URL; a change from elsewhere (back, "clear") is taken over.
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  useEffect(() => {
    if (text === known) return;
    const timer = setTimeout(() => {
      setKnown(text);
      onChange(text);
    }, 120);
    return () => clearTimeout(timer);
  });
  useKeys({
    "/": (event) => {
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    },
  });
  const leave = (event: KeyboardEvent) => {
    if (event.key === "Escape") input.current?.blur();
  };
  return (
    <div className="flex min-w-0 flex-1 items-center gap-2 rounded-[8px] border border-line bg-panel pr-1.5 pl-2.5 focus-within:border-accent">
      <Search aria-hidden size={14} className="shrink-0 text-ink-3" />
      <input
        ref={input}
        type="text"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={maxLength}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={leave}
        autoComplete="off"
        spellCheck={false}
        className="h-8 min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-3"
      />
      {text === "" ? (
        <Kbd>/</Kbd>
      ) : (
        <button
          type="button"
          aria-label="Clear the search"
          className="grid size-6 place-items-center rounded-[5px] text-ink-3 hover:bg-line-soft hover:text-ink"
          onClick={() => setText("")}
        >
          <X aria-hidden size={14} />
        </button>
      )}
    </div>
  );
}
