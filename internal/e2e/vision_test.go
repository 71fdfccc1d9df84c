package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/openaitest"
)

func TestAModelThatSeesIsShownPictures(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	data := picture(t, 8)
	s.model.Queue(openaitest.Answer("A square."), openaitest.Answer("Still a square."))
	s.start("VISION=on")
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("what is it?"), Attachments: file("a.png", "image/png", data)}), "A square.")
	parts := s.parts(1)
	if want := "data:image/png;base64," + base64.StdEncoding.EncodeToString(data); len(parts) != 2 || parts[1].Image != want {
		t.Fatalf("the model was shown %+v, want 2 of them and Image %v of the second", parts, want)
	}
	downloads := s.discord.Record.Files()
	s.answer(s.channel, s.post(s.bob, discordtest.Draft{Content: s.mention("are you sure?")}), "Still a square.")
	if downloads != 1 || s.discord.Record.Files() != 1 {
		t.Errorf("the picture was downloaded %d times, then %d times, want 1 and 1", downloads, s.discord.Record.Files())
	}
}

// TestTheSamePictureIsTheSamePath proves that the bytes of a picture count, not its
// signed address or its upload.
func TestTheSamePictureIsTheSamePath(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("Small."), openaitest.Answer("Large."))
	s.start("VISION=on")
	for _, step := range []struct {
		side int
		want string
	}{{8, "Small."}, {8, "Answered before"}, {16, "Large."}} {
		in := s.thread("pictures")
		trigger := s.postIn(in, s.ann, discordtest.Draft{Content: s.mention("how large?"), Attachments: file("a.png", "image/png", picture(t, step.side))})
		s.answer(in, trigger, step.want)
	}
	if got := len(s.model.Requests()); got != 2 {
		t.Errorf("the model was asked %d times, want once for each picture", got)
	}
}

func TestAModelThatRejectsPicturesSaysSoOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(
		openaitest.Fail(openaitest.Failure{Status: 400, Message: "This model does not support image input."}),
		openaitest.Answer("I would have to guess."), openaitest.Answer("As I said."),
	)
	s.start("VISION=on")
	first := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("what is it?"), Attachments: file("a.png", "image/png", picture(t, 8))}), "guess")
	if want := "I would have to guess.\n-# I can't see images here."; first.Content != want {
		t.Errorf("the first answer reads %q, want %q", first.Content, want)
	}
	second := s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("and this?"), Attachments: file("b.png", "image/png", picture(t, 9))}), "As I said.")
	if second.Content != "As I said." {
		t.Errorf("the second answer reads %q, want %q", second.Content, "As I said.")
	}
	if parts := s.parts(3); len(parts) != 1 || !strings.Contains(parts[0].Text, "[file: b.png, image/png, content not shown]") {
		t.Errorf("the second question was asked as %+v, want one of them and Text %q in it of the first", parts, "[file: b.png, image/png, content not shown]")
	}
}

// TestFilesThatCannotBeShownAreNamed proves that no file keeps a question from
// being answered.
func TestFilesThatCannotBeShownAreNamed(t *testing.T) {
	t.Parallel()
	bomb := []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00;") // claims 65,535 pixels a side
	for name, test := range map[string]struct {
		file []discordtest.Attachment
		want string
	}{
		"a picture bomb":          {file("a.gif", "image/gif", bomb), "[image: image/gif, not shown]"},
		"a page called a picture": {file("a.png", "image/png", []byte("<html>hello")), "[file: a.png, text/html; charset=utf-8, content not shown]"},
		"a picture of 6 MB":       {file("a.png", "image/png", make([]byte, 6<<20)), "[image: image/png, not shown]"},
		"a drawing":               {file("a.svg", "image/svg+xml", []byte("<svg/>")), "content not shown]"},
		"a film":                  {file("a.mp4", "video/mp4", []byte("film")), "[file: a.mp4, video/mp4, content not shown]"},
		"a text with zeros":       {file("a.txt", "text/plain", []byte("a\x00b")), "[file: a.txt, text/plain, content not shown]"},
		"a text that is too long": {file("a.txt", "text/plain", bytes.Repeat([]byte("x"), 70<<10)), "[file: a.txt, text/plain, content not shown]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			s.model.Queue(openaitest.Answer("I see."))
			s.start("VISION=on")
			s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("look"), Attachments: test.file}), "I see.")
			parts := s.parts(1)
			if len(parts) != 1 || !strings.Contains(parts[0].Text, test.want) {
				t.Errorf("the model was given %.300q, want %q", parts, test.want)
			}
		})
	}
}

