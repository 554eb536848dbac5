// npm run pack: builds dist/redis and dist/lockkeeper-redis-<version>.tgz, the package @lockkeeper/redis.
import { relative } from "node:path";
import { packRedisLibrary } from "./pack/redis-package.mjs";
import { StepError } from "./steps/child.mjs";

try {
  const { tarball, modules, scripts, files, packedBytes, unpackedBytes, dependencies } =
    await packRedisLibrary();
  console.log(`${modules} modules and ${scripts} Lua scripts; dependencies: ${dependencies.join(", ")}`);
  console.log(
    `${relative(process.cwd(), tarball)}: ${files} files, ${toKilobytes(packedBytes)} packed, ${toKilobytes(unpackedBytes)} unpacked`,
  );
} catch (error) {
  if (!(error instanceof StepError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** @param {number} bytes */
function toKilobytes(bytes) {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
