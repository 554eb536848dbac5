import { createTitleMetadata } from "@/app/language.ts";
import { DocsPage } from "@/components/docs/docs-page.tsx";

export const generateMetadata = createTitleMetadata("docs");

export default function Page() {
  return <DocsPage />;
}
