import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's kinds of lock as a peer of the benchmarks: one client. Times are of the machine's monotonic clock, in ms.
 * Arguments: the URL and the size of the connection pool.
 */
public final class KindsPeer {
  private static final long LEASE_MS = 30_000;
  private static final int PREPARING_THREADS = 16;

  private final RedissonClient redisson;
  private final ExecutorService workers = Executors.newCachedThreadPool(KindsPeer::daemon);
  /** A lock belongs to a thread, so the one that is held for another process is held and released by this thread. */
  private final ExecutorService holder = Executors.newSingleThreadExecutor(KindsPeer::daemon);
  private final Map<String, String> permits = new ConcurrentHashMap<>();

  private KindsPeer(String url, int connections) {
    Config config = new Config();
    config.useSingleServer().setAddress(url).setConnectionPoolSize(connections).setConnectionMinimumIdleSize(connections);
    redisson = Redisson.create(config);
  }

  public static void main(String[] args) throws Exception {
    KindsPeer peer = new KindsPeer(args[0], Integer.parseInt(args[1]));
    RequestLoop.run(words -> List.of("hold", "release").contains(words[1]) ? peer.holder : peer.workers, peer::carryOut);
    System.exit(0);
  }

  private String carryOut(String[] words) throws Exception {
    String kind = words[2];
    String key = words[3];
    switch (words[1]) {
      case "prepare":
        return prepare(key, Integer.parseInt(words[4]), Integer.parseInt(words[5]));
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
  private String prepare(String prefix, int names, int limit) throws Exception {
    AtomicInteger next = new AtomicInteger();
    runOnThreads(PREPARING_THREADS, () -> {
      for (int i = next.getAndIncrement(); i < names; i = next.getAndIncrement()) {
        redisson.getPermitExpirableSemaphore(prefix + ":" + i).trySetPermits(limit);
      }
      return 0;
    });
    return "{}";
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
    if (kind.equals("semaphore")) {
      RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(key);
      semaphore.release(semaphore.acquire(LEASE_MS, TimeUnit.MILLISECONDS));
      return;
    }
    RLock lock = getLock(kind, key);
    lock.lock(LEASE_MS, TimeUnit.MILLISECONDS);
    lock.unlock();
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
    if (kind.equals("latch")) redisson.getCountDownLatch(key).trySetCount(1);
    else if (kind.equals("semaphore")) {
      RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(key);
      semaphore.trySetPermits(1);
      permits.put(key, semaphore.acquire(LEASE_MS, TimeUnit.MILLISECONDS));
    } else getLock(kind, key).lock(LEASE_MS, TimeUnit.MILLISECONDS);
    return "{}";
  }

  /** Returns the time of the grant, or when the latch was open; then releases the lock. */
  private String await(String kind, String key) throws InterruptedException {
    double at;
    if (kind.equals("latch")) {
      redisson.getCountDownLatch(key).await();
      at = nowMs();
    } else if (kind.equals("semaphore")) {
      RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(key);
      String permit = semaphore.acquire(LEASE_MS, TimeUnit.MILLISECONDS);
      at = nowMs();
      semaphore.release(permit);
    } else {
      RLock lock = getLock(kind, key);
      lock.lock(LEASE_MS, TimeUnit.MILLISECONDS);
      at = nowMs();
      lock.unlock();
    }
    return String.format(Locale.ROOT, "{\"ms\":%f}", at);
  }

  /** Returns the time before the release, or before the count-down. */
  private String release(String kind, String key) {
    double from = nowMs();
    if (kind.equals("latch")) redisson.getCountDownLatch(key).countDown();
    else if (kind.equals("semaphore")) redisson.getPermitExpirableSemaphore(key).release(permits.remove(key));
    else getLock(kind, key).unlock();
    return String.format(Locale.ROOT, "{\"ms\":%f}", from);
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

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  }
}
