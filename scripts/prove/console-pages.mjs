/**
 * Logs in with a one-time link, and loads pages with all their scripts and styles.
 *
 * @param {readonly string[] | null} link a match of the login link: the link, the URL of the console and the token
 */
export async function openConsole(link) {
  const [, url = "", token = ""] = link ?? [];
  const login = await fetch(`${url}/api/v1/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token: token.trim() }),
  });
  if (!login.ok) throw new Error(`POST /login returned ${login.status}: ${await login.text()}`);
  const cookie = login.headers
    .getSetCookie()
    .map((each) => each.split(";", 1)[0])
    .join("; ");
  for (const path of ["/", "/events", "/docs", "/problems"]) await loadPage(`${url}${path}`, url, cookie);
}

/**
 * @param {string} page
 * @param {string} url
 * @param {string} cookie
 */
async function loadPage(page, url, cookie) {
  const response = await fetch(page, { headers: { cookie, accept: "text/html" } });
  const html = await response.text();
  if (response.status !== 200) throw new Error(`${page} returned ${response.status}:\n${html.slice(0, 500)}`);
  const files = [...html.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g)].map(([, path]) => path);
  if (files.length < 5) throw new Error(`${page} refers to ${files.length} files`);
  for (const path of new Set(files)) {
    const { status } = await fetch(`${url}${path}`);
    if (status !== 200) throw new Error(`${path} of ${page} returned ${status}`);
  }
}
