package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"heddle/graph"
	"heddle/internal/discordtest"
	"heddle/internal/errtest"
	"heddle/internal/openaitest"
)

// threadLink is a case of a link to a thread or post.
type threadLink struct {
	begin func(s *scene) (thread, where graph.ChannelID) // where is its parent
	after func(s *scene, thread, where graph.ChannelID)  // what happens to it then; nil for nothing
	form  string                                         // of the link, with the guild and the thread; "" for that of Copy Link
	same  bool                                           // asked in the channel where the starter stands
	want  bool
	told  bool // the asker is told that it was not read
}

// TestALinkToAThreadLeadsToItsStarterAndWhatFollows asks with a link to a thread or post that
// nothing else leads to (finding 3.14, JavaBot#432). In an archived one it is read as well
// (JavaBot#285). A link to a channel that is no thread is only a name, and costs no read.
func TestALinkToAThreadLeadsToItsStarterAndWhatFollows(t *testing.T) {
	archive := func(s *scene, thread, _ graph.ChannelID) { s.discord.World.SetArchived(thread, true, true) }
	inScenes(t, map[string]threadLink{
		"a post":                                      {begin: postOf, want: true},
		"a post, by its mention":                      {begin: postOf, form: "<#%[2]s>", want: true},
		"a post, as browsers show it":                 {begin: postOf, form: "https://discord.com/channels/%[1]s/5/threads/%[2]s", want: true},
		"a post, in code":                             {begin: postOf, form: "`<#%[2]s>`"},
		"a post that is archived":                     {begin: postOf, after: archive, want: true},
		"a post that the asker may not read":          {begin: postOf, after: func(s *scene, _, forum graph.ChannelID) { hideFromBob(s, forum) }, told: true},
		"a post of a forum that few may read":         {begin: postOf, after: func(s *scene, _, forum graph.ChannelID) { hideFromMost(s, forum) }, told: true},
		"a thread":                                    {begin: threadOf(1), want: true},
		"a thread, from where it was started":         {begin: threadOf(1), same: true, want: true},
		"a thread that is archived":                   {begin: threadOf(1), after: archive, want: true},
		"a thread without a starter":                  {begin: threadOf(2), want: true},
		"a thread of which heddle knows through REST": {begin: threadOf(2), after: archive, form: "<#%[2]s>", want: true},
		"a channel that is no thread":                 {begin: channelOf},
		"a channel that is no thread, by its mention": {begin: channelOf, form: "<#%[2]s>"},
	}, func(s *scene, test threadLink) {
		s.always(openaitest.Answer("Yes."))
		thread, where := test.begin(s)
		in := s.channel
		if test.same {
			in = where
		}
		for i := range 110 { // so that the starter is not among the newest
			s.postIn(in, s.ann, discordtest.Draft{Content: fmt.Sprintf("stitch %d", i)})
		}
		if test.after != nil {
			test.after(s, thread, where)
		}
		s.start()
		link := fmt.Sprintf("https://discord.com/channels/%s/%s", s.guild, thread)
		if test.form != "" {
			link = fmt.Sprintf(test.form, s.guild, thread)
		}
		s.askIn(in, s.bob, "does this still hold? "+link)
		notice := ""
		if test.told {
			notice = fmt.Sprintf("\n-# Not read: `…/%s` (not readable here, or gone).", thread)
		}
		s.same("the answer", s.says(in, "Yes.").Content, "Yes."+notice)
		read := s.conversation(1) + s.tail(1)
		for _, said := range []string{"the vault code is 9", "and its colour is green"} {
			if strings.Contains(read, said) != test.want {
				s.t.Errorf("the model was asked %q, want %q in it: %t", read, said, test.want)
			}
		}
		if !test.same {
			s.lacks(read, "stitch 0") // a mention of the question's own channel leads nowhere
		}
		if !test.want {
			pages := func(r discordtest.Request) bool {
				return strings.HasSuffix(r.Path, "/channels/"+thread.String()+"/messages") && r.Query.Has("around")
			}
			s.same("reads of what is no thread, or may not be read", len(s.discord.Record.Requests(pages)), 0)
		}
	})
}

// TestALinkToAPostIsNoRightToIt asks with more links than are followed, all to what does not exist
// or is elsewhere. The question is answered, and Discord was asked about few of them.
func TestALinkToAPostIsNoRightToIt(t *testing.T) {
	s := newScene(t)
	s.always(openaitest.Answer("Yes."))
	elsewhere := anotherServer(s)
	s.postIn(elsewhere, s.ann, discordtest.Draft{Content: "the vault code is 9, <#" + s.channel.String() + "> knows"})
	s.start()
	for i := range 4 {
		s.post(s.ann, discordtest.Draft{Content: fmt.Sprintf("<#77%d> <#78%d> <#79%d> <#80%d> <#81%d>", i, i, i, i, i)})
	}
	before := s.discord.Record.Count(discordtest.RouteChannel)
	s.ask(s.bob, fmt.Sprintf("and <#%s>, https://discord.com/channels/%s/%s, <#771>?", elsewhere, s.guild, elsewhere))
	told := s.says(s.channel, "Yes.")
	s.same("the answer", told.Content, "Yes.\n-# Not read: `…/771` (not readable here, or gone).")
	s.contains(s.tail(1), "Of the question you are not shown: \"…/771\"")
	s.lacks(s.conversation(1)+s.tail(1), "the vault code")
	s.atMost("channels that Discord was asked about", s.discord.Record.Count(discordtest.RouteChannel)-before, 5)
}

func postOf(s *scene) (thread, where graph.ChannelID) {
	where = s.discord.World.AddChannel(s.guild, discordtest.ChannelDraft{Name: "help", Kind: discordtest.Forum})
	thread = errtest.Must(s.discord.World.AddThread(where, s.ann, discordtest.ThreadDraft{Name: "vault"}))(s.t)
	s.postIn(thread, s.ann, discordtest.Draft{Content: "the vault code is 9, <#" + s.channel.String() + "> knows"})
	s.postIn(thread, s.ann, discordtest.Draft{Content: "and its colour is green"})
	return thread, where
}

// threadOf returns a function that makes a thread with so many messages. Before a single one stands
// its starter.
func threadOf(messages int) func(s *scene) (thread, where graph.ChannelID) {
	return func(s *scene) (thread, where graph.ChannelID) {
		draft := discordtest.ThreadDraft{Name: "vault"}
		where = anotherChannel(s)
		first := discordtest.Draft{Content: "the vault code is 9, <#" + s.channel.String() + "> knows"}
		if messages == 1 {
			draft.Starter = s.postIn(where, s.ann, first)
		}
		thread = errtest.Must(s.discord.World.AddThread(where, s.ann, draft))(s.t)
		if messages == 2 {
			s.postIn(thread, s.ann, first)
		}
		s.postIn(thread, s.ann, discordtest.Draft{Content: "and its colour is green"})
		return thread, where
	}
}

func channelOf(s *scene) (thread, where graph.ChannelID) {
	thread = anotherChannel(s)
	s.postIn(thread, s.ann, discordtest.Draft{Content: "the vault code is 9, <#" + s.channel.String() + "> knows"})
	s.postIn(thread, s.ann, discordtest.Draft{Content: "and its colour is green"})
	return thread, thread
}
