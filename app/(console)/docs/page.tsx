import { titled } from "@/app/language.ts";
import { DocsPage } from "@/components/docs/docs-page.tsx";

export const generateMetadata = titled("docs");

export default function Page() {
  return <DocsPage />;
}
