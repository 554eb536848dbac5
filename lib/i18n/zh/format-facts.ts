import type { FormatMessages } from "../en/format-facts.ts";
import type { Messages } from "../en/messages.ts";

const UNTIL_THEN = "在此之前它会继续工作。";
const FIRST_WINS = "先请求的客户端获取锁。";
const ASK_AGAIN = `没有通知，等待者自行轮询，${FIRST_WINS}`;
const JOB_WAITERS = "没有客户端等待任务锁。";
export const JOB_LOCK = {
  why: "失去锁后任务仍会继续运行，结果会丢失，队列还会同时再运行一次。",
  instead: "如果其 worker 已退出，锁会自行过期，任务随后恢复。否则请用此令牌通过队列自身的 API 结束任务。",
};
const REDIS_PY = `其 release() 抛出 LockNotOwnedError。${UNTIL_THEN}`;
const EVERY_100_MS = `等待者每 100 ms 轮询一次，${FIRST_WINS}`;

const jvmAndOurs = {
  redisson: {
    waiters: `公平锁的等待者按顺序唤醒；其他锁会通知每个监听的客户端，${FIRST_WINS}`,
    oldOwner: `其看门狗发现锁已不在并停止。unlock() 抛出 IllegalMonitorStateException，许可的 release() 抛出 RedisException。${UNTIL_THEN}`,
  },
  token: {
    waiters: `通过 Lockkeeper 等待的客户端会收到通知，${FIRST_WINS}其他库的客户端自行轮询。`,
    oldOwner: `它在下一次续期或释放时比较值，才会发现。${UNTIL_THEN}`,
  },
  timestamp: {
    waiters: `通过 Lockkeeper 等待的客户端会收到通知，${FIRST_WINS}其他客户端自行轮询。`,
    oldOwner: "它不会收到通知。若客户端不比较值就删除此键，会误删新持有者的锁。",
  },
  shedlock: {
    waiters: "没有客户端等待：发现锁被占用的任务会跳过本次执行。",
    oldOwner: "它不会收到通知，会把任务做完。已结束的任务可能继续占用锁，直到 lockAtLeastFor 结束。",
    comesBack:
      "默认情况下，解锁时会直接删除此键，keep-alive 会直接覆盖此键，都不比较其值；届时若已有其他任务持锁，也会受影响。请预留此锁，直到旧任务结束。",
  },
  spring: {
    waiters: `PUB_SUB 模式下等待者会收到通知，否则每 100 ms 轮询一次。${FIRST_WINS}`,
    oldOwner: `其 unlock() 抛出 ConcurrentModificationException。${UNTIL_THEN}`,
  },
  lock4j: {
    waiters: `等待者每 100 ms 轮询一次，${FIRST_WINS}`,
    oldOwner: `下一次续期失败后不再续期；释放返回 false，并记录为错误日志。${UNTIL_THEN}`,
  },
  lan1tian: {
    waiters: `等待者约每毫秒轮询一次，${FIRST_WINS}`,
    oldOwner: "在下一次续期时（10 s 之内），获取锁的线程会被中断。",
  },
};

const nodeJs = {
  bullmq: {
    waiters: JOB_WAITERS,
    oldOwner: "其 worker 继续运行，但无法保存结果；任务会再运行一次。",
    never: JOB_LOCK,
  },
  bull: {
    waiters: JOB_WAITERS,
    oldOwner: "其 worker 继续运行，但无法保存结果；任务保持活动状态，直到被判为停滞。",
    never: JOB_LOCK,
  },
  "ioredis-lock": { waiters: ASK_AGAIN, oldOwner: `其 release() 被拒绝。${UNTIL_THEN}` },
  "redis-lock": {
    waiters: ASK_AGAIN,
    oldOwner: "它不会收到通知，会继续工作到其时限为止。",
    comesBack: "在其时限之前，解锁时会直接删除此键，不比较其值；届时若已有其他客户端持锁，锁也会被删掉。",
  },
  "redis-semaphore": {
    waiters: `等待者每 10 ms 轮询一次，${FIRST_WINS}`,
    oldOwner:
      "在下一次刷新时它会抛出无人捕获的错误：默认情况下其 Node 进程以退出码 1 结束。提供 onLockLost 的应用会收到通知。",
    comesBack:
      "跨多台服务器的 Redlock 互斥锁或信号量，除非在所有服务器上都被释放，否则下一次刷新时会被重新获取。",
  },
  redlock: {
    waiters: `等待者约每 200 ms 轮询一次，${FIRST_WINS}`,
    oldOwner: `其释放被拒绝（LockError，或若干次重试后的 ExecutionError）；using() 会尝试延长，并在它所知的租约结束时中止其 signal。${UNTIL_THEN}`,
  },
};

