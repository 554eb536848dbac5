"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { buildTargetHref } from "@/components/app/target-link.tsx";
import { buildLockHref } from "@/components/lock-facts/lock-path.ts";
import { formatDate, formatNumber } from "@/components/ui/format-duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { AuditItem } from "@/lib/contract/audit.ts";
import { audit } from "@/lib/i18n/en/audit.tsx";
import { auditNames } from "@/lib/i18n/en/audit-names.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { findAuditName, formatDetailLines } from "./audit-texts.ts";

export function AuditDetails({ item }: { item: AuditItem }) {
  const messages = useMessages(audit).details;
  const names = useMessages(auditNames);
  const { at, action, target, reason, requestId, outcome, number, details } = item;
  return (
    <dl className="grid grid-cols-[104px_minmax(0,1fr)] gap-x-3 gap-y-1.5 border-t border-line-soft bg-bg px-4 py-3">
      <DetailRow name={messages.when}>{formatDate(at)}</DetailRow>
      <DetailRow name={messages.action}>
        <CodeWithName code={action} names={names.actions} />
      </DetailRow>
      <ActorDetails item={item} />
      {target !== undefined && (
        <DetailRow name={messages.target}>
          <DetailText text={target} />
        </DetailRow>
      )}
      <SeenState item={item} />
      {reason !== undefined && (
        <DetailRow name={messages.reason}>
          {reason.trim() === "" ? (
            <span className="text-ink-3">{messages.noReason}</span>
          ) : (
            <DetailText text={reason} />
          )}
        </DetailRow>
      )}
      <OtherDetails details={details} />
      <OutcomeDetails outcome={outcome} />
      <DetailRow name={messages.request}>
        <MonoText text={requestId} />
      </DetailRow>
      <DetailRow name={messages.entry}>
        {formatNumber(number)}
        {outcome !== null && (
          <span className="text-ink-3">{messages.outcomeEntry(formatNumber(outcome.number))}</span>
        )}
      </DetailRow>
    </dl>
  );
}

function ActorDetails({ item: { who, from } }: { item: AuditItem }) {
  const messages = useMessages(audit).details;
  return (
    <>
      <DetailRow name={messages.who}>
        <DetailText text={who.name} />{" "}
        <span className="text-ink-3">{messages.by(<DetailText text={who.kind} />)}</span>
        <MonoText text={who.id} />
        {who.verbs.length > 0 && (
          <span className="text-ink-3">
            {messages.permissions(<DetailText text={who.verbs.join(", ")} />)}
          </span>
        )}
      </DetailRow>
      <DetailRow name={messages.from}>
        {from.address == null ? messages.unknown : <MonoText text={from.address} />}
        {from.agent !== undefined && (
          <span className="text-ink-3">
            {", "}
            <DetailText text={from.agent} />
          </span>
        )}
      </DetailRow>
    </>
  );
}

function SeenState({ item: { key, keyBase64, target, seen } }: { item: AuditItem }) {
  const messages = useMessages(audit).details;
  const fields = key === undefined ? undefined : { key, ...(keyBase64 === undefined ? {} : { keyBase64 }) };
  return (
    <>
      {fields !== undefined && (
        <DetailRow name={messages.key}>
          <Link
            href={buildTargetHref(buildLockHref(fields), target)}
            prefetch={false}
            className="underline decoration-line hover:decoration-ink-3"
          >
            <MonoText text={fields.key} />
          </Link>
        </DetailRow>
      )}
      {seen?.owners !== undefined && seen.owners.length > 0 && (
        <DetailRow name={messages.heldBy}>
          {seen.owners.map((owner) => (
            <div key={owner}>
              <MonoText text={owner} />
            </div>
          ))}
        </DetailRow>
      )}
      {seen?.version !== undefined && (
        <DetailRow name={messages.version}>
          <MonoText text={seen.version} />
        </DetailRow>
      )}
      {seen?.fence !== undefined && (
        <DetailRow name={messages.fence}>
          <MonoText text={seen.fence} />
        </DetailRow>
      )}
    </>
  );
}

function OutcomeDetails({ outcome }: Pick<AuditItem, "outcome">) {
  const messages = useMessages(audit).details;
  const names = useMessages(auditNames);
  if (outcome === null) {
    return (
      <DetailRow name={messages.outcome}>
        <span className="text-warn">{messages.notRecorded}</span>
      </DetailRow>
    );
  }
  return (
    <>
      <DetailRow name={messages.outcome}>
        <CodeWithName code={outcome.code} names={names.outcomes} />
        {outcome.detail !== undefined && (
          <span className="text-ink-2">
            {": "}
            <DetailText text={outcome.detail} />
          </span>
        )}
      </DetailRow>
      {outcome.owner !== undefined && (
        <DetailRow name={messages.holdOf}>
          <MonoText text={outcome.owner} />
        </DetailRow>
      )}
      <OtherDetails details={outcome.details} />
    </>
  );
}

function OtherDetails({ details }: { details: Record<string, unknown> | undefined }) {
  return formatDetailLines(details).map(([name, text]) => (
    <DetailRow key={name} name={name} isData>
      <MonoText text={text} />
    </DetailRow>
  ));
}

/** Shows the name of a recorded code, followed by the code that filters and exports use. */
function CodeWithName({ code, names }: { code: string; names: Readonly<Record<string, string>> }) {
  const name = findAuditName(names, code);
  return (
    <>
      {name !== code && `${name} `}
      <span className={name === code ? undefined : "text-ink-3"}>
        <MonoText text={code} />
      </span>
    </>
  );
}

interface DetailRowProps {
  name: string;
  /** Whether the name comes from the audit log. Browsers must not translate such a name. */
  isData?: true;
  children: ReactNode;
}

function DetailRow({ name, isData, children }: DetailRowProps) {
  return (
    <>
      <dt translate={isData && "no"} className="truncate text-ink-3" title={name}>
        {name}
      </dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

function DetailText({ text }: { text: string }) {
  return <SafeText text={text} wrap />;
}

function MonoText({ text }: { text: string }) {
  return (
    <span className="font-mono text-xs">
      <SafeText text={text} wrap />
    </span>
  );
}
