import { createTitleMetadata } from "@/app/language.ts";
import { TargetsPage } from "@/components/targets/targets-page.tsx";

export const generateMetadata = createTitleMetadata("targets");

export default function Page() {
  return <TargetsPage />;
}
