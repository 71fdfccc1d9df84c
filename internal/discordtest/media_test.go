package discordtest_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"heddle/internal/discordtest"
	"heddle/internal/errtest"
)

// picture returns a PNG of 40 by 20 pixels.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	errtest.None(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 40, 20))))
	return b.Bytes()
}

type mediaMessage struct {
	Flags       int
	Attachments []struct {
		Name     string `json:"filename"`
		URL      string
		Proxy    string `json:"proxy_url"`
		Width    int
		Height   int
		Flags    int
		Seconds  float64 `json:"duration_secs"`
		Waveform string
	}
	Embeds []struct {
		Type  string
		Image struct {
			URL   string
			Proxy string `json:"proxy_url"`
			Width int
		}
	}
}

func fetched(t *testing.T, address string) answer {
	t.Helper()
	req := errtest.Must(http.NewRequestWithContext(within(t), http.MethodGet, address, nil))(t)
	res, err := http.DefaultClient.Do(req)
	errtest.None(t, err)
	defer res.Body.Close()
	return answer{res.StatusCode, res.Header, errtest.Must(io.ReadAll(res.Body))(t)}
}

// TestTheMediaProxyScalesAndConverts fetches a picture in several sizes and formats, one of a
// type that only Discord converts, and a text.
func TestTheMediaProxyScalesAndConverts(t *testing.T) {
	p := newPlace(t, free())
	png := picture(t)
	files := map[string]discordtest.Attachment{
		"png":  {Name: "loom.png", Data: png},
		"heic": {Name: "loom.heic", Type: "image/heic", Data: []byte("only Discord reads this"), Shown: png},
		"text": {Name: "loom.txt", Data: []byte("a loom")},
	}
	for name, test := range map[string]struct {
		file, query, kind string
		status, width     int
	}{
		"as it is":        {"png", "", "image/png", 200, 40},
		"smaller":         {"png", "width=10&height=5", "image/png", 200, 10},
		"never larger":    {"png", "width=80&height=40", "image/png", 200, 40},
		"another format":  {"png", "format=jpeg&width=20&height=10", "image/jpeg", 200, 20},
		"converted":       {"heic", "format=png", "image/png", 200, 40},
		"no picture":      {"text", "format=png", "", 415, 0},
		"text as it is":   {"text", "", "text/plain; charset=utf-8", 200, 0},
		"a format unseen": {"png", "format=bmp", "", 415, 0},
	} {
		id := p.post(t, discordtest.Draft{Attachments: []discordtest.Attachment{files[test.file]}})
		var m mediaMessage
		p.do(t, http.MethodGet, p.messages()+"/"+id.String(), "").decode(t, &m)
		got := fetched(t, m.Attachments[0].Proxy+test.query)
		config, _, err := image.DecodeConfig(bytes.NewReader(got.body))
		if got.status != test.status || test.status == 200 && got.header.Get("Content-Type") != test.kind || test.width > 0 && (err != nil || config.Width != test.width) {
			t.Errorf("%s: got %d, %s, %d pixels wide, %v, want %+v", name, got.status, got.header.Get("Content-Type"), config.Width, err, test)
		}
		if raw := fetched(t, m.Attachments[0].URL); !bytes.Equal(raw.body, files[test.file].Data) {
			t.Errorf("%s: the file reads %q, want it as it was sent", name, raw.body)
		}
	}
}

// upload sends a message with one file as the bot.
func (p *place) upload(t *testing.T, payload, name string, data []byte) answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	errtest.None(t, form.WriteField("payload_json", payload))
	_, err := errtest.Must(form.CreateFormFile("files[0]", name))(t).Write(data)
	errtest.None(t, err)
	errtest.None(t, form.Close())
	req := errtest.Must(http.NewRequestWithContext(within(t), http.MethodPost, p.URL()+"/v10"+p.messages(), &body))(t)
	req.Header.Set("Authorization", "Bot "+p.bot.Token)
	req.Header.Set("Content-Type", form.FormDataContentType())
	res, err := http.DefaultClient.Do(req)
	errtest.None(t, err)
	defer res.Body.Close()
	return answer{res.StatusCode, res.Header, errtest.Must(io.ReadAll(res.Body))(t)}
}

// TestVoiceMessagesSpoilersAndEmbedsComeBack sends what has fields of its own, and reads it.
func TestVoiceMessagesSpoilersAndEmbedsComeBack(t *testing.T) {
	p := newPlace(t, free())
	sent := func(payload, name string, data []byte) (m mediaMessage) {
		t.Helper()
		a := p.upload(t, payload, name, data)
		if a.decode(t, &m); a.status != http.StatusOK {
			t.Fatalf("%s answered %d %s, want 200", payload, a.status, a.body)
		}
		return m
	}
	voice := sent(`{"flags":8192,"attachments":[{"id":0,"duration_secs":1.5,"waveform":"AAA="}]}`, "voice-message.ogg", []byte("OggS"))
	if got := voice.Attachments[0]; voice.Flags != discordtest.FlagVoiceMessage || got.Seconds != 1.5 || got.Waveform != "AAA=" {
		t.Errorf("the voice message is %+v, want its flag, 1.5 s and its waveform", voice)
	}
	if a := p.upload(t, `{"content":"x","flags":8192,"attachments":[{"id":0}]}`, "voice-message.ogg", nil); a.status != http.StatusBadRequest {
		t.Errorf("a voice message with content answered %d, want %d", a.status, http.StatusBadRequest)
	}
	for _, payload := range []string{`{"attachments":[{"id":0,"is_spoiler":true}]}`, `{"attachments":[{"id":0,"filename":"SPOILER_loom.png"}]}`} {
		if got := sent(payload, "loom.png", picture(t)).Attachments[0]; got.Flags != 8 || got.Width != 40 || got.Height != 20 {
			t.Errorf("%s is %+v, want a spoiler of 40 by 20", payload, got)
		}
	}
	card := sent(`{"embeds":[{"title":"loom","image":{"url":"attachment://loom.png"}},{"image":{"url":"https://example.com/a.png"}}],"attachments":[{"id":0}]}`, "loom.png", picture(t))
	if len(card.Attachments) != 0 || card.Embeds[0].Type != "rich" || card.Embeds[0].Image.Width != 40 || !strings.Contains(card.Embeds[1].Image.Proxy, "/external/") {
		t.Errorf("the card is %+v, want its picture in the embed alone, and a proxied address of another site", card)
	}
	if got := fetched(t, card.Embeds[0].Image.Proxy+"width=10&height=5"); got.status != http.StatusOK {
		t.Errorf("the picture of the embed answered %d, want 200", got.status)
	}
	id := p.post(t, discordtest.Draft{Flags: discordtest.FlagVoiceMessage, Attachments: []discordtest.Attachment{{Name: "voice-message.ogg", Type: "audio/ogg", Data: []byte("OggS"), Seconds: 12, Waveform: "AAA="}}})
	var told mediaMessage
	p.do(t, http.MethodGet, p.messages()+"/"+id.String(), "").decode(t, &told)
	if told.Attachments[0].Seconds != 12 {
		t.Errorf("ann's voice message is %+v, want 12 s", told)
	}
}
