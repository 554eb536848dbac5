import { titled } from "@/app/language.ts";
import { TargetsPage } from "@/components/targets/targets-page.tsx";

export const generateMetadata = titled("targets");

export default function Page() {
  return <TargetsPage />;
}
