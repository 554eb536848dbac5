import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Pattern;
import lockkeeper.client.ApiClient;
import lockkeeper.client.ApiException;
import lockkeeper.client.api.HoldsApi;
import lockkeeper.client.api.LocksApi;
import lockkeeper.client.model.AcquireInput;
import lockkeeper.client.model.AcquireLock409Problem;
import lockkeeper.client.model.ForceReleaseInput;
import lockkeeper.client.model.ForceReleased;
import lockkeeper.client.model.HeldProblem;
import lockkeeper.client.model.Hold;
import lockkeeper.client.model.LostProblem;
import lockkeeper.client.model.ReleaseInput;
import lockkeeper.client.model.RenewInput;

/** The first steps of an application with the generated client. */
public class Smoke {
  static final String API_KEY = System.getenv("LOCKKEEPER_API_KEY");
  // A key that must be encoded exactly once.
  static final String KEY = "lock:generated/" + UUID.randomUUID() + " é%2F";

  public static void main(String[] args) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + API_KEY));
    var holds = new HoldsApi(client);
    var locks = new LocksApi(client);

    var hold = acquire(holds);
    expect("the key", hold.getKey(), KEY);
    expect("the fence is digits", hold.getFence().matches("\\d+"), true);
    var renewed = holds.renewHold(hold.getHoldId(), new RenewInput(), null);
    expect("the fence of a renewal", renewed.getFence(), hold.getFence());
    expect("whether it is held", holds.getHold(hold.getHoldId()).getHeld(), true);

    long earlier = readPlainAsOf(args[0]);
    var lock = locks.getLock(KEY, null, null);
    long later = readPlainAsOf(args[0]);
    Long asOf = lock.getAsOf();
    expect("whether " + earlier + " <= " + asOf + " <= " + later, earlier <= asOf && asOf <= later, true);
    expect("the holder", lock.getHolders().get(0).getHoldId(), hold.getHoldId());

    var refused = fail(() -> holds.acquireLock(KEY, new AcquireInput().owner("you"), null, null));
    expect("the status", refused.getCode(), 409);
    expect("Retry-After", refused.getResponseHeaders().firstValue("Retry-After").isPresent(), true);
    var problem = client.getObjectMapper().readValue(refused.getResponseBody(), AcquireLock409Problem.class);
    var held = (HeldProblem) problem.getActualInstance();
    expect("who holds it", held.getHolders().get(0).getOwner(), "me");
    var listed = locks.listLocks(10, null, "key:lock:generated/*", "-held", null, null);
    expect("a page of the list", listed.getItems().size() <= 10, true);

    var forced = new ForceReleaseInput().expectedVersion(lock.getVersion()).reason("the smoke test");
    ForceReleased freed = locks.forceReleaseLock(KEY, forced, null);
    expect("the outcome of the force-release", freed.getOutcome().getValue(), "released");
    var late = fail(() -> holds.renewHold(hold.getHoldId(), new RenewInput(), null));
    expect("the status of the loss", late.getCode(), 410);
    var lost = client.getObjectMapper().readValue(late.getResponseBody(), LostProblem.class);
    expect("the code of the loss", lost.getCode().getValue(), "lost");

    var again = acquire(holds);
    boolean rises = Long.parseLong(again.getFence()) > Long.parseLong(hold.getFence());
    expect("whether the fence rises", rises, true);
    var released = holds.releaseHold(again.getHoldId(), new ReleaseInput(), null);
    expect("the outcome", released.getOutcome().getValue(), "released");
    System.out.println("smoke passed");
  }

  static Hold acquire(HoldsApi holds) throws ApiException {
    return holds.acquireLock(KEY, new AcquireInput().owner("me").leaseMs(60_000), null, null);
  }

  /** Reads the value as the server sent it, digit by digit. */
  static long readPlainAsOf(String url) throws Exception {
    var key = URLEncoder.encode(KEY, StandardCharsets.UTF_8).replace("+", "%20");
    var request =
        HttpRequest.newBuilder(URI.create(url + "/api/v1/locks/" + key))
            .header("Authorization", "Bearer " + API_KEY)
            .build();
    var body = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    var found = Pattern.compile("\"asOf\":(\\d{13})[,}]").matcher(body);
    expect("whether asOf is answered", found.find(), true);
    return Long.parseLong(found.group(1));
  }

  interface Call {
    Object run() throws ApiException;
  }

  static ApiException fail(Call call) {
    try {
      throw new IllegalStateException("It was not refused: " + call.run());
    } catch (ApiException refused) {
      return refused;
    }
  }

  static void expect(String what, Object found, Object wanted) {
    if (!wanted.equals(found)) throw new IllegalStateException(what + ": " + found + " instead of " + wanted);
  }
}
