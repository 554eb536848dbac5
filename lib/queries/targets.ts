import { useQuery } from "@tanstack/react-query";
import type { TargetSummary } from "@/lib/contract/target.ts";
import { getTargets } from "../api/session-endpoints.ts";
import { useLiveState } from "../live/hooks.ts";
import { useLiveStore } from "../live/live-context.ts";

const LIST_REFETCH_MS = 5000;

/** Returns the name of the target in the page's URL; `undefined` for the first configured target. */
export function useTargetName(): string | undefined {
  return useLiveStore().target;
}

/** Returns the targets that the user can read, in configuration order; `undefined` until they are loaded. */
export function useTargets(): readonly TargetSummary[] | undefined {
  const { connection } = useLiveState();
  const { data } = useQuery({
    queryKey: ["targets"],
    queryFn: getTargets,
    enabled: connection !== "logged_out",
    refetchInterval: LIST_REFETCH_MS,
  });
  return data?.items;
}
