"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FormatRule, Formats } from "@/lib/contract/detection/format-rule.ts";
import type { RulePreview } from "@/lib/contract/detection/rule-preview.ts";
import { useLiveStore } from "@/lib/live/live-context.ts";
import { getFormats, previewRules, replaceRules } from "../api/endpoints.ts";
import type { RequestError, TargetName } from "../api/request.ts";

const getFormatsQueryKey = (target: TargetName) => ["formats", target];

/** Reads the format rules and the formats that Lockkeeper recognizes. */
export function useFormats() {
  const { target } = useLiveStore();
  return useQuery<Formats, RequestError>({
    queryKey: getFormatsQueryKey(target),
    queryFn: () => getFormats(target),
  });
}

/** Returns a mutation that replaces all format rules except the rules from the configuration. */
export function useReplaceRules() {
  const client = useQueryClient();
  const { target } = useLiveStore();
  return useMutation<Formats, RequestError, readonly FormatRule[]>({
    mutationFn: (rules) => replaceRules(rules, target),
    onSuccess: (formats) => client.setQueryData(getFormatsQueryKey(target), formats),
  });
}

/** Returns a mutation that computes the effect of format rules without applying them. */
export function usePreviewRules() {
  const { target } = useLiveStore();
  return useMutation<RulePreview, RequestError, readonly FormatRule[]>({
    mutationFn: (rules) => previewRules(rules, target),
  });
}
