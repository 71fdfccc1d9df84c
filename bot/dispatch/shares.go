package dispatch

// shares divides the running jobs fairly between guilds, and between people. The next
// job is that of the guild with the fewest running jobs; among those, of the person
// with the fewest; and among those, the one that has waited longest.
//
// Some slots always stay free for others. A person may start another job only while
// fewer of their jobs run than slots are free, and a guild only while fewer than
// guildShare times as many do. A person alone therefore takes half of all slots, and a
// guild alone three quarters, so that jobs that hang cannot keep others waiting.
//
// Its owner guards it.
type shares struct {
	free   int
	guilds map[asker]int // running jobs by their guild, or by the person in direct messages
	people map[asker]int // running jobs by who asked, whatever the guild
}

// guildShare is how many jobs of a guild may run for each free slot.
const guildShare = 3

func newShares(slots int) *shares {
	return &shares{free: slots, guilds: make(map[asker]int), people: make(map[asker]int)}
}

// group returns the key of an asker's guild.
func group(a asker) asker {
	if a.guild == 0 {
		return a
	}
	return asker{guild: a.guild}
}

// choose returns the index of the asker, among n, whose job starts next, or -1 if none
// may start.
func (s *shares) choose(n int, at func(int) asker) int {
	best, bestGuild, bestPerson := -1, 0, 0
	for i := range n {
		a := at(i)
		guild, person := s.guilds[group(a)], s.people[asker{person: a.person}]
		if a.person == 0 {
			person = 0 // heddle's own jobs count towards their guild only
		}
		if person >= s.free || guild >= guildShare*s.free {
			continue
		}
		if best < 0 || guild < bestGuild || guild == bestGuild && person < bestPerson {
			best, bestGuild, bestPerson = i, guild, person
		}
	}
	return best
}

// begin counts a job that starts.
func (s *shares) begin(a asker) {
	s.free--
	s.guilds[group(a)]++
	s.people[asker{person: a.person}]++
}

// end counts a job that has ended.
func (s *shares) end(a asker) {
	s.free++
	for _, of := range []struct {
		counts map[asker]int
		key    asker
	}{{s.guilds, group(a)}, {s.people, asker{person: a.person}}} {
		if of.counts[of.key]--; of.counts[of.key] == 0 {
			delete(of.counts, of.key)
		}
	}
}
