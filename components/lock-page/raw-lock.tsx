"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatNumber, formatRemaining } from "@/components/ui/format-duration.ts";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { Section } from "@/components/ui/section.tsx";
import type { Lock } from "@/lib/contract/lock.ts";
import type { RawCopy, RawText } from "@/lib/contract/raw-lock.ts";
import { lockParts } from "@/lib/i18n/en/lock-parts.tsx";
import { ui } from "@/lib/i18n/en/ui.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { encodeKeyPath, type Key } from "@/lib/keys/key.ts";
import { useRawLock } from "@/lib/queries/raw-lock.ts";
import { buildInspectCommand } from "../lock-facts/lock-commands.ts";

/** Shows the raw value in Redis, and the redis-cli command that reads it. */
export function RawLockSection({ lockKey, type }: { lockKey: Key; type: Lock["type"] }) {
  const messages = useMessages(lockParts).raw;
  const [isOpen, setOpen] = useState(false);
  const command = buildInspectCommand(lockKey, type);
  return (
    <Section
      title={messages.title}
      text={
        <span className="flex items-center gap-2">
          <code className="font-mono text-xs wrap-anywhere">
            <SafeText text={command} wrap />
          </code>
          <CopyButton text={command} label={messages.copy} />
        </span>
      }
      actions={
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? messages.hide : messages.show}
        </Button>
      }
    >
      {isOpen && <RawCopyList path={encodeKeyPath(lockKey)} />}
    </Section>
  );
}

function RawCopyList({ path }: { path: string }) {
  const messages = useMessages(lockParts).raw;
  const looking = useMessages(ui).loading;
  const { data, error, refetch } = useRawLock(path);
  return (
    <div className="flex flex-col gap-4 px-4 py-3">
      <ProblemNote problem={error} onAgain={() => void refetch()} />
      {data === undefined && error === null && <p className="text-ink-3">{looking}</p>}
      {data?.copies.map((copy) => (
        <RawCopyPanel key={copy.master} copy={copy} isNamed={data.copies.length + data.silent.length > 1} />
      ))}
      {data?.silent.map((master) => (
        <p key={master} className="text-warn">
          {messages.silent(master)}
        </p>
      ))}
    </div>
  );
}

function RawCopyPanel({ copy, isNamed }: { copy: RawCopy; isNamed: boolean }) {
  const { master, type, remainingMs, size, entries } = copy;
  const messages = useMessages(lockParts).raw;
  const uiMessages = useMessages(ui);
  const left = size === null || type === "string" ? 0 : size - entries.length;
  return (
    <div className="flex flex-col gap-2" data-testid="raw">
      <p className="text-ink-2">
        {isNamed && <span className="font-mono text-xs">{messages.master(master)}</span>}
        {type === "none" ? (
          messages.none
        ) : (
          <>
            <SafeText text={type} />
            {remainingMs === null ? messages.noTtl : messages.left(formatRemaining(remainingMs, uiMessages))}
          </>
        )}
      </p>
      {entries.length > 0 && (
        <table className="w-full table-fixed font-mono text-xs">
          <caption className="sr-only">{messages.caption}</caption>
          <tbody>
            {entries.map(({ name, value }) => (
              <tr key={`${name?.base64 ?? name?.text ?? value.base64 ?? value.text}`} className="align-top">
                {name !== undefined && (
                  <th scope="row" className="w-1/2 border-t border-line-soft py-1 pr-3 text-left font-normal">
                    <RawValue text={name} />
                  </th>
                )}
                <td className="border-t border-line-soft py-1">
                  <RawValue text={value} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {left > 0 && <p className="text-ink-3">{messages.notShown(formatNumber(left))}</p>}
    </div>
  );
}

function RawValue({ text: { text, base64, bytes } }: { text: RawText }) {
  const messages = useMessages(lockParts).raw;
  const isCut = new TextEncoder().encode(text).length < bytes && base64 === undefined;
  return (
    <>
      <SafeText text={text} wrap />
      {(isCut || base64 !== undefined) && (
        <span className="block font-sans text-2xs text-ink-3">
          {base64 === undefined
            ? messages.beginning(formatNumber(bytes))
            : messages.binary(formatNumber(bytes), base64)}
        </span>
      )}
    </>
  );
}