const nodeWithSignals = {
  "simple-redis-mutex": {
    waiters: `所有等待者都会收到频道通知，${FIRST_WINS}`,
    oldOwner: `它不会收到通知，其释放不起作用。${UNTIL_THEN}`,
  },
  warlock: {
    waiters: `等待者按应用设定的间隔轮询，${FIRST_WINS}`,
    oldOwner: `其 unlock() 和 touch() 返回 0。${UNTIL_THEN}`,
  },
};

const python = {
  "celery-singleton": {
    waiters: "没有客户端等待：重复的任务不会入队，调用方拿到的是持锁任务的 ID。",
    oldOwner: "它不会收到通知：同一任务可能再次入队并同时运行。",
    comesBack: "任务结束时会直接删除此键，不比较其值；届时若已有其他任务持锁，也会被删掉。",
  },
  huey: {
    waiters: "没有客户端等待：发现锁被占用的任务抛出 TaskLockedException；设置了重试的任务会再次运行。",
    oldOwner: "它不会收到通知，下一个任务会与它同时运行。",
    comesBack: "任务结束时会直接删除锁，不比较其值；届时若已有其他任务持锁，也会被删掉。",
  },
  "celery-once": {
    waiters: "没有客户端等待：发现锁被占用的任务不会入队。",
    oldOwner: "它不会收到通知：同一任务可能再次入队并同时运行。",
    comesBack: "任务结束时会直接删除此键，不比较其值；届时若已有其他任务持锁，也会被删掉。",
  },
  "django-redis": { waiters: EVERY_100_MS, oldOwner: REDIS_PY },
  pottery: {
    waiters: `等待者至多每 200 ms 轮询一次，${FIRST_WINS}`,
    oldOwner: `其 release() 抛出 ReleaseUnlockedLock。${UNTIL_THEN}`,
  },
  "python-redis-lock": {
    waiters: "唤醒一个等待者。没有这个信号，它们可能永远等下去。",
    oldOwner: `其 release() 抛出 NotAcquired，续期线程结束。${UNTIL_THEN}`,
  },
  redbeat: {
    waiters: "另一个 beat 在下次轮询时获取锁，可能要几分钟。",
    oldOwner: "该 beat 下次延长锁时会出错并退出；另一个 beat 会在一个轮询间隔内接手。",
  },
  "redis-py": { waiters: EVERY_100_MS, oldOwner: REDIS_PY },
  rq: {
    waiters: "没有通知：另一个调度器在下次尝试时获取锁，可能要几分钟。",
    oldOwner:
      "自 3.0 版起，它会在下一次心跳时（默认 1 s 之内）重新获取此锁；更早的版本会继续调度，与下一个调度器同时运行。",
    comesBack:
      "请先停止该调度器，或预留此锁直到它停止。3.0 之前的版本在心跳和退出时不比较值就改动此键；届时若已有其他调度器持锁，也会受影响。",
  },
  tooz: { waiters: ASK_AGAIN, oldOwner: `其心跳无法延长锁，释放失败。${UNTIL_THEN}` },
};

