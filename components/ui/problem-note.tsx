import { Button } from "./button.tsx";

interface ProblemNoteProps {
  /** null: nothing is wrong. */
  problem: { message: string } | null;
  onAgain?: (() => void) | undefined;
}

/** What the server said no with. */
export function ProblemNote({ problem, onAgain }: ProblemNoteProps) {
  if (problem === null) return null;
  return (
    <div role="alert" className="flex items-center gap-3 rounded-[9px] bg-bad-bg px-3 py-2.5 text-bad">
      <p className="flex-1 wrap-anywhere">{problem.message}</p>
      {onAgain !== undefined && <Button onClick={onAgain}>Try again</Button>}
    </div>
  );
}
