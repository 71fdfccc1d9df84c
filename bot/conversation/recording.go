package conversation

import (
	"bytes"
	"time"

	"heddle/llm"
)

// recordingOf returns what a voice message holds, by its content and not by what its type and its
// length claim, cut after heardFor. whole reports whether nothing was cut. data is what was read of
// it, mostVoice bytes at most, and claimed the length that Discord names. Only Opus can be cut. ok
// reports whether it is a recording that may be heard.
func recordingOf(data []byte, claimed time.Duration) (r llm.Recording, whole, ok bool) {
	for _, form := range []struct{ begin, at, ending, kind string }{
		{"OggS", "", ".ogg", "audio/ogg"},
		{"RIFF", "WAVE", ".wav", "audio/wav"},
		{"\x1aE\xdf\xa3", "", ".webm", "audio/webm"},
		{"fLaC", "", ".flac", "audio/flac"},
		{"ID3", "", ".mp3", "audio/mpeg"},
		{"\xff\xfb", "", ".mp3", "audio/mpeg"},
		{"\xff\xf3", "", ".mp3", "audio/mpeg"},
		{"", "ftyp", ".m4a", "audio/mp4"},
	} {
		behind := data[min(len(data), max(len(form.begin)*2, 4)):] // RIFF's kind follows its length, and the first length ftyp
		if bytes.HasPrefix(data, []byte(form.begin)) && bytes.HasPrefix(behind, []byte(form.at)) {
			r.Ending, r.Type = form.ending, form.kind
			break
		}
	}
	if r.Ending == "" {
		return r, true, false
	}
	if end, length := opusUntil(data, heardFor); length > 0 {
		r.Data, r.Length = data[:end], length
		return r, end == len(data) && len(data) < mostVoice, true
	}
	const rate = 16_000 // bytes of a second of MP3 at 128 kbit/s
	r.Data, r.Length = data, min(max(claimed, time.Duration(len(data))*time.Second/rate), heardFor)
	return r, true, claimed <= heardFor && len(data) < mostVoice
}

// opusUntil returns where the last page of an Ogg file ends up to which its Opus lasts at most so
// long, and how long that is; 0 if it holds no Opus. The length follows from the packets, as a
// file may lie about all else (RFC 7845; RFC 6716, section 3.1).
func opusUntil(data []byte, most time.Duration) (end int, length time.Duration) {
	if !bytes.Contains(data[:min(len(data), 64)], []byte("OpusHead")) {
		return 0, 0
	}
	const header = 27
	inside := false // the last packet goes on in the next page
	for total := time.Duration(0); len(data)-end >= header && bytes.HasPrefix(data[end:], []byte("OggS")); {
		sizes := data[end+header:]
		sizes = sizes[:min(len(sizes), int(data[end+header-1]))]
		at := end + header + int(data[end+header-1])
		for _, size := range sizes {
			if !inside && at < len(data) {
				total += opusLength(data[at:])
			}
			at, inside = at+int(size), size == 255
		}
		if total > most || at > len(data) {
			break
		}
		end, length = at, total
	}
	return end, length
}

// opusLength returns how long a packet lasts; 0 for a header.
func opusLength(packet []byte) time.Duration {
	if bytes.HasPrefix(packet, []byte("OpusHead")) || bytes.HasPrefix(packet, []byte("OpusTags")) {
		return 0
	}
	const half = 500 * time.Microsecond
	frames := [][]int{{20, 40, 80, 120}, {20, 40, 20, 40}, {5, 10, 20, 40}} // in half milliseconds
	config := int(packet[0] >> 3)
	of := frames[2]
	if config < 12 {
		of = frames[0]
	} else if config < 16 {
		of = frames[1]
	}
	count := 2
	switch packet[0] & 3 {
	case 0:
		count = 1
	case 3:
		count = 0
		if len(packet) > 1 {
			count = int(packet[1] & 63)
		}
	}
	return time.Duration(count*of[config%4]) * half
}
