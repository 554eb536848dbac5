import type { Messages } from "../en/messages.ts";

export const lockKinds: Messages["lockKinds"] = {
  namespace: "lockKinds",
  names: {
    lock: "普通锁",
    fair: "公平锁",
    fenced: "带 fencing token 的锁",
    read: "读锁",
    write: "写锁",
    multi: "联锁",
    semaphore: "信号量",
    latch: "闭锁",
  },
  readers: (_count, text) => `${text} 个读者`,
  writer: "写者",
  permits: (acquired, total) => `许可 ${acquired} / ${total}`,
  permitsAvailable: (text) => `剩余 ${text} 个许可`,
  permitCount: (_count, text) => `${text} 个许可`,
  inQueue: (text) => `排队 ${text}`,
  latchCount: (text) => `计数 ${text}`,

  heldByReaders: (_count, text) => `由 ${text} 个读者持有`,
  permitsAcquired: (acquired, total) => `${total} 个许可中已占用 ${acquired} 个`,
  latchClosed: (count) => `已关闭，计数为 ${count}`,
  closedFor: "已关闭",
  ifOpened: "打开后",
  latchMeans: "计数归零后，等待的客户端继续执行。闭锁没有持有者，也没有租约。",

  permitsMeter: "已占用的许可",
  available: (text) => `剩余 ${text} 个`,
  overcommitted: (_excess, text) => `已超出许可总数：释放 ${text} 个之前不再发放许可。`,

  participants: { readers: "读者", writer: "写者及其读锁", holders: "持有者" },
  participantsCount: (title, count) => `${title}（共 ${count} 个）`,
  heldFor: (span) => <>已持有 {span}</>,
  expiresIn: (span) => `${span}后到期`,
  filter: "按所有者筛选",
  noMatch: "没有匹配的持有者。",
  showMore: (count) => `再显示 ${count} 个`,
  shown: (shown, total) => `已显示 ${shown} / ${total}`,
  noTtl: "无 TTL",
  expired: "已到期",
  details: "详情",
  detailsOf: (who) => `${who} 的详情`,
  release: "释放…",
  releaseOf: (who) => `释放 ${who} 的持有`,
  sharedFence: "读者共用上一个写者的 fencing token。",

  releaseTitle: {
    reader: (key) => <>释放 {key} 的一个读锁</>,
    writer: (key) => <>释放 {key} 的写锁</>,
    permits: (_count, text, key) => (
      <>
        释放 {key} 的 {text} 个许可
      </>
    ),
    holder: (key) => <>释放 {key} 的一次持有</>,
    latch: (key) => <>打开闭锁 {key}</>,
  },
  submit: {
    reader: "释放读锁",
    writer: "释放写锁",
    permits: "释放许可",
    holder: "释放此持有",
    latch: "打开闭锁",
  },
  openHint: "仅当打开此对话框后闭锁未被重新设置时执行。",
  readersKeep: (_count, text) => `另有 ${text} 个读者继续持有`,
  permitsStay: (_count, holders, available, total) =>
    `另有 ${holders} 个持有者保留其许可，之后剩余 ${available} / ${total} 个许可。`,
  nextWhileRead: (_count, text) => `写者暂时无法获取：另有 ${text} 个读者仍在持有。新的读者仍可获取。`,
  participantGone: "该持有者已不再持有此锁。",
  participantGoneText: (_count, text) =>
    `未释放任何锁。另有 ${text} 个持有者继续持有。请关闭对话框后重新选择。`,

  deadCost: (span) => `该客户端库不发送心跳：如果客户端已崩溃，还可能阻塞队列 ${span}。`,
  ourCost: "发送心跳：崩溃后 6 秒内移出队列。",
};
