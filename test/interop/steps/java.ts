import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../children.ts";
import { formatReason, Skip } from "../skip.ts";
import { HERE, provideCachedDir, readLocalFile } from "./cached-dir.ts";
import { findProgram } from "./find.ts";

const DOWNLOAD_MS = 120_000;
const COMPILE_MS = 60_000;
const COPY_DEPENDENCIES = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

export interface JavaTool {
  readonly java: string;
  readonly classpath: string;
}

/** A Java program of this repository: its sources and the pom with its dependencies, both in test/interop/java. */
interface Program {
  readonly name: string;
  readonly pom: string;
  readonly sources: readonly string[];
}

/**
 * Downloads Redisson's jars and compiles the peer.
 *
 * @throws Skip if that is not possible
 */
export function provideRedisson(): Promise<JavaTool> {
  return provideJava({
    name: "redisson",
    pom: "pom.xml",
    sources: [
      "InteropPeer.java",
      "RedissonPeer.java",
      "RedissonObjects.java",
      "RedLockPeer.java",
      "ReadWritePeer.java",
      "SharedObjectsPeer.java",
      "KindsPeer.java",
    ],
  });
}

/**
 * Downloads the jars of Spring Integration and ShedLock and compiles the peer.
 *
 * @throws Skip if that is not possible
 */
export function provideSpring(): Promise<JavaTool> {
  return provideJava({ name: "spring", pom: "spring-pom.xml", sources: ["SpringPeer.java"] });
}

export interface JavaGeneratorTool {
  readonly java: string;
  readonly javac: string;
  /** Folder with the jars of the generator and of the dependencies of generated clients. */
  readonly lib: string;
}

/**
 * Downloads openapi-generator and the dependencies of generated clients.
 *
 * @throws Skip if that is not possible
 */
export async function provideJavaGenerator(): Promise<JavaGeneratorTool> {
  const { java, javac } = findJava();
  const pom = "generated-pom.xml";
  const dir = await provideCachedDir("generated-jars", [readLocalFile("java", pom)], (making) =>
    download(pom, join(making, "lib")),
  );
  return { java, javac, lib: join(dir, "lib") };
}

function findJava(): { java: string; javac: string } {
  const java = findProgram("java");
  const javac = findProgram("javac");
  if (java === undefined) throw new Skip("no Java on this machine");
  if (javac === undefined) throw new Skip("no javac on this machine");
  return { java, javac };
}

async function provideJava({ name, pom, sources }: Program): Promise<JavaTool> {
  const { java, javac } = findJava();
  const text = readLocalFile("java", pom);
  const texts = sources.map((source) => readLocalFile("java", source));
  const jars = await provideCachedDir(`${name}-jars`, [text], (dir) => download(pom, join(dir, "lib")));
  const lib = join(jars, "lib", "*");
  const from = [text, ...texts, await readVersion(java)];
  const classes = await provideCachedDir(`${name}-peer`, from, async (dir) => {
    const files = sources.map((source) => join(HERE, "java", source));
    await run(javac, ["-encoding", "UTF-8", "-d", dir, "-cp", lib, ...files], { limitMs: COMPILE_MS });
  });
  return { java, classpath: `${classes}:${lib}` };
}

async function download(pomFile: string, lib: string): Promise<void> {
  const mvn = findProgram("mvn");
  if (mvn === undefined) throw new Skip("no Maven on this machine");
  // Uses a separate folder, because Maven writes files next to the pom.
  await mkdir(lib, { recursive: true });
  const pom = join(lib, "..", "pom.xml");
  await copyFile(join(HERE, "java", pomFile), pom);
  const args = ["-B", "-q", "-f", pom, COPY_DEPENDENCIES, `-DoutputDirectory=${lib}`];
  // Tries without network access first, because ~/.m2 may already contain the artifacts.
  const isThere = await run(mvn, ["-o", ...args], { limitMs: DOWNLOAD_MS }).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await run(mvn, args, { limitMs: DOWNLOAD_MS }).catch((error: unknown) => {
    throw new Skip(`the jars cannot be had: ${formatReason(error)}`);
  });
}

async function readVersion(java: string): Promise<string> {
  return await run(java, ["-version"], { limitMs: 10_000 }).catch((error: unknown) => {
    throw new Skip(`Java does not run here: ${formatReason(error)}`);
  });
}
