const RESERVED_MS =
  "预留的时长，毫秒。锁会以其自身的格式由 `lockkeeper:reserve:<name>` 持有，任何客户端库都无法获取。";
const FORMAT_ON_ACQUIRE = "锁格式，默认为 `redisson`。多数派目标默认为 `token`，也只支持 `token`。";
const UNIT = "截止时间的单位，仅用于 `timestamp` 格式，默认为 `ms`。";
const RELEASE_FORMAT = "锁格式，取自 `release.formats`。`release.may` 为 `with_format` 时必填。";
const HOLDS_MAX =
  "配额：密钥同时的活跃持有数。null 表示使用服务器的上限（`LOCKKEEPER_HOLDS_PER_CALLER_MAX`）。";
const BYTES_MAX =
  "配额：密钥的持有在 Redis 中占用的字节数（估算）。null 表示使用服务器的上限（`LOCKKEEPER_HOLD_BYTES_PER_CALLER_MAX`）。";
const RULES = "新的规则，替换配置文件以外的所有规则。以第一条匹配的规则为准。";
const unverified = (choice: string) =>
  `由于观测有中断，无法确认持有与预期一致时的处理方式。\`refuse\`：返回 \`unverified\`。${choice}`;

const ACQUIRE_FIELDS = {
  owner: "标识持有者的文本，供人阅读，1 到 256 个可打印字符。默认为 API 密钥或操作员的名称。不用于任何授权。",
  waitMs: "锁被持有时的等待时长，毫秒。默认为 0，即立即返回 `held`。",
  record: "持有者的信息，显示在控制台中。包含控制字符或换行的文本会被拒绝。",
  renewEveryMs:
    "客户端的续期间隔，毫秒，必须小于 `leaseMs`。续期晚于间隔的一半时，锁的存活状态变为 `overdue`。不填时，只有观测到间隔稳定的续期后，锁才可能变为 `overdue`。",
  receivesReleaseRequests:
    "客户端读取响应中的 `releaseRequested` 并作出答复。操作员可以请求该持有释放锁。对多数派目标无效。",
  format: FORMAT_ON_ACQUIRE,
  unit: UNIT,
  graceMs: "租约未释放而过期（例如崩溃）后，锁继续被占用的时长，毫秒。默认为 0。正常释放时不生效。",
  minHoldMs: "获取后锁被占用的最短时长，即使提前释放也是如此，毫秒。默认为 0。租约过期时不生效。",
};

