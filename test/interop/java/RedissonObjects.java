import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The objects of Redisson that can be held and waited for, by name: `lock`, `fair`, `permits`, … */
final class RedissonObjects {
  /** The permit of each name and key. */
  private final Map<String, String> permits = new ConcurrentHashMap<>();

  /** The number of permits, or the count of a latch. */
  String prepare(RedissonClient redisson, String object, String key, int count) {
    switch (object) {
      case "semaphore":
        return done(redisson.getSemaphore(key).trySetPermits(count));
      case "permits":
        return done(redisson.getPermitExpirableSemaphore(key).trySetPermits(count));
      case "latch":
        return done(redisson.getCountDownLatch(key).trySetCount(count));
      default:
        throw new IllegalArgumentException("nothing to prepare for " + object);
    }
  }

  /** @param leaseMs -1 to renew for as long as the process runs */
  String hold(RedissonClient redisson, String object, String who, String key, long waitMs, long leaseMs) throws InterruptedException {
    long sinceMs = System.currentTimeMillis();
    Map<String, String> more = new HashMap<>();
    boolean isGranted;
    switch (object) {
      case "semaphore":
        isGranted = redisson.getSemaphore(key).tryAcquire(1, waitMs, TimeUnit.MILLISECONDS);
        break;
      case "permits":
        String permit = redisson.getPermitExpirableSemaphore(key).tryAcquire(waitMs, leaseMs, TimeUnit.MILLISECONDS);
        isGranted = permit != null;
        if (isGranted) permits.put(who + " " + key, permit);
        more.put("owner", permit);
        break;
      case "latch":
        isGranted = redisson.getCountDownLatch(key).await(waitMs, TimeUnit.MILLISECONDS);
        break;
      default:
        RLock lock = lockOf(redisson, object, key);
        isGranted = lock.tryLock(waitMs, leaseMs, TimeUnit.MILLISECONDS);
        more.put("owner", redisson.getId() + ":" + Thread.currentThread().getId());
        if (isGranted && lock instanceof RFencedLock) more.put("fence", String.valueOf(((RFencedLock) lock).getToken()));
    }
    StringBuilder json = new StringBuilder();
    more.forEach((name, value) -> json.append(String.format(",\"%s\":\"%s\"", name, value)));
    return String.format(
        "{\"outcome\":\"%s\",\"sinceMs\":%d,\"atMs\":%d%s}",
        isGranted ? "granted" : "refused", sinceMs, System.currentTimeMillis(), json);
  }

  /** Releases what the name holds. The result is Redisson's exception, if any. */
  String drop(RedissonClient redisson, String object, String who, String key) {
    try {
      switch (object) {
        case "semaphore":
          redisson.getSemaphore(key).release();
          break;
        case "permits":
          redisson.getPermitExpirableSemaphore(key).release(permits.remove(who + " " + key));
          break;
        case "latch":
          redisson.getCountDownLatch(key).countDown();
          break;
        default:
          lockOf(redisson, object, key).unlock();
      }
      return "{\"outcome\":\"released\",\"said\":\"\"}";
    } catch (RuntimeException error) {
      String cause = error.getCause() == null ? "" : " of " + error.getCause().getClass().getSimpleName();
      return String.format("{\"outcome\":\"refused\",\"said\":\"%s%s\"}", error.getClass().getSimpleName(), cause);
    }
  }

  private static RLock lockOf(RedissonClient redisson, String object, String key) {
    switch (object) {
      case "lock":
        return redisson.getLock(key);
      case "spin":
        return redisson.getSpinLock(key);
      case "fair":
        return redisson.getFairLock(key);
      case "fenced":
        return redisson.getFencedLock(key);
      case "read":
        return redisson.getReadWriteLock(key).readLock();
      case "write":
        return redisson.getReadWriteLock(key).writeLock();
      default:
        throw new IllegalArgumentException("unknown object " + object);
    }
  }

  private static String done(boolean isDone) {
    return String.format("{\"done\":%b}", isDone);
  }
}