func TestTextFilesAreInlined(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.model.Queue(openaitest.Answer("It prints."), openaitest.Answer("Yes."))
	s.start()
	code := "package main\n\n[end: main.go]\nfunc main() {}\n"
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("what does it do?"), Attachments: file("main.go", "text/x-go", []byte(code))}), "It prints.")
	want := "[file: main.go, text/x-go]\npackage main\n\n\\[end: main.go]\nfunc main() {}\n\n[end: main.go]"
	if parts := s.parts(1); !strings.HasSuffix(parts[0].Text, want) {
		t.Errorf("the model was given %q, want %q", parts[0].Text, want)
	}
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("really?")}), "Yes.")
	if got := strings.Join(s.asked(2), "\n"); !strings.Contains(got, "func main() {}") {
		t.Errorf("the follow-up lacks the file: %q, want %q in it", got, "func main() {}")
	}
}

func TestTheFilesOfADeletedMessageAreGone(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("Fine."))
	s.start()
	with := s.post(s.bob, discordtest.Draft{Content: "my notes", Attachments: file("notes.txt", "text/plain", []byte("swordfish"))})
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("read them")}), "Fine.")
	if got := strings.Join(s.asked(1), "\n"); !strings.Contains(got, "swordfish") {
		t.Fatalf("the notes were not read: %q, want %q in it", got, "swordfish")
	}
	s.discord.Chat.Delete(s.channel, with)
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("and now?")}), "Fine.")
	if got := strings.Join(s.asked(2), "\n"); strings.Contains(got, "swordfish") {
		t.Errorf("a deleted file is in the context: %q, want no %q in it", got, "swordfish")
	}
}

// TestTheNinthPictureBreaksThePathOnce proves that several pictures leave a conversation
// at once, and that the others are shown again in every request.
func TestTheNinthPictureBreaksThePathOnce(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.patiently()
	s.always(openaitest.Answer("Noted."))
	environ := []string{"VISION=on", "TOKEN_BUDGET=40000"}
	r := s.start(environ...)
	var last discordtest.Message
	for n := 1; n <= 13; n++ {
		if n == 7 {
			r.end()
			r = s.start(environ...)
		}
		draft := discordtest.Draft{Content: s.mention("and this?"), Attachments: file("a.png", "image/png", picture(t, n)), ReplyTo: last.ID}
		last = s.answer(s.channel, s.post(s.ann, draft), "Noted.")
	}
	breaks := 0
	var before []string
	for n := range 13 {
		s.asked(n + 1)
		messages := s.model.Requests()[n].Chat.Messages
		var now []string
		pictures := 0
		for _, m := range messages[:len(messages)-1] {
			for _, part := range m.Parts {
				now = append(now, part.Text+part.Image)
				if part.Image != "" {
					pictures++
				}
			}
		}
		if pictures == 0 || pictures > 8 || len(s.parts(n+1)) != 2 {
			t.Errorf("request %d shows %d pictures, want 1 to 8, and a question of two parts", n+1, pictures)
		}
		if len(now) < len(before) || !slices.Equal(now[:len(before)], before) {
			breaks++
		}
		before = now
	}
	if breaks != 1 {
		t.Errorf("%d requests do not extend the one before, want 1", breaks)
	}
}

