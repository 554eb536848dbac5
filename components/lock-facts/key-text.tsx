import { MiddleText } from "@/components/ui/middle-text.tsx";
import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import { splitKey } from "./lock-texts.ts";

/** Shows a key on one line. Truncates the namespace of a long key first, then the middle of its last segment. */
export function KeyText({ text }: { text: string }) {
  const { namespace, rest } = splitKey(text);
  return (
    <span dir="ltr" title={toVisibleText(text)} className="flex min-w-0 font-mono text-xs">
      {namespace !== "" && (
        <span className="min-w-[2ch] shrink-[999] truncate text-ink-3">
          <SafeText text={namespace} />
        </span>
      )}
      <span className="min-w-0 font-medium text-ink">
        <MiddleText text={rest} />
      </span>
    </span>
  );
}
