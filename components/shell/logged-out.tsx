import { Command } from "@/components/ui/command.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";

export function LoggedOut() {
  return (
    <EmptyState page title="You are not logged in">
      <p>
        Run this where Lockkeeper is installed and open the link that it prints. The link works once, for ten
        minutes. This page goes on by itself after that.
      </p>
      <Command text="npm run login" label="Copy the command" />
    </EmptyState>
  );
}
