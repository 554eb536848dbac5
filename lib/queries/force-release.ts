"use client";

import { useMutation } from "@tanstack/react-query";
import type { ForceReleased, ForceReleaseInput } from "@/lib/contract/actions/force-release.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { forceRelease } from "../api/endpoints.ts";
import { ApiProblem, type RequestError } from "../api/request.ts";

export function useForceRelease(path: string) {
  const store = useLiveStore();
  return useMutation<ForceReleased, RequestError, ForceReleaseInput>({
    mutationFn: (input) => forceRelease(path, input, store.target),
    onError(error) {
      if (error instanceof ApiProblem && error.status === 401) store.markLoggedOut();
    },
  });
}
