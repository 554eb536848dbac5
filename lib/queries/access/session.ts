"use client";

import { useMutation } from "@tanstack/react-query";
import { login } from "../../api/endpoints.ts";

export function useLogin() {
  return useMutation({ mutationFn: login });
}
