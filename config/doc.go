// Package config reads heddle's settings from environment variables.
//
// All settings are fields of one struct, Config. The tags of a field describe its
// variable: name (env), default (envDefault), meaning (usage), bounds (min, max),
// whether it is a secret (secret) and whether NAME_FILE may name a file that holds
// it (file; true of every secret), whether most people set it (readme) and, where one
// begins, its section. The table that "heddle config" prints, docs/settings.md, the
// README's table and .env.example are generated from these tags.
//
// To add a variable, add a field, use it in internal/cli, and run "go
// generate ./config".
//
// Only internal/cli imports this package; everything else receives plain values.
package config

//go:generate go test . -run TestGeneratedTexts -update
