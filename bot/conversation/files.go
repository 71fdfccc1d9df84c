package conversation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/errgroup"

	"heddle/bot/guilds"
	"heddle/bot/phrases"
	"heddle/fetch"
	"heddle/graph"
	"heddle/graph/path"
)

// The bounds of the files of a conversation that are read.
const (
	maxPictures     = 8
	maxPictureBytes = 5 << 20
	maxPicturesSize = 16 << 20 // bytes of all pictures of a conversation
	maxTexts        = 8
	maxTextBytes    = 10 << 20
	maxTextsSize    = 16 << 20 // bytes of all texts of a conversation
)

const (
	filesTimeout  = 20 * time.Second // for all files of a conversation
	parallelFiles = 4
	headBytes     = 1 << 10 // show what a file is
)

// The bounds of the files that are held.
const (
	maxHeldFiles = 4096
	maxHeldBytes = 64 << 20
)

// Files reads the files of conversations. It holds what they contain, as those of a
// conversation are needed for every question in it. Its methods may be called from any
// goroutine.
//
// mu guards the fields below it; it is never held over I/O.
type Files struct {
	downloads *fetch.Files // nil: no file is read
	people    *guilds.People
	log       *slog.Logger
	foreign   sync.Once // warns of a file on a host that is not allowed

	mu    sync.Mutex
	held  *simplelru.LRU[graph.AttachmentID, content]
	bytes int // of texts and pictures
	gone  int // counts what may have made a file that is being read one that must not be held
	epoch int // of people, when the files that are held were read
}

// NewFiles returns Files that are downloaded by downloads. If that is nil, no file is
// read. When one of people opts out or in, nothing is held any more.
func NewFiles(downloads *fetch.Files, people *guilds.People, log *slog.Logger) *Files {
	f := &Files{downloads: downloads, people: people, epoch: people.Epoch(), log: log}
	f.held, _ = simplelru.NewLRU(maxHeldFiles, func(_ graph.AttachmentID, gone content) { f.bytes -= gone.size() }) // the size is positive
	return f
}

// Forget drops the contents of the files of deleted messages.
func (r *Files) Forget(messages []graph.MessageID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone++
	for _, id := range r.held.Keys() {
		if held, ok := r.held.Peek(id); ok && slices.Contains(messages, held.message) {
			r.held.Remove(id)
		}
	}
}

// ForgetAll drops the contents of all files.
func (r *Files) ForgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetAllLocked()
}

func (r *Files) forgetAllLocked() {
	r.gone++
	r.held.Purge()
}

// followLocked drops the contents of all files if somebody opted out or in since they were read.
func (r *Files) followLocked() {
	if epoch := r.people.Epoch(); epoch != r.epoch {
		r.epoch = epoch
		r.forgetAllLocked()
	}
}

// read reads selected files of a conversation and records on their messages the hash of
// their content and their true type. It sets why of those that the model is not shown. spoken
// has the addresses of files that are on no message; it may be nil.
func (r *Files) read(ctx context.Context, selected []file, spoken *Spoken) contents {
	if r.downloads == nil || len(selected) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, filesTimeout)
	defer cancel()
	all := make([]content, len(selected))
	var group errgroup.Group
	group.SetLimit(parallelFiles)
	for i := range selected {
		f := &selected[i]
		if f.why != "" {
			continue
		}
		group.Go(func() error {
			var err error
			if all[i], err = r.content(ctx, f, spoken); err != nil {
				all[i].why = r.unread(ctx, f, err)
			}
			return nil
		})
	}
	_ = group.Wait() // its functions return no errors
	read := make(contents)
	pictures, size := 0, 0
	for i := range selected {
		f, c := &selected[i], &all[i]
		f.why = cmp.Or(f.why, c.why)
		if c.data != nil && pictures == maxPictures {
			f.why = "unread_many"
		} else if c.data != nil && size+len(c.data) > maxPicturesSize {
			f.why = "unread_large"
		}
		if f.why != "" {
			continue
		}
		if c.data != nil {
			pictures, size = pictures+1, size+len(c.data)
		}
		read[f.attachment().ID] = *c
		f.mark(c)
	}
	return read
}

// content returns the content of a file, which is downloaded unless it is held.
func (r *Files) content(ctx context.Context, f *file, spoken *Spoken) (content, error) {
	a := fetch.Attached{Attachment: *f.attachment(), Channel: f.message.Channel, Message: cmp.Or(f.attachment().On, f.message.ID)}
	r.mu.Lock()
	r.followLocked()
	held, ok := r.held.Get(a.ID)
	gone := r.gone
	r.mu.Unlock()
	if ok {
		return held, nil
	}
	if spoken != nil {
		a.Address = spoken.Addresses[a.ID]
	}
	got, err := r.download(ctx, f, a)
	if err != nil {
		return content{}, err
	}
	got.message = a.Message
	if got.why != "unread_picture" { // another model may see it
		r.hold(a.ID, got, gone)
	}
	return got, nil
}