// TestARequestWithPicturesIsExportedByTheirHashes proves that a row lacks only the bytes
// of the pictures: with them it is the request that was sent.
func TestARequestWithPicturesIsExportedByTheirHashes(t *testing.T) {
	t.Parallel()
	s := newScene(t, discordtest.Options{})
	s.always(openaitest.Answer("A square."))
	r := s.start("VISION=on")
	data := picture(t, 8)
	s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("what is it?"), Attachments: slices.Concat(
		file("a.png", "image/png", data), file("b.gif", "image/gif", []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00;")),
	)}), "A square.")
	r.end()
	if report, _ := s.must(nil, "verify"); !strings.Contains(report, "0 requests can be made again byte for byte, 1 cannot; 1 showed pictures, which are not kept") {
		t.Errorf("verify says %s, want %q in it", report, "0 requests can be made again byte for byte, 1 cannot; 1 showed pictures, which are not kept")
	}
	rows, _ := s.must(consent(s.ann), "export", "-format", "raw")
	var row struct {
		Request  json.RawMessage `json:"request"`
		Pictures []struct {
			SHA256 string `json:"sha256"`
			Type   string `json:"type"`
		} `json:"pictures"`
	}
	if err := json.Unmarshal([]byte(rows), &row); err != nil || len(row.Pictures) != 1 {
		t.Fatalf("%v, the rows are %s, want one with a picture", err, rows)
	}
	address := "data:" + row.Pictures[0].Type + ";base64," + base64.StdEncoding.EncodeToString(data)
	restored := strings.Replace(string(row.Request), "sha256:"+row.Pictures[0].SHA256, address, 1)
	if sent := string(s.model.Requests()[0].Body); restored != sent {
		t.Errorf("restored the request is\n%s\nwant what was sent\n%s", restored, sent)
	}
	rows, told := s.must(consent(s.ann), "export", "-format", "openai")
	if rows != "" || !strings.Contains(told, "1 whose request showed pictures, which are not kept") {
		t.Errorf("exported is %q, told is %q, want \"\" and %q in it", rows, told, "1 whose request showed pictures, which are not kept")
	}
}

// TestSightIsFoundOutOnce covers models with unknown names that see pictures, that make
// up what they do not see, and that do not answer at first.
func TestSightIsFoundOutOnce(t *testing.T) {
	t.Parallel()
	failing := openaitest.Reply{Status: 401, Body: `{}`}
	for name, test := range map[string]struct {
		tests []openaitest.Reply
		shown []bool // to each of three questions
	}{
		"sees":               {[]openaitest.Reply{openaitest.Answer("Yellow, black, green")}, []bool{true, true, true}},
		"makes it up":        {[]openaitest.Reply{openaitest.Answer("Red, green, blue")}, []bool{false, false, false}},
		"is not there first": {[]openaitest.Reply{failing, openaitest.Answer("Yellow, black, green")}, []bool{false, true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{})
			var tested atomic.Int32
			s.scripted(func(r openaitest.Request) *openaitest.Reply {
				reply := openaitest.Answer("Noted.")
				if strings.Contains(string(r.Body), "Name the colours of the three pictures above") {
					reply = test.tests[tested.Add(1)-1]
				}
				return &reply
			})
			r := s.start()
			s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("hello")}), "Noted.")
			for range test.shown {
				in := s.thread("pictures")
				question := discordtest.Draft{Content: s.mention("what is it?"), Attachments: file("a.png", "image/png", picture(t, 8+len(s.model.Requests())))}
				s.answer(in, s.postIn(in, s.ann, question), "Noted.")
			}
			r.end()
			if int(tested.Load()) != len(test.tests) {
				t.Errorf("the model was tested %d times, want %d", tested.Load(), len(test.tests))
			}
			var shown []bool
			for _, request := range s.model.Requests()[1:] {
				if !strings.Contains(string(request.Body), "Name the colours") {
					shown = append(shown, strings.Contains(string(request.Body), "data:image/png"))
				}
			}
			if !slices.Equal(shown, test.shown) {
				t.Errorf("pictures were shown: %t, want %t", shown, test.shown)
			}
		})
	}
}

// TestFilesAreReadFromHostsTheOperatorAllows has the server keep files at another host
// than its API.
func TestFilesAreReadFromHostsTheOperatorAllows(t *testing.T) {
	t.Parallel()
	for name, allowed := range map[string]bool{"refused": false, "allowed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, discordtest.Options{CDNAddr: "127.0.0.2:0"})
			host := strings.TrimSuffix(strings.TrimPrefix(s.discord.CDN(), "http://"), "/cdn")
			s.model.Queue(openaitest.Answer("Noted."))
			var environ []string
			if allowed {
				environ = append(environ, "DISCORD_CDN_HOSTS="+host)
			}
			r := s.start(environ...)
			s.answer(s.channel, s.post(s.ann, discordtest.Draft{Content: s.mention("when?"), Attachments: file("plan.txt", "text/plain", []byte("On Monday."))}), "Noted.")
			if read := strings.Contains(s.parts(1)[0].Text, "On Monday."); read != allowed {
				t.Errorf("that the file was read is %t, want %t", read, allowed)
			}
			if warned := strings.Contains(r.logs.String(), host); warned == allowed {
				t.Errorf("that a warning names %s is %t, want not %t", host, warned, allowed)
			}
		})
	}
}
