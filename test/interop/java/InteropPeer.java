import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** A peer of the interop run: reads `id verb argument …` lines, answers `id {json}` lines, several at a time. */
abstract class InteropPeer {
  /** For requests that belong to no thread. */
  protected final ExecutorService workers = Executors.newCachedThreadPool(InteropPeer::daemon);
  private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();

  /** Returns JSON. The first word is the id of the request, the second its verb. */
  protected abstract String carryOut(String[] words) throws Exception;

  /** Chooses who carries out a request: any thread, unless a peer says otherwise. */
  protected ExecutorService chooseThread(String[] words) {
    return workers;
  }

  /** A lock belongs to a thread, so each name is one. */
  protected final ExecutorService threadOf(String who) {
    return threads.computeIfAbsent(who, name -> Executors.newSingleThreadExecutor(InteropPeer::daemon));
  }

  /** Serves requests until the input ends, and then ends the process. */
  protected final void serve() throws Exception {
    answer("ready", "{}");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) hear(line.split(" "));
    System.exit(0);
  }

  private void hear(String[] words) {
    chooseThread(words).submit(() -> {
      try {
        answer(words[0], carryOut(words));
      } catch (Throwable error) {
        answer(words[0], "{\"error\":\"" + String.valueOf(error).replaceAll("[^\\x20-\\x7e]|[\"\\\\]", " ") + "\"}");
      }
    });
  }

  private static synchronized void answer(String id, String json) {
    System.out.println(id + " " + json);
    System.out.flush();
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  }

  /** Connects a client of Redisson to one server. */
  protected static RedissonClient connect(String url, Config config) {
    config.setCodec(StringCodec.INSTANCE);
    config.useSingleServer().setAddress(url).setConnectionPoolSize(16).setConnectionMinimumIdleSize(4);
    return Redisson.create(config);
  }
}
