package evaluation

import (
	"strings"
	"testing"
)

func TestOneReplyIsCountedAsOne(t *testing.T) {
	t.Parallel()
	c := &Channel{Channels: []ChannelSize{{Name: "quiet", Messages: 1}}, Replies: 1, Measured: 1}
	var b strings.Builder
	c.head(&b)
	for _, want := range []string{"quiet: 1 message, ", "1 reply; it is hidden.\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report begins %q, want %q", b.String(), want)
		}
	}
}
