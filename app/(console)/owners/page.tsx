import { createTitleMetadata } from "@/app/language.ts";
import { OwnersPage } from "@/components/owners/owners-page.tsx";

export const generateMetadata = createTitleMetadata("owners");

export default function Page() {
  return <OwnersPage />;
}
