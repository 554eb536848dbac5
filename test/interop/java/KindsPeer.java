import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's kinds of lock as a peer of the benchmarks: one client. Times are of the machine's monotonic clock, in ms.
 * Arguments: the URL and the size of the connection pool.
 */
public final class KindsPeer extends InteropPeer {
  private static final long LEASE_MS = 30_000;
  private static final int PREPARING_THREADS = 16;

  private final RedissonClient redisson;
  private final Map<String, String> permits = new ConcurrentHashMap<>();

  private KindsPeer(String url, int connections) {
    Config config = new Config();
    config.useSingleServer().setAddress(url).setConnectionPoolSize(connections).setConnectionMinimumIdleSize(connections);
    redisson = Redisson.create(config);
  }

  public static void main(String[] args) throws Exception {
    new KindsPeer(args[0], Integer.parseInt(args[1])).serve();
  }

  /** A lock belongs to a thread, so the same thread holds and releases what another process waits for. */
  @Override
  protected ExecutorService chooseThread(String[] words) {
    return List.of("hold", "release").contains(words[1]) ? threadOf("holder") : workers;
  }

  @Override
  protected String carryOut(String[] words) throws Exception {
    String kind = words[2];
    String key = words[3];
    switch (words[1]) {
      case "prepare":
        return prepare(kind, key, Integer.parseInt(words[4]), Integer.parseInt(words[5]));
      case "pairs":
        return pairs(kind, key, Integer.parseInt(words[4]), Integer.parseInt(words[5]), Long.parseLong(words[6]));
      case "hold":
        return hold(kind, key);
      case "wait":
        return await(kind, key);
      case "release":
        return release(kind, key);
      default:
        throw new IllegalArgumentException("unknown verb " + words[1]);
    }
  }

  /** Sets the permits of all semaphores `prefix:0`, `prefix:1`, … */
  private String prepare(String kind, String prefix, int names, int limit) throws Exception {
    AtomicInteger next = new AtomicInteger();
    runOnThreads(PREPARING_THREADS, () -> {
      for (int i = next.getAndIncrement(); i < names; i = next.getAndIncrement()) {
        setPermits(kind, prefix + ":" + i, limit);
      }
      return 0;
    });
    return "{}";
  }

  private void setPermits(String kind, String key, int limit) {
    if (kind.equals("plain_semaphore")) redisson.getSemaphore(key).trySetPermits(limit);
    else redisson.getPermitExpirableSemaphore(key).trySetPermits(limit);
  }

  /** Threads acquire and release the locks `prefix:0`, `prefix:1`, … in turn, until the time is over. */
  private String pairs(String kind, String prefix, int names, int threads, long forMs) throws Exception {
    OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    AtomicInteger next = new AtomicInteger();
    long cpu = process.getProcessCpuTime();
    long from = System.nanoTime();
    long until = from + TimeUnit.MILLISECONDS.toNanos(forMs);
    int pairs = runOnThreads(threads, () -> {
      int done = 0;
      for (; System.nanoTime() < until; done++) pair(kind, prefix + ":" + next.getAndIncrement() % names);
      return done;
    });
    long took = System.nanoTime() - from;
    return String.format(Locale.ROOT, "{\"pairs\":%d,\"ms\":%f,\"cpuMicros\":%d}",
        pairs, took / 1e6, (process.getProcessCpuTime() - cpu) / 1000);
  }

  private void pair(String kind, String key) throws InterruptedException {
    unlock(kind, key, lock(kind, key));
  }

  /** Returns the id of a permit; null for all other kinds. */
  private String lock(String kind, String key) throws InterruptedException {
    if (kind.equals("semaphore")) return redisson.getPermitExpirableSemaphore(key).acquire(LEASE_MS, TimeUnit.MILLISECONDS);
    if (kind.equals("plain_semaphore")) redisson.getSemaphore(key).acquire();
    else getLock(kind, key).lock(LEASE_MS, TimeUnit.MILLISECONDS);
    return null;
  }

  private void unlock(String kind, String key, String permit) {
    if (kind.equals("semaphore")) redisson.getPermitExpirableSemaphore(key).release(permit);
    else if (kind.equals("plain_semaphore")) redisson.getSemaphore(key).release();
    else getLock(kind, key).unlock();
  }

  /** Returns the sum of what the threads return. */
  private int runOnThreads(int threads, Callable<Integer> work) throws Exception {
    List<Future<Integer>> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) running.add(workers.submit(work));
    int sum = 0;
    for (Future<Integer> one : running) sum += one.get();
    return sum;
  }

  /** Acquires the lock, or closes the latch. */
  private String hold(String kind, String key) throws InterruptedException {
    if (kind.equals("latch")) {
      redisson.getCountDownLatch(key).trySetCount(1);
      return "{}";
    }
    if (kind.endsWith("semaphore")) setPermits(kind, key, 1);
    String permit = lock(kind, key);
    if (permit != null) permits.put(key, permit);
    return "{}";
  }

  /** Returns the time of the grant, or when the latch was open; then releases the lock. */
  private String await(String kind, String key) throws InterruptedException {
    if (kind.equals("latch")) {
      redisson.getCountDownLatch(key).await();
      return formatMs(nowMs());
    }
    String permit = lock(kind, key);
    double at = nowMs();
    unlock(kind, key, permit);
    return formatMs(at);
  }

  /** Returns the time before the release, or before the count-down. */
  private String release(String kind, String key) {
    double from = nowMs();
    if (kind.equals("latch")) redisson.getCountDownLatch(key).countDown();
    else unlock(kind, key, permits.remove(key));
    return formatMs(from);
  }

  private static String formatMs(double ms) {
    return String.format(Locale.ROOT, "{\"ms\":%f}", ms);
  }

  private RLock getLock(String kind, String key) {
    switch (kind) {
      case "lock":
        return redisson.getLock(key);
      case "fair":
        return redisson.getFairLock(key);
      case "read":
        return redisson.getReadWriteLock(key).readLock();
      case "write":
        return redisson.getReadWriteLock(key).writeLock();
      default:
        throw new IllegalArgumentException("unknown kind " + kind);
    }
  }

  private static double nowMs() {
    return System.nanoTime() / 1e6;
  }
}
