import java.util.UUID;
import lockkeeper.client.ApiClient;
import lockkeeper.client.ApiException;
import lockkeeper.client.api.HoldsApi;
import lockkeeper.client.api.LocksApi;
import lockkeeper.client.model.AcquireInput;
import lockkeeper.client.model.AcquireLock409Response;
import lockkeeper.client.model.ReleaseInput;
import lockkeeper.client.model.RenewInput;

/** What an app does first with the client that was generated for it. */
public class Smoke {
  public static void main(String[] args) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("LOCKKEEPER_API_KEY")));
    var holds = new HoldsApi(client);
    var locks = new LocksApi(client);
    // A key that must be encoded, and only once.
    var key = "lock:generated/" + UUID.randomUUID() + " é%2F";

    var hold = holds.acquireLock(key, new AcquireInput().owner("me").leaseMs(60_000), null, null);
    expect("the key", hold.getKey(), key);
    expect("the fence is digits", hold.getFence().matches("\\d+"), true);
    var renewed = holds.renewHold(hold.getHoldId(), new RenewInput(), null);
    expect("the fence of a renewal", renewed.getFence(), hold.getFence());
    expect("whether it is held", holds.getHold(hold.getHoldId()).getHeld(), true);
    try {
      holds.acquireLock(key, new AcquireInput().owner("you"), null, null);
      throw new IllegalStateException("Two hold it.");
    } catch (ApiException refused) {
      var problem = client.getObjectMapper().readValue(refused.getResponseBody(), AcquireLock409Response.class);
      expect("the status", refused.getCode(), 409);
      expect("who holds it", problem.getHeldProblem().getHolders().get(0).getOwner(), "me");
      expect("Retry-After", refused.getResponseHeaders().firstValue("Retry-After").isPresent(), true);
    }
    expect("the holder", locks.getLock(key, null, null).getHolders().get(0).getOwner(), "me");
    var listed = locks.listLocks(10, null, "key:lock:generated/*", "-held", null, null);
    expect("a page of the list", listed.getItems().size() <= 10, true);
    var released = holds.releaseHold(hold.getHoldId(), new ReleaseInput(), null);
    expect("the outcome", released.getOutcome().getValue(), "released");
    System.out.println("smoke passed");
  }

  static void expect(String what, Object found, Object wanted) {
    if (!wanted.equals(found)) throw new IllegalStateException(what + ": " + found + " instead of " + wanted);
  }
}
