import { useQuery } from "@tanstack/react-query";
import type { TargetHealth, TargetSummary } from "@/lib/contract/target.ts";
import { getTargetHealth, getTargets } from "../api/endpoints.ts";
import type { RequestError } from "../api/request.ts";
import { useLiveState } from "../live/hooks.ts";
import { useLiveStore } from "../live/live-context.ts";

const LIST_REFETCH_MS = 5000;
/** Each time Redis is asked for all it tells of itself. */
const HEALTH_REFETCH_MS = 15_000;

/** The target that the page is about, as its address says; undefined: the first. */
export function useTargetName(): string | undefined {
  return useLiveStore().target;
}

/** All targets in the order of the configuration; undefined until they are known. */
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

/** The health of a target. While it is down, nothing can be read: what was read before stays. */
export function useTargetHealth({ name, state }: Pick<TargetSummary, "name" | "state">) {
  return useQuery<TargetHealth, RequestError>({
    queryKey: ["target-health", name],
    queryFn: () => getTargetHealth(name),
    enabled: state !== "down",
    refetchInterval: HEALTH_REFETCH_MS,
  });
}
