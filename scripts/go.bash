# For the scripts beside it, which source it after debian.bash: programs of other projects, built once from the Go module proxy.

# go_program NAME VERSION PACKAGE: prints where the program is, and builds it into the cache when it isn't there.
# Returns 3 where there is no Go to build it with.
go_program() {
  local name=$1 version=$2 package=$3 folder program work
  folder=$(cache_directory)/$name-$version
  program=$folder/$name
  mkdir -p "$folder"
  (
    # One build at a time, and none twice.
    flock 9 || exit 1
    [ ! -x "$program" ] || exit 0
    PATH=$PATH:/usr/local/go/bin
    # From 1.21 on, Go fetches the newer toolchain that a module asks for.
    if ! go version 2>/dev/null | grep -qE 'go1\.(2[1-9]|[3-9][0-9])'; then
      echo "Failed to build $name $version: no Go toolchain found. Install Go 1.21 or newer." >&2
      exit 3
    fi
    echo "building $name $version: about a minute on 2 cores (log: $folder/build.log)" >&2
    work=$(mktemp -d "$folder/build.XXXXXX") || exit 1
    trap 'rm -rf "$work"' EXIT
    GOBIN=$work GOFLAGS=-trimpath go install -ldflags '-s -w' "$package@$version" >"$folder/build.log" 2>&1 9>&- || {
      tail -n 20 "$folder/build.log" >&2
      echo "Failed to build $name $version: Go says why above, in full in $folder/build.log." >&2
      exit 1
    }
    # Whole or not at all: a half-copied program would count as built.
    mv "$work/$name" "$program" || exit 1
  ) 9>"$folder/lock" || return
  printf '%s\n' "$program"
}
