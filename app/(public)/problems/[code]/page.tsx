import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ProblemArticle } from "@/components/problems/problem-article.tsx";
import { BASE_PATH } from "@/lib/api/base-path.ts";
import { describeProblem, isErrorCode } from "@/lib/contract/problems/describe-problem.ts";
import { resolveProblemPageMessages } from "../messages.ts";

interface ProblemPageProps {
  params: Promise<{ code: string }>;
}

export async function generateMetadata({ params }: ProblemPageProps): Promise<Metadata> {
  const { code } = await params;
  return isErrorCode(code) ? { title: code } : {};
}

export default async function Page({ params }: ProblemPageProps) {
  const { code } = await params;
  if (!isErrorCode(code)) notFound();
  const { messages, translations } = await resolveProblemPageMessages();
  return (
    <ProblemArticle
      problem={describeProblem(code, BASE_PATH)}
      messages={messages}
      translations={translations}
    />
  );
}
