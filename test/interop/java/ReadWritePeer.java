import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson's read/write lock as a peer of the interop run: one JVM with one client. Each name is one thread. */
public final class ReadWritePeer extends InteropPeer {
  /** Every third section writes, and every fourth of those continues as a reader before it stops writing. */
  private static final int WRITE_EVERY = 3;
  private static final int DOWNGRADE_EVERY = 4;

  private final RedissonClient redisson;

  private ReadWritePeer(String url) {
    redisson = connect(url, new Config());
  }

  public static void main(String[] args) throws Exception {
    new ReadWritePeer(args[0]).serve();
  }

  @Override
  protected ExecutorService chooseThread(String[] words) {
    return words[1].equals("contend") ? workers : threadOf(words[2]);
  }

  @Override
  protected String carryOut(String[] words) throws Exception {
    switch (words[1]) {
      case "contend":
        return contend(words[2], Long.parseLong(words[3]), Integer.parseInt(words[4]));
      case "take":
        return take(lockOf(words[3], words[4]), Long.parseLong(words[5]), Long.parseLong(words[6]));
      case "release":
        return release(lockOf(words[3], words[4]));
      default:
        throw new IllegalArgumentException("unknown verb " + words[1]);
    }
  }

  private RLock lockOf(String key, String kind) {
    RReadWriteLock lock = redisson.getReadWriteLock(key);
    return kind.equals("read") ? lock.readLock() : lock.writeLock();
  }

  private static String take(RLock lock, long waitMs, long leaseMs) throws InterruptedException {
    boolean isGranted = lock.tryLock(waitMs, leaseMs, TimeUnit.MILLISECONDS);
    return String.format("{\"outcome\":\"%s\",\"atMs\":%d}", isGranted ? "granted" : "refused", System.currentTimeMillis());
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

  private String contend(String key, long forMs, int threadCount) throws Exception {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(forMs);
    List<Future<Tally>> running = new ArrayList<>();
    for (int i = 0; i < threadCount; i++) {
      running.add(workers.submit((Callable<Tally>) () -> contendOnce(key, until)));
    }
    Tally sum = new Tally();
    for (Future<Tally> one : running) sum.add(one.get());
    return sum.toJson();
  }

  private Tally contendOnce(String key, long until) throws InterruptedException {
    Tally tally = new Tally();
    RReadWriteLock lock = redisson.getReadWriteLock(key);
    int writes = 0;
    for (int turn = 0; System.nanoTime() < until; turn++) {
      Thread.sleep(ThreadLocalRandom.current().nextInt(2, 12));
      boolean isWrite = turn % WRITE_EVERY == 0;
      RLock side = isWrite ? lock.writeLock() : lock.readLock();
      long from = System.nanoTime();
      side.lock();
      tally.longestMs = Math.max(tally.longestMs, (System.nanoTime() - from) / 1_000_000);
      if (!isWrite) {
        try {
          read(key, tally);
        } finally {
          side.unlock();
        }
        continue;
      }
      boolean goesOn = writes++ % DOWNGRADE_EVERY == 0;
      try {
        write(key, tally);
        if (goesOn) lock.readLock().lock();
      } finally {
        side.unlock();
      }
      if (!goesOn) continue;
      try {
        read(key, tally);
        tally.downgrades++;
      } finally {
        lock.readLock().unlock();
      }
    }
    return tally;
  }

  private void read(String key, Tally tally) throws InterruptedException {
    RAtomicLong readers = redisson.getAtomicLong("readers:" + key);
    RBucket<String> count = redisson.getBucket("count:" + key, StringCodec.INSTANCE);
    if (readers.incrementAndGet() > 1) tally.shared++;
    String before = count.get();
    if (redisson.getAtomicLong("writers:" + key).get() != 0) tally.overlaps++;
    Thread.sleep(1);
    if (!before.equals(count.get())) tally.overlaps++;
    readers.decrementAndGet();
    tally.reads++;
  }

  private void write(String key, Tally tally) {
    RAtomicLong writers = redisson.getAtomicLong("writers:" + key);
    RBucket<String> count = redisson.getBucket("count:" + key, StringCodec.INSTANCE);
    if (writers.incrementAndGet() != 1) tally.overlaps++;
    if (redisson.getAtomicLong("readers:" + key).get() != 0) tally.overlaps++;
    count.set(String.valueOf(Long.parseLong(count.get()) + 1));
    writers.decrementAndGet();
    tally.writes++;
  }

  private static final class Tally {
    long reads;
    long writes;
    long overlaps;
    long shared;
    long downgrades;
    long longestMs;

    void add(Tally other) {
      reads += other.reads;
      writes += other.writes;
      overlaps += other.overlaps;
      shared += other.shared;
      downgrades += other.downgrades;
      longestMs = Math.max(longestMs, other.longestMs);
    }

    String toJson() {
      return String.format(
          "{\"reads\":%d,\"writes\":%d,\"overlaps\":%d,\"shared\":%d,\"downgrades\":%d,\"longestMs\":%d}",
          reads, writes, overlaps, shared, downgrades, longestMs);
    }
  }
}
