import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { problems } from "@/lib/i18n/en/problems.ts";
import { useLanguage, useMessages } from "@/lib/i18n/messages-provider.tsx";
import { useOpenApiDocument } from "@/lib/queries/api-document.ts";
import type { OpenApiDocument } from "@/lib/reference/document.ts";
import { localizeDocument, type ReferenceTexts } from "@/lib/reference/localized-document.ts";

interface Reference {
  document: OpenApiDocument;
  isTranslated: boolean;
}

/** Loads the OpenAPI document in the page's language. Falls back to English if the translation cannot be loaded. */
export function useReference() {
  const { language } = useLanguage();
  const { translations } = useMessages(problems);
  const source = useOpenApiDocument();
  const texts = useQuery<ReferenceTexts>({
    queryKey: ["reference-texts", language],
    queryFn: () =>
      import("@/lib/i18n/zh/api-reference/reference-texts.ts").then(({ referenceTexts }) => referenceTexts),
    enabled: language === "zh",
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isWaiting = texts.isLoading;
  const reference = useMemo((): Reference | undefined => {
    if (source.data === undefined || isWaiting) return undefined;
    if (texts.data === undefined || translations === null)
      return { document: source.data, isTranslated: false };
    return { document: localizeDocument(source.data, texts.data, translations.ofCode), isTranslated: true };
  }, [source.data, texts.data, isWaiting, translations]);
  return { reference, error: source.error, refetch: source.refetch };
}
