import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs work while holding a Lockkeeper lock, and stops it when the lock is lost.
 *
 * <p>Needs Java 17 and, for {@code run}, bash 4.4 and ps. Set LOCKKEEPER_URL to the origin of the server, such as
 * http://127.0.0.1:3000, and LOCKKEEPER_API_KEY to your application's API key.
 *
 * <p>The lock is renewed until the work returns and is then released, also after an exception, SIGTERM or
 * SIGINT. If the lock is lost, its deadline passes or the program is to stop, {@code assertHeld} throws
 * LockLost. The command of {@code run} is killed (SIGKILL, the whole process group) when the lock is lost and
 * when this process is killed or stopped.
 *
 * <p>Limits: only {@code assertHeld} stops work in this process. A pause between that call and the next write
 * can outlast the lease, so send {@code fence} with every write and have the resource reject a fence lower than
 * the highest it has accepted. A command that leaves its process group (setsid) is not killed. Do not call
 * System.exit in the work: it would wait for the work. Responses are read with a regular expression; use your
 * application's JSON library instead.
 */
public final class SafeLock {
  /**
   * Runs a command in a process group of its own and reads the seconds left until the deadline, a line at
   * a time. When they have passed, or the input ends, it kills the group. It exits with the status of the
   * command, when no process of the group is left.
   */
  private static final String GUARD = """
      IFS= read -r left || exit 137
      trap : INT TERM HUP
      exec 3>&2 2>/dev/null
      set -m
      "$@" </dev/null 2>&3 3>&- 4>&- & work=$!
      { while IFS= read -rt "$left" left; do :; done; kill -KILL -- "-$work"; } >&2 3>&- 4>&- & switch=$!
      wait "$work"
      while kill -KILL -- "-$work" && ps -A -o pgid= -o stat= | grep -q "^ *$work [^Z]"; do sleep 0.02; done
      wait "$work"; status=$?
      kill -KILL -- "-$switch"
      exit "$status"
      """;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** The lock was refused, or the server did not answer. No work was done. */
  public static final class NotAcquired extends Exception {
    NotAcquired(String detail) { super("not acquired: " + detail); }
  }

  /** The hold has ended, could not be renewed in time, or the program has been told to stop. */
  public static final class LockLost extends Exception {
    LockLost() { super("the lock was lost, or the program is stopping"); }
  }

  public interface Work<T> { T run(SafeLock hold) throws Exception; }

  private final String fence;
  private final String path;
  private final long leaseMs;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private volatile Moment deadline;
  private long renewAt; // of System.nanoTime

  private SafeLock(Answer grant, Moment sentAt, long leaseMs) {
    this.fence = grant.get("fence");
    this.path = "/holds/" + grant.get("holdId");
    this.leaseMs = leaseMs;
    extend(sentAt, Long.parseLong(grant.get("waitedMs")) + Long.parseLong(grant.get("remainingMs")));
  }

  /** Waits for the lock, 55 s at most, and runs the work while it is held. */
  public static <T> T withLock(String key, long leaseMs, long waitMs, Work<T> work) throws Exception {
    SafeLock hold = acquire(key, leaseMs, waitMs);
    var renewing = new Thread(hold::renew);
    renewing.setDaemon(true);
    renewing.start();
    var stopping = new Thread(hold::stop);
    try {
      Runtime.getRuntime().addShutdownHook(stopping);
      T result = work.run(hold);
      hold.assertHeld();
      return result;
    } finally {
      hold.release();
      try {
        Runtime.getRuntime().removeShutdownHook(stopping);
      } catch (IllegalStateException hookIsRunning) {
      }
    }
  }

  /** Send it along with every write. */
  public String fence() { return fence; }

  /** Throws unless the lock is held. Call it before each step whose effect others see. */
  public void assertHeld() throws LockLost {
    if (leftMs() <= 0) throw new LockLost();
  }

  /** Runs a command, one at a time, and returns its exit status. Its environment has LOCK_FENCE. */
  public synchronized int run(String... command) throws Exception {
    assertHeld();
    var guarded = new ArrayList<>(List.of("bash", "-c", GUARD, "guard"));
    guarded.addAll(List.of(command));
    var builder = new ProcessBuilder(guarded)
        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
        .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("LOCK_FENCE", fence);
    Process guard = builder.start();
    try (OutputStream input = guard.getOutputStream()) {
      for (long left = leftMs(); left > 0 && guard.isAlive(); left = leftMs()) {
        input.write("%d.%03d\n".formatted(left / 1000, left % 1000).getBytes());
        input.flush();
        guard.waitFor(200, TimeUnit.MILLISECONDS);
      }
    } catch (IOException commandHasEnded) {
    } finally {
      guard.onExit().join();
    }
    assertHeld();
    return guard.exitValue();
  }

