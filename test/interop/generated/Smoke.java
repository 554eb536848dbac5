import java.util.UUID;
import lockkeeper.client.ApiClient;
import lockkeeper.client.ApiException;
import lockkeeper.client.api.LookingApi;
import lockkeeper.client.api.VerbsApi;
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
        request -> request.header("Authorization", "Bearer " + System.getenv("LOCKKEEPER_KEY")));
    var verbs = new VerbsApi(client);
    var looking = new LookingApi(client);
    // A key that must be encoded, and only once.
    var key = "lock:generated/" + UUID.randomUUID() + " é%2F";

    var grant = verbs.acquireLock(key, new AcquireInput().owner("me").leaseMs(60_000), null, null);
    expect("the key", grant.getKey(), key);
    expect("the fence is digits", grant.getFence().matches("\\d+"), true);
    var renewed = verbs.renewLock(key, new RenewInput().owner("me"), null, null);
    expect("the fence of a renewal", renewed.getFence(), grant.getFence());
    try {
      verbs.acquireLock(key, new AcquireInput().owner("you"), null, null);
      throw new IllegalStateException("Two hold it.");
    } catch (ApiException refused) {
      var problem = client.getObjectMapper().readValue(refused.getResponseBody(), AcquireLock409Response.class);
      expect("the status", refused.getCode(), 409);
      expect("who holds it", problem.getHeldProblem().getHolders().get(0).getOwner(), "me");
      expect("Retry-After", refused.getResponseHeaders().firstValue("Retry-After").isPresent(), true);
    }
    expect("the holder", looking.getLock(key, null, null).getHolders().get(0).getOwner(), "me");
    var listed = looking.listLocks(10, null, "key:lock:generated/*", "-held", null, null);
    expect("a page of the list", listed.getItems().size() <= 10, true);
    var released = verbs.releaseLock(key, new ReleaseInput().owner("me"), null, null);
    expect("the outcome", released.getOutcome().getValue(), "released");
    System.out.println("smoke passed");
  }

  static void expect(String what, Object found, Object wanted) {
    if (!wanted.equals(found)) throw new IllegalStateException(what + ": " + found + " instead of " + wanted);
  }
}
