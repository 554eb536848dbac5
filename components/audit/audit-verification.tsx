"use client";

import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatDate, formatNumber } from "@/components/ui/format-duration.ts";
import { ProblemText } from "@/components/ui/problem-text.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { AuditVerification, ChainPlace } from "@/lib/contract/audit.ts";
import { audit } from "@/lib/i18n/en/audit.tsx";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useAuditVerification } from "@/lib/queries/audit.ts";

/**
 * Shows a button that verifies that no entry of the audit log was changed or removed, and the result. Before the first
 * verification, shows the number and the hash of the last entry instead of a result.
 */
export function AuditVerificationPanel({ head }: { head: ChainPlace | undefined }) {
  const messages = useMessages(audit);
  const verification = useAuditVerification();
  const { data, error, isFetching } = verification;
  return (
    <div className="flex flex-wrap items-center gap-2" aria-live="polite">
      <Button
        blocked={isFetching ? messages.verifyingChain : null}
        onClick={() => void verification.refetch()}
      >
        {isFetching ? messages.verifying : messages.verify}
      </Button>
      {error !== null && (
        <span className="text-bad">
          <ProblemText problem={error} />
        </span>
      )}
      {data !== undefined && !isFetching && <VerificationResult found={data} />}
      {data === undefined && head !== undefined && head.number > 0 && (
        <span className="inline-flex items-center gap-1.5 text-ink-3">
          {messages.endsWith(formatNumber(head.number))}
          <code className="font-mono text-xs" title={head.hash}>
            {head.hash.slice(0, 12)}…
          </code>
          <CopyButton text={head.hash} label={messages.copyHash} small />
        </span>
      )}
    </div>
  );
}

function VerificationResult({ found }: { found: AuditVerification }) {
  const messages = useMessages(audit);
  const { state, entries, broken, checkedAt } = found;
  if (state === "intact") {
    return (
      <span className="text-ok" data-testid="chain" title={messages.verifiedAt(formatDate(checkedAt))}>
        {messages.intact(formatNumber(entries))}
      </span>
    );
  }
  return (
    <span className="font-medium text-bad" data-testid="chain">
      {broken === undefined
        ? messages.broken
        : messages.brokenAt(formatNumber(broken.number), <SafeText text={broken.why} wrap />)}
    </span>
  );
}
