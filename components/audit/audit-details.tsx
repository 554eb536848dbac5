"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { hrefAt } from "@/components/app/target-link.tsx";
import { hrefOf } from "@/components/lock-facts/lock-path.ts";
import { formatDate, formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { AuditItem } from "@/lib/contract/audit.ts";
import { auditDetails } from "@/lib/i18n/en/audit-details.tsx";
import { useWords } from "@/lib/i18n/messages-provider.tsx";
import { detailLines } from "./audit-texts.ts";

/** All that is recorded of an action. */
export function AuditDetails({ item }: { item: AuditItem }) {
  const words = useWords(auditDetails);
  const { at, target, reason, requestId, outcome, number, details } = item;
  return (
    <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-1.5 border-t border-line-soft bg-bg px-4 py-3">
      <Line name={words.when}>{formatDate(at)}</Line>
      <Asker item={item} />
      {target !== undefined && (
        <Line name={words.target}>
          <Text text={target} />
        </Line>
      )}
      <Seen item={item} />
      {reason !== undefined && (
        <Line name={words.reason}>
          {reason.trim() === "" ? (
            <span className="text-ink-3">{words.noReason}</span>
          ) : (
            <Text text={reason} />
          )}
        </Line>
      )}
      <Others details={details} />
      <Outcome outcome={outcome} />
      <Line name={words.request}>
        <Mono text={requestId} />
      </Line>
      <Line name={words.entry}>
        {formatNumber(number)}
        {outcome !== null && (
          <span className="text-ink-3">{words.itsOutcome(formatNumber(outcome.number))}</span>
        )}
      </Line>
    </dl>
  );
}

function Asker({ item: { who, from } }: { item: AuditItem }) {
  const words = useWords(auditDetails);
  return (
    <>
      <Line name={words.who}>
        <Text text={who.name} /> <span className="text-ink-3">{words.by(<Text text={who.kind} />)}</span>
        <Mono text={who.id} />
        {who.verbs.length > 0 && (
          <span className="text-ink-3">{words.might(<Text text={who.verbs.join(", ")} />)}</span>
        )}
      </Line>
      <Line name={words.from}>
        {from.address == null ? words.notKnown : <Mono text={from.address} />}
        {from.agent !== undefined && (
          <span className="text-ink-3">
            {", "}
            <Text text={from.agent} />
          </span>
        )}
      </Line>
    </>
  );
}

function Seen({ item: { key, keyBase64, target, seen } }: { item: AuditItem }) {
  const words = useWords(auditDetails);
  const fields = key === undefined ? undefined : { key, ...(keyBase64 === undefined ? {} : { keyBase64 }) };
  return (
    <>
      {fields !== undefined && (
        <Line name={words.key}>
          <Link
            href={hrefAt(hrefOf(fields), target)}
            prefetch={false}
            className="underline decoration-line hover:decoration-ink-3"
          >
            <Mono text={fields.key} />
          </Link>
        </Line>
      )}
      {seen?.owners !== undefined && seen.owners.length > 0 && (
        <Line name={words.heldBy}>
          {seen.owners.map((owner) => (
            <div key={owner}>
              <Mono text={owner} />
            </div>
          ))}
        </Line>
      )}
      {seen?.version !== undefined && (
        <Line name={words.version}>
          <Mono text={seen.version} />
        </Line>
      )}
      {seen?.fence !== undefined && (
        <Line name={words.fence}>
          <Mono text={seen.fence} />
        </Line>
      )}
    </>
  );
}

function Outcome({ outcome }: Pick<AuditItem, "outcome">) {
  const words = useWords(auditDetails);
  if (outcome === null) {
    return (
      <Line name={words.outcome}>
        <span className="text-warn">{words.notRecorded}</span>
      </Line>
    );
  }
  return (
    <>
      <Line name={words.outcome}>
        <Text text={outcome.code} />
        {outcome.detail !== undefined && (
          <span className="text-ink-2">
            {": "}
            <Text text={outcome.detail} />
          </span>
        )}
      </Line>
      {outcome.owner !== undefined && (
        <Line name={words.holdOf}>
          <Mono text={outcome.owner} />
        </Line>
      )}
      <Others details={outcome.details} />
    </>
  );
}

function Others({ details }: { details: Record<string, unknown> | undefined }) {
  return detailLines(details).map(([name, text]) => (
    <Line key={name} name={name} isData>
      <Mono text={text} />
    </Line>
  ));
}

interface LineProps {
  name: string;
  /** The name is one that was recorded, and is the same in every language. */
  isData?: true;
  children: ReactNode;
}

function Line({ name, isData, children }: LineProps) {
  return (
    <>
      <dt translate={isData && "no"} className="truncate text-ink-3" title={name}>
        {name}
      </dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

function Text({ text }: { text: string }) {
  return <SafeText text={text} wrap />;
}

function Mono({ text }: { text: string }) {
  return (
    <span className="font-mono text-xs">
      <SafeText text={text} wrap />
    </span>
  );
}
