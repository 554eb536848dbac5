import type { Messages } from "../en/messages.ts";

export const lockPage: Messages["lockPage"] = {
  namespace: "lockPage",
  noKey: "此地址不是任何键的名称",
  allLocks: "所有锁",
  key: "复制键名",
  copyKey: "复制键",
  free: "释放…",
  freeWithKey: "释放… (r)",
  cannotFree: (why) => `现在无法释放。${why}`,
  nobodyHolds: "无人持有此锁。",
  parts: {
    now: "现在",
    waiting: "等待者",
    typical: "通常情况",
    timeline: "时间线",
    events: "最近事件",
    owner: "其持有者的其他锁",
    raw: "在 Redis 中",
    actions: "操作",
  },

  held: (who) => <>由 {who} 持有。</>,
  heldByMany: (count) => `${count} 个持有者同时持有。`,
  reserved: (by, left) => (
    <>
      {by === null ? "预留至其最短持有时间结束" : <>由 {by} 预留</>}
      {left === null ? "" : `：${left} 内无人得锁`}。
    </>
  ),
  ended: (who) => <>期限已过：下一个请求者即可得锁。上一个持有者是 {who}。</>,
  nobody: "空闲：无人持有。",
  neverSeen: "空闲，且从未有过任何记录。",
  neverSeenHelp:
    "Lockkeeper 从键首次被锁定时起认识它，追溯范围以历史保留期为限。若它本应被持有，请检查名称是否正确，以及是否监视了这类名称的键。",
  alive: (ago) => `持有者存活，上次续期：${ago}。`,
  aliveYet: "按预期续期。",
  overdue: (overdue, heard) =>
    heard === null
      ? `持有者逾期，本应续期：${overdue}；从未续期过。`
      : `持有者逾期，本应续期：${overdue}；上次续期：${heard}。`,
  overdueSomehow: "持有者续期逾期。",
  fixed: (left) => `无从得知持有者是否存活；租约将在 ${left} 后自行结束。`,
  endless: "不会自行过期，也无从得知持有者是否存活。",
  tooEarly: (span) => `已观察 ${span}：尚无法判断持有者是否存活。`,
  wait: (count) => `${count} 个等待者。`,
  waitAtLeast: (count) => `至少 ${count} 个等待者。`,
  nobodyWaits: "无人等待。",
  spoken: (who, liveness) => `${who} 持有，${liveness}`,
  spokenFree: "锁已空闲",

  expiresIn: "剩余时间",
  heldFor: "已持有",
  waiting: "等待者",
  count: "重入次数",
  holders: "持有者",
  timesTypical: (times, p50, p95) => `通常 ${p50} 的 ${times} 倍（p95 ${p95}）`,
  pastP95: (p95) => `比 95% 的持有更久（p95 ${p95}）`,
  typicallyHeld: (p50, p95) => `通常 ${p50}（p95 ${p95}）`,
  typicallyHeldBy: (holds, pattern) => (
    <>
      {" "}
      依据 {pattern} 的 {holds} 次持有
    </>
  ),
  liveness: "存活状态",
  ifFreed: "若释放",
  nextHolder: "下一个持有者：",
  keepsWriting:
    "使用 Node 客户端库的持有者会立即得知；通过 HTTP 接口获取的持有者在下一次续期时得知（lost）。在此之前它可能仍在写入：只有栅栏令牌能保护资源。",
  nobodyWorks: "预留期间无人工作：不会丢失任何东西。",
  mayNot: "不应释放：",
  votes: "投票",
  lastFence: "最近的栅栏号",
  fromRedisson: (fence) => `${fence}，由 Redisson 发出`,
  permits: "许可",
  permitsLeft: (available, total) =>
    total === null ? `${available} 个可用` : `共 ${total} 个，${available} 个可用`,
  format: "格式",
  ofKind: (formats, kind) => `${formats}，${kind}`,
  layout: (layout) => `：${layout}`,
  confidence: {
    likely: "，很可能：名称与形状均相符",
    possible: "，有可能：仅凭形状无法判定",
  },
  sameToken: "相同令牌",
  version: "版本",
  noVersion: "无",

  purpose: "用途",
  trace: "追踪",
  copyTrace: "复制追踪 ID",
  owner: "持有者",
  value: "值",
  copyValue: "复制值",
  copyOwner: "复制持有者",
  itsLease: "其租约",
  endsIn: (span) => `${span} 后结束`,
  graceAfter: (span) => `；此后 ${span} 内无人得锁`,
  over: "已结束",
  graceKeeps: "；宽限期使锁在过期前仍被占用",
  noTtl: "无 TTL",
  since: "开始于",
  sinceUnknown: "未知",
  sinceHow: {
    exact: "",
    at_least: "，或更早：首次看到时已被持有",
    reported: "，据其持有者字符串，以客户端时钟计",
  },
  fence: "栅栏号",
  noFence: "无：未经 Lockkeeper 获取，因此无从识别其迟来的写入",
  copyFence: "复制栅栏号",
  holdId: "持有 ID",
  copyHoldId: "复制持有 ID",
  freeHolder: "释放此持有者…",
  pid: (pid) => `，进程 ${pid}`,
  role: (role) => `，${role}`,
  counted: (count) => `，重入 ${count} 次`,

  freeVotes: (votes) => <>投票：{votes}。</>,
  lastHold: (who, ending, ago, reason) => (
    <>
      上一次持有{who !== null && <>（{who}）</>}已结束：{ending}
      {ago !== null && `，${ago}`}
      {reason !== null && <>，“{reason}”</>}。
    </>
  ),
};
