  public static void main(String[] arguments) throws Exception {
    long leaseMs = Long.parseLong(System.getenv("LEASE_MS"));
    long waitMs = Long.parseLong(System.getenv("WAIT_MS"));
    int status;
    try {
      status = withLock(System.getenv("KEY"), leaseMs, waitMs, SafeLock::doWork);
    } catch (NotAcquired refusal) {
      System.err.println(refusal.getMessage());
      status = 75;
    } catch (LockLost lost) {
      System.err.println(lost.getMessage());
      status = 76;
    }
    System.exit(status);
  }

  private static int doWork(SafeLock hold) throws Exception {
    if (System.getenv("WORK").equals("child")) return hold.run("bash", System.getenv("CHILD_SCRIPT"));
    long endsAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(System.getenv("WORK_MS")));
    try (var log = new java.io.FileOutputStream(System.getenv("LOG_FILE"), true)) {
      while (System.nanoTime() - endsAt < 0) {
        hold.assertHeld();
        String line = System.getenv("COPY") + " " + System.currentTimeMillis() + " " + hold.fence() + "\n";
        log.write(line.getBytes());
        Thread.sleep(100);
      }
    }
    if (System.getenv("END").equals("throw")) throw new IllegalStateException("the work failed");
    return System.getenv("END").equals("exit3") ? 3 : 0;
  }
}
