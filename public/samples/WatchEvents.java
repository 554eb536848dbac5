// Prints the lock events of Lockkeeper as they happen, one line each: id, type and JSON.
//
//   export LOCKKEEPER_URL=http://127.0.0.1:3000 LOCKKEEPER_API_KEY=lk_...
//   java WatchEvents.java                                        # all events
//   java WatchEvents.java 'key=lock:orders:*&type=expired,gap'   # a filter, as a query string
//
// Reconnects after every failure and resumes after the last event that it printed. A `gap` or `reset` line means that
// events were missed; `snapshot` lines with the held locks follow a `reset`. Events without an id (printed as `-`) are
// not replayed after a reconnect. Needs Java 17. To read the JSON, use the JSON library of your application.
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

public class WatchEvents {
  static final int SILENCE_MS = 15_000; // the server sends a keep-alive every 5 s
  static final Pattern NEWEST = Pattern.compile("\"newest\":\"([^\"]+)\"");
  static String lastId = "";
  static int pauseMs = 1000;

  static void handleMessage(Map<String, String> fields) {
    String event = fields.getOrDefault("event", "");
    String data = fields.get("data");
    if (event.equals("hello") || event.equals("reset")) {
      pauseMs = 1000; // The stream works. Before the first event, resume where the stream began.
      var newest = NEWEST.matcher(data);
      if (lastId.isEmpty()) lastId = newest.find() ? newest.group(1) : "0-0";
    }
    if (!event.isEmpty() && !event.equals("hello"))
      System.out.println(fields.getOrDefault("id", "-") + " " + event + " " + data);
    // Also without an event: the id of one that was sent before it had an id.
    lastId = fields.getOrDefault("id", lastId);
  }

  static void readStream(String url) throws IOException {
    var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    connection.setConnectTimeout(SILENCE_MS);
    connection.setReadTimeout(SILENCE_MS);
    connection.setRequestProperty("Authorization", "Bearer " + System.getenv("LOCKKEEPER_API_KEY"));
    if (!lastId.isEmpty()) connection.setRequestProperty("Last-Event-ID", lastId);
    int status = connection.getResponseCode();
    if (status >= 400 && status < 500 && status != 408 && status != 429) {
      var problem = connection.getErrorStream();
      System.err.println("refused: " + status + (problem == null ? "" : " " + new String(problem.readAllBytes(), UTF_8)));
      System.exit(1);
    }
    if (status != 200) throw new IOException("HTTP status " + status);
    try (var lines = new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8))) {
      var fields = new HashMap<String, String>();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int colon = line.indexOf(": ");
        if (colon > 0) fields.put(line.substring(0, colon), line.substring(colon + 2));
        if (!line.isEmpty()) continue;
        handleMessage(fields); // An empty line completes a message. Half a message is dropped, and sent again.
        fields.clear();
      }
    }
  }

  public static void main(String[] args) throws InterruptedException {
    String url = System.getenv("LOCKKEEPER_URL") + "/api/v1/events?" + String.join("&", args);
    while (true) {
      String reason = "the stream ended";
      try {
        readStream(url);
      } catch (IOException error) {
        reason = error.toString();
      }
      System.err.println("WatchEvents: disconnected (" + reason + "), next attempt in " + pauseMs / 1000 + " s");
      Thread.sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, 30_000);
    }
  }
}
