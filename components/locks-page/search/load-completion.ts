import type { CompletionOf } from "@/components/ui/use-completion.ts";
import type { useSay } from "@/lib/i18n/messages-provider.tsx";

/** How a search may go on, in the language of the page; it comes when somebody begins to type. */
export const loadCompletionIn = (say: ReturnType<typeof useSay>) => async (): Promise<CompletionOf> => {
  const [{ completionIn }, { search }, { lock }] = await Promise.all([
    import("./filter-completion.ts"),
    import("@/lib/i18n/en/search.ts"),
    import("@/lib/i18n/en/lock.tsx"),
  ]);
  return completionIn({ search: say(search), verdicts: say(lock).verdictHints });
};
