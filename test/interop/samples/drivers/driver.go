func main() {
	status := 0
	err := WithLock(context.Background(), os.Getenv("KEY"), getDuration("LEASE_MS"), getDuration("WAIT_MS"),
		func(ctx context.Context, hold *Hold) (err error) {
			status, err = doWork(ctx, hold)
			return err
		})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = ExitStatus(err)
	}
	os.Exit(status)
}

func doWork(ctx context.Context, hold *Hold) (int, error) {
	if os.Getenv("WORK") == "child" {
		return hold.Run("bash", os.Getenv("CHILD_SCRIPT"))
	}
	log, err := os.OpenFile(os.Getenv("LOG_FILE"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return 0, err
	}
	for endsAt := time.Now().Add(getDuration("WORK_MS")); time.Now().Before(endsAt); {
		if err := hold.AssertHeld(); err != nil {
			return 0, err
		}
		fmt.Fprintf(log, "%s %d %s\n", os.Getenv("COPY"), time.Now().UnixMilli(), hold.Fence)
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	switch os.Getenv("END") {
	case "throw":
		return 0, errors.New("the work failed")
	case "exit3":
		return 3, nil
	}
	return 0, nil
}

func getDuration(name string) time.Duration {
	duration, err := time.ParseDuration(os.Getenv(name) + "ms")
	if err != nil {
		panic(err)
	}
	return duration
}
