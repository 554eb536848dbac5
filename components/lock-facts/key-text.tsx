import { SafeText } from "@/components/ui/safe-text.tsx";
import { toVisibleText } from "@/components/ui/visible-text.ts";
import { splitKey } from "./lock-texts.ts";

/** A key in one line; when it is too long its namespace gives way first. */
export function KeyText({ text }: { text: string }) {
  const { namespace, rest } = splitKey(text);
  return (
    <span dir="ltr" title={toVisibleText(text)} className="flex min-w-0 font-mono text-xs">
      {namespace !== "" && (
        <span className="min-w-[2ch] truncate text-ink-3">
          <SafeText text={namespace} />
        </span>
      )}
      <span className="max-w-[75%] shrink-0 truncate font-medium text-ink">
        <SafeText text={rest} />
      </span>
    </span>
  );
}
