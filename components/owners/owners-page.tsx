"use client";

import { useRef, useState } from "react";
import { StaleOverlay } from "@/components/app/stale-overlay.tsx";
import { useReleaseBlockedReason } from "@/components/app/use-blocked-reason.ts";
import { Button } from "@/components/ui/button.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { MAIN_PART } from "@/components/ui/main-part.ts";
import { createLazyOverlay } from "@/components/ui/overlay/lazy-overlay.tsx";
import { LIST_PAGE_CLASS, PageHeader } from "@/components/ui/page-header.tsx";
import { ProblemNote } from "@/components/ui/problem-note.tsx";
import { SearchBox } from "@/components/ui/search/search-box.tsx";
import { FILTER_CHARACTERS_MAX } from "@/lib/contract/limits.ts";
import { owners } from "@/lib/i18n/en/owners.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { OWNERS_SHOWN, useOwners } from "@/lib/queries/owners.ts";
import { OwnerTable } from "./owner-table.tsx";
import { OWNER_GROUPINGS, type OwnersUrl, useOwnersUrl } from "./use-owners-url.ts";

const BulkReleaseSheet = createLazyOverlay(() =>
  import("@/components/release/bulk/bulk-release-sheet.tsx").then((module) => module.BulkReleaseSheet),
);

/** Example search in the placeholder. Not translated, because filter terms are the same in all languages. */
const SEARCH_EXAMPLE = "owner:billing*  host:vm-3  liveness:overdue";

/**
 * Lists the owners, services, hosts or sessions, each with its number of locks. A button in each row releases the
 * row's locks that match the search.
 */
export function OwnersPage() {
  const blocked = useReleaseBlockedReason();
  const url = useOwnersUrl();
  const messages = useMessages(owners);
  const found = useOwners(url);
  const [ownerToRelease, setOwnerToRelease] = useState<string | null>(null);
  const from = useRef<HTMLElement | null>(null);
  const { data } = found;
  // The banner of the console shows why the target is down, so the page does not repeat the error.
  const isDown = useLiveState().health?.state === "down";
  return (
    <StaleOverlay className={LIST_PAGE_CLASS}>
      <PageHeader title={messages.title}>
        <GroupByPicker url={url} />
        {data !== undefined && <span className="text-ink-3">{formatNumber(data.total)}</span>}
      </PageHeader>
      <div className="flex">
        <SearchBox
          value={url.filter}
          onChange={url.setFilter}
          label={messages.search}
          placeholder={messages.placeholder(SEARCH_EXAMPLE)}
          maxLength={FILTER_CHARACTERS_MAX}
        />
      </div>
      <section
        {...MAIN_PART}
        aria-label={messages.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable with the keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto rounded-t-[10px] border border-b-0 border-line bg-panel outline-offset-[-2px]"
      >
        {isDown ? null : <ProblemNote problem={found.error} onAgain={() => void found.refetch()} />}
        {isDown && data === undefined && <p className="px-4 py-3 text-ink-3">{messages.targetDown}</p>}
        {data !== undefined && (
          <OwnerTable
            owners={data.items}
            url={url}
            blocked={blocked}
            onRelease={(filter, button) => {
              from.current = button;
              setOwnerToRelease(filter);
            }}
          />
        )}
        {data?.total === 0 && (
          <EmptyState title={url.filter === "" ? messages.noLocksHeld : messages.noMatch}>
            <p>{url.by === "owner" ? messages.appearHere : messages.notListed(url.by)}</p>
          </EmptyState>
        )}
        {data !== undefined && data.total > OWNERS_SHOWN && (
          <p className="p-4 text-ink-3">{messages.narrow}</p>
        )}
        {data !== undefined && data.without > 0 && (
          <p className="px-4 py-2 text-ink-3">
            {messages.without(data.without, formatNumber(data.without), url.by)}
          </p>
        )}
      </section>
      {ownerToRelease !== null && (
        <BulkReleaseSheet
          selection={{ filter: ownerToRelease }}
          onClose={() => {
            setOwnerToRelease(null);
            void found.refetch();
          }}
          finalFocus={() => (from.current?.isConnected ? from.current : null)}
        />
      )}
    </StaleOverlay>
  );
}

function GroupByPicker({ url }: { url: OwnersUrl }) {
  const messages = useMessages(owners);
  return (
    <fieldset className="flex gap-1">
      <legend className="sr-only">{messages.by}</legend>
      {OWNER_GROUPINGS.map((by) => (
        <Button
          key={by}
          variant={url.by === by ? "plain" : "quiet"}
          aria-pressed={url.by === by}
          onClick={() => url.setBy(by)}
        >
          {messages.bys[by]}
        </Button>
      ))}
    </fieldset>
  );
}
