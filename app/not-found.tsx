"use client";

import Link from "next/link";
import { EmptyState } from "@/components/ui/empty-state.tsx";
import { pages } from "@/lib/words/en/pages.tsx";
import { useWords } from "@/lib/words/words.tsx";

const START = "/locks/";

export default function NotFound() {
  const words = useWords(pages);
  return (
    <main>
      <EmptyState page title={words.nothingHere}>
        <p>{words.addressOfLock(<code className="font-mono text-xs">{START}</code>)}</p>
        <Link href="/" className="text-accent underline">
          {words.allLocks}
        </Link>
      </EmptyState>
    </main>
  );
}
