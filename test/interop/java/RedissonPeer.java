import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Redisson as a peer of the interop run.
 * A lock belongs to a thread, so each name (`a`, `b`, …) is one thread with a Redisson instance.
 * Arguments: the URL, and for fair locks their wait timeout in ms.
 */
public final class RedissonPeer extends InteropPeer {
  private static final int INSTANCES = 2;
  private static final int REENTER_EVERY = 5;

  private final List<RedissonClient> instances = new ArrayList<>();
  private final RedissonObjects objects = new RedissonObjects();

  /** Whether the verbs use fair locks. */
  private final boolean isFair;

  private RedissonPeer(String url, Long fairWaitMs) {
    isFair = fairWaitMs != null;
    for (int i = 0; i < INSTANCES; i++) {
      Config config = new Config();
      if (isFair) config.setFairLockWaitTimeout(fairWaitMs);
      instances.add(connect(url, config));
    }
  }

  public static void main(String[] args) throws Exception {
    new RedissonPeer(args[0], args.length > 1 ? Long.valueOf(args[1]) : null).serve();
  }

  @Override
  protected ExecutorService chooseThread(String[] words) {
    return words[1].equals("contend") || words[1].equals("occupy") ? workers : threadOf(words[2]);
  }

  @Override
  protected String carryOut(String[] words) throws Exception {
    switch (words[1]) {
      case "contend":
        return contend(words[2], Long.parseLong(words[3]), Integer.parseInt(words[4]));
      case "occupy":
        return occupy(words[2], Long.parseLong(words[3]), Long.parseLong(words[4]), Integer.parseInt(words[5]));
      case "take":
        return take(lockOf(words[2], words[3]), Long.parseLong(words[4]), Long.parseLong(words[5]));
      case "fenced":
        return fenced(words[2], words[3], Long.parseLong(words[4]));
      case "release":
        return release(lockOf(words[2], words[3]));
      case "prepare":
        return objects.prepare(instanceOf(words[2]), words[3], words[4], Integer.parseInt(words[5]));
      case "hold":
        return objects.hold(instanceOf(words[2]), words[3], words[2], words[4], Long.parseLong(words[5]), Long.parseLong(words[6]));
      case "drop":
        return objects.drop(instanceOf(words[2]), words[3], words[2], words[4]);
      default:
        throw new IllegalArgumentException("unknown verb " + words[1]);
    }
  }

  private String take(RLock lock, long waitMs, long leaseMs) throws InterruptedException {
    boolean isGranted = lock.tryLock(waitMs, leaseMs, TimeUnit.MILLISECONDS);
    return String.format("{\"outcome\":\"%s\",\"atMs\":%d}", isGranted ? "granted" : "refused", System.currentTimeMillis());
  }

  private String fenced(String who, String key, long leaseMs) {
    Long token = instanceOf(who).getFencedLock(key).lockAndGetToken(leaseMs, TimeUnit.MILLISECONDS);
    return String.format("{\"fence\":\"%d\"}", token);
  }

  private static String release(RLock lock) {
    long fromMs = System.currentTimeMillis();
    String outcome = "released";
    try {
      lock.unlock();
    } catch (IllegalMonitorStateException notOurs) {
      outcome = "refused";
    }
    return String.format("{\"outcome\":\"%s\",\"fromMs\":%d}", outcome, fromMs);
  }

  /** Threads of all instances work under the lock until the time is over. */
  private String contend(String key, long forMs, int threadCount) throws Exception {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(forMs);
    List<Future<Tally>> running = new ArrayList<>();
    for (int i = 0; i < threadCount; i++) {
      RedissonClient redisson = instances.get(i % INSTANCES);
      running.add(workers.submit((Callable<Tally>) () -> contendOnce(redisson, key, until)));
    }
    Tally sum = new Tally();
    for (Future<Tally> one : running) sum.add(one.get());
    return sum.toJson();
  }

