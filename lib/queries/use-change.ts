import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RequestError } from "../api/request.ts";

/** Returns a mutation that runs `change` and then invalidates the query data for `queryKey`, even if `change` fails. */
export function useInvalidatingMutation<Done, Input>(
  queryKey: QueryKey,
  change: (input: Input) => Promise<Done>,
) {
  const client = useQueryClient();
  return useMutation<Done, RequestError, Input>({
    mutationFn: change,
    // Removes the data when the page or dialog closes, because it can contain a secret or a password.
    gcTime: 0,
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
