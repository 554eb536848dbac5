import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Reads `id verb argument …` lines from standard input and prints `id {json}` lines: the protocol of peer.ts. */
final class RequestLoop {
  /** Carries out one request. */
  interface Handler {
    /** Returns the JSON of the response. The words begin with the id and the verb. */
    String carryOut(String[] words) throws Exception;
  }

  private RequestLoop() {}

  /** Returns when standard input ends. Each request runs on the executor that is chosen for it. */
  static void run(Function<String[], Executor> executorOf, Handler handler) throws Exception {
    respond("ready", "{}");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      executorOf.apply(words).execute(() -> carryOut(words, handler));
    }
  }

  private static void carryOut(String[] words, Handler handler) {
    try {
      respond(words[0], handler.carryOut(words));
    } catch (Throwable error) {
      respond(words[0], "{\"error\":\"" + String.valueOf(error).replaceAll("[^\\x20-\\x7e]|[\"\\\\]", " ") + "\"}");
    }
  }

  private static synchronized void respond(String id, String json) {
    System.out.println(id + " " + json);
    System.out.flush();
  }
}
