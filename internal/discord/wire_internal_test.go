package discord

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"
	"unicode"
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
		o := parseObject([]byte(`{"x":` + raw + `}`))
		if got := o.text("x"); got != want.text {
			t.Errorf("%s as text is %q, want %q", raw, got, want.text)
		}
		if o.integer("x") != want.integer || o.bits("x") != want.bits || o.float("x") != want.float || o.boolean("x") != want.truth {
			t.Errorf("%s reads as %d, %d, %g, %t, want %d, %d, %g and %t", raw, o.integer("x"), o.bits("x"), o.float("x"), o.boolean("x"), want.integer, want.bits, want.float, want.truth)
		}
	}
	if absent := parseObject([]byte(`7`)); absent != nil || absent.text("x") != "" || absent.object("x") != nil || absent.items("x") != nil {
		t.Error("JSON that is not an object has fields")
	}
}

// FuzzSplitJSONIsWhatEncodingJSONReads compares fieldsOf and elementsOf with
// encoding/json.
func FuzzSplitJSONIsWhatEncodingJSONReads(f *testing.F) {
	for _, raw := range []string{
		` {"a" : 1 , "b":[ ] , "a":{"x":"}\\\"]"} }`, `[1, "x,]", {"y":[[]]} , null ]`, `{"\u0061\\":"\ud83e\uddf5"}`, "{\"\xff\":\"\xff\"}",
		`{}`, `[]`, `null`, ` null `, `7`, `"{}"`, `{"a":}`, ``, ` `, `{"a":tru}`, `[-1.5e3,true]`, `{"":""}`,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(raw, &fields) != nil {
			fields = nil
		}
		o := parseObject(raw)
		if (fields == nil) != (o == nil) || len(o) < len(fields) {
			t.Fatalf("%q has %d fields, want %d", raw, len(o), len(fields))
		}
		for name, want := range fields {
			if got := o.field(name); !bytes.Equal(got, want) {
				t.Errorf("%q: %q is %q, want %q", raw, name, got, want)
			}
			var text string
			if want[0] == '"' && json.Unmarshal(want, &text) == nil && o.text(name) != text {
				t.Errorf("%q: %q says %q, want %q", raw, name, o.text(name), text)
			}
		}
		for _, one := range o {
			if _, is := fields[string(one.name)]; !is {
				t.Errorf("%q was read with a field %q, want only those that it has", raw, one.name)
			}
		}
		var elements []json.RawMessage
		ok := json.Unmarshal(raw, &elements) == nil
		if got, is := listOf(raw); is != ok || ok && !slices.EqualFunc(got, elements, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Errorf("%q is the list %q, %t, want %q", raw, got, is, elements)
		}
	})
}

// FuzzPayloads compares DecodePayload with encoding/json, which ignores the case of
// names.
func FuzzPayloads(f *testing.F) {
	for _, raw := range []string{
		`{"op":0,"s":3,"t":"message_create","d":{"id":"1"}}`, `{"op":10,"s":null,"t":null,"d":null}`, `{"d":[1]}`, `{"op":"1"}`, `{"op":1.0}`,
		`{"s":9223372036854775808}`, `{"t":7}`, `[]`, ` {"op": 1 } `, `{"op":1,"op":2}`, `{"t":"\u0061"}`, `{"op":-0}`, ``,
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		raw = bytes.ToLower(raw)
		if bytes.ContainsFunc(raw, func(r rune) bool { return r > unicode.MaxASCII }) || string(bytes.TrimSpace(raw)) == "null" {
			return
		}
		var want Payload
		is := json.Unmarshal(raw, &want) == nil
		got, ok := DecodePayload(raw)
		if ok != is || ok && !reflect.DeepEqual(got, want) {
			t.Errorf("%q reads as %+v, %t, want %+v, %t", raw, got, ok, want, is)
		}
	})
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
		if got := parseObject([]byte(`{"x":` + raw + `}`)).moment("x"); !got.Equal(want) {
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
	var r refusals
	const began = 100 * time.Minute
	for range 3 {
		r.add(began)
	}
	r.add(began + 5*time.Minute)
	for after, want := range map[time.Duration]int{5 * time.Minute: 4, 9 * time.Minute: 4, 11 * time.Minute: 1, 16 * time.Minute: 0} {
		if got := r.count(began + after); got != want {
			t.Errorf("after %s %d are counted, want %d", after, got, want)
		}
	}
}
