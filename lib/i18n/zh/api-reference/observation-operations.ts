import type { OperationTexts } from "@/lib/reference/localized-document.ts";

const FINDER_RESULT = "扫描的进度和结果。";
const GROUP_PARAMETERS = {
  filter:
    "与 `GET /locks` 的筛选条件相同，但不支持随时间变化的条件：`held`、`remaining` 和 `is:needs_attention` 会返回 `invalid`。要查找需要处理的锁，请按 `-needs_attention` 排序。",
  sort: "取值为 name、holds、needs_attention、held、waiters 之一，前缀 `-` 表示降序。`held` 按最早的持有排序，`needs_attention` 按需要处理的锁数排序，相同时按 `holds` 排序。",
};
const KEY_GLOB = "锁的键。`*` 和 `?` 是通配符。";
const EVENT = "事件。";
const UNSTORED_EVENT = "事件，没有 ID，也不存储，除非由操作员触发。";
const EVENTS = {
  acquired: EVENT,
  reentered: EVENT,
  renewed: UNSTORED_EVENT,
  released: EVENT,
  expired: EVENT,
  evicted: EVENT,
  force_released: EVENT,
  release_requested: EVENT,
  release_request_accepted: EVENT,
  release_request_refused: EVENT,
  waiting: UNSTORED_EVENT,
  wait_ended: UNSTORED_EVENT,
  seen: EVENT,
  recreated: EVENT,
};

