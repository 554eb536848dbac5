import type { CompletionSource } from "@/components/ui/search/use-completion.ts";
import type { useLazyMessages } from "@/lib/i18n/messages-provider.tsx";

/** Creates a function that loads the search completions in the language of the page. */
export const loadFilterCompletion =
  (lazyMessages: ReturnType<typeof useLazyMessages>) => async (): Promise<CompletionSource> => {
    const [{ createFilterCompletion: completionIn }, { search }, { lock }] = await Promise.all([
      import("./filter-completion.ts"),
      import("@/lib/i18n/en/search.ts"),
      import("@/lib/i18n/en/lock.tsx"),
    ]);
    return completionIn({ search: lazyMessages(search), liveness: lazyMessages(lock).livenessHints });
  };
