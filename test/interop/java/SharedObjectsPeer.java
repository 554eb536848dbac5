import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson's semaphores and latches as a peer of the interop run. Permits and counts belong to no thread. */
public final class SharedObjectsPeer {
  private static final long LEASE_MS = 30_000;

  private final RedissonClient redisson;
  private final Map<String, List<String>> permits = new ConcurrentHashMap<>();
  private final ExecutorService workers = Executors.newCachedThreadPool(SharedObjectsPeer::daemon);

  private SharedObjectsPeer(String url) {
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    config.useSingleServer().setAddress(url).setConnectionPoolSize(16).setConnectionMinimumIdleSize(4);
    redisson = Redisson.create(config);
  }

  public static void main(String[] args) throws Exception {
    SharedObjectsPeer peer = new SharedObjectsPeer(args[0]);
    answer("ready", "{}");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) peer.hear(line.split(" "));
    System.exit(0);
  }

  private void hear(String[] words) {
    workers.submit(() -> {
      try {
        answer(words[0], carryOut(words));
      } catch (Throwable error) {
        answer(words[0], "{\"error\":\"" + String.valueOf(error).replaceAll("[^\\x20-\\x7e]|[\"\\\\]", " ") + "\"}");
      }
    });
  }

  private String carryOut(String[] words) throws Exception {
    String key = words[2];
    switch (words[1]) {
      case "contend":
        return contend(key, Integer.parseInt(words[3]), Long.parseLong(words[4]), Integer.parseInt(words[5]));
      case "pairs":
        return pairs(key, Integer.parseInt(words[3]));
      case "prepare":
        return String.format("{\"isSet\":%b}", redisson.getPermitExpirableSemaphore(key).trySetPermits(Integer.parseInt(words[3])));
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

  /** Runs pairs one after the other, on a semaphore without other clients. */
  private String pairs(String key, int count) throws InterruptedException {
    RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(key);
    long from = System.nanoTime();
    for (int i = 0; i < count; i++) semaphore.release(semaphore.acquire(1, LEASE_MS, TimeUnit.MILLISECONDS));
    return String.format("{\"perSecond\":%d}", count * 1_000_000_000L / (System.nanoTime() - from));
  }

  private String take(String key, long waitMs, long leaseMs) throws InterruptedException {
    List<String> ids = redisson.getPermitExpirableSemaphore(key).tryAcquire(1, waitMs, leaseMs, TimeUnit.MILLISECONDS);
    boolean isGranted = ids != null && !ids.isEmpty();
    if (isGranted) permits.put(key, ids);
    return String.format("{\"outcome\":\"%s\",\"atMs\":%d}", isGranted ? "granted" : "refused", System.currentTimeMillis());
  }

  private String release(String key) {
    long fromMs = System.currentTimeMillis();
    redisson.getPermitExpirableSemaphore(key).release(permits.remove(key));
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
    RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(key);
    RAtomicLong out = redisson.getAtomicLong("out:" + key);
    long[] tally = new long[3];
    for (int turn = 0; System.nanoTime() < until; turn++) {
      int permits = 1 + turn % 2;
      long asked = System.nanoTime();
      List<String> ids = semaphore.acquire(permits, LEASE_MS, TimeUnit.MILLISECONDS);
      tally[2] = Math.max(tally[2], TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - asked));
      if (out.addAndGet(permits) > limit) tally[1]++;
      Thread.sleep(ThreadLocalRandom.current().nextInt(4));
      out.addAndGet(-permits);
      semaphore.release(ids);
      tally[0]++;
    }
    return tally;
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
