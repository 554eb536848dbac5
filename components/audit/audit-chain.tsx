"use client";

import { Button } from "@/components/ui/button.tsx";
import { CopyButton } from "@/components/ui/copy-button.tsx";
import { formatDate, formatNumber } from "@/components/ui/duration.ts";
import { SafeText } from "@/components/ui/safe-text.tsx";
import type { AuditVerification, ChainPlace } from "@/lib/contract/audit.ts";
import { useAuditVerification } from "@/lib/live/audit.ts";

/** Whether nothing was changed or taken out afterwards. */
export function AuditChain({ head }: { head: ChainPlace | undefined }) {
  const verification = useAuditVerification();
  const { data, error, isFetching } = verification;
  return (
    <div className="flex flex-wrap items-center gap-2" aria-live="polite">
      <Button
        blocked={isFetching ? "The chain is gone through." : null}
        onClick={() => void verification.refetch()}
      >
        {isFetching ? "Checking…" : "Check the chain"}
      </Button>
      {error !== null && <span className="text-bad">{error.message}</span>}
      {data !== undefined && !isFetching && <Verdict found={data} />}
      {data === undefined && head !== undefined && head.number > 0 && (
        <span className="inline-flex items-center gap-1.5 text-ink-3">
          ends with entry {formatNumber(head.number)},
          <code className="font-mono text-xs" title={head.hash}>
            {head.hash.slice(0, 12)}…
          </code>
          <CopyButton text={head.hash} label="Copy the hash of the newest entry" small />
        </span>
      )}
    </div>
  );
}

function Verdict({ found }: { found: AuditVerification }) {
  const { state, entries, broken, checkedAt } = found;
  if (state === "whole") {
    return (
      <span className="text-ok" data-testid="chain" title={`Checked ${formatDate(checkedAt)}`}>
        The chain is whole: {formatNumber(entries)} entries
      </span>
    );
  }
  return (
    <span className="font-medium text-bad" data-testid="chain">
      The chain is broken
      {broken !== undefined && (
        <>
          {" "}
          at entry {formatNumber(broken.number)}: <SafeText text={broken.why} wrap />
        </>
      )}
    </span>
  );
}
