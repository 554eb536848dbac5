import { EmptyState } from "@/components/ui/empty-state.tsx";

/** Not loaded late as the other empty states are: there is nobody to load it from. */
export function Unreachable() {
  return (
    <EmptyState title="Lockkeeper cannot be reached">
      <p>
        The page is here, its server is not. It tries again every few seconds and goes on by itself. Is{" "}
        <code className="font-mono text-xs">npm start</code> still running?
      </p>
    </EmptyState>
  );
}
