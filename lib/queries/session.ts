"use client";

import { useMutation } from "@tanstack/react-query";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { login, logout } from "../api/endpoints.ts";

export function useLogout() {
  const store = useLiveStore();
  return useMutation({ mutationFn: logout, onSuccess: () => store.markLoggedOut() });
}

export function useLogin() {
  return useMutation({ mutationFn: login });
}
