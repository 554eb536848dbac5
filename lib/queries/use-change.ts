import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import type { RequestError } from "../api/request.ts";

/** Returns a mutation after which, even if it fails, the data of `queryKey` is fetched again. */
export function useInvalidatingMutation<Done, Input>(
  queryKey: QueryKey,
  change: (input: Input) => Promise<Done>,
) {
  const client = useQueryClient();
  return useMutation<Done, RequestError, Input>({
    mutationFn: change,
    // The data can contain a secret or password, so it is removed when its page or dialog closes.
    gcTime: 0,
    onSettled: () => client.invalidateQueries({ queryKey }),
  });
}
