package lockkeeper

import (
	"testing"
	"time"
)

// SetWaitMax splits waits into shorter requests for one test.
func SetWaitMax(t *testing.T, limit time.Duration) {
	previous := waitMax
	t.Cleanup(func() { waitMax = previous })
	waitMax = limit
}
