import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * RedissonRedLock as a peer of the interop run. Each name (`a`, `b`, …) is one thread of one process: it has one Redisson
 * client for each master.
 */
public final class RedLockPeer extends InteropPeer {
  private final String[] urls;
  private final Map<String, List<RedissonClient>> clients = new ConcurrentHashMap<>();
  private final Map<String, RLock> held = new ConcurrentHashMap<>();

  private RedLockPeer(String[] urls) {
    this.urls = urls;
  }

  public static void main(String[] urls) throws Exception {
    new RedLockPeer(urls).serve();
  }

  @Override
  protected ExecutorService chooseThread(String[] words) {
    return threadOf(words[2]);
  }

  @Override
  protected String carryOut(String[] words) throws Exception {
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
}
