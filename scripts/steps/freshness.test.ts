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

describe("a build is up to date", () => {
  test("right after it was made, and in a copy with other file times", () => {
    build();
    expect(isBuilt(root)).toBe(true);
    const copy = join(root, "copy");
    for (const part of ["app", ".next", "package-lock.json"]) {
      cpSync(join(root, part), join(copy, part), { recursive: true });
    }
    expect(isBuilt(copy)).toBe(true);
  });

  test("for the path that it was built to be below, and no other", () => {
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

  test("when only something else changed", () => {
    build();
    write("server/main.ts", "changed");
    write("app/page.test.tsx", "a test");
    expect(isBuilt(root)).toBe(true);
  });
});

describe("a build is out of date", () => {
  test.each<[string, () => void]>([
    ["a page changed, even to the same length", () => write("app/page.tsx", "egap")],
    ["a file was added", () => write("components/button.tsx")],
    ["an empty file was removed", () => rmSync(join(root, "app/empty.ts"))],
    ["a page moved", () => renameSync(join(root, "app/locks"), join(root, "app/locks2"))],
    ["the dependencies changed", () => write("package-lock.json", "{ }")],
    ["the accessor to the server changed", () => write("server/global-runtime.ts", "changed")],
    [
      "a file was put, name and all, at the end of the one before",
      () => {
        write("app/a.ts", "oneapp/b.ts\0two");
        rmSync(join(root, "app/b.ts"));
      },
    ],
    ["it was interrupted before its end", () => rmSync(join(root, ".next/BUILD_ID"))],
    ["it has no stamp", () => rmSync(stampFile(root))],
  ])("when %s", (_name, change) => {
    write("app/empty.ts");
    write("app/a.ts", "one");
    write("app/b.ts", "two");
    build();
    change();
    expect(isBuilt(root)).toBe(false);
  });
});

describe("the installation", () => {
  const installed = (seconds: number) => {
    write("node_modules/.package-lock.json");
    utimesSync(join(root, "node_modules/.package-lock.json"), seconds, seconds);
    utimesSync(join(root, "package-lock.json"), 1_000, 1_000);
  };

  test("is missing without npm's own record of it, which npm writes last", () => {
    mkdirSync(join(root, "node_modules/next"), { recursive: true });
    expect(isInstalled(root)).toBe(false);
  });

  test("is out of date when the lock file is newer", () => {
    installed(999);
    expect(isInstalled(root)).toBe(false);
    installed(1_000);
    expect(isInstalled(root)).toBe(true);
  });
});
