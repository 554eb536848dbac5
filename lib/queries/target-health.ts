import { useQuery } from "@tanstack/react-query";
import type { TargetHealth, TargetSummary } from "@/lib/contract/target.ts";
import { getTargetHealth } from "../api/endpoints.ts";
import type { RequestError } from "../api/request.ts";

/** Interval of refetches, in ms. For each refetch, the server reads INFO and the configuration of Redis. */
const HEALTH_REFETCH_MS = 15_000;

/** Reads the health of a target. While the target is down, sends no requests and keeps the last result. */
export function useTargetHealth({ name, state }: Pick<TargetSummary, "name" | "state">) {
  return useQuery<TargetHealth, RequestError>({
    queryKey: ["target-health", name],
    queryFn: () => getTargetHealth(name),
    enabled: state !== "down",
    refetchInterval: HEALTH_REFETCH_MS,
  });
}
