import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * RedissonRedLock as a peer of the interop run: reads `id verb argument …` lines, answers `id {json}` lines. Each name
 * (`a`, `b`, …) is one thread of one process: it has one Redisson client for each master.
 */
public final class RedLockPeer {
  private final String[] urls;
  private final Map<String, List<RedissonClient>> clients = new ConcurrentHashMap<>();
  private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();
  private final Map<String, RLock> held = new ConcurrentHashMap<>();

  private RedLockPeer(String[] urls) {
    this.urls = urls;
  }

  public static void main(String[] urls) throws Exception {
    RedLockPeer peer = new RedLockPeer(urls);
    answer("ready", "{}");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      peer.hear(line.split(" "));
    }
    System.exit(0);
  }

  private void hear(String[] words) {
    threads.computeIfAbsent(words[2], who -> Executors.newSingleThreadExecutor()).submit(() -> {
      try {
        answer(words[0], carryOut(words));
      } catch (Throwable error) {
        answer(words[0], "{\"error\":\"" + String.valueOf(error).replaceAll("[^\\x20-\\x7e]|[\"\\\\]", " ") + "\"}");
      }
    });
  }

  private String carryOut(String[] words) throws Exception {
    String who = words[2];
    String key = words[3];
    if (words[1].equals("take")) {
      RLock lock = lockOf(who, key);
      boolean isGranted = lock.tryLock(Long.parseLong(words[4]), Long.parseLong(words[5]), TimeUnit.MILLISECONDS);
      if (isGranted) held.put(who + key, lock);
      return "{\"outcome\":\"" + (isGranted ? "granted" : "refused") + "\",\"atMs\":" + System.currentTimeMillis() + "}";
    }
    if (!words[1].equals("release")) throw new IllegalArgumentException("unknown verb " + words[1]);
    held.remove(who + key).unlock();
    return "{\"outcome\":\"released\",\"fromMs\":" + System.currentTimeMillis() + "}";
  }

  @SuppressWarnings("deprecation")
  private RLock lockOf(String who, String key) {
    List<RLock> parts = new ArrayList<>();
    for (RedissonClient client : clients.computeIfAbsent(who, name -> connect())) parts.add(client.getLock(key));
    return new RedissonRedLock(parts.toArray(new RLock[0]));
  }

  private List<RedissonClient> connect() {
    List<RedissonClient> made = new ArrayList<>();
    for (String url : urls) {
      Config config = new Config();
      config.useSingleServer().setAddress(url).setConnectionPoolSize(4).setConnectionMinimumIdleSize(1);
      made.add(Redisson.create(config));
    }
    return made;
  }

  private static synchronized void answer(String id, String json) {
    System.out.println(id + " " + json);
    System.out.flush();
  }
}