/** Chinese descriptions of request body fields, by operation ID and field name. */
export const requestFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  acquireLock: {
    ...ACQUIRE_FIELDS,
    kind: "锁的类型，默认为 `lock`。其他类型要求 `redisson` 格式，多数派目标不支持。同一个键的所有客户端必须使用相同的类型。",
    permits:
      "要获取的许可数，要么全部获取，要么一个也不获取。仅用于 `semaphore` 和 `plain_semaphore`，默认为 1。持有的 `count` 即许可数，一次释放归还全部许可。",
    limit:
      "信号量的许可总数，仅用于 `semaphore` 和 `plain_semaphore`。信号量不存在时以此创建。已存在的 `semaphore` 总数必须一致（否则返回 `limit_conflict`）；`plain_semaphore` 的总数未知，不作比较。不填时信号量必须存在。",
    yieldsToWriters:
      "读者是否让位给更早开始等待的写者，默认为 true。设为 false 时，读者可能使等待的写者一直无法获取锁。仅用于类型 `read`，只约束 Lockkeeper 的客户端。",
    holding:
      "在本次请求结束前不会释放的持有的 `holdId`，须属于同一目标。死锁据此检测，`GET /waits` 也据此显示谁排在你的后面。其他调用方的持有不起作用。仅在带 `waitMs` 时有效。",
    onDeadlock:
      "等待陷入死锁时的处理方式。`report`（默认）：在 `GET /waits` 中列出。`refuse`：死锁中选择此项的等待里，最晚开始的一个以 `deadlock` 结束。不支持 多数派目标。",
    leaseMs: "持有的租约，毫秒，默认为 30000。带 `reenter` 时，为重入后的最短剩余时间，默认为持有的租约。",
    reenter:
      "要重入的持有的 `holdId`，用于重入而不是获取锁。计数加 1，`holdId` 和 `fence` 不变。必须使用同一个 API 密钥和 `Idempotency-Key`，此外只允许 `leaseMs` 字段。",
  },
  setSemaphoreLimit: { limit: "许可总数。信号量不存在时以此创建。" },
  awaitCondition: {
    waitMs: "等待信号的时长，毫秒。到时之后也会重新获取锁。",
    reacquireMs:
      "收到信号或 `waitMs` 结束之后等待锁的时长，毫秒。仍未获取时返回 `timeout`，不再持有锁。两个时长合计不超过 55000。",
  },
  setLatchCount: { count: "需要倒数的次数，倒数到 0 时闭锁打开。" },
  acquireLocks: {
    keys: "要获取的锁的键，1 到 32 个，不可重复。顺序没有影响。",
    ...ACQUIRE_FIELDS,
    leaseMs: "各持有的租约，毫秒，默认为 30000。",
  },
  renewHold: {
    leaseMs: "续期后的最短剩余时间，毫秒。默认为上次获取或续期时的租约。",
    receivesReleaseRequests: "从现在起读取响应中的 `releaseRequested` 并作出答复，直到持有结束。",
  },
  releaseHold: { reservedMs: RESERVED_MS },
  renewHolds: { holds: "要续期的持有，每个最多出现一次。" },
  releaseHolds: { holds: "要释放的持有，每个最多出现一次。" },
  forceReleaseLock: {
    expectedVersion:
      "锁或其中一个持有者的 `version`。使用持有者的版本时只释放该持有者，且 `release.oneHolder` 必须为 true。",
    reason: "释放的原因。持有者可能存活时必填：存活状态为 `alive` 或 `unknown`，且不是预留。",
    reservedMs: RESERVED_MS,
    onUnverified: unverified("`release`：释放同一所有者当前的持有。"),
    format: RELEASE_FORMAT,
  },
  extendLock: {
    expectedVersion: "要延长的锁的 `version`。",
    leaseMs: "从现在起的最短剩余时间，毫秒。",
    reason: "延长的原因，必填。",
    onUnverified: unverified("`extend`：延长同一所有者当前的持有。"),
    format: RELEASE_FORMAT,
  },
  requestRelease: {
    expectedVersion: "锁或其中一个持有者的 `version`。",
    reason: "请求的原因，会发送给持有者。控制字符和换行会替换为空格。",
    format: "锁的格式。与实际格式不一致时返回 `invalid`。",
  },
  answerReleaseRequest: {
    requestId: "要答复的请求的 `requestId`。",
    answer: "`accepted`：你将释放该持有，请在任务停止后释放。`refused`：你继续持有。",
    text: "给操作员的说明，例如任务何时结束。控制字符和换行会替换为空格。",
  },
  reserveLock: {
    reservedMs: RESERVED_MS,
    reason: "原因，显示为持有的用途。",
    kind: "锁的类型，默认为 `lock`。`write` 预留 `redisson` 格式的读写锁，其客户端会忽略类型为 `lock` 的预留。",
    format: FORMAT_ON_ACQUIRE,
    unit: UNIT,
  },
  forceReleaseLocks: {
    items: "要释放的持有，由键和版本指定。",
    filter:
      "与 `GET /locks` 相同的筛选条件，只能与 `dryRun` 一起使用。如果指定了所有者、服务或主机，则有多个持有者的锁只选中其中匹配的持有。",
    sort: "`filter` 匹配的持有的排序。",
    limit: "`filter` 最多列出的锁数。`found` 是匹配的总数。",
    dryRun: "为 true 时不释放任何锁，响应会列出每一项的预期结果。",
    reason: "释放的原因，会记入每一项的记录。除非 `dryRun` 为 true，否则必填。",
    reservedMs: RESERVED_MS,
    onUnverified: "无法确认持有时的处理方式，与单次强制释放相同。",
    confirm: "目标的名称。目标环境为 `production` 时必填，除非 `dryRun` 为 true。",
  },
  setLockNote: {
    note: "纯文本。空字符串会删除备注。",
    expectedVersion: "备注所属持有的 `version`，该持有结束时备注会被删除。不填时，备注属于键。",
  },
  updateLiveView: {
    filter: "与 `GET /locks` 相同的筛选条件。",
    sort: "与 `GET /locks` 相同的排序。",
    offset: "跳过的行数。",
    limit: "最大行数。",
    lock: "一把锁的键，编码方式与路径相同。数据流还会包含该锁的状态和事件。",
    keep: "列表顺序变化时保留在屏幕上的行的键，编码方式与路径相同。",
    events: "`all`：数据流还会包含所有锁的事件。",
    counts: "需要统计匹配数的筛选条件。",
    namespaces: "需要统计命名空间的前缀，与 `GET /namespaces` 相同。",
  },
  createOperator: {
    name: "操作员的用户名，同时也是其 ID：1 到 64 个字母、数字、空格或 `. _ @ + -`，以字母或数字开头。",
    roles: "各目标的角色。`*` 适用于所有未列出的目标；没有 `*` 时，这些目标没有角色。",
    password: "密码。不填时，操作员在设置密码前无法登录。",
  },
  updateOperator: {
    roles: "新的角色，替换当前所有角色。",
    state: "`disabled`：操作员无法登录，所有会话会结束。",
  },
  setOperatorPassword: {
    password: "新密码。",
    old: "当前密码。操作员修改自己的密码时必填；通过一次性链接登录的管理员可以不填。",
  },
  createApiKey: {
    name: "密钥的名称：1 到 64 个字母、数字或 `. _ @ / -`，以字母或数字开头。事件和审计日志中显示为 `key:<name>`。",
    verbs:
      "密钥的权限。`read`：列出和查看锁。`lock`：获取、续期、释放和校验。`force`：强制释放、延长租约、预留锁，以及为他人的锁添加备注。`admin`：管理设置和账户。",
    targets: "密钥可以使用的目标，`*` 表示全部。",
    keys: "密钥可以使用的锁的键，Redis 的 glob 模式，`*` 表示全部。",
    expiresAt: "密钥的到期时间，Unix 毫秒。null 表示永不过期。",
    holdsMax: HOLDS_MAX,
    bytesMax: BYTES_MAX,
  },
  updateApiKey: { holdsMax: `${HOLDS_MAX}不填则不变。`, bytesMax: `${BYTES_MAX}不填则不变。` },
  rotateApiKey: { overlapMs: "旧密钥串与新密钥串同时有效的时长，毫秒，最长 7 天。" },
  saveView: {
    name: "视图的名称，显示为标签页的标题。",
    filter: "与 `GET /locks` 相同的筛选条件。",
    sort: "与 `GET /locks` 相同的排序。不填则保留页面当前的排序。",
    columns:
      "显示的列，按顺序排列，使用控制台中的列名，可带像素宽度（`name:width`）。不填则保留页面当前的列。",
    of: "`me`：仅创建者可见，在其所有浏览器中可用。`team`：对某个目标的所有锁有读取权限的人都可见。",
    place: "在其他视图中的位置，从 0 开始。默认为当前位置，新视图添加到末尾。",
  },
  replaceFormatRules: { rules: RULES },
  previewFormatRules: { rules: RULES },
  startFinder: { anew: "是否丢弃之前的结果并重新开始。" },
};
