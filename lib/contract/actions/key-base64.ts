import { z } from "zod";
import { KEY_BASE64, KEY_BYTES_MAX } from "../../keys/key.ts";

/** The bytes of a key that is not valid UTF-8, in base64 or base64url. */
export const KeyBase64 = z
  .string()
  .max(Math.ceil(KEY_BYTES_MAX / 3) * 4)
  .regex(KEY_BASE64, "must be the base64 of the key's bytes");
