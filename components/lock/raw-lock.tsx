"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatNumber, formatRemaining } from "@/components/ui/duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import { type Key, pathOfKey } from "@/lib/contract/key.ts";
import type { Lock } from "@/lib/contract/lock.ts";
import type { RawCopy, RawText } from "@/lib/contract/raw.ts";
import { useRawLock } from "@/lib/live/hooks.ts";
import { redisCliCommand } from "./commands.ts";

/** What stands in Redis, as nobody has interpreted it, and the command to see it without us. */
export function RawLockView({ lockKey, type }: { lockKey: Key; type: Lock["type"] }) {
  const [isOpen, setOpen] = useState(false);
  const command = redisCliCommand(lockKey, type);
  return (
    <Section
      title="In Redis"
      text={
        <span className="flex items-center gap-2">
          <code className="font-mono text-xs wrap-anywhere">
            <SafeText text={command} wrap />
          </code>
          <CopyButton text={command} label="Copy the command that shows it" />
        </span>
      }
      actions={
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide what is there" : "Show what is there"}
        </Button>
      }
    >
      {isOpen && <Copies path={pathOfKey(lockKey)} />}
    </Section>
  );
}

function Copies({ path }: { path: string }) {
  const { data, error, refetch } = useRawLock(path);
  return (
    <div className="flex flex-col gap-4 px-4 py-3">
      <ProblemNote problem={error} onAgain={() => void refetch()} />
      {data === undefined && error === null && <p className="text-ink-3">Looking…</p>}
      {data?.copies.map((copy) => (
        <Copy key={copy.master} copy={copy} isNamed={data.copies.length + data.silent.length > 1} />
      ))}
      {data?.silent.map((master) => (
        <p key={master} className="text-warn">{`${master} does not answer.`}</p>
      ))}
    </div>
  );
}

function Copy({ copy, isNamed }: { copy: RawCopy; isNamed: boolean }) {
  const { master, type, remainingMs, size, entries } = copy;
  const left = size === null || type === "string" ? 0 : size - entries.length;
  return (
    <div className="flex flex-col gap-2" data-testid="raw">
      <p className="text-ink-2">
        {isNamed && <span className="font-mono text-xs">{`${master}: `}</span>}
        {type === "none" ? (
          "There is no such key."
        ) : (
          <>
            <SafeText text={type} />
            {remainingMs === null ? ", no expiry" : `, ${formatRemaining(remainingMs)} to live`}
          </>
        )}
      </p>
      {entries.length > 0 && (
        <table className="w-full table-fixed font-mono text-xs">
          <caption className="sr-only">What the key holds</caption>
          <tbody>
            {entries.map(({ name, value }) => (
              <tr key={`${name?.base64 ?? name?.text ?? value.base64 ?? value.text}`} className="align-top">
                {name !== undefined && (
                  <th scope="row" className="w-1/2 border-t border-line-soft py-1 pr-3 text-left font-normal">
                    <Told text={name} />
                  </th>
                )}
                <td className="border-t border-line-soft py-1">
                  <Told text={value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {left > 0 && <p className="text-ink-3">{`${formatNumber(left)} more are not shown.`}</p>}
    </div>
  );
}

function Told({ text: { text, base64, bytes } }: { text: RawText }) {
  const isCut = new TextEncoder().encode(text).length < bytes && base64 === undefined;
  return (
    <>
      <SafeText text={text} wrap />
      {(isCut || base64 !== undefined) && (
        <span className="block font-sans text-2xs text-ink-3">
          {base64 === undefined
            ? `The beginning of ${formatNumber(bytes)} bytes.`
            : `${formatNumber(bytes)} bytes that are no text; in base64: ${base64}`}
        </span>
      )}
    </>
  );
}
