import type { Messages } from "../en/messages.ts";
import { JOB_LOCK } from "./format-facts.ts";
import { ui } from "./ui.ts";

export const lock: Messages["lock"] = {
  namespace: "lock",
  units: ui.units,
  justNow: "刚刚",
  ago: (span) => `${span}前`,
  joined: (parts) => parts.join("，"),
  either: (most, last) => `${most.join("、")} 或 ${last}`,

  liveness: {
    alive: "存活",
    overdue: "逾期",
    not_renewing: "不续期",
    no_ttl: "无 TTL",
    unknown: "未知",
  },
  livenessHints: {
    alive: "持有者按时续期",
    overdue: "续期已逾期",
    not_renewing: "观察期间未见续期",
    no_ttl: "没有 TTL，永不过期",
    unknown: "观察时间不足",
  },
  lastRenewed: (ago) => `上次续期：${ago}`,
  neverRenewed: "从未见到续期",
  neverExpires: "不会自行过期",
  renewsEvery: (span) => `每 ${span} 一次`,
  nextIn: (span) => `预计 ${span} 后续期`,
  nextNow: "预计此刻续期",
  wasExpected: (ago) => `本应续期：${ago}`,
  missed: (count) => `错过 ${count} 次`,
  noRegularRenewals: "未观察到规律续期",
  watchedNever: (span) => `已观察 ${span}，从未续期`,
  noTtlMeans: "不会自行过期，也无从得知持有者是否存活",
  watchedShort: (span) => `已观察 ${span}：不足以判定`,
  livenessWith: (liveness, evidence) => (
    <>
      {liveness}
      <span className="text-ink-3">：{evidence}</span>
    </>
  ),

  waitersHints: {
    exact: "所有等待者",
    estimated: "监听其释放的客户端，每个至少有一个等待者",
    unknown: "靠轮询等待的客户端无法看到",
  },
  nobodyWaits: "无人等待",
  wait: (count) => `${count} 个等待者`,
  listen: (count) => `${count} 个客户端在监听其释放`,
  nobodyListens: "没有客户端在监听其释放",
  waitUnseen: (count) =>
    count === null
      ? "靠轮询等待的客户端无法看到"
      : `${count} 个经 Lockkeeper 等待；靠轮询等待的客户端无法看到`,

  next: {
    waiter: (who, waited, others) => (
      <>
        {who}
        {waited !== null && `，已等待 ${waited}`}
        {others > 0 && `，其后还有 ${others} 个`}
      </>
    ),
    orders: {
      first_in_queue: "等待队列保存在 Redis 中：其他客户端无法插队。",
      longest_waiting: "按此顺序得锁，但新的客户端仍可能抢先。",
    },
    undetermined: (count, isExact) =>
      `未知（${isExact ? "" : "至少 "}${count} 个客户端在等待，任何客户端都可能先得锁）。`,
    nobody: "没有客户端在等待。锁会保持空闲，直到有客户端获取。",
    no_subscriber: "没有客户端订阅释放通知。锁会保持空闲，直到有客户端获取。",
    not_visible: "未知（轮询的客户端不可见）。",
    redissonFair: "通知队首的客户端，其余保持位次。",
    redissonPlain: "通知所有订阅的客户端，先请求者得锁。",
  },

  free: "空闲",
  onHost: (who, host) => (
    <>
      {who}
      <span className="text-ink-3">（{host}）</span>
    </>
  ),
  onHostText: (who, host) => `${host} 上的 ${who}`,
  holders: (count) => `${count} 个持有者`,
  redissonThread: (thread) => `Redisson 客户端，线程 ${thread}`,
  reservedLeast: "预留：最短持有时间",
  reservedFor: (who) => <>由 {who} 预留</>,
  leastHold: "最短持有时间",
  reservedBy: (who) => `${who} 的预留`,
  unknownDeadline: (time) => `持有者未知（值为截止时间，${time} 到期）`,
  unknownConstant: (value) => `持有者未知（值为“${value}”）`,
  theReservation: (what) => what,

  endedFree: "已到期，可获取",
  noTtl: "无 TTL",
  expiring: "正在过期…",
  graceHint: "其持有者的租约已结束；宽限期使锁仍被占用",
  unknown: "未知",
  sinceUnknown: "不知道此次持有何时开始",
  sinceHints: {
    at_least: (date) => `首次看到时已被持有：${date}`,
    reported: (date) => `据其持有者字符串（客户端时钟）：${date}`,
    exact: (date) => `自 ${date} 起`,
  },
  typical: (span) => `通常 ${span}`,
  noFence: "无",
  noFenceHint: "未经 Lockkeeper 获取：此次持有没有栅栏号",

  formatNames: { token: "单个字符串", timestamp: "截止时间" },
  runbook: "操作手册",
  opensApart: "（另开窗口）",

  formats: (count) => `${count} 种之一`,

  release: {
    shapeAlone: "它略像一把锁，也可能是他人的数据。指明其格式后才能释放。",
    latch: "无论计数还剩多少，门闩都会对所有等待者打开。",
    permit:
      "归还一个许可，因为 Redis 不告知其余许可在谁手中。若其持有者仍存活并也归还，信号量会比原先多一个许可。",
    job: JOB_LOCK.why + JOB_LOCK.instead,
    number:
      "无人等待时，Redis 不告知这个数字是信号量、门闩还是计数器：对其中一种的释放会损坏另一种。请在有人等待时再看，或用创建它的应用更改。",
    differentOwners:
      "各主节点由不同的持有者占用，未知谁在多数主节点上持有这把锁。释放其中一个，可能使两个客户端同时获得锁。请等待持有者释放或租约到期。",
    notFreed: "Lockkeeper 不释放此格式的锁。",
  },

  votes: {
    held: (its, of) => `在 ${of} 个主节点中的 ${its} 个上持有`,
    ownerPerMaster: "，每个主节点上的持有者字符串各不相同：",
    differentOwners: "各主节点由不同的持有者占用，未知谁获得多数",
    has: (owner, masters) => (
      <>
        {owner} 有 {masters} 票
      </>
    ),
    noHold: () => "，不构成持有",
    none: "无",
    unreachable: (count) => `；${count} 个不可达`,
    undecided: "：它们可能另有决定，因此按上次的决定显示",
    and: "，",
    after: "；",
  },

  noteBy: (who, ago, about) => (
    <>
      {who}
      {ago !== null && `，${ago}`}
      {about === "hold" ? "，关于此次持有" : "，关于此键，无论谁持有"}
    </>
  ),
};
