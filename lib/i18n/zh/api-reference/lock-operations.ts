import type { OperationTexts } from "@/lib/reference/localized-document.ts";

/** Chinese strings for the operations with the tags Holds and Locks. */
export const lockOperations: Readonly<Record<string, OperationTexts>> = {
  acquireLock: {
    summary: "获取锁",
    description:
      "锁空闲时获取锁。锁已被持有时返回 `held`，即使持有者就是你。带 `waitMs` 时，请求会一直保持到获取到锁或等待超时（`timeout`）；5 秒内使用同一个 `Idempotency-Key` 重试可保留在等待队列中的位置。断开连接会取消等待中的获取。进程暂停的时间可能超过租约，因此每次写入都要携带 fencing token，并由资源端拒绝较小的 token。",
    results: { "200": "带 `reenter` 时，返回重入后的持有。", "201": "新的持有。" },
    examples: [
      "获取 30 秒",
      "最多等待 10 秒",
      "崩溃后继续占用锁 1 分钟",
      "接收操作员的释放请求",
      "每 5 分钟最多持有一次",
      "使用 redlock、redis-py 等 SET NX PX 客户端库的格式",
      "使用以秒为单位的 SETNX、GETSET 锁的格式",
      "获取信号量 10 个许可中的 2 个",
      "陷入死锁时拒绝等待",
      "重入已有的持有",
    ],
  },
  acquireLocks: {
    summary: "同时获取多把锁",
    description:
      "要么获取全部锁，要么一把也不获取。所有检查都在首次更改之前完成：调用方须有每个键的权限，任何一个键存有其他数据都会使请求失败。有锁已被持有时返回 `held`，并指明是哪一把；带 `waitMs` 时，请求在该锁的等待队列中等待，期间不持有任何锁，因此锁集合有重叠的请求不会死锁。每个持有有自己的 fencing token，用各自的 `holdId` 续期和释放。在 Redis Cluster 上，同一槽位的锁一次获取，各槽位按固定顺序依次获取。",
    results: { "201": "新的持有。" },
    examples: ["获取两把锁 30 秒", "最多等待 10 秒获取两把锁"],
  },
  setSemaphoreLimit: {
    summary: "设置信号量的许可总数",
    description:
      "设置许可总数，信号量不存在时创建它。已获取的许可不会失效：如果已获取的许可多于新的总数，`available` 为负数，在归还足够的许可之前不再发放。新增的可用许可会唤醒等待的客户端。重复请求不会产生任何变化。",
    results: { "200": "信号量的许可。" },
    examples: ["允许 10 个许可"],
  },
  setLatchCount: {
    summary: "关闭闭锁",
    description:
      "为打开的闭锁设置计数并将其关闭。已关闭的闭锁不会改变（返回 `already_exists`），除非用同一个 `Idempotency-Key` 重复关闭它的请求。",
    results: { "201": "已关闭的闭锁。" },
    examples: ["等待 3 个工作进程"],
  },
  countDownLatch: {
    summary: "闭锁倒数",
    description:
      "将关闭的闭锁的计数减 1。减到 0 时，闭锁为所有等待的客户端打开。请携带 `Idempotency-Key`，否则响应丢失后的重试会再减一次。",
    results: { "200": "闭锁。" },
  },
  getLatch: {
    summary: "读取闭锁，或等待其打开",
    description:
      "返回闭锁的计数：立即返回，或在其打开时返回。打开的闭锁在 Redis 中没有键，因此从未使用过的名称也是打开的闭锁。需要等待更久时，请重复请求，并把上一次的 `asOf` 作为 `openedAfter` 传入。",
    parameters: {
      waitMs: "等待闭锁打开的时长，毫秒。默认为 0，即立即返回计数。到时仍未打开时，响应中是当时的计数。",
      openedAfter:
        "上一次响应的 `asOf`，用于延续其等待：闭锁在此之后打开过、现在又有新计数时，等待同样结束。仅适用于通过 Lockkeeper 打开的闭锁。",
    },
    results: { "200": "闭锁。" },
  },
  getHold: {
    summary: "校验持有",
    description:
      "返回持有是否仍然存在，不做任何更改。结果返回时可能已经过时，因此还需检查自己的截止时间，并在每次写入时携带 fencing token。",
    results: { "200": "持有的状态。" },
  },
  renewHold: {
    summary: "续期",
    description: "为持有续期。不会创建锁，也不会缩短租约。只有获取该持有的 API 密钥或操作员可以续期。",
    results: { "200": "续期后的持有。" },
    examples: ["沿用原租约", "续期 1 分钟"],
  },
  downgradeHold: {
    summary: "把写持有降级为读持有",
    description:
      "把写者的持有变为读者的持有。期间其他写者无法获取锁，等待的读者会被唤醒。新的持有有另一个 `holdId`，fencing token 和剩余租约不变。重复请求返回同一个持有。重入过的持有返回 `held`：先释放其余的计数。不支持升级：先释放读持有，再以类型 `write` 获取锁。",
    results: { "200": "读持有。" },
    examples: ["降级"],
  },
  awaitCondition: {
    summary: "放弃锁并等待条件变量",
    description:
      "连同全部重入次数一起放弃持有，等待另一个持有者发出信号，再以相同的次数、租约和所有者重新获取锁。响应是新的持有：`holdId` 不同，fencing token 更大。如果在放弃持有之前被拒绝（`queue_full`、`too_many_waiting`、`condition_unsupported`），持有不变。返回 `timeout` 后不再持有锁。断开连接会结束等待且不再获取锁，收到的信号会转给下一个客户端；带 `Idempotency-Key` 时，可在 5 秒内重复请求以继续等待。支持 `redisson` 格式的普通锁和公平锁，不支持多数派目标。",
    parameters: { id: "条件变量的名称：1 到 64 个字母、数字、点、`_` 或 `-`。任何名称都可以使用。" },
    results: { "200": "新的持有。" },
    examples: ["最多等待 10 秒，再等待锁 5 秒"],
  },
  signalCondition: {
    summary: "唤醒一个等待条件变量的客户端",
    description:
      "唤醒等待时间最长的客户端。它会在你释放锁之后获取锁。请带上 `Idempotency-Key`：否则响应丢失后的重试会唤醒另一个客户端。",
    parameters: { id: "条件变量的名称：1 到 64 个字母、数字、点、`_` 或 `-`。任何名称都可以使用。" },
    results: { "200": "信号的结果。" },
  },
  signalAllOnCondition: {
    summary: "唤醒所有等待条件变量的客户端",
    description: "唤醒所有等待的客户端。你释放锁之后，它们依次获取锁，通常按开始等待的顺序。",
    parameters: { id: "条件变量的名称：1 到 64 个字母、数字、点、`_` 或 `-`。任何名称都可以使用。" },
    results: { "200": "信号的结果。" },
  },
  releaseHold: {
    summary: "释放持有",
    description:
      "释放持有的一次计数；释放最后一次时会释放锁并唤醒一个等待者。持有已经结束时返回结果 `not_held`，不会报错。写持有降级后，用它原来的 `holdId` 也能释放降级得到的读持有（请求预留锁时除外）。计数大于 1 时必须带 `Idempotency-Key`。只有获取该持有的 API 密钥或操作员可以释放。",
    results: { "200": "释放的结果。" },
    examples: ["释放", "释放并预留 10 秒"],
  },
  renewHolds: {
    summary: "批量续期",
    description:
      "为最多 1,000 个持有续期，可跨目标，每个持有返回一个结果。某个持有失败不影响其他持有。与单个续期一样，不会创建锁，也不会缩短租约。重复请求只会改变租约，因此不需要 `Idempotency-Key`。计算速率限制时，10 个持有算一个请求。",
    results: { "200": "每个持有一个结果。" },
    examples: ["沿用原租约", "续期 1 分钟"],
  },
  releaseHolds: {
    summary: "批量释放持有",
    description:
      "释放最多 1,000 个持有的一次计数，可跨目标，每个持有返回一个结果。某个持有失败不影响其他持有。持有的计数大于 1 时，释放必须带 `Idempotency-Key`。可以用同一个 key 重复整个请求，或只重复其中一部分持有。计算速率限制时，10 个持有算一个请求。",
    results: { "200": "每个持有一个结果。" },
    examples: ["释放", "释放并预留 10 秒"],
  },
  listLocks: {
    summary: "列出锁",
    description:
      "列出索引中仍被持有的锁，以及截止时间已过但键仍存在的锁。调用方无权读取的锁不会列出。“可能”的锁只有在键匹配可加锁的模式或锁格式规则时才会列出；`unlisted` 给出其余的数量，可用 `is:unlisted` 查找。",
    results: { "200": "一页锁。" },
  },
  getLock: {
    summary: "查看锁",
    description: "从 Redis 读取锁。键空闲时，返回的锁没有持有者。",
    results: { "200": "锁。" },
  },
  forceReleaseLock: {
    summary: "强制释放锁",
    description:
      "释放 `expectedVersion` 标识的持有；如果持有已变化，则不释放。等待者会按对应客户端库的方式被唤醒，调用方和原因会被记录。带 `reservedMs` 时，其他客户端在此期间无法获取锁。原持有者可能仍在运行，只有资源端校验 fencing token 才能阻止其写入。部分客户端库会重新创建被释放的锁，请在 `watchMs` 时间内关注 `recreated` 事件。",
    results: { "200": "强制释放的结果。" },
    examples: ["释放", "释放并预留 1 分钟", "为有歧义的锁指定锁格式"],
  },
  extendLock: {
    summary: "延长锁的租约",
    description:
      "将 `expectedVersion` 标识的持有延长到至少 `leaseMs`，否则不做更改。不会创建锁，也不会缩短租约。适用于随键的 TTL 过期的锁，以及通过 Lockkeeper 获取的持有。持有者不会收到通知；`lasts` 表示其客户端库是否会覆盖新的时间。",
    results: { "200": "延长的结果。" },
    examples: ["延长到 10 分钟"],
  },
  requestRelease: {
    summary: "请求持有者释放锁",
    description:
      "向 `expectedVersion` 标识的持有的客户端发送请求，要求持有者带有 `receivesReleaseRequests`。此操作不会释放锁：持有者完成或中断任务后自行释放，或者拒绝。使用 Node.js 库的客户端会立即收到请求，使用 HTTP API 的客户端在下次续期时收到。新的请求会替换上一个请求。锁的版本不变，之后仍可强制释放。",
    results: { "200": "请求。其状态和答复见 `GET /locks/{key}` 返回的持有者。" },
    examples: ["因迁移请求释放"],
  },
  answerReleaseRequest: {
    summary: "答复释放请求",
    description:
      "告知操作员你是否会释放该持有。`accepted` 不会释放锁，请在任务停止后自行释放。以第一次答复为准，重复相同的答复不会有任何变化。`changed`：请求已有其他答复，或已被新的请求替换。只有获取该持有的 API 密钥或操作员可以答复。",
    results: { "200": "已答复的请求。" },
    examples: ["同意", "拒绝"],
  },
  reserveLock: {
    summary: "预留空闲的锁",
    description:
      "以 `lockkeeper:reserve:<name>` 的名义获取空闲的锁，使任何客户端库都无法获取。请在 `format` 中指定该锁的客户端所用的格式。预留会像普通锁一样列出，在 `reservedMs` 后过期，也可以提前强制释放。锁已被持有时返回 `held`，此时请改用带 `reservedMs` 的强制释放。",
    results: { "200": "预留。" },
    examples: ["预留 10 分钟", "阻止以秒为单位的 SETNX、GETSET 客户端"],
  },
  exportLocks: {
    summary: "导出锁",
    description:
      "将符合筛选条件的锁导出为文件，内容为同一时刻的状态，按 `sort` 排序，最多 100,000 条。超出时，最后一行会注明。在 CSV 中，可能被电子表格当作公式执行的单元格以撇号开头，不可见字符会被转义。",
    results: { "200": "每行一把锁。" },
    parameters: { format: "`jsonl`：每行一个 `Lock`，与 `GET /locks` 相同。`csv`：每行一把锁。" },
  },
  forceReleaseLocks: {
    summary: "批量强制释放锁",
    description:
      "释放多个持有。每个持有都会像单次强制释放一样比对版本、校验权限并记录。先发送 `filter` 和 `dryRun`: true 查看匹配的持有及用于释放它的 `item`，再在 `items` 中发送要释放的项。响应是逐行的数据流（`application/x-ndjson`）：一行 `head`，每完成一项输出一行 `item`（顺序不定），最后一行 `tally`。断开连接后，尚未开始的项会被跳过。",
    results: { "200": "JSON 行，每完成一项写入一行。" },
    examples: ["查看失联 worker 的锁", "释放两个持有", "释放生产目标上的持有"],
  },
  listFacets: {
    summary: "按维度统计锁",
    description:
      "按格式、类型、存活状态、服务、主机和是否有等待者统计符合筛选条件的锁。每个维度都忽略筛选条件中针对自身字段的部分，并列出出现最多的 50 个值。统计结果缓存 1 秒；如果统计耗时的 20 倍超过 1 秒，则缓存该时长。",
    results: { "200": "各维度的计数。" },
  },
  setLockNote: {
    summary: "设置锁的备注",
    description:
      "设置、替换或删除锁的备注。带 `expectedVersion` 时，备注属于该持有，随持有结束而删除；不带时，备注属于键。备注随锁一起返回并显示在控制台中，不会写入目标。备注保留 30 天，每个目标最多 1,000 条，超出时先删除最早的。",
    results: { "200": "当前的备注。" },
    examples: ["当前持有的备注", "键的备注", "删除备注"],
  },
  getRawLock: {
    summary: "查看锁的原始内容",
    description:
      "返回 Redis 中该键的类型、剩余生存时间和内容，超过上限的部分会被截断。不返回非锁键的内容。对于多数派目标，每个主节点返回一份。",
    results: { "200": "键的内容。空闲的键类型为 `none`。" },
  },
  getLockWaiters: {
    summary: "列出锁的等待者",
    description:
      "从 Redis 返回锁的可见等待者，以及其顺序的可靠程度。可以识别名称的有：通过 Lockkeeper 等待的客户端、Redisson 公平锁的队列、sidekiq-unique-jobs 的任务，以及 DistributedLock 中等待的写者。轮询的客户端不可见。",
    results: { "200": "等待者。" },
  },
  getLockStats: {
    summary: "查看锁的通常时长",
    description: "返回相同键模式的锁通常的持有时长和等待时长。",
    results: { "200": "该键模式的通常时长。" },
  },
};