// download downloads a file. Of one whose declared type says nothing, the first bytes tell what
// it is, and the rest is read only if it is a text or a picture.
func (r *Files) download(ctx context.Context, f *file, a fetch.Attached) (content, error) {
	kind := a.Type
	switch f.claim {
	case claimText:
		return r.text(ctx, f, a)
	case claimNothing, claimOther:
		head, err := r.downloads.Head(ctx, a, headBytes)
		if err != nil {
			return content{}, err //nolint:wrapcheck // it says what failed
		}
		if kind = kindOf(head, a.Type); kind == "text/plain" {
			return r.text(ctx, f, a)
		}
	case claimPicture:
	}
	return r.drawn(ctx, f, a, kind)
}

// text downloads a file that claims or seems to be text.
func (r *Files) text(ctx context.Context, f *file, a fetch.Attached) (content, error) {
	got, err := r.downloads.Download(ctx, a)
	if err != nil {
		return content{}, err //nolint:wrapcheck // it says what failed
	}
	declared := a.Type
	if charsetOf(declared) == "" {
		declared = got.Type
	}
	if text, ok := decoded(got.Data, declared); ok {
		return content{hash: got.Hash, text: text}, nil
	}
	return r.drawn(ctx, f, a, kindOf(got.Data, declared))
}

// drawn returns a file of a media type as a picture, or why the model is not shown it. What
// models read as it is, is the original. Everything else is converted by Discord's media proxy,
// and so is what only claims to be such a picture.
func (r *Files) drawn(ctx context.Context, f *file, a fetch.Attached, kind string) (content, error) {
	switch {
	case !strings.HasPrefix(kind, "image/"):
		return content{why: unreadable(a.Name, kind)}, nil
	case !f.sees:
		return content{why: "unread_picture"}, nil
	}
	format, must := convertedTo(&a.Attachment, kind)
	if !must {
		got, err := r.downloads.Download(ctx, a)
		if err != nil {
			return content{}, err //nolint:wrapcheck // it says what failed
		}
		if c := pictureOf(got); c.data != nil {
			return c, nil
		}
	}
	got, err := r.downloads.Picture(ctx, a, format, longestSide)
	if c := pictureOf(got); err == nil && c.data != nil {
		c.hash, c.as = path.PictureHash(a.ID), "image/"+format
		return c, nil
	}
	if must && a.Size <= maxPictureBytes && !errors.Is(err, fetch.ErrNoSuchFile) {
		if got, err = r.downloads.Download(ctx, a); err != nil {
			return content{}, err //nolint:wrapcheck // it says what failed
		}
		if c := pictureOf(got); c.data != nil {
			c.hash, c.as = path.PictureHash(a.ID), "image/"+format
			return c, nil
		}
	}
	if errors.Is(err, fetch.ErrNoSuchFile) || ctx.Err() != nil {
		return content{}, err //nolint:wrapcheck // it says what failed
	}
	return content{why: "unread_damaged"}, nil
}

// pictureOf returns the content of a downloaded picture, without data if models cannot read it.
func pictureOf(file fetch.File) content {
	c := content{hash: file.Hash, kind: http.DetectContentType(file.Data)}
	if c.as = c.kind; isDrawable(file.Data, c.kind) {
		c.data = file.Data
	}
	return c
}

// hold holds the content of a file, unless something was forgotten since gone was read:
// the file may belong to a message that was deleted meanwhile.
func (r *Files) hold(id graph.AttachmentID, got content, gone int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followLocked()
	if gone == r.gone && !r.held.Contains(id) {
		r.bytes += got.size()
		r.held.Add(id, got)
	}
	for r.bytes > maxHeldBytes {
		r.held.RemoveOldest()
	}
}

// unread logs why a file was not read, and returns what people read about it. The first file on
// a foreign host is logged as a warning, because only the operator can allow the host.
func (r *Files) unread(ctx context.Context, f *file, err error) phrases.ID {
	if errors.Is(err, fetch.ErrForeignHost) {
		r.foreign.Do(func() {
			r.log.WarnContext(ctx, "no file is read from this host, the model is told names only", "error", err)
		})
	}
	r.log.DebugContext(ctx, "a file could not be read, the model is told its name only", "attachment", f.attachment().ID, "error", err)
	switch {
	case errors.Is(err, fetch.ErrNoSuchFile):
		return "unread_gone"
	case errors.Is(err, fetch.ErrTooLarge):
		return "unread_large"
	}
	return "unread_failed"
}

// mark records on a message the hash and type of its file. It copies the list of
// attachments, which the message shares with others.
func (f *file) mark(c *content) {
	f.message.Attachments = slices.Clone(f.message.Attachments)
	marked := &f.message.Attachments[f.at]
	marked.Hash = c.hash
	if c.data != nil {
		marked.Type = c.as
	}
}

// contents are the contents of those files of a conversation that could be read.
type contents map[graph.AttachmentID]content

