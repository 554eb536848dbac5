import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hashInputs, isBuilt, isInstalled, stampFile } from "./freshness.mjs";

let root: string;

function write(path: string, content = "") {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function build() {
  write(".next/BUILD_ID", "1");
  writeFileSync(stampFile(root), hashInputs(root));
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lockkeeper fresh "));
  write("app/page.tsx", "page");
  write("app/locks/page.tsx", "locks");
  write("package-lock.json", "{}");
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("up-to-date build", () => {
  test("a build is up to date right after it was made and in a copy with other file times", () => {
    build();
    expect(isBuilt(root)).toBe(true);
    const copy = join(root, "copy");
    for (const part of ["app", ".next", "package-lock.json"]) {
      cpSync(join(root, part), join(copy, part), { recursive: true });
    }
    expect(isBuilt(copy)).toBe(true);
  });

  test("a build is up to date only for its own base path", () => {
    build();
    process.env.LOCKKEEPER_BASE_PATH = "/locks";
    try {
      expect(isBuilt(root)).toBe(false);
      build();
      expect(isBuilt(root)).toBe(true);
    } finally {
      delete process.env.LOCKKEEPER_BASE_PATH;
    }
    expect(isBuilt(root)).toBe(false);
  });

  test("a build stays up to date when only unrelated files change", () => {
    build();
    write("server/main.ts", "changed");
    write("app/page.test.tsx", "a test");
    expect(isBuilt(root)).toBe(true);
  });
});

describe("stale build", () => {
  test.each<[string, () => void]>([
    ["a page changed without changing its size", () => write("app/page.tsx", "egap")],
    ["a file was added", () => write("components/button.tsx")],
    ["an empty file was removed", () => rmSync(join(root, "app/empty.ts"))],
    ["a page moved", () => renameSync(join(root, "app/locks"), join(root, "app/locks2"))],
    ["the dependencies changed", () => write("package-lock.json", "{ }")],
    ["the accessor to the server changed", () => write("server/global-runtime.ts", "changed")],
    [
      "a file was merged, name and content, into the one before it",
      () => {
        write("app/a.ts", "oneapp/b.ts\0two");
        rmSync(join(root, "app/b.ts"));
      },
    ],
    ["it was interrupted", () => rmSync(join(root, ".next/BUILD_ID"))],
    ["it has no stamp", () => rmSync(stampFile(root))],
  ])("a build is stale when %s", (_name, change) => {
    write("app/empty.ts");
    write("app/a.ts", "one");
    write("app/b.ts", "two");
    build();
    change();
    expect(isBuilt(root)).toBe(false);
  });
});

describe("installation", () => {
  const installed = (seconds: number) => {
    write("node_modules/.package-lock.json");
    utimesSync(join(root, "node_modules/.package-lock.json"), seconds, seconds);
    utimesSync(join(root, "package-lock.json"), 1_000, 1_000);
  };

  test("the installation is missing without npm's own record, which npm writes last", () => {
    mkdirSync(join(root, "node_modules/next"), { recursive: true });
    expect(isInstalled(root)).toBe(false);
  });

  test("the installation is stale when the lock file is newer", () => {
    installed(999);
    expect(isInstalled(root)).toBe(false);
    installed(1_000);
    expect(isInstalled(root)).toBe(true);
  });
});
