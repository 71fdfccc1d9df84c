package documented //nolint:testpackage // it calls check

import (
	"strings"
	"testing"

	"heddle/internal/discordtest"
)

func TestOnlyWhatIsDocumentedIsAllowed(t *testing.T) {
	button := func(fields string) string {
		return `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1` + fields + `}]}]}`
	}
	option := func(fields string) string {
		return `[{"name":"weave","description":"x","options":[{"type":3,"name":"yarn","description":"x"` + fields + `}]}]`
	}
	create, commands := discordtest.RouteCreateMessage, discordtest.RouteSetCommands
	for name, c := range map[string]struct {
		route, body string
		ok          bool
	}{
		"a message":           {create, `{"content":"x","nonce":"1","enforce_nonce":true,"allowed_mentions":{"parse":[]}}`, true},
		"a field's case":      {create, `{"content":"x","Channel":""}`, false},
		"a wrong type":        {create, `{"content":7}`, false},
		"2001 characters":     {create, `{"content":"` + strings.Repeat("ü", 2001) + `"}`, false},
		"a list that is null": {create, `{"content":"x","allowed_mentions":{"parse":null}}`, false},
		"a null of an edit":   {discordtest.RouteEditMessage, `{"content":"x","components":null}`, true},
		"a body of none":      {discordtest.RouteTyping, `{}`, false},
		"a button":            {create, button(`,"custom_id":"a","label":"a"`), true},
		"a long custom id":    {create, button(`,"custom_id":"` + strings.Repeat("ü", 101) + `"`), false},
		"a repeated id":       {create, button(`,"custom_id":"a"},{"type":2,"style":1,"custom_id":"a"`), false},
		"six in a row":        {create, button(strings.Repeat(`},{"type":2,"style":1`, 5)), false},
		"a command":           {commands, option(`,"choices":[{"name":"a","value":"a"}]`), true},
		"an option's name":    {commands, option(`},{"type":3,"name":"Yarn","description":"x"`), false},
		"no such language":    {commands, option(`,"name_localizations":{"en":"yarn"}`), false},
		"too many choices":    {commands, option(`,"choices":[` + strings.Repeat(`{"name":"a","value":"a"},`, 25) + `{"name":"a","value":"a"}]`), false},
		"a form":              {discordtest.RouteAnswer, `{"type":9,"data":{"custom_id":"a","title":"b","components":[]}}`, true},
		"a title":             {discordtest.RouteAnswer, `{"type":9,"data":{"custom_id":"a","title":"` + strings.Repeat("b", 46) + `","components":[]}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := check(discordtest.Request{Route: c.route, Body: []byte(c.body)}); (err == nil) != c.ok {
				t.Errorf("%s has the fault %v, want it to be allowed: %t", c.body, err, c.ok)
			}
		})
	}
}