  private static SafeLock acquire(String key, long leaseMs, long waitMs) throws Exception {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    String encoded = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    String path = "/locks/~" + encoded + "/acquire"; // after ~, base64url, which is valid for every key
    String record = "{\"pid\":" + ProcessHandle.current().pid() + "}"; // shown in the console
    String body = "{\"leaseMs\":" + leaseMs + ",\"waitMs\":" + waitMs + ",\"record\":" + record + "}";
    UUID idempotencyKey = UUID.randomUUID(); // the same for each try: together they make one hold at most
    long startedAt = System.nanoTime();
    while (true) {
      Moment sentAt = Moment.now();
      Answer answer = call(path, body, waitMs + 5000, idempotencyKey);
      if (answer.status == 201) return new SafeLock(answer, sentAt, leaseMs);
      boolean isLate = System.nanoTime() - startedAt > TimeUnit.MILLISECONDS.toNanos(waitMs + 15_000);
      if (answer.isRefusal() || isLate) throw new NotAcquired(answer.get("detail"));
      Thread.sleep(1000);
    }
  }

  /** Counts from before the request was sent, less a margin for killing a command and clock drift. */
  private void extend(Moment sentAt, long ms) {
    deadline = sentAt.plusMs(ms - leaseMs / 20);
    renewAt = sentAt.plusMs(ms - leaseMs * 2 / 3).nanos;
  }

  private long leftMs() { return ended.getCount() == 0 ? 0 : deadline.leftMs(); }

  private long renewDelayMs() {
    return Math.min(TimeUnit.NANOSECONDS.toMillis(renewAt - System.nanoTime()), leftMs());
  }

  private void renew() {
    try {
      while (!ended.await(renewDelayMs(), TimeUnit.MILLISECONDS) && leftMs() > 0) {
        Moment sentAt = Moment.now();
        Answer answer = call(path + "/renew", "{}", Math.min(leaseMs / 3, leftMs()), UUID.randomUUID());
        renewAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(leaseMs / 10); // sooner, unless it is renewed
        if (answer.status == 200 && leftMs() > 0) extend(sentAt, Long.parseLong(answer.get("remainingMs")));
        if (answer.isRefusal() && answer.status != 408 && answer.status != 429) break;
      }
    } catch (InterruptedException nobodyInterrupts) {
    }
    ended.countDown();
  }

  /** Keeps the program alive after SIGTERM or SIGINT until the work has stopped and the lock is released. */
  private void stop() {
    long leaseLeftMs = deadline.leftMs();
    ended.countDown();
    try {
      released.await(leaseLeftMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException nobodyInterrupts) {
    }
  }

  private void release() {
    ended.countDown();
    synchronized (this) { // only when no command runs
      for (int tries = 0; tries < 2; tries++) {
        Answer answer = call(path + "/release", "{}", 5000, UUID.randomUUID());
        if (answer.status == 200 || answer.isRefusal()) break;
      }
    }
    released.countDown();
  }

  /** A time on two clocks: nanoTime stops while the machine is suspended, and the other one may be set back. */
  private record Moment(long nanos, long wallMs) {
    static Moment now() { return new Moment(System.nanoTime(), System.currentTimeMillis()); }

    Moment plusMs(long ms) { return new Moment(nanos + TimeUnit.MILLISECONDS.toNanos(ms), wallMs + ms); }

    /** By the clock that advanced more. */
    long leftMs() {
      return Math.min(TimeUnit.NANOSECONDS.toMillis(nanos - System.nanoTime()), wallMs - System.currentTimeMillis());
    }
  }

  /** The status is 0 for no answer, or one that is not JSON. */
  private record Answer(int status, String body) {
    boolean isRefusal() { return status >= 400 && status < 500; }

    String get(String name) {
      var found = Pattern.compile("\"" + name + "\":(?:\"((?:[^\"\\\\]|\\\\.)*)\"|(\\d+))").matcher(body);
      if (!found.find()) return status == 0 ? body : "0";
      return found.group(1) == null ? found.group(2) : found.group(1);
    }
  }

  private static Answer call(String path, String body, long timeoutMs, UUID idempotencyKey) {
    var request = HttpRequest.newBuilder(URI.create(System.getenv("LOCKKEEPER_URL") + "/api/v1" + path))
        .timeout(Duration.ofMillis(Math.max(timeoutMs, 1)))
        .header("Authorization", "Bearer " + System.getenv("LOCKKEEPER_API_KEY"))
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", idempotencyKey.toString())
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    try {
      // Not by send: its timeout does not cover the body, and an interrupted thread could not release.
      var answer = HTTP.sendAsync(request, HttpResponse.BodyHandlers.ofString())
          .orTimeout(timeoutMs, TimeUnit.MILLISECONDS)
          .join();
      boolean isJson = answer.headers().firstValue("Content-Type").orElse("").contains("json");
      return new Answer(isJson ? answer.statusCode() : 0, answer.body());
    } catch (CompletionException noAnswer) {
      return new Answer(0, String.valueOf(noAnswer.getCause()));
    }
  }

  // Your work starts here.
  public static void main(String[] arguments) throws Exception {
    int status;
    try {
      status = withLock("lock:example", 30_000, 10_000, hold -> {
        for (int step = 1; step <= 5; step++) {
          hold.assertHeld();
          System.out.println("step " + step + " with fence " + hold.fence());
          Thread.sleep(1000);
        }
        return hold.run("sh", "-c", "echo \"command with fence $LOCK_FENCE\"");
      });
    } catch (NotAcquired refusal) {
      System.err.println(refusal.getMessage());
      status = 75;
    } catch (LockLost lost) {
      System.err.println(lost.getMessage());
      status = 76;
    }
    System.exit(status);
  }
}
