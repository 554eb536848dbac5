import { createTitleMetadata } from "@/app/language.ts";
import { WaitsPage } from "@/components/waits/waits-page.tsx";

export const generateMetadata = createTitleMetadata("waits");

export default function Page() {
  return <WaitsPage />;
}
