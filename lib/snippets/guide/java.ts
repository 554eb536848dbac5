import { quoteJava } from "../java.ts";
import { buildAcquireUrl, buildHoldsUrl, type GuideOptions } from "./guide-options.ts";

export function createJavaGuide(options: GuideOptions): string {
  const { leaseMs, waitMs, steps, stepMs } = options;
  return `import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

public class SafeLock {
  static final String ACQUIRE_URL = ${quoteJava(buildAcquireUrl(options))};
  static final String HOLDS_URL = ${quoteJava(buildHoldsUrl(options))};
  static final long LEASE_MS = ${leaseMs};
  static final long WAIT_MS = ${waitMs};
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** On our own monotonic clock: from here on the lock may be somebody else's. */
  static volatile long deadline = System.nanoTime();
  static String holdUrl;

  static class Refused extends Exception {
    Refused(String problem) {
      super(problem);
    }

    boolean isLost() {
      return "lost".equals(text(getMessage(), "code"));
    }
  }

  static class Lost extends Exception {}

  static String call(String url, String id, String body, long withinMs) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(url))
        .timeout(Duration.ofMillis(withinMs))
        .header("Authorization", "Bearer " + System.getenv("LOCKKEEPER_KEY"))
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", id)
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
    var response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() >= 300) throw new Refused(response.body());
    return response.body();
  }

  static String extend(String url, String id, String body, long withinMs) throws Exception {
    long sentAt = System.nanoTime();
    String hold = call(url, id, body, withinMs);
    long leftMs = number(hold, "waitedMs") + number(hold, "remainingMs");
    deadline = sentAt + TimeUnit.MILLISECONDS.toNanos(leftMs);
    return hold;
  }

  static String acquire() throws Exception {
    String id = newId(); // the same for both tries: there is one hold at most
    String body = "{\\"leaseMs\\":" + LEASE_MS + ",\\"waitMs\\":" + WAIT_MS + "}";
    try {
      return extend(ACQUIRE_URL, id, body, WAIT_MS + 2500);
    } catch (IOException noAnswer) {
      return extend(ACQUIRE_URL, id, body, WAIT_MS + 2500);
    }
  }

  static String newId() {
    return UUID.randomUUID().toString();
  }

  static void renew() {
    try {
      extend(holdUrl + "/renew", newId(), "{}", LEASE_MS / 6);
    } catch (Refused refused) {
      if (refused.isLost()) deadline = System.nanoTime();
    } catch (Exception noAnswer) {
      // Tried again until the deadline.
    }
  }

  static void assertHeld() throws Lost {
    if (System.nanoTime() - deadline >= 0) throw new Lost();
  }

  public static void main(String[] args) throws Exception {
    String hold;
    try {
      hold = acquire();
    } catch (Exception error) {
      System.out.println("not acquired: " + error.getMessage());
      System.exit(1);
      return;
    }
    holdUrl = HOLDS_URL + "/" + text(hold, "holdId");
    String fence = text(hold, "fence");
    System.out.println("acquired with fence " + fence);
    var renewing = Executors.newSingleThreadScheduledExecutor();
    renewing.scheduleAtFixedRate(SafeLock::renew, LEASE_MS / 3, LEASE_MS / 3, TimeUnit.MILLISECONDS);
    boolean isLost = false;
    try {
      for (int step = 1; step <= ${steps}; step++) {
        assertHeld(); // before each step whose effect others see
        System.out.println("step " + step + " with fence " + fence); // send the fence along with every write
        Thread.sleep(${stepMs});
      }
      assertHeld();
    } catch (Lost lost) {
      isLost = true;
    } finally {
      renewing.shutdownNow();
      renewing.awaitTermination(LEASE_MS, TimeUnit.MILLISECONDS);
      call(holdUrl + "/release", newId(), "{}", 5000); // a hold that has ended is left as it is
    }
    if (isLost) {
      System.out.println("lost: stopped");
      System.exit(1);
    }
    System.out.println("released");
  }

  // Java has no JSON of its own; an app takes the library that it has.
  static String text(String json, String name) {
    var found = Pattern.compile("\\"" + name + "\\":\\"([^\\"]*)\\"").matcher(json);
    return found.find() ? found.group(1) : null;
  }

  static long number(String json, String name) {
    var found = Pattern.compile("\\"" + name + "\\":(\\\\d+)").matcher(json);
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }
}
`;
}
