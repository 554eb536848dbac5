import { createTitleMetadata } from "@/app/language.ts";
import { FormatsPage } from "@/components/formats/formats-page.tsx";

export const generateMetadata = createTitleMetadata("formats");

export default function Page() {
  return <FormatsPage />;
}
