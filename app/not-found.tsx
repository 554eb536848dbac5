import Link from "next/link";
import { EmptyState } from "@/components/ui/empty-state.tsx";

export default function NotFound() {
  return (
    <main>
      <EmptyState page title="There is nothing at this address">
        <p>
          A lock's page is <code className="font-mono text-xs">/locks/</code> and its key, percent-encoded.
        </p>
        <Link href="/" className="text-accent underline">
          All locks
        </Link>
      </EmptyState>
    </main>
  );
}
