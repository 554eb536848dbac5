import type { Key } from "../../../lib/keys/key.ts";
import type { Commands, RedisArgument } from "../../redis/commands.ts";
import { type Script, toRedisArgument } from "../../redis/script.ts";
import type { ScriptArguments } from "../hold-writer.ts";
import {
  buildCompanionKey,
  buildHolderCompanionKey,
  buildReadWriteChannel,
  buildWritersKey,
} from "../keys.ts";
import { formatWaiterId } from "../kind-keys.ts";
import type { AcquireRequest, DowngradeRequest } from "../lock-requests.ts";
import { formatShardedFlag, type KindPart, LockWriter } from "../lock-writer.ts";
import { type DowngradeReply, parseDowngradeReply } from "../script-replies.ts";
import { type StopWaitingRequest, stopWaiting } from "../stop-waiting.ts";

/** The base class for the verbs of readers and writers of read/write locks. */
class ReadWriteWriter extends LockWriter {
  override buildWakeChannel(key: Key): RedisArgument {
    return buildReadWriteChannel(key);
  }

  override stopWaiting(
    redis: Commands,
    channel: string,
    key: Key,
    waiter: StopWaitingRequest,
  ): Promise<void> {
    return stopWaiting(redis, channel, key, { ...waiter, kind: this.kind });
  }

  protected override buildAcquirePart(_redis: Commands, key: Key, ask: AcquireRequest): KindPart {
    const role = this.kind === "write" ? "list" : ask.yieldsToWriters === false ? "" : "yield";
    return {
      keys: [buildWritersKey(key), buildCompanionKey(key)],
      arguments: ["", formatWaiterId(this.kind, ask.id), role],
    };
  }
}

/** Runs the verbs of readers on read/write locks. Each reader has its own companion. */
export class ReadWriter extends ReadWriteWriter {
  /** @param scripts as for `LockWriter` */
  constructor(scripts: URL = new URL("../", import.meta.url)) {
    super("redisson", "read", scripts);
  }

  override get isShared(): boolean {
    return true;
  }

  protected override buildKeys(key: Key, token: string): ScriptArguments {
    return [toRedisArgument(key), buildHolderCompanionKey(key, token)];
  }
}

/** Runs the verbs of writers on read/write locks. */
export class WriteWriter extends ReadWriteWriter {
  readonly #downgrade: Script<ScriptArguments, ScriptArguments, DowngradeReply>;

  /** @param scripts as for `LockWriter` */
  constructor(scripts: URL = new URL("../", import.meta.url)) {
    super("redisson", "write", scripts);
    this.#downgrade = this.loadVerb("redisson/write/downgrade", parseDowngradeReply);
  }

  /** Converts a writer's hold to a reader's hold. */
  downgrade(
    redis: Commands,
    channel: string,
    key: Key,
    { token, fence, principal, reader }: DowngradeRequest,
  ): Promise<DowngradeReply> {
    const keys = [...this.buildKeys(key, token), buildHolderCompanionKey(key, reader)];
    return this.#downgrade.run(redis, keys, [
      ...[token, fence, principal ?? "", reader],
      ...[channel, this.buildWakeChannel(key), formatShardedFlag(redis)],
    ]);
  }
}

export const WRITE_WRITER = new WriteWriter();
