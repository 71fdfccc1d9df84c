// Package config reads heddle's settings from environment variables.
//
// There is one struct, Config. Its field tags say everything about a variable:
// name (env), default (envDefault), meaning (usage), bounds (min, max), whether it
// is a secret (secret) and whether NAME_FILE may name a file that holds it (file;
// true of every secret). The table that "heddle config" prints, the README's table
// and .env.example are made from these tags.
//
// To add a variable, add a field, use it in main, and run "go generate ./config".
//
// Only main imports this package; everything below is handed plain values.
package config

//go:generate go test . -run TestGeneratedTexts -update
