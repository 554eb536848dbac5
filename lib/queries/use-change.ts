import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RequestError } from "../api/request.ts";

/** A change after which, also when it failed, what is shown under a key is asked for anew. */
export function useInvalidatingMutation<Done, Input>(
  queryKey: QueryKey,
  change: (input: Input) => Promise<Done>,
) {
  const client = useQueryClient();
  return useMutation<Done, RequestError, Input>({
    mutationFn: change,
    // A secret or a password may be in it: nothing is kept once its page or sheet is closed.
    gcTime: 0,
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