// inlined returns a turn that includes the texts of its files.
func (r contents) inlined(turn path.Turn) path.Turn {
	for i, part := range turn.Parts {
		f, ok := part.(path.File)
		if shown := r[f.Content.Attachment].shown; ok && shown.head != "" && f.Text == "" {
			f.Text, f.Gap, f.End = shown.head, shown.gap, shown.end
			turn.Parts = slices.Clone(turn.Parts)
			turn.Parts[i] = f
		}
	}
	return turn
}

// named returns a turn whose pictures are files unless they are shown. A file takes
// only the tokens of its name.
func (r contents) named(turn path.Turn) path.Turn {
	for i, part := range turn.Parts {
		if picture, ok := part.(path.Image); ok && r[picture.Content.Attachment].data == nil {
			turn.Parts = slices.Clone(turn.Parts)
			turn.Parts[i] = path.File{Content: picture.Content, Type: picture.Type}
		}
	}
	return turn
}

// pictures returns the hashes of the pictures that can be shown, each once and in order.
func (r contents) pictures() []path.Hash {
	var hashes []path.Hash
	for _, c := range r {
		if c.data != nil && !slices.Contains(hashes, c.hash) {
			hashes = append(hashes, c.hash)
		}
	}
	slices.SortFunc(hashes, func(a, b path.Hash) int { return bytes.Compare(a[:], b[:]) })
	return hashes
}

// address returns a picture as a data URI, or "" if it cannot be shown.
func (r contents) address(picture path.Image) string {
	c := r[picture.Content.Attachment]
	if c.data == nil {
		return ""
	}
	return "data:" + c.kind + ";base64," + base64.StdEncoding.EncodeToString(c.data)
}

// file is a file of a conversation that is to be read.
type file struct {
	message *graph.Message
	at      int // index into the message's attachments
	claim   claim
	sees    bool       // the model sees pictures
	asked   bool       // it is on the question, or on the message that this replies to
	why     phrases.ID // the model is not shown it; "" if it is
}

func (f *file) attachment() *graph.Attachment { return &f.message.Attachments[f.at] }

// selectFiles selects the files to read: those of the question, of the message that it replies
// to and then the newest, as many as fit. Of those it leaves out, it returns the ones that
// belong to the question, with the reason. A spoiler is read only if it belongs to the question
// or if its asker posted it. Voice messages are none of them: they are heard.
func selectFiles(g *graph.Graph, sees bool) []file {
	messages := []*graph.Message{&g.Trigger}
	for i := range slices.Backward(g.Conversation) {
		messages = append(messages, g.Conversation[i].Message)
	}
	slices.SortStableFunc(messages[1:], func(a, b *graph.Message) int {
		return cmp.Compare(repliedTo(g, b), repliedTo(g, a))
	})
	var all []file
	pictures, texts, size := 0, 0, int64(0)
	for i, m := range messages {
		if m.Origin == graph.OriginSelf {
			continue
		}
		for at := range m.Attachments {
			a := &m.Attachments[at]
			f := file{message: m, at: at, sees: sees, asked: i == 0 || repliedTo(g, m) > 0}
			if f.claim, f.why = claimOf(a); a.ID == 0 || a.Seconds > 0 || a.Spoiler && !f.asked && m.Author != g.Trigger.Author {
				continue
			}
			switch {
			case f.why != "":
			case f.claim == claimPicture && !sees:
				f.why = "unread_picture"
			case f.claim == claimPicture && pictures == maxPictures, f.claim != claimPicture && texts == maxTexts:
				f.why = "unread_many"
			case f.claim == claimPicture:
				pictures++
			case a.Size > maxTextBytes && f.claim == claimNothing: // it can only be a picture
				texts++
			case a.Size > maxTextBytes, size+a.Size > maxTextsSize:
				f.why = "unread_large"
			default:
				texts, size = texts+1, size+a.Size
			}
			if f.why == "" || f.asked {
				all = append(all, f)
			}
		}
	}
	return all
}

// repliedTo returns 1 if the question replies to a message, and 0 if not.
func repliedTo(g *graph.Graph, m *graph.Message) int {
	if slices.ContainsFunc(g.Trigger.References, func(r graph.Reference) bool { return r.Kind == graph.ReferenceReply && m.Holds(r.Message) }) {
		return 1
	}
	return 0
}

// notRead returns the files of the question that the model is not shown.
func notRead(files []file) []phrases.Unread {
	var all []phrases.Unread
	for i := range files {
		if f := &files[i]; f.asked && f.why != "" {
			all = append(all, phrases.Unread{Name: f.attachment().Name, Why: f.why})
		}
	}
	return all
}

// content is the content of an attachment. It is immutable.
type content struct {
	hash path.Hash
	kind string     // the media type of data
	as   string     // the media type by which a picture is known, which stays the same
	text string     // of a text
	data []byte     // of a picture that can be shown
	why  phrases.ID // the model cannot be shown it; "" if it can

	message graph.MessageID
	shown   passage // of text; set for one question
}

func (c content) size() int { return len(c.text) + len(c.data) }
