import type { Messages } from "../en/messages.ts";

export const waits: Messages["waits"] = {
  namespace: "waits",
  title: "等待",
  waitingFor: (_clients, clientsText, _locks, locksText) =>
    `${clientsText} 个客户端在等待，涉及 ${locksText} 把锁`,
  deadlockCount: (_count, text) => `${text} 个死锁`,
  filteredBy: (key) => <>仅显示与此锁有关的等待：{key}</>,
  clearFilter: "显示全部等待",
  targetDown: "目标恢复连接后，这里会显示等待情况。",
  none: "没有可见的等待者",
  noneHelp: "客户端等待锁时会显示在这里。",
  noneOfLock: "没有可见的客户端在等待这把锁，或等待其等待者持有的锁。",
  locksLeftOut: (_count, text) => `已有 10,000 把锁存在等待者，另有 ${text} 把未列出，其中的死锁不会被发现。`,
  polling: "轮询的客户端不可见。客户端等待时还持有哪些锁，只有客户端声明后才能得知。",

  deadlock: (_count, text, span) => `死锁：${text} 个客户端，已持续 ${span}`,
  resolves: (first) =>
    first === null
      ? "释放其中一把锁，或其中一个等待结束，死锁即解除。"
      : `释放其中一把锁，或其中一个等待结束，死锁即解除。最先超时的等待还剩 ${first}。`,
  others: (_count, text) => `此死锁还涉及另外 ${text} 个客户端。`,
  cycle: "环中的客户端",
  holds: (key) => (
    <>
      <span className="whitespace-nowrap">持有</span> {key}
    </>
  ),
  waitsFor: (key, span) => (
    <>
      <span>等待</span>
      {key}
      {span}
    </>
  ),
  hiddenClient: "你无权查看的客户端",
  hiddenLock: "你无权读取的锁",
  behindDeadlock: "被死锁阻塞的等待者",

  roots: "阻塞源头",
  rootsHelp: "阻塞了其他客户端、且未发现自身在等待的持有者，按累计等待时间排序。",
  rootsLeftOut: (text) => `另有 ${text} 个阻塞源头未列出。`,
  holders: (text) => `${text} 个持有者`,
  behindUnreadable: "有持有者在等待你无权读取的锁。",
  behind: (text) => `${text} 个等待者`,
  inTotal: (span) => `累计 ${span}`,
  release: "释放…",
  releaseOf: (key, who) => `释放 ${who} 持有的 ${key}`,
  selectHolder: "查看持有者",
  selectHolderOf: (key) => `查看 ${key} 的持有者`,

  waiting: (span) => `已等待 ${span}`,
  timesOut: (span) => `${span}后超时`,
  blocks: (key, count) => (
    <>
      持有 {key}：{count} 个等待者
    </>
  ),
  unnamed: (_count, text) => `另有 ${text} 个客户端，所有者未知。`,
  notListed: (text) => `另有 ${text} 个未列出。`,
  showAll: (text) => `显示全部 ${text} 个`,

  blocksFact: "阻塞",
  blocked: (_count, text, span) => `${text} 个客户端（直接或经由其他锁），累计等待 ${span}。`,
  showWaits: "查看等待",
  rootFact: "阻塞源头",
  root: (key, who) => (
    <>
      {key} 由 {who} 持有
    </>
  ),
  rootHelp: "这把锁的持有者正被它阻塞。",
  deadlockFact: "死锁",
  inDeadlock: "这把锁处于死锁之中，或被死锁阻塞。",
};
