"use client";

import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/format-duration.ts";
import { unlisted as english } from "@/lib/i18n/en/unlisted.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useLiveState } from "@/lib/live/hooks.ts";
import { parseFilter, selectsUnlisted } from "@/lib/query/filter.ts";
import { UNLISTED_VIEW } from "./views/system-views.ts";

/**
 * Shows the number of unlisted locks and a button that lists them, for a list that is otherwise empty. Renders nothing
 * if there are no unlisted locks.
 */
export function UnlistedLocksHint({ onFilter }: { onFilter(filter: string): void }) {
  const messages = useMessages(english);
  const unlisted = useLiveState().health?.unlisted ?? 0;
  if (unlisted === 0) return null;
  return (
    <>
      <p>{messages.notListed(unlisted, formatNumber(unlisted))}</p>
      <div>
        <Button onClick={() => onFilter(UNLISTED_VIEW.term)}>{messages.show}</Button>
      </div>
    </>
  );
}

/**
 * Renders a button that repeats the search with unlisted locks included. Renders nothing if there are no unlisted locks
 * or if the search already includes them.
 */
export function UnlistedSearchButton({
  filter,
  onFilter,
}: {
  filter: string;
  onFilter(filter: string): void;
}) {
  const messages = useMessages(english);
  const unlisted = useLiveState().health?.unlisted ?? 0;
  if (unlisted === 0 || selectsUnlisted(parseFilter(filter))) return null;
  return <Button onClick={() => onFilter(`${filter} confidence:*`)}>{messages.searchThem}</Button>;
}
