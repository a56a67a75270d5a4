# Sourced after debian.bash by scripts in this folder: builds other projects' programs once, from the Go module proxy.

# The newest that any program requires (OpenTofu). Go 1.21 and newer fetch it themselves unless GOTOOLCHAIN is local.
go_version=1.26.6

# find_go: puts Go on PATH; returns 1 unless it can build all of these programs.
find_go() {
  PATH=$PATH:${GOROOT:-/usr/local/go}/bin
  local found least=$go_version
  found=$(go version 2>/dev/null | sed -nE 's/.* go([0-9][0-9a-z.]*).*/\1/p')
  [ -n "$found" ] || return 1
  [ "$(go env GOTOOLCHAIN)" = local ] || least=1.21
  printf '%s\n' "$least" "$found" | sort -VC
}

# get_go: as find_go, after installing the distribution's Go where there is none and that one is recent enough.
get_go() {
  find_go && return
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq >/dev/null 2>&1 </dev/null || return 1
  local offered
  offered=$(apt-cache madison golang-go 2>/dev/null | sed -nE '1s/^[^|]*\| ([0-9]+:)?([0-9.]+).*/\2/p')
  printf '1.21\n%s\n' "$offered" | sort -VC && install_packages golang-go && find_go
}