  private Tally contendOnce(RedissonClient redisson, String key, long until) {
    Tally tally = new Tally();
    RLock lock = getLock(redisson, key);
    for (int turn = 0; System.nanoTime() < until; turn++) {
      lock.lock();
      try {
        section(redisson, key, tally);
        if (turn % REENTER_EVERY == 0) reenter(redisson, lock, key, tally);
      } finally {
        lock.unlock();
      }
    }
    return tally;
  }

  /** Each thread acquires the lock repeatedly. Times are on the machine's monotonic clock, in ms. */
  private String occupy(String key, long forMs, long workMs, int threadCount) throws Exception {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(forMs);
    List<Future<String>> running = new ArrayList<>();
    for (int i = 0; i < threadCount; i++) {
      RLock lock = instances.get(i % INSTANCES).getLock(key);
      running.add(workers.submit(() -> holdInTurn(lock, until, workMs)));
    }
    List<String> holds = new ArrayList<>();
    for (Future<String> one : running) holds.add(one.get());
    return "{\"workers\":[" + String.join(",", holds) + "]}";
  }

  private static String holdInTurn(RLock lock, long until, long workMs) throws InterruptedException {
    List<String> holds = new ArrayList<>();
    while (System.nanoTime() < until) {
      double asked = System.nanoTime() / 1e6;
      lock.lock();
      double granted = System.nanoTime() / 1e6;
      Thread.sleep(workMs);
      double released = System.nanoTime() / 1e6;
      lock.unlock();
      holds.add(String.format(java.util.Locale.ROOT, "[%f,%f,%f]", asked, granted, released));
    }
    return "[" + String.join(",", holds) + "]";
  }

  private static void section(RedissonClient redisson, String key, Tally tally) {
    RAtomicLong inside = redisson.getAtomicLong("inside:" + key);
    if (inside.incrementAndGet() != 1) tally.overlaps++;
    RBucket<String> count = redisson.getBucket("count:" + key, StringCodec.INSTANCE);
    long before = Long.parseLong(count.get());
    RBucket<String> last = redisson.getBucket("last:" + key, StringCodec.INSTANCE);
    if (!"redisson".equals(last.getAndSet("redisson"))) tally.handOvers++;
    count.set(String.valueOf(before + 1));
    inside.decrementAndGet();
    tally.sections++;
  }

  private static void reenter(RedissonClient redisson, RLock lock, String key, Tally tally) {
    lock.lock();
    if (countInRedis(redisson, key) != 2) tally.wrongCounts++;
    lock.unlock();
    if (countInRedis(redisson, key) != 1) tally.wrongCounts++;
    tally.reentries++;
  }

  private static long countInRedis(RedissonClient redisson, String key) {
    String field = redisson.getId() + ":" + Thread.currentThread().getId();
    Object count = redisson.getScript(StringCodec.INSTANCE)
        .eval(RScript.Mode.READ_ONLY, "return redis.call('HGET', KEYS[1], ARGV[1])", RScript.ReturnType.VALUE, List.of(key), field);
    return count == null ? 0 : Long.parseLong(count.toString());
  }

  private RedissonClient instanceOf(String who) {
    return instances.get(who.charAt(0) % INSTANCES);
  }

  private RLock lockOf(String who, String key) {
    return getLock(instanceOf(who), key);
  }

  private RLock getLock(RedissonClient redisson, String key) {
    return isFair ? redisson.getFairLock(key) : redisson.getLock(key);
  }

  private static final class Tally {
    long sections;
    long overlaps;
    long reentries;
    long wrongCounts;
    long handOvers;

    void add(Tally other) {
      sections += other.sections;
      overlaps += other.overlaps;
      reentries += other.reentries;
      wrongCounts += other.wrongCounts;
      handOvers += other.handOvers;
    }

    String toJson() {
      return String.format(
          "{\"sections\":%d,\"overlaps\":%d,\"reentries\":%d,\"wrongCounts\":%d,\"handOvers\":%d}",
          sections, overlaps, reentries, wrongCounts, handOvers);
    }
  }
}
