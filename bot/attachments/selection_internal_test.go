package attachments

import (
	"slices"
	"testing"

	"heddle/graph"
	"heddle/graph/path"
)

// pictured returns a message with one picture, which has the message's id.
func pictured(id uint64) graph.Message {
	return graph.Message{ID: graph.MessageID(id), Attachments: []graph.Attachment{
		{ID: graph.AttachmentID(id), Name: "it.png", Type: "image/png", Size: 1 << 20},
	}}
}

// conversation returns a graph with a picture in each message, the trigger being the
// last.
func conversation(ids ...uint64) *graph.Graph {
	g := &graph.Graph{Trigger: pictured(ids[len(ids)-1])}
	for _, id := range ids[:len(ids)-1] {
		g.Conversation = append(g.Conversation, graph.Node{Message: new(pictured(id))})
	}
	return g
}

func TestWhatThePathBeforeHeldStays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ids   []uint64
		known []graph.MessageID
		shown []graph.AttachmentID
		want  []graph.AttachmentID
	}{
		"nothing was before":           {[]uint64{1, 2, 3}, nil, nil, []graph.AttachmentID{3, 2, 1}},
		"shown pictures stay":          {[]uint64{1, 2, 3}, []graph.MessageID{1, 2}, []graph.AttachmentID{1, 2}, []graph.AttachmentID{3, 2, 1}},
		"what was not shown stays out": {[]uint64{1, 2, 3}, []graph.MessageID{1, 2}, []graph.AttachmentID{2}, []graph.AttachmentID{3, 2}},
		"half of too many leave": {
			[]uint64{1, 2, 3, 4, 5, 6, 7, 8, 9},
			[]graph.MessageID{1, 2, 3, 4, 5, 6, 7, 8},
			[]graph.AttachmentID{1, 2, 3, 4, 5, 6, 7, 8},
			[]graph.AttachmentID{9, 8, 7, 6},
		},
	} {
		before := Before{Shown: test.shown, Positions: make(map[graph.MessageID]int)}
		for i, id := range test.known {
			before.Positions[id] = i + 1
		}
		if got := IDs(Select(conversation(test.ids...), true, before)); !slices.Equal(got, test.want) {
			t.Errorf("%s: selected are %v, want %v", name, got, test.want)
		}
	}
}

func TestAllPicturesTogetherAreBounded(t *testing.T) {
	t.Parallel()
	g := conversation(1, 2, 3, 4, 5)
	for i := range g.Conversation {
		g.Conversation[i].Message.Attachments[0].Size = maxPictureBytes
	}
	if got := IDs(Select(g, true, Before{})); !slices.Equal(got, []graph.AttachmentID{5, 4, 3, 2}) {
		t.Errorf("selected are %v, want %v", got, []graph.AttachmentID{5, 4, 3, 2})
	}
}

func TestFilesWithoutAnIDAreNotRead(t *testing.T) {
	t.Parallel()
	if got := Select(conversation(0), true, Before{}); len(got) != 0 {
		t.Errorf("selected are %v, want none", got)
	}
}

func TestFilesAreToldByTypeAndName(t *testing.T) {
	t.Parallel()
	for file, want := range map[graph.Attachment]struct{ picture, text bool }{
		{Type: "image/png", Name: "a"}:                      {true, false},
		{Name: "a.JPEG"}:                                    {true, false},
		{Type: "application/octet-stream", Name: "a.png"}:   {false, false},
		{Type: "text/plain; charset=utf-8", Name: "a"}:      {false, true},
		{Type: "application/json", Name: "a"}:               {false, true},
		{Type: "application/octet-stream", Name: "main.Go"}: {false, true},
		{Name: "notes.md"}:                                  {false, true},
		{Type: "video/mp2t", Name: "a.ts"}:                  {false, false},
		{Type: "application/pdf", Name: "a.pdf"}:            {false, false},
		{Name: "a"}:                                         {false, false},
	} {
		if isPicture(file) != want.picture || isText(file) != want.text {
			t.Errorf("%+v is a picture: %t, a text: %t, want %t and %t", file, isPicture(file), isText(file), want.picture, want.text)
		}
	}
}

func TestThePicturesOfAConversationAreRecordedOnceAndInOrder(t *testing.T) {
	t.Parallel()
	read := Contents{
		1: {hash: path.Hash{2}, data: []byte("b")}, 2: {hash: path.Hash{1}, data: []byte("a")}, 3: {hash: path.Hash{2}, data: []byte("b")},
		4: {hash: path.Hash{3}, text: "no picture"},
	}
	for range 20 { // a map's order changes
		if got := read.Pictures(); !slices.Equal(got, []path.Hash{{1}, {2}}) {
			t.Fatalf("the pictures are %v, want %v", got, []path.Hash{{1}, {2}})
		}
	}
}

// TestAPictureThatIsNotShownCountsAsItsName counts the tokens of a turn.
func TestAPictureThatIsNotShownCountsAsItsName(t *testing.T) {
	t.Parallel()
	turn := path.Turn{Parts: []path.Part{path.Text("see"), path.Image{Content: path.Content{Attachment: 1}}, path.Image{Content: path.Content{Attachment: 2}}}}
	named := Contents{1: {data: []byte("shown")}}.Named(turn)
	isImage := func(part path.Part) bool { _, ok := part.(path.Image); return ok }
	if !isImage(named.Parts[1]) || isImage(named.Parts[2]) || !isImage(turn.Parts[2]) {
		t.Errorf("named is %+v and the turn %+v, want only the second image named, in the copy alone", named, turn)
	}
}
