export function Kbd({ children }: { children: string }) {
  return (
    <kbd
      translate="no"
      className="rounded-[4px] border border-line bg-panel px-1.5 font-sans text-2xs text-ink-3"
    >
      {children}
    </kbd>
  );
}
