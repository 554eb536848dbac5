import { Pause, Play } from "lucide-react";
import { Button } from "@/components/ui/button.tsx";
import { formatNumber } from "@/components/ui/duration.ts";
import type { Pausable } from "./use-pausable.ts";

export function LocksToolbar({ table, filtered }: { table: Pausable; filtered: boolean }) {
  const { latest: window, paused } = table;
  return (
    <div className="flex items-center gap-2">
      {window !== undefined && filtered && (
        <span className="text-ink-3" data-testid="total">
          {`${formatNumber(window.total)} of ${formatNumber(window.held)}`}
        </span>
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
