import { Command } from "@/components/ui/command.tsx";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { BASE_PATH } from "@/lib/live/base-path.ts";

export function LoggedOut() {
  const { pathname, search } = location;
  return (
    <EmptyState page title="You are not logged in">
      <p>
        <a
          href={`${BASE_PATH}/login?next=${encodeURIComponent(pathname + search)}`}
          className="inline-flex h-7 items-center rounded-[7px] border border-accent bg-accent px-2.5 text-accent-ink hover:opacity-90"
        >
          Log in by name and password
        </a>
      </p>
      <p>
        Or run this where Lockkeeper is installed and open the link that it prints. The link works once, for
        ten minutes. This page goes on by itself after that.
      </p>
      <Command text="npm run login" label="Copy the command" />
    </EmptyState>
  );
}
