import { FORMAT_NAMES, type FormatName, type SpokenFormat } from "../../lib/contract/format.ts";
import type { Commands } from "../redis/commands.ts";
import { FORMATS } from "./format.ts";
import type { FreeAsk, KnownFormat } from "./known-format.ts";
import type { HeldObservation } from "./observation.ts";
import { recogniseRedisson } from "./redisson/recognise.ts";
import { recogniseDeadline, recogniseToken } from "./spoken-strings.ts";

/** Those that we write ourselves: `force-release.lua` frees a hold of ours and one taken without us alike. */
function spoken(name: SpokenFormat, recognise: KnownFormat["recognise"]): KnownFormat {
  const free = (redis: Commands, channel: string, seen: HeldObservation, ask: FreeAsk) => {
    const [{ owner, fence }] = seen.holders;
    const { by, reason, holdOff } = ask;
    return FORMATS[name].forceRelease(redis, channel, seen.key, { owner, fence, by, reason, holdOff });
  };
  return { name, recognise, frees: { oneHolder: false, holdOff: true, free } };
}

const KNOWN: readonly KnownFormat[] = [
  spoken("redisson", recogniseRedisson),
  spoken("token", recogniseToken),
  spoken("timestamp", recogniseDeadline),
];

const unknown = (name: FormatName): KnownFormat => ({ name, recognise: () => undefined });

export const KNOWN_FORMATS = Object.fromEntries(
  FORMAT_NAMES.map((name) => [name, KNOWN.find((each) => each.name === name) ?? unknown(name)]),
) as Readonly<Record<FormatName, KnownFormat>>;