const others = {
  "bsm-redislock": {
    waiters: `没有通知，等待者按应用的设定轮询，${FIRST_WINS}`,
    oldOwner: `其 Refresh 和 Release 返回 ErrLockNotHeld 或 ErrNotObtained。跨多个键的锁会整体失效。${UNTIL_THEN}`,
  },
  redsync: {
    waiters: `等待者每隔 50 至 250 ms 轮询，至多 32 次，${FIRST_WINS}`,
    oldOwner: `其 Unlock 和 Extend 返回错误。${UNTIL_THEN}`,
    comesBack: "使用 WithSetNXOnExtend 时，若锁空闲，下一次 Extend 会重新创建它。",
  },
  rueidislock: {
    waiters: `Redis 会通知跟踪这些键的客户端，${FIRST_WINS}`,
    oldOwner: "Redis 也会通知它：一旦失去多数键，其 context 即被取消。",
  },
  "redlock-net": {
    waiters: ASK_AGAIN,
    oldOwner: "它会察觉，并继续工作。",
    comesBack: "只要进程存活，其定时器每半个租约就重新创建锁。请停止该进程，或在其存活期间预留此锁。",
  },
  medallion: {
    waiters: `等待者每隔 10 至 800 ms 轮询，${FIRST_WINS}`,
    oldOwner: `其 HandleLostToken 在下一次续期时被取消。${UNTIL_THEN}`,
    comesBack: "只有正在等待的写者（持有者以 _WRITERWAITING 结尾）会在下一次尝试时回来。",
  },
  laravel: {
    waiters: `等待者每 250 ms 轮询一次，${FIRST_WINS}`,
    oldOwner: `其 release() 返回 false。${UNTIL_THEN}`,
  },
  symfony: {
    waiters: `等待者约每 100 ms 轮询一次，${FIRST_WINS}`,
    oldOwner: `其 refresh() 抛出 LockConflictedException 或 LockExpiredException。${UNTIL_THEN}`,
  },
  "php-lock": {
    waiters: ASK_AGAIN,
    oldOwner: `其临界区结束时抛出 LockReleaseException。${UNTIL_THEN}`,
  },
  "sidekiq-unique-jobs": {
    waiters: "唤醒其队列中的下一个任务。",
    oldOwner: "它不会收到通知：同一任务可能再次入队，或同时再运行一次。",
  },
  "redlock-rb": {
    waiters: ASK_AGAIN,
    oldOwner: `它不会收到通知，其解锁不会删除任何键，也不报错。${UNTIL_THEN}`,
    comesBack: "默认情况下，如果锁空闲，它的延长操作会重新创建锁。",
  },
};

const of: Messages["formatFacts"]["of"] & Record<string, FormatMessages> = {
  ...jvmAndOurs,
  ...nodeJs,
  ...nodeWithSignals,
  ...python,
  ...others,
};

const UUID = "一个字符串：UUID";
const HEX_AND_TIME = "一个字符串：32 位十六进制，含时间";
const BASE64 = "一个字符串：24 个 base64 字符";

const layouts: Messages["formatFacts"]["layouts"] = {
  redisson: "哈希：持有者与次数，与 Redisson 写法相同",
  token: "一个字符串：持有者",
  timestamp: "一个字符串：到期时间",
  shedlock: "一个字符串：时间、主机和 ID",
  spring: "一个字符串：注册表的 ID，同一应用的所有锁相同",
  lan1tian: UUID,
  lock4j: "一个字符串：32 位十六进制",
  bullmq: "一个字符串：worker 的 ID 和编号",
  bull: "一个字符串：队列进程的 ID",
  "ioredis-lock": UUID,
  "redis-lock": "一个字符串：到期时间，毫秒",
  "redis-semaphore": "一个字符串，或持有者的有序集合",
  redlock: "一个字符串：32 位十六进制",
  "simple-redis-mutex": "一个字符串：随机小数，如 0.59…",
  warlock: "一个字符串：24 个 base64 字符，含时间",
  "celery-singleton": "一个字符串：任务 ID",
  huey: "一个字符串，或结果哈希中的一个字段；所有持有者的值相同",
  "celery-once": HEX_AND_TIME,
  "django-redis": HEX_AND_TIME,
  pottery: UUID,
  "python-redis-lock": BASE64,
  redbeat: HEX_AND_TIME,
  "redis-py": HEX_AND_TIME,
  rq: "一个字符串：调度器的 ID；3.0 之前为进程号",
  tooz: HEX_AND_TIME,
  "bsm-redislock": "一个字符串：22 个 base64 字符，加上应用的附加内容",
  redsync: BASE64,
  rueidislock: "三个或更多字符串，值为相同的 24 个随机字节；占有多数即持有锁",
  "redlock-net": UUID,
  medallion: "机器、进程号和 ID：字符串、集合或有序集合",
  laravel: "一个字符串：16 位字母和数字",
  symfony: "有序集合：令牌及其到期时间",
  "php-lock": "一个字符串：十六进制数字",
  "sidekiq-unique-jobs": "哈希：任务 ID，另有相关的键",
  "redlock-rb": UUID,
};

export const formatFacts: Messages["formatFacts"] = { namespace: "formatFacts", layouts, of };
