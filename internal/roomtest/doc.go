// Package roomtest sets up the environment for tests of the packages below bot, which
// are called rooms: a fake Discord, a fake model, a real store, and the rooms that
// others depend on. No gateway runs; a test decides which events arrive, and when.
package roomtest
