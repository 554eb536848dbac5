import { z } from "zod";

/** Connection details of the embedded Redis for applications. Does not contain the password. */
export const AppConnection = z
  .object({
    host: z.string().meta({ description: "Host of the embedded Redis. It listens on loopback only." }),
    port: z.int().meta({ description: "Port of the embedded Redis. It stays the same over restarts." }),
    user: z.string().meta({ description: "Redis user of applications." }),
    file: z.string().meta({
      description:
        "File on the server's machine with the URL for `REDIS_URL`. Only the account that runs Lockkeeper can read it.",
    }),
  })
  .meta({ id: "AppConnection", description: "How applications connect to the embedded Redis." });
export type AppConnection = z.infer<typeof AppConnection>;

export const AppConnectionInfo = z
  .object({
    connection: AppConnection.nullable().meta({
      description: "null if no target is the embedded Redis.",
    }),
  })
  .meta({ id: "AppConnectionInfo" });
export type AppConnectionInfo = z.infer<typeof AppConnectionInfo>;

export const AppConnectionUrl = z
  .object({
    url: z
      .string()
      .meta({ description: "URL of the embedded Redis with the user and password of applications." }),
  })
  .meta({ id: "AppConnectionUrl" });
export type AppConnectionUrl = z.infer<typeof AppConnectionUrl>;
