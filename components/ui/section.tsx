import { type ReactNode, useId } from "react";

interface SectionProps {
  title: ReactNode;
  text?: ReactNode;
  /** Placed to the right of the title. */
  actions?: ReactNode;
  children?: ReactNode;
}

export function Section({ title, text, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="rounded-[10px] border border-line bg-panel">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line-soft px-4 py-3">
        <div className="min-w-56 flex-1">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          {text !== undefined && <div className="max-w-[76ch] text-ink-2">{text}</div>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}
