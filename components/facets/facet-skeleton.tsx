import { facets } from "@/lib/i18n/en/facets.ts";
import { useMessages } from "@/lib/i18n/messages-provider.tsx";

/** Shows placeholders for lists that are loading. @param lines number of lines below the title of each list */
export function FacetSkeleton({ lines }: { lines: readonly number[] }) {
  const messages = useMessages(facets);
  let at = 0;
  return (
    <div role="status" aria-label={messages.loading} className="flex flex-col gap-4">
      {lines.map((count) => {
        at += count + 1;
        return (
          <div
            key={at}
            style={{ height: `${(count + 1) * 24}px` }}
            className="mx-1.5 rounded-[7px] bg-line-soft/60"
          />
        );
      })}
    </div>
  );
}
