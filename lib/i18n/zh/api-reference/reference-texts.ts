import type { ReferenceTexts } from "@/lib/reference/localized-document.ts";
import { accessOperations } from "./access-operations.ts";
import { lockOperations } from "./lock-operations.ts";
import { observationOperations } from "./observation-operations.ts";
import { requestFields } from "./request-fields.ts";

const PARAMETERS: ReferenceTexts["parameters"] = {
  key: "锁的键，最多 1024 字节，作为一个路径段进行百分号编码（`/` 写作 `%2F`）。对于 `.`、`..`、包含 `//`、以 `/` 开头或结尾、以 `~` 开头的键，以及不是有效 UTF-8 的键，请使用 `~` 加其字节的 base64url。",
  target: "目标的名称。默认为配置中的第一个目标。",
  "Idempotency-Key":
    "1 到 128 个可见 ASCII 字符，每次操作使用新的值。用相同的值重复请求不会再次生效。服务器会保留这些值 2 分钟；在繁忙的锁上至少保留最近八个。",
  holdId: "`acquire` 返回的 `holdId`，其中包含目标和键。",
  limit: "每页的最大项数。",
  cursor: "上一页的 `next`。",
  filter:
    '以空格分隔的条件，必须全部匹配。普通文本匹配键、所有者和所有者信息。`key:GLOB`、`owner:GLOB`、`format:GLOB`、`kind:GLOB`、`confidence:GLOB`、`liveness:GLOB`、`service:GLOB`、`host:GLOB` 和 `session:GLOB` 匹配单个字段，不区分大小写。`held>5m`、`remaining<10s`、`waiters>0` 和 `count>1` 比较数值，时间单位为 `ms`、`s`、`m`、`h` 和 `d`。`held>typical` 匹配持有时长超过其键模式第 95 百分位的锁。`is:needs_attention` 匹配续期逾期、无 TTL，或持有时长超过该百分位两倍的锁。`is:unlisted` 匹配键既不匹配可加锁模式也不匹配锁格式规则的“可能”的锁，只有使用此条件、`confidence` 条件或不带通配符的 `key` 条件时才会找到它们。`is:listed` 匹配其余的锁。`owner:="a b"` 匹配完整文本，`"` 和 `\\` 用反斜杠转义。`owner:=~BASE64URL` 匹配完整字节。',
  sort: "取值为 key、owner、format、count、remaining、held、waiters、fence、attention 之一，前缀 `-` 表示降序。`-attention` 先列出续期逾期和无 TTL 的锁，再列出持有时长超过通常值的锁，最后是其余的锁。",
  "If-None-Match": "此前响应的 `ETag`。如果除剩余时间外没有变化，则返回没有响应体的 304。",
  owner: "持有的所有者。`*` 和 `?` 是通配符。",
  type: "一个或多个事件类型，以逗号分隔：acquired、reentered、renewed、released、expired、evicted、force_released、release_requested、release_request_accepted、release_request_refused、waiting、wait_ended、seen、recreated、gap。",
  "Last-Event-ID": "收到的最后一个事件的 ID，事件流从其后继续。",
  who: "调用方的名称或 ID，或被拒绝的登录所尝试的名称。`*` 和 `?` 是通配符。",
  action: "一个或多个操作，以逗号分隔。",
  outcome: "一个或多个结果代码，以逗号分隔。`none` 匹配没有记录结果的操作。",
  text: "必须全部出现在调用方、尝试的名称、键、原因、所有者或请求 ID 中的词。",
  requestId: "响应的 `x-request-id`。",
  from: "时间段的开始（含），Unix 毫秒。",
  to: "时间段的结束（含），Unix 毫秒。",
};

/** Chinese strings for the API reference. Only the docs page loads this file. */
export const referenceTexts: ReferenceTexts = {
  description:
    "应用可以获取、续期和释放锁。操作员可以查看锁，并强制释放卡住的锁。\n\nRedis 中的租约不能保证互斥：进程长时间暂停或 Redis 故障转移后，可能有两个客户端都认为自己持有锁。请在每次写入时携带 fencing token（`fence`），并由资源端拒绝小于已接受最大值的 token。\n\n错误响应是 problem 文档（RFC 9457）。`code` 取自固定的集合，`type` 是本服务器上说明该错误的页面路径。任何响应都可能增加字段，请忽略未知的字段。\n\n时间为 Unix 毫秒，时长为毫秒，均为 64 位整数。",
  notModified: "自 `If-None-Match` 中 `ETag` 对应的响应以来没有变化。没有响应体。",
  tags: {
    Holds: { label: "持有", description: "获取锁，然后续期、重入、校验和释放持有。" },
    Locks: { label: "锁", description: "列出和查看锁。操作员可以强制释放锁、延长租约、预留锁和添加备注。" },
    Events: { label: "事件", description: "锁上发生的变化：SSE 事件流和最近的历史。" },
    Owners: { label: "所有者", description: "按所有者、服务、主机或键前缀分组的锁。" },
    Statistics: { label: "统计", description: "计数、速率和通常时长。" },
    Targets: { label: "目标", description: "Lockkeeper 监视的 Redis 部署及其健康状况。" },
    Formats: { label: "锁格式", description: "支持的锁格式、为键指定锁格式的规则，以及查找锁的扫描。" },
    Views: { label: "视图", description: "保存的搜索。" },
    "API keys": { label: "API 密钥", description: "应用的凭据。" },
    Operators: { label: "操作员", description: "使用控制台的人员及其角色。" },
    Sessions: { label: "会话", description: "浏览器登录。" },
    Audit: { label: "审计日志", description: "操作员和管理员操作的防篡改日志。" },
    Console: { label: "控制台", description: "控制台使用的数据流，可能随时变更，恕不另行通知。" },
    API: { label: "API", description: "此 API 的描述文档。" },
  },
  operations: { ...lockOperations, ...observationOperations, ...accessOperations },
  parameters: PARAMETERS,
  requestFields,
};
