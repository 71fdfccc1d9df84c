package playground_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heddle/graph"
	"heddle/internal/errtest"
	"heddle/internal/why"
)

// drop uploads a file as the page does when somebody drops it there.
func (s *stage) drop(tb testing.TB, name string, file io.Reader, result any) int {
	tb.Helper()
	header := http.Header{"Content-Type": {"application/octet-stream"}}
	return errtest.Must(send(tb.Context(), http.MethodPost, s.url+"/api/import?name="+url.QueryEscape(name), header, file, result))(tb)
}

type imported struct {
	Channel  graph.ChannelID `json:"channel"`
	Name     string          `json:"name"`
	Messages int             `json:"messages"`
	LeftOut  int             `json:"leftOut"`
	Error    string          `json:"error"`
}

// drawn is what a message would be answered from, or why that cannot be said.
type drawn struct {
	why.Answer

	Error string `json:"error"`
}

func TestAnExportBecomesAChannelAtItsOwnTimes(t *testing.T) {
	s := open(t)
	file := errtest.Must(os.Open(filepath.Join("sample", "commons.json")))(t)
	defer file.Close()
	var made imported
	if status := s.drop(t, "commons.json", file, &made); status != http.StatusOK || made.Messages != 97 || made.LeftOut != 0 || made.Name != "commons" {
		t.Fatalf("status %d, %+v, want %d, Messages 97, LeftOut 0 and Name %q", status, made, http.StatusOK, "commons")
	}
	w := s.world(t)
	last := slices.IndexFunc(w.Messages, func(m message) bool {
		return m.Channel == made.Channel && strings.HasPrefix(m.Content, "ticket is bought")
	})
	if last < 0 || w.Messages[last].Name != "Bo" || !w.Messages[last].ID.Time().Equal(time.Date(2026, 3, 26, 10, 57, 25, 982e6, time.UTC)) {
		t.Fatalf("the last message is number %d of %+v, want one by Bo at 10:57:25.982 UTC on 26 March 2026", last, w.Messages)
	}
	var named bool
	for _, m := range w.Messages {
		id, _, _ := strings.Cut(strings.TrimPrefix(m.Content, "<@"), ">")
		var user graph.UserID
		if strings.HasPrefix(m.Content, "<@") && user.UnmarshalText([]byte(id)) == nil && w.Guests[user] == "Iris K" {
			named = true
		}
	}
	if !named {
		t.Error("the name of a mention is not resolved")
	}
	var d drawn
	for _, query := range []string{"MIN_LINEAR=-1", "MAX_TOTAL=0", "TIME_THRESHOLD=soon", "AFFINITY=maybe", "beside=magic"} {
		var refused drawn
		if status := s.call(t, fmt.Sprintf("/api/graph/%s/%s?%s", made.Channel, w.Messages[last].ID, query), nil, &refused); status != http.StatusBadRequest || refused.Error == "" {
			t.Errorf("%s: status %d, %q, want %d and not \"\"", query, status, refused.Error, http.StatusBadRequest)
		}
	}
	if status := s.call(t, fmt.Sprintf("/api/graph/%s/%s?AFFINITY=off&MIN_LINEAR=2&MAX_TOTAL=5&beside=last-30&beside=reply-chain", made.Channel, w.Messages[last].ID), nil, &d); status != http.StatusOK {
		t.Fatalf("status %d: %s, want %d", status, d.Error, http.StatusOK)
	}
	if d.Graph.Trigger.ID != w.Messages[last].ID || len(d.Graph.Conversation) != 5 || len(d.Path.Turns) != 7 || d.Path.Recorded || len(d.Beside) != 2 || len(d.Beside[0].Messages) != 30 {
		t.Errorf("drawn is %+v, want the last message as the trigger, a conversation of 5, 7 turns that are not recorded, and 2 strategies beside, the first with 30 messages", d)
	}
	if turn := d.Path.Turns[6]; turn.Message != d.Graph.Trigger.ID || turn.Speaker != "Bo" || turn.Hash != d.Path.Hash || len(d.Path.Steps) != 3 {
		t.Errorf("the last turn is %+v, want the trigger, by Bo, with the hash %s of the path, and 3 steps of the path, which has %d", turn, d.Path.Hash, len(d.Path.Steps))
	}
	if lane, known := d.Lanes[d.Graph.Trigger.ID]; !known || lane != (why.Lane{}) {
		t.Errorf("the trigger is in lane %v, want that of the conversation", lane)
	}
}

func TestTheSamplesOpenOnceWithTheirThread(t *testing.T) {
	s := open(t)
	var first, again imported
	s.call(t, "/api/samples", struct{}{}, &first)
	s.call(t, "/api/samples", struct{}{}, &again)
	w := s.world(t)
	var names []string
	for _, c := range w.Channels {
		if c.Only == 0 {
			names = append(names, c.Name)
		}
		if (c.Name == "moving the sync job") != (c.Parent == first.Channel) {
			t.Errorf("#%s is a thread of %q, want only \"moving the sync job\" to be one of %q", c.Name, c.Parent, first.Channel)
		}
	}
	if got := strings.Join(names, " "); got != "workshop fixing dent 104 kitchen sandbox commons garden moving the sync job" || first.Channel != again.Channel {
		t.Errorf("the channels are %s, and a second import leads to %s, want workshop fixing dent 104 kitchen sandbox commons garden moving the sync job, and %s", got, again.Channel, first.Channel)
	}
}

