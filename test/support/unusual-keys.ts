/** Keys that routers, proxies and parsers are known to change in transit. All match the default lockable patterns. */
export const UNUSUAL_KEYS: readonly string[] = [
  "lock: with spaces",
  "lock:a/b/c",
  "lock:a//b",
  "lock:/..//../x",
  "lock:a/../b",
  "lock:a/./b/.",
  "lock:ключ:鍵:🔑",
  "lock:<img src=x onerror=alert(1)>",
  "lock:%2e%2e%2F",
  "lock:%252F",
  "lock:?a=b&c#d",
  "lock:a\nb\tc",
  "lock:a\r\nX-Evil: 1",
  "lock:nul\0end",
  "lock:{tag}:x",
  "lock:+plus;semi,comma",
  "lock:back\\slash",
  `lock:${"long/".repeat(200)}x`,
];

/** A key that is not valid UTF-8. */
export const NON_UTF8_KEY = Buffer.concat([Buffer.from("lock:"), Buffer.from([0xff, 0xfe, 0x00])]);
