func main() {
	isExit3 := false
	options := lockkeeper.LockOptions{Lease: getDuration("LEASE_MS"), Wait: getDuration("WAIT_MS")}
	status := withLock(os.Getenv("KEY"), options, func(ctx context.Context, hold *lockkeeper.Hold) error {
		for endsAt := time.Now().Add(getDuration("WORK_MS")); time.Now().Before(endsAt); {
			if err := hold.Err(); err != nil {
				return err
			}
			if err := writeLine(hold.Fence); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(100 * time.Millisecond):
			}
		}
		if os.Getenv("END") == "throw" {
			panic("the work failed")
		}
		isExit3 = os.Getenv("END") == "exit3"
		return nil
	})
	if isExit3 && status == 0 {
		status = 3
	}
	os.Exit(status)
}

// writeLine appends a line to the log, or with FENCED, to a resource that rejects a fencing token below the highest.
func writeLine(fence string) error {
	path := os.Getenv("LOG_FILE")
	if os.Getenv("FENCED") != "" {
		guard, err := os.OpenFile(path+".guard", os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		defer guard.Close()
		if err := syscall.Flock(int(guard.Fd()), syscall.LOCK_EX); err != nil {
			return err
		}
		highest, _ := os.ReadFile(path + ".fence")
		if fence < string(highest) { // fencing tokens of this test have the same length
			path += ".rejected"
		} else if err := os.WriteFile(path+".fence", []byte(fence), 0o644); err != nil {
			return err
		}
	}
	log, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	_, err = fmt.Fprintf(log, "%s %d %s\n", os.Getenv("COPY"), time.Now().UnixMilli(), fence)
	return err
}

func getDuration(name string) time.Duration {
	duration, err := time.ParseDuration(os.Getenv(name) + "ms")
	if err != nil {
		panic(err)
	}
	return duration
}
