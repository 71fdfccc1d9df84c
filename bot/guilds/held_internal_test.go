package guilds

import (
	"fmt"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discord"
	"heddle/internal/heaptest"
)

func TestWhatIsHeldOfThreadsAndMembers(t *testing.T) {
	id := func(n int) uint64 { return uint64(n+1)<<22 | 1<<60 }
	heaptest.AtMost(t, "archived threads", func() any {
		r := newReported()
		for n := range 2 * mostArchived {
			r.setChannel(discord.Channel{
				ID: graph.ChannelID(id(n)), Guild: 1, Parent: 2, Type: discord.ChannelPublicThread,
				Name: fmt.Sprintf("%08d %s", n, strings.Repeat("x", 31)), Archived: true,
			})
		}
		return r
	})
	heaptest.AtMost(t, "people who wrote lately", func() any {
		c := New()
		for n := range 2 * mostMembers {
			c.Met(1, 2, graph.UserID(id(n)), &discord.Member{
				User:  discord.User{ID: graph.UserID(id(n)), Name: fmt.Sprintf("person %024d", n)},
				Roles: make([]graph.RoleID, 10),
			})
		}
		return c
	})
}
