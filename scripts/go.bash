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

# no_go PROGRAM: reports that it can't be built.
no_go() { echo "Failed to build $1: no Go toolchain found. Install Go $go_version or newer." >&2; }

# go_program NAME VERSION PACKAGE TIME: prints the program's path in the cache, and builds it there if it is missing, which
# takes about TIME on 2 cores. Returns 3 if there is no Go to build it.
go_program() {
  local name=$1 version=$2 package=$3 time=$4 folder program work
  folder=$(cache_directory)/$name-$version
  program=$folder/$name
  mkdir -p "$folder"
  (
    # One build at a time, and each program once.
    flock 9 || exit 1
    [ ! -x "$program" ] || exit 0
    find_go || {
      no_go "$name $version"
      exit 3
    }
    echo "building $name $version: about $time on 2 cores (log: $folder/build.log)" >&2
    work=$(mktemp -d "$folder/build.XXXXXX") || exit 1
    trap 'rm -rf "$work"' EXIT
    GOBIN=$work GOFLAGS=-trimpath go install -ldflags '-s -w' "$package@$version" >"$folder/build.log" 2>&1 9>&- || {
      tail -n 20 "$folder/build.log" >&2
      echo "Failed to build $name $version: Go says why above, in full in $folder/build.log." >&2
      exit 1
    }
    # Move it atomically: a partial copy would count as built.
    mv "$work/$name" "$program" || exit 1
  ) 9>"$folder/lock" || return
  printf '%s\n' "$program"
}
