import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RequestError } from "../api/request.ts";

/** Returns a mutation after which the data of `queryKey` is fetched again, even if the mutation failed. */
export function useInvalidatingMutation<Done, Input>(
  queryKey: QueryKey,
  change: (input: Input) => Promise<Done>,
) {
  const client = useQueryClient();
  return useMutation<Done, RequestError, Input>({
    mutationFn: change,
    // The data can contain a secret or password, so it is removed when its page or sheet is closed.
    gcTime: 0,
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
