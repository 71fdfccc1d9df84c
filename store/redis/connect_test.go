package redis_test

import (
	"strings"
	"testing"

	"heddle/store/redis"
)

func TestAddressesThatAreRead(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"redis://localhost", "redis://user:pa%20ss@localhost:6380/3", "rediss://localhost:6379?skip_verify=true",
		"unix:///run/redis.sock?db=2",
		"redis+cluster://a:1?addr=b:2&addr=c:3", "rediss+cluster://user:pass@a:1",
		"redis+sentinel://a:1?addr=b:2&master_name=main", "rediss+sentinel://user:pass@a:1/2?master_name=main",
	} {
		db, err := redis.Open(redis.Options{URL: address})
		if err != nil {
			t.Errorf("%s is refused: %v, want no error", address, err)
			continue
		}
		must(t, db.Close())
	}
}

func TestAddressesThatAreRefusedWithoutTheirPassword(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "localhost:6379", "http://u:hunter2@localhost", "redis+ring://u:hunter2@localhost",
		"redis://u:hunter2@localhost/zero", "redis://u:hunter2@localhost?nonsense=1", "redis://u:hunter2@[::1",
		"redis+sentinel://u:hunter2@localhost", "redis://u:hunter2@localhost?nonsense=hunter2", "\x00hunter2",
	} {
		db, err := redis.Open(redis.Options{URL: address})
		if err == nil {
			t.Errorf("the address %q is accepted, want an error", address)
			must(t, db.Close())
			continue
		}
		if text := err.Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, "redis://") {
			t.Errorf("the error for %q is %s, want one without the password that shows the form", address, text)
		}
	}
}
