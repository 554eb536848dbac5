import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's semaphores and latches as a peer of the interop run. Permits and counts belong to no thread. Arguments: the URL,
 * and `plain_semaphore` if the semaphores are those without ids and leases.
 */
public final class SharedObjectsPeer extends InteropPeer {
  private static final long LEASE_MS = 30_000;

  private final RedissonClient redisson;
  private final boolean isPlain;
  /** The permits that `take` acquired, by their ids. */
  private final Map<String, List<String>> permits = new ConcurrentHashMap<>();

  private SharedObjectsPeer(String url, boolean isPlain) {
    this.isPlain = isPlain;
    redisson = connect(url, new Config());
  }

  public static void main(String[] args) throws Exception {
    new SharedObjectsPeer(args[0], args.length > 1 && args[1].equals("plain_semaphore")).serve();
  }

  @Override
  protected String carryOut(String[] words) throws Exception {
    String key = words[2];
    switch (words[1]) {
      case "contend":
        return contend(key, Integer.parseInt(words[3]), Long.parseLong(words[4]), Integer.parseInt(words[5]));
      case "pairs":
        return pairs(key, Integer.parseInt(words[3]));
      case "prepare":
        return String.format("{\"isSet\":%b}", trySetPermits(key, Integer.parseInt(words[3])));
      case "take":
        return take(key, Long.parseLong(words[3]), Long.parseLong(words[4]));
      case "release":
        return release(key);
      case "set_count":
        return String.format("{\"isSet\":%b}", redisson.getCountDownLatch(key).trySetCount(Long.parseLong(words[3])));
      case "count_down":
        long fromMs = System.currentTimeMillis();
        redisson.getCountDownLatch(key).countDown();
        return String.format("{\"fromMs\":%d}", fromMs);
      case "await":
        boolean isOpen = redisson.getCountDownLatch(key).await(Long.parseLong(words[3]), TimeUnit.MILLISECONDS);
        return String.format("{\"isOpen\":%b,\"atMs\":%d}", isOpen, System.currentTimeMillis());
      default:
        throw new IllegalArgumentException("unknown verb " + words[1]);
    }
  }

  private boolean trySetPermits(String key, int count) {
    if (isPlain) return redisson.getSemaphore(key).trySetPermits(count);
    return redisson.getPermitExpirableSemaphore(key).trySetPermits(count);
  }

  /** Waits for permits. Returns their ids; plain ones have none. */
  private List<String> acquire(String key, int count) throws InterruptedException {
    if (!isPlain) return redisson.getPermitExpirableSemaphore(key).acquire(count, LEASE_MS, TimeUnit.MILLISECONDS);
    redisson.getSemaphore(key).acquire(count);
    return Collections.nCopies(count, "");
  }

  /** Returns the ids of one permit, or an empty list after the wait. */
  private List<String> tryAcquire(String key, long waitMs, long leaseMs) throws InterruptedException {
    if (isPlain) {
      boolean isGranted = redisson.getSemaphore(key).tryAcquire(1, waitMs, TimeUnit.MILLISECONDS);
      return isGranted ? List.of("") : List.of();
    }
    List<String> ids = redisson.getPermitExpirableSemaphore(key).tryAcquire(1, waitMs, leaseMs, TimeUnit.MILLISECONDS);
    return ids == null ? List.of() : ids;
  }

  private void release(String key, List<String> ids) {
    if (isPlain) redisson.getSemaphore(key).release(ids.size());
    else redisson.getPermitExpirableSemaphore(key).release(ids);
  }

  /** Runs pairs one after the other, on a semaphore without other clients. */
  private String pairs(String key, int count) throws InterruptedException {
    long from = System.nanoTime();
    for (int i = 0; i < count; i++) release(key, acquire(key, 1));
    return String.format("{\"perSecond\":%d}", count * 1_000_000_000L / (System.nanoTime() - from));
  }

  private String take(String key, long waitMs, long leaseMs) throws InterruptedException {
    List<String> ids = tryAcquire(key, waitMs, leaseMs);
    boolean isGranted = !ids.isEmpty();
    if (isGranted) permits.put(key, ids);
    return String.format("{\"outcome\":\"%s\",\"atMs\":%d}", isGranted ? "granted" : "refused", System.currentTimeMillis());
  }

  private String release(String key) {
    long fromMs = System.currentTimeMillis();
    release(key, permits.remove(key));
    return String.format("{\"outcome\":\"released\",\"fromMs\":%d}", fromMs);
  }

  /** Threads acquire one or two permits each until the time is over, and count the acquired permits. */
  private String contend(String key, int limit, long forMs, int threads) throws Exception {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(forMs);
    List<Future<long[]>> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) running.add(workers.submit(() -> contendOnce(key, limit, until)));
    long[] sum = new long[3];
    for (Future<long[]> one : running) {
      long[] tally = one.get();
      sum[0] += tally[0];
      sum[1] += tally[1];
      sum[2] = Math.max(sum[2], tally[2]);
    }
    return String.format("{\"sections\":%d,\"overlaps\":%d,\"longestWaitMs\":%d}", sum[0], sum[1], sum[2]);
  }

  private long[] contendOnce(String key, int limit, long until) throws InterruptedException {
    RAtomicLong out = redisson.getAtomicLong("out:" + key);
    long[] tally = new long[3];
    for (int turn = 0; System.nanoTime() < until; turn++) {
      int permits = 1 + turn % 2;
      long asked = System.nanoTime();
      List<String> ids = acquire(key, permits);
      tally[2] = Math.max(tally[2], TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - asked));
      if (out.addAndGet(permits) > limit) tally[1]++;
      Thread.sleep(ThreadLocalRandom.current().nextInt(4));
      out.addAndGet(-permits);
      release(key, ids);
      tally[0]++;
    }
    return tally;
  }
}
