import type { Formats } from "@/lib/contract/format-rule.ts";

type Known = Formats["formats"][number];

const byLabel = (one: Known, two: Known) => one.label.localeCompare(two.label, "en");

/** Each library: what it writes, and what it does when a lock is freed under it. */
export function KnownFormats({ formats }: { formats: readonly Known[] }) {
  return (
    <dl>
      {[...formats].sort(byLabel).map((format) => (
        <div
          key={format.name}
          className="grid gap-x-4 gap-y-1 border-line-soft px-4 py-3 not-last:border-b sm:grid-cols-[180px_minmax(0,1fr)]"
        >
          <dt>
            <span className="font-medium">{format.label}</span>
            <div className="font-mono text-2xs text-ink-3">{format.name}</div>
          </dt>
          <dd className="flex flex-col gap-1">
            <p className="text-ink-2">
              {format.layout}
              {format.spoken && ". Locks are taken in it by this API, too"}
              {format.renews.who === "all" && ". Its holders renew by themselves"}.
            </p>
            <p>{format.oldOwner}</p>
            {format.comesBack !== undefined && <p className="text-warn">{format.comesBack}</p>}
            {format.never !== undefined && (
              <p className="text-warn">
                Never freed from here. {format.never.why} {format.never.instead}
              </p>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
