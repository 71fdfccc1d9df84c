package discord

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"
	"unicode/utf8"
)

func TestFieldsOfOddKindsReadAsAbsent(t *testing.T) {
	for raw, want := range map[string]struct {
		text    string
		integer int64
		bits    uint64
		float   float64
		truth   bool
	}{
		`"12"`:                   {"12", 12, 12, 12, false},
		`12`:                     {"12", 12, 12, 12, false},
		`" 12 "`:                 {" 12 ", 12, 12, 12, false},
		`-3`:                     {"-3", -3, 0, -3, false},
		`12.9`:                   {"12.9", 12, 0, 12.9, false},
		`1e300`:                  {"1e300", 0, 0, 1e300, false},
		`"NaN"`:                  {"NaN", 0, 0, 0, false},
		`18446744073709551615`:   {"18446744073709551615", 0, 1<<64 - 1, 18446744073709551615, false},
		`"18446744073709551615"`: {"18446744073709551615", 0, 1<<64 - 1, 18446744073709551615, false},
		`true`:                   {"true", 0, 0, 0, true},
		`"true"`:                 {"true", 0, 0, 0, true},
		`1`:                      {"1", 1, 1, 1, true},
		`"1"`:                    {"1", 1, 1, 1, true},
		`0`:                      {"0", 0, 0, 0, false},
		`null`:                   {},
		`{}`:                     {},
		`[1]`:                    {},
		`"a\ud800"`:              {"a\uFFFD", 0, 0, 0, false},
	} {
		got := decode[struct {
			Text    string  `wire:"x"`
			Integer int64   `wire:"x"`
			Bits    uint64  `wire:"x"`
			Float   float64 `wire:"x"`
			Truth   bool    `wire:"x"`
		}]([]byte(`{"x":` + raw + `}`))
		if got.Text != want.text || got.Integer != want.integer || got.Bits != want.bits || got.Float != want.float || got.Truth != want.truth {
			t.Errorf("%s reads as %+v, want %+v", raw, got, want)
		}
	}
}

func TestTimesAreReadInAllTheirForms(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for raw, want := range map[string]time.Time{
		`"2026-03-01T12:00:00+00:00"`:        noon,
		`"2026-03-01T13:00:00.000000+01:00"`: noon,
		`"2026-03-01T12:00:00Z"`:             noon,
		`"2026-03-01T12:00:00"`:              noon,
		`"2026-03-01 12:00:00Z"`:             noon,
		`"yesterday"`:                        {},
		`17`:                                 {},
		`null`:                               {},
	} {
		if got := momentOf([]byte(raw)); !got.Equal(want) {
			t.Errorf("%s was read as %s, want %s", raw, got, want)
		}
	}
}

func TestRoutesHoldNoIDsAndNoSecrets(t *testing.T) {
	for path, want := range map[string]struct{ shape, major string }{
		"/channels/1/messages":                           {"/channels/{id}/messages", "1"},
		"/channels/123456789/messages/987654321":         {"/channels/{id}/messages/{id}", "123456789"},
		"/channels/1/messages/987654321/reactions/👍/@me": {"/channels/{id}/messages/{id}/reactions/{emoji}/@me", "1"},
		"/guilds/1/members/987654321":                    {"/guilds/{id}/members/{id}", "1"},
		"/webhooks/1/secret":                             {"/webhooks/{id}/{token}", "1/secret"},
		"/webhooks/1/secret/messages/@original":          {"/webhooks/{id}/{token}/messages/@original", "1/secret"},
		"/interactions/987654321/secret/callback":        {"/interactions/{id}/{token}/callback", ""},
		"/gateway/bot":                                   {"/gateway/bot", ""},
		"users/@me":                                      {"/users/@me", ""},
	} {
		if shape, major := route(path); shape != want.shape || major != want.major {
			t.Errorf("%s has the shape %s and the major id %q, want %s and %q", path, shape, major, want.shape, want.major)
		}
	}
	for shape, want := range map[string]bool{"/channels/{id}/messages": true, "/interactions/{id}/{token}/callback": false, "/webhooks/{id}/{token}": false} {
		if globallyLimited(shape) != want {
			t.Errorf("%s counts towards the global limit: %t, want %t", shape, !want, want)
		}
	}
}

