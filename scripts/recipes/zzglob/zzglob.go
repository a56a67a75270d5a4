// Package zzglob stands in for drjosh.dev/zzglob, which the Go module proxy doesn't have: the parts that buildkite-agent
// calls, with *, ? and ** alone. Links are never followed.
package zzglob

import (
	"context"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

type (
	Pattern     struct{ paths *regexp.Regexp }
	ParseOption struct{}
	GlobOption  struct{}
)

func ExpandTilde(bool) ParseOption         { return ParseOption{} }
func TraverseSymlinks(bool) GlobOption     { return GlobOption{} }
func WalkIntermediateDirs(bool) GlobOption { return GlobOption{} }

var wildcards = strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`)

func Parse(pattern string, _ ...ParseOption) (*Pattern, error) {
	paths, err := regexp.Compile("^" + wildcards.Replace(regexp.QuoteMeta(filepath.Clean(pattern))) + "$")
	return &Pattern{paths}, err
}

func (p *Pattern) Match(path string) bool { return p.paths.MatchString(path) }

// Glob walks the working directory, so an absolute pattern matches nothing.
func (p *Pattern) Glob(visit fs.WalkDirFunc, _ ...GlobOption) error {
	return filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !p.Match(path) {
			return nil
		}
		return visit(path, entry, err)
	})
}

func MultiGlob(_ context.Context, patterns []*Pattern, visit fs.WalkDirFunc, _ ...GlobOption) error {
	for _, pattern := range patterns {
		if err := pattern.Glob(visit); err != nil {
			return err
		}
	}
	return nil
}
