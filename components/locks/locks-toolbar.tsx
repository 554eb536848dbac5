import { Pause, Play } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/duration.ts";
import type { Pausable } from "./use-pausable.ts";

export function LocksToolbar({ table, filtered }: { table: Pausable; filtered: boolean }) {
  const { window, paused, changes } = table;
  return (
    <div className="flex items-center gap-2">
      {window !== undefined && filtered && (
        <span className="text-ink-3" data-testid="total">
          {`${formatNumber(window.total)} of ${formatNumber(window.held)}`}
        </span>
      )}
      {paused && (
        <button
          type="button"
          onClick={table.resume}
          className="h-6 rounded-full bg-accent-bg px-2.5 text-accent"
          data-testid="changes"
        >
          {changes === 1 ? "+1 change" : `+${formatNumber(changes)} changes`}
        </button>
      )}
      <Button
        onClick={table.toggle}
        aria-pressed={paused}
        title={paused ? "Go on (p)" : "Let the rows stand still (p)"}
      >
        {paused ? <Play aria-hidden size={13} /> : <Pause aria-hidden size={13} />}
        {paused ? "Go on" : "Pause"}
      </Button>
    </div>
  );
}