func TestRefusalsSayHowLongToWaitAndForWhom(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	for name, test := range map[string]struct {
		status int
		header http.Header
		body   string
		want   Error
	}{
		"a route's limit":        {429, header(), `{"message":"slow","retry_after":1.5,"global":false}`, Error{RetryAfter: 1500 * time.Millisecond}},
		"a global limit":         {429, header(), `{"retry_after":"2","global":true}`, Error{RetryAfter: 2 * time.Second, Global: true}},
		"a global one by header": {429, header("X-RateLimit-Scope", "global", "Retry-After", "3"), `<html>`, Error{RetryAfter: 3 * time.Second, Global: true}},
		"an older header":        {429, header("X-RateLimit-Global", "TRUE"), ``, Error{Global: true}},
		"what others caused":     {429, header("X-RateLimit-Scope", "shared"), `{"retry_after":1}`, Error{RetryAfter: time.Second, Shared: true}},
		"a wait of years":        {429, header("Retry-After", "1e12"), ``, Error{RetryAfter: 24 * time.Hour}},
		"a wait that is none":    {429, header("Retry-After", "-1"), `{"retry_after":"NaN"}`, Error{}},
		"a code":                 {404, header("Retry-After", "3"), `{"message":"what somebody wrote","code":10008}`, Error{Code: CodeUnknownMessage}},
		"fields":                 {400, header(), `{"code":50035,"errors":{"data":{"components":{"0":{"_errors":[{"code":"BASE_TYPE_REQUIRED","message":"what somebody wrote"}]},"what somebody wrote":{"_errors":[{"code":"X"}]}}},"content":{"_errors":[{"code":"TOO_LONG"}]}}}`, Error{Code: 50035, Faults: "content TOO_LONG, data.components.0 BASE_TYPE_REQUIRED"}},
		"a page":                 {502, header(), `<html>what somebody wrote`, Error{}},
	} {
		test.want.Method, test.want.Route, test.want.Status = "GET", "/x", test.status
		if got := newError("GET", "/x", test.status, test.header, []byte(test.body)); *got != test.want {
			t.Errorf("%s reads as %+v, want %+v", name, *got, test.want)
		}
	}
}

func TestATokenMayBeRefusedInSeveralWays(t *testing.T) {
	for refusal, want := range map[Error]bool{
		{Status: 401}:              true,
		{Status: 400, Code: 40001}: true,
		{Status: 403, Code: 50014}: true,
		{Status: 403, Code: 50013}: false,
		{Status: 400}:              false,
	} {
		if got := IsUnauthorized(&refusal); got != want {
			t.Errorf("%v refuses the token: %t, want %t", &refusal, got, want)
		}
	}
}

func TestRefusalsAreForgottenAfterTenMinutes(t *testing.T) {
	p, began := newPacer(), time.Now()
	l := newLane(Call{Method: http.MethodGet, Path: "/interactions/1/token/callback"})
	for range 2 * mostRefusals { // of limits shared with other bots, which Discord does not count towards a ban
		p.refused(l, &Error{Status: http.StatusTooManyRequests, Shared: true}, began)
	}
	if _, _, err := p.try(l, began); err != nil {
		t.Errorf("limits that others used up hold requests back: %v", err)
	}
	for n := range mostRefusals {
		p.refused(l, &Error{Status: http.StatusForbidden}, began.Add(time.Duration(n)*5*time.Minute/mostRefusals))
	}
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{5 * time.Minute, true}, {9 * time.Minute, true}, {16 * time.Minute, false}} {
		if _, _, err := p.try(l, began.Add(c.after)); errors.Is(err, ErrTooManyRefusals) != c.want {
			t.Errorf("after %s requests are held back: %t, want %t", c.after, !c.want, c.want)
		}
	}
}

func TestOneBadMessageDoesNotLoseThePage(t *testing.T) {
	page, err := decodePage([]byte(`[{"id":"3"},null,"x",{"content":"no id"},{"id":"1"}]`))
	if err != nil || page.Count != 5 || len(page.Messages) != 2 || page.Messages[1].ID != 1 {
		t.Errorf("page %+v, error %v, want Count 5, 2 in Messages, Messages[1].ID 1 and no error", page, err)
	}
	if _, err := decodePage([]byte(`{"message":"no"}`)); !errors.Is(err, ErrMalformed) {
		t.Errorf("the error is %v, want %v", err, ErrMalformed)
	}
}

func FuzzReadsAsEncodingJSONDoes(f *testing.F) {
	for _, raw := range []string{
		"{}", "[]", "null", " {\"a\" : 1 , \"b\":[1,{\"c\":\"}\"}], \"a\":\"\\\"\" } ", "[1, \"]\", [2,3] ,{}]", "[,]", "{\"a\"}", "{\"a\":}", "\"x\"", "\"\\u00e9\xff\"", "{\"\\u0061\":tru}", "[1", "1 ", "{\"a\":1}}",
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var o object
		if json.Unmarshal(raw, &o) != nil {
			o = nil
		}
		if got := parseObject(raw); (got == nil) != (o == nil) || !maps.EqualFunc(got, o, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("%q is read as the object %q, want %q", raw, got, o)
		}
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) != nil {
			items = nil
		}
		if got := itemsOf(raw); (got == nil) != (items == nil) || !slices.EqualFunc(got, items, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("%q is read as the list %q, want %q", raw, got, items)
		}
		var text string
		if err := json.Unmarshal(raw, &text); err == nil && len(raw) > 0 && raw[0] == '"' && textOf(raw) != text || !utf8.ValidString(text) {
			t.Errorf("%q is read as %q, want %q", raw, textOf(raw), text)
		}
	})
}