// TestThePartsOfAChannelBecomeOne drops parts that overlap, and again after somebody spoke.
func TestThePartsOfAChannelBecomeOne(t *testing.T) {
	s := open(t)
	part := func(ids ...int) *strings.Reader {
		var messages []string
		for _, id := range ids {
			messages = append(messages, fmt.Sprintf(`{"id":"%d","content":"number %d","author":{"id":"5001","name":"ann"}}`, id, id))
		}
		return strings.NewReader(`{"messages":[` + strings.Join(messages, ",") + `],"channel":{"id":"2","name":"logs"}}`)
	}
	var first, second, third imported
	s.drop(t, "logs [part 1].json", part(5, 6), &first)
	s.drop(t, "logs [part 2].json", part(6, 7), &second)
	var ids []string
	for _, m := range s.world(t).Messages {
		if m.Channel == first.Channel {
			ids = append(ids, m.ID.String())
		}
	}
	if first.Error+second.Error != "" || first.Channel != second.Channel || strings.Join(ids, " ") != "5 6 7" {
		t.Errorf("the parts became %+v and %+v with messages %v, want one channel with 5, 6 and 7", first, second, ids)
	}
	if status := s.call(t, "/api/post", map[string]any{"channel": first.Channel, "author": s.world(t).People[0].ID, "content": "hello", "replyTo": "0"}, &struct{}{}); status != http.StatusOK {
		t.Fatalf("posting ends in status %d", status)
	}
	s.drop(t, "logs [part 3].json", part(8), &third)
	if third.Error != "" || third.Channel == first.Channel {
		t.Errorf("after somebody spoke, a part became %+v, want another channel than %s", third, first.Channel)
	}
}

func TestOddExportsAreRefusedInASentence(t *testing.T) {
	s := open(t)
	for text, want := range map[string]string{
		"": "x.json is empty; export the channel again",
		`{"channel":{"id":"2"},"messages":[null,7,{}]}`: "x.json holds no message",
		`{"channel":{"id":"2"},"messages":[{"id":"9223372036854775807","content":"from the future","author":{"id":"1","name":"a"}}]}`: "x.json holds no message",
	} {
		var made imported
		if status := s.drop(t, "x.json", strings.NewReader(text), &made); status != http.StatusBadRequest || !strings.Contains(made.Error, want) {
			t.Errorf("%q: status %d, %q, want %d and %q in it", text, status, made.Error, http.StatusBadRequest, want)
		}
	}
	w := s.world(t)
	if len(w.Channels) != 10 {
		t.Errorf("%d channels, want 10", len(w.Channels))
	}
	var odd imported
	status := s.drop(t, "../../etc/passwd", strings.NewReader(`{"channel":{"id":"2"},"messages":[{"id":"5","content":"hi","author":{"id":"1"}},
		{"id":"5","content":"again","author":{"id":"1"}},{"id":"7","type":"GuildMemberJoin","content":"Joined.","author":{"id":"3"}}]}`), &odd)
	if status != http.StatusOK || odd.Messages != 2 || odd.LeftOut != 1 {
		t.Errorf("a message twice and a notice: status %d, %+v, want %d, Messages 2 and LeftOut 1", status, odd, http.StatusOK)
	}
	var refused imported
	if status := s.call(t, "/api/import?name=x", struct{}{}, &refused); status != http.StatusUnsupportedMediaType {
		t.Errorf("status %d, want %d", status, http.StatusUnsupportedMediaType)
	}
}

// longExport returns an export of n messages by 200 people, of which every third is a
// reply.
func longExport(n int) *bytes.Buffer {
	var b bytes.Buffer
	begin := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	fmt.Fprint(&b, `{"guild":{"id":"1"},"channel":{"id":"2","type":"GuildTextChat","name":"long"},"messages":[`)
	for i := range n {
		at := begin.Add(time.Duration(i) * time.Minute)
		reply := ""
		if i > 9 && i%3 == 0 {
			reply = fmt.Sprintf(`,"reference":{"messageId":"%s","channelId":"2"}`, graph.FirstMessageID(begin.Add(time.Duration(i-9)*time.Minute)))
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"%s","type":"Default","timestamp":%q,"timestampEdited":null,"isPinned":false,"content":"message %d, with as many words as people use on a common day","author":{"id":"%d","name":"user%d","discriminator":"0000","nickname":"User %d","isBot":false,"roles":[]},"attachments":[],"embeds":[],"stickers":[],"reactions":[],"mentions":[]%s}`,
			graph.FirstMessageID(at), at.Format(time.RFC3339), i, 500+i%200, i%200, i%200, reply)
	}
	b.WriteString(`]}`)
	return &b
}

// BenchmarkImport drops an export of 100,000 messages on the page.
func BenchmarkImport(b *testing.B) {
	file := longExport(100_000).Bytes()
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		b.StopTimer()
		s := open(b)
		b.StartTimer()
		var made imported
		if status := s.drop(b, "long.json", bytes.NewReader(file), &made); status != http.StatusOK || made.Messages != 100_000 {
			b.Fatalf("status %d, %+v, want %d and Messages 100_000", status, made, http.StatusOK)
		}
	}
}
