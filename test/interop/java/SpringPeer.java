import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Spring Integration's lock registry and ShedLock as a peer of the interop run: reads `id verb argument …` lines, answers
 * `id {json}` lines. Each name (`a`, `b`, …) is one thread, with a registry of its own for each key.
 */
public final class SpringPeer {
  private static final String ENVIRONMENT = "prod";

  private final LettuceConnectionFactory connections;
  private final RedisLockProvider jobs;
  private final Map<String, Lock> locks = new ConcurrentHashMap<>();
  private final Map<String, SimpleLock> jobLocks = new ConcurrentHashMap<>();
  private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();

  private SpringPeer(URI url) {
    connections = new LettuceConnectionFactory(url.getHost(), url.getPort());
    connections.afterPropertiesSet();
    connections.start();
    jobs = new RedisLockProvider(connections, ENVIRONMENT);
  }

  public static void main(String[] args) throws Exception {
    SpringPeer peer = new SpringPeer(URI.create(args[0]));
    answer("ready", "{}");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      peer.hear(line.split(" "));
    }
    System.exit(0);
  }

  private void hear(String[] words) {
    threads.computeIfAbsent(words[2], who -> Executors.newSingleThreadExecutor(SpringPeer::daemon)).submit(() -> {
      try {
        answer(words[0], carryOut(words));
      } catch (Throwable error) {
        answer(words[0], "{\"error\":\"" + String.valueOf(error).replaceAll("[^\\x20-\\x7e]|[\"\\\\]", " ") + "\"}");
      }
    });
  }

  private String carryOut(String[] words) throws Exception {
    String name = words[2] + " " + words[4];
    switch (words[1]) {
      case "hold":
        return hold(words[3], name, words[4], Long.parseLong(words[5]), Long.parseLong(words[6]));
      case "drop":
        return drop(words[3], name);
      default:
        throw new IllegalArgumentException("unknown verb " + words[1]);
    }
  }

  private String hold(String object, String name, String key, long waitMs, long leaseMs) throws InterruptedException {
    long sinceMs = System.currentTimeMillis();
    boolean isGranted = object.equals("shedlock")
        ? holdJob(name, key, leaseMs)
        : locks.computeIfAbsent(name, anew -> registryLock(object, key, leaseMs)).tryLock(waitMs, TimeUnit.MILLISECONDS);
    return String.format(
        "{\"outcome\":\"%s\",\"sinceMs\":%d,\"atMs\":%d}", isGranted ? "granted" : "refused", sinceMs, System.currentTimeMillis());
  }

  /** `registry:name`: the id of a registry is the owner of all of its locks. */
  private Lock registryLock(String object, String key, long leaseMs) {
    int colon = key.indexOf(':');
    RedisLockRegistry registry = new RedisLockRegistry(connections, key.substring(0, colon), Duration.ofMillis(leaseMs));
    if (object.equals("published")) registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
    return registry.obtain(key.substring(colon + 1));
  }

  /** Tries once and never waits. */
  private boolean holdJob(String name, String key, long leaseMs) {
    String job = key.substring(("job-lock:" + ENVIRONMENT + ":").length());
    Optional<SimpleLock> lock = jobs.lock(new LockConfiguration(Instant.now(), job, Duration.ofMillis(leaseMs), Duration.ZERO));
    lock.ifPresent(held -> jobLocks.put(name, held));
    return lock.isPresent();
  }

  private String drop(String object, String name) {
    try {
      if (object.equals("shedlock")) jobLocks.remove(name).unlock();
      else locks.get(name).unlock();
      return "{\"outcome\":\"released\",\"said\":\"\"}";
    } catch (RuntimeException error) {
      return String.format("{\"outcome\":\"refused\",\"said\":\"%s\"}", error.getClass().getSimpleName());
    }
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  }

  private static synchronized void answer(String id, String json) {
    System.out.println(id + " " + json);
    System.out.flush();
  }
}