/** Chinese strings for the operations with the tags Events, Console, Owners, Statistics, Targets and Formats. */
export const observationOperations: Readonly<Record<string, OperationTexts>> = {
  getWaits: {
    summary: "列出死锁和阻塞源头",
    description:
      "返回谁在等待谁：先列出死锁，再按累计等待时间列出阻塞其他客户端、且未发现自身在等待的持有者。只有声明过，才能确定客户端在等待时持有某个锁：在 `acquire` 中使用 `holding`、嵌套调用 `@lockkeeper/redis` 的 `withLock`，或者是 Redisson 公平锁队列中的线程。所有者标签相同不能作为依据。轮询的客户端不可见。死锁会在 2 秒内报告。无权读取的锁不会列出。",
    results: { "200": "等待关系。" },
    parameters: {
      key: "只返回与此锁有关的死锁和阻塞源头，并返回 `position`：谁阻塞了它，以及有多少客户端排在它后面。",
      keyBase64: "键的字节，以 base64 或 base64url 编码，用于不是有效 UTF-8 的键。优先于 `key`。",
    },
  },
  listOwners: {
    summary: "列出所有者",
    description:
      "按所有者字符串，或按所有者信息中的服务或主机，对已持有的锁分组。每一项的 `filter` 恰好匹配其中的锁，可用于 `GET /locks` 和 `POST /locks/force-release`。有多个持有者的锁会计入每个持有者。",
    results: { "200": "一页所有者。" },
    parameters: {
      ...GROUP_PARAMETERS,
      by: "`owner`：按所有者字符串分组。`service`、`host`、`session`：按所有者信息中的字段分组，没有该字段的持有者不会列出。",
    },
  },
  listNamespaces: {
    summary: "列出键命名空间",
    description:
      "按键的前几段（以 `:` 分隔）对已持有的锁分组。键 `lock:orders:42` 属于 `lock:`（`depth=1`）和 `lock:orders:`（`depth=2` 或 `prefix=lock:`）。",
    results: { "200": "一页命名空间。" },
    parameters: {
      ...GROUP_PARAMETERS,
      prefix: "只包含以此文本开头的键。传入命名空间的 `name` 可列出其子项。",
      depth: "前缀之后组成名称的段数，每段以 `:` 结尾。",
    },
  },
  streamEvents: {
    summary: "订阅事件流",
    description:
      "以 SSE 推送锁事件，每个事件以其类型命名。带 `Last-Event-ID` 时，从该事件之后继续：`gap` 表示期间的事件已被清除；如果该 ID 未知，则先用 `reset` 和 `snapshot` 消息发送所有已持有的锁，再发送此后的事件。在最后一个 `snapshot` 之前中断的事件流会重新从 `reset` 开始。`key`、`owner` 和 `type` 用于筛选事件，对 `reset` 和 `snapshot` 不生效。",
    results: {
      "200":
        "事件流。保持打开，直到客户端断开，或 30 秒未读取数据（积压超过 1 MiB 时为 5 秒）。积压超过 1 MiB 的客户端会从最后发送的事件开始重放。第一条消息是 `hello`。事件 ID 在所有实例上相同。续期和等待事件没有 ID，除非由操作员触发，否则在快照和重放期间不会发送。暂时无法存储的事件没有 ID，存储后会再发送一条只带 ID 的消息。",
    },
    parameters: { key: KEY_GLOB },
    messages: {
      ...EVENTS,
      hello: "第一条消息：可以重放的事件范围。",
      gap: "带 ID：`from` 到 `to` 之间没有实例监视该目标。不带 ID 且在 `hello` 之后：`Last-Event-ID` 之后的部分事件已被清除，`oldest` 是现存最早的事件。",
      reset: "`Last-Event-ID` 未知。请丢弃本地状态，随后会发送 `snapshot` 消息。",
      snapshot:
        "在 `reset` 之后发送：已持有的锁，每条消息最多 100 把，按键排序，状态以消息发送时为准。最后一条消息带 `complete: true`；如果事件会被存储，随后还有一条只带 ID 的消息。之后发送 `reset` 以来的事件，其中部分可能已包含在快照中。",
    },
  },
  listEvents: {
    summary: "列出事件",
    description:
      "返回符合筛选条件的事件，以及没有实例监视该目标的缺口。所有实例返回相同的历史。cursor 在两种顺序中都有效，因此可以在任意事件处改变方向。",
    results: { "200": "一页事件。" },
    parameters: {
      limit: "每页的最大条数。",
      key: KEY_GLOB,
      order: "`newest_first`：后续页面是更早的事件。`oldest_first`：后续页面是更新的事件。",
      text: "与 `GET /locks` 的筛选条件相同，但只支持 `key:`、`owner:` 和普通文本。普通文本还会匹配事件的操作员和原因。",
      from: "时间段的开始（含），Redis 时钟，Unix 毫秒。",
      to: "时间段的结束（含），Redis 时钟，Unix 毫秒。",
    },
  },
  listLockEvents: {
    summary: "列出锁的事件",
    description:
      "返回锁的事件（最新的在前），以及没有实例监视该目标的缺口。带 `at` 时，还会返回该时间点的持有及其开始和结束时间。",
    results: { "200": "一页事件。" },
    parameters: {
      limit: "每页的最大条数。",
      at: "时间点，Redis 时钟，Unix 毫秒。`holds` 会列出该时间点的持有。",
    },
  },
  streamLive: {
    summary: "订阅控制台标签页的视图",
    description:
      "推送控制台一个标签页显示的内容：`hello`；`window`，随后是包含其变化的 `rows`；`counts` 包含该标签页显示的所有数字；`kept` 是 `keep` 中当前状态不在窗口内的行；`lock`；按需发送 `recent` 和 `events`；每秒发送一次 `health`。读取过慢的客户端只会收到最新状态，`skipped` 给出错过的事件数。",
    results: { "200": "数据流。保持打开，直到客户端断开。" },
    parameters: {
      offset: "跳过的行数。",
      limit: "最大行数。",
      lock: "一把锁的键，编码方式与路径相同。数据流还会包含该锁的状态和事件。",
      events: "`all`：数据流还会包含所有锁的事件。",
      mode: "`stream`：数据流保持打开。`poll`：首个完整状态发送后结束，用于没有空闲连接的浏览器。",
    },
    messages: {
      hello: "第一条消息：数据流、操作员和目标。",
      health: "目标的状态，每秒发送一次。",
      window: "视图的行。",
      rows: "自上一条 `window` 或 `rows` 消息以来的变化。每一行给出其锁（新增或有变化时），或之前的序号（位置移动时）。",
      counts: "目标、视图的筛选条件和命名空间的计数，均为同一时刻。有变化时发送，每秒最多四次。",
      kept: "`keep` 中当前状态不在窗口内的锁。",
      lock: "视图指定的锁。",
      recent: "视图的最新事件，只发送一次。",
      events: "视图的事件，实时发送。",
    },
  },
  updateLiveView: {
    summary: "更新控制台标签页的视图",
    description: "替换已打开的数据流的视图，数据流保持打开。",
    results: { "204": "数据流已使用新的视图。" },
    examples: ["更改筛选条件", "显示一把锁及其事件", "在屏幕上保留一行"],
    parameters: { id: "数据流的 ID，即 `hello` 消息中的 `stream`。" },
  },
  getStats: {
    summary: "查看统计",
    description:
      "返回当前总数、时间序列和各键模式的数字，由此实例统计。启动时从历史中统计最近 24 小时。开销与锁的数量无关。",
    results: { "200": "统计数据。" },
    parameters: {
      range: "时间序列的范围。`hour`：最近 1 小时，间隔 10 秒。`day`：最近 24 小时，间隔 5 分钟。",
      filter: "只包含含有此文本的键模式。带 `*` 或 `?` 时，为必须匹配整个键模式的 glob。",
      sort: "排序字段，最大值在前；`pattern` 按名称排序。`contention` 是 `waits` 与 `refusals` 之和。",
      offset: "跳过的键模式数。",
      limit: "最多返回的键模式数。",
    },
  },
  listTargets: {
    summary: "列出目标",
    description: "列出调用方可以读取的已配置目标及其当前状态。",
    results: { "200": "目标，按配置中的顺序。" },
  },
  getTargetHealth: {
    summary: "查看目标的健康状况",
    description:
      "立即检查目标的 Redis 配置和状态对锁是否安全。读取 `INFO`、`CONFIG GET` 和 Redis 用户的权限，不做任何更改。无法读取的内容会作为检查结果返回。",
    results: { "200": "状态、各主节点的报告和检查结果。" },
    parameters: { target: "目标的名称。" },
  },
  getAppConnection: {
    summary: "查看应用如何连接内置 Redis",
    description: "返回内置 Redis 的地址、应用使用的用户和保存 URL 的文件。不会返回密码。",
    results: { "200": "连接信息；没有目标使用内置 Redis 时为 null。" },
  },
  revealAppConnectionUrl: {
    summary: "显示应用连接内置 Redis 的 URL",
    description:
      "返回包含应用密码的 URL。该用户可以对 Lockkeeper 自身数据以外的所有键执行锁所需的操作，但不能管理 Redis。此调用会记入审计日志。",
    results: { "200": "URL，包含密码。" },
  },
  listFormats: {
    summary: "列出锁格式和规则",
    description: "列出 Lockkeeper 可识别的锁格式，以及为键指定锁格式的规则。",
    results: { "200": "锁格式和规则。" },
  },
  replaceFormatRules: {
    summary: "替换锁格式规则",
    description:
      "替换除配置文件以外的所有规则；配置文件中的规则优先。规则用于区分在 Redis 中看起来相同的格式：匹配的锁变为 `certain`，并按对应客户端库的方式强制释放。所有锁会重新读取。规则不改变受监视的键。",
    results: { "200": "锁格式和新的规则。" },
    examples: ["为两个键模式指定锁格式", "移除所有规则"],
  },
  previewFormatRules: {
    summary: "预览锁格式规则",
    description:
      "返回在给定规则下识别结果与当前不同的键，不做任何更改。最多读取 2,000 把受影响的锁，并扫描其他键（最多 1 秒或 20,000 个键），查找只有新规则才能识别的锁。",
    results: { "200": "识别结果的变化。" },
    examples: ["一条规则"],
  },
  getFinder: {
    summary: "查看锁查找的结果",
    description: "返回当前或上次扫描的进度，以及找到的锁。",
    results: { "200": FINDER_RESULT },
  },
  startFinder: {
    summary: "开始查找锁",
    description:
      "扫描目标的所有键来查找锁，无论是否受监视。扫描时间占比不超过 20%，不做任何更改。如果数百个名称相似的键都不是锁，其余的只抽样读取。正在进行的扫描会继续；已取消或失败的扫描会从中断处继续，除非 `anew` 为 true。",
    results: { "200": FINDER_RESULT },
    examples: ["开始或继续", "重新开始"],
  },
  cancelFinder: {
    summary: "取消查找锁",
    description: "停止扫描。已有的结果会保留，之后可以继续。",
    results: { "200": FINDER_RESULT },
  },
};
