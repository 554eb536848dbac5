import { expect, test } from "./console.ts";

interface Manifest {
  name: string;
  icons: { src: string; type: string }[];
}

test("the pages name icons and a manifest that exist, without a login", async ({
  lockkeeper,
  page,
  request,
}) => {
  await page.goto(lockkeeper.url);
  const links = page.locator('link[rel="icon"], link[rel="apple-touch-icon"], link[rel="manifest"]');
  const addresses = await links.evaluateAll((elements) =>
    elements.map((one) => (one as HTMLLinkElement).href),
  );
  expect(addresses).toHaveLength(4);
  for (const address of addresses) expect((await request.get(address)).status(), address).toBe(200);

  const manifestUrl = new URL("site.webmanifest", `${lockkeeper.url}/`).href;
  const manifest = (await (await request.get(manifestUrl)).json()) as Manifest;
  expect(manifest.name).toBe("Lockkeeper");
  for (const { src, type } of manifest.icons) {
    const icon = await request.get(new URL(src, manifestUrl).href);
    expect(icon.status(), src).toBe(200);
    expect(icon.headers()["content-type"], src).toBe(type);
  }
});

test("robots.txt disallows indexing", async ({ lockkeeper, request }) => {
  const robots = await request.get(new URL("robots.txt", `${lockkeeper.url}/`).href);
  expect(robots.status()).toBe(200);
  expect(await robots.text()).toBe("User-agent: *\nDisallow: /\n");
});
