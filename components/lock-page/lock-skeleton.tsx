/** Shows a placeholder while a lock loads, with the same height as the state of a lock that has one holder. */
export function LockSkeleton({ label }: { label: string }) {
  return (
    <section aria-label={label} aria-busy className="rounded-[10px] border border-line bg-panel">
      <div className="flex flex-col gap-2.5 border-b border-line-soft px-4 py-3.5">
        <SkeletonLine className="h-6 w-3/5" />
        <SkeletonLine className="h-4.5 w-2/5" />
      </div>
      <div className="grid grid-cols-2 border-b border-line-soft sm:grid-cols-4">
        {["expires", "held", "waiting", "count"].map((each) => (
          <div key={each} className="flex h-[86px] flex-col gap-2 px-4 py-3">
            <SkeletonLine className="h-3 w-16" />
            <SkeletonLine className="h-6 w-24" />
          </div>
        ))}
      </div>
      <div className="flex h-[332px] flex-col gap-3.5 px-4 py-3.5">
        {["70", "55", "40", "62", "48", "66", "35", "58"].map((width) => (
          <div key={width} className="flex gap-3">
            <SkeletonLine className="h-4 w-24" />
            <div className="flex-1">
              <SkeletonLine className="h-4 w-2/3" />
            </div>
          </div>
        ))}
      </div>
    </section>
  );
}

function SkeletonLine({ className }: { className: string }) {
  return <div className={`rounded-[4px] bg-line-soft ${className}`} />;
}
