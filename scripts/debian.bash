# Sourced by the scripts in this folder: finds their cache, and gets missing programs on Debian and Ubuntu.

cache_directory() {
  local folder="${XDG_CACHE_HOME:-${HOME:?}/.cache}/pulumi-runner-action"
  mkdir -p "$folder"
  printf '%s\n' "$folder"
}

# gets_programs PROGRAM: whether scripts may get it now. They get nothing while scripts/test runs tests, which would run out
# of their time on a bare machine.
gets_programs() {
  [ -n "${PROGRAMS_ARE_COMPLETE:-}" ] || return 0
  echo "Failed to get $1: a test needs it that does not say so. Add the test's part to its row in scripts/programs." >&2
  return 1
}

# install_packages PACKAGE...: installs them, or says what to install by hand and returns 1.
install_packages() {
  gets_programs "$*" || return
  if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "Failed to install $*: that takes root on Debian or Ubuntu. Install by hand, there with: sudo apt-get install --no-install-recommends $*" >&2
    return 1
  fi
  local log
  log=$(cache_directory)/apt.log
  echo "installing $*"
  if ! { flock 7 && apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"; } >"$log" 2>&1 </dev/null 7>"$(cache_directory)/apt.lock"; then
    tail -n 20 "$log" >&2
    echo "Failed to install $*: apt-get says why above, in full in $log." >&2
    return 1
  fi
}

# debian_program PACKAGE PATH: unpacks PACKAGE into the cache and prints where its PATH is. Unlike an installation, this
# needs no root, starts no service and conflicts with no other package.
debian_program() {
  local package=$1 path=$2 cache folder work
  cache=$(cache_directory)
  folder=$cache/$package
  if [ ! -x "$folder/$path" ]; then
    gets_programs "$package" || return
    command -v apt-get >/dev/null || {
      echo "Failed to fetch Debian's $package: there is no apt-get. Install a ${path##*/} by hand, on PATH." >&2
      return 1
    }
    echo "unpacking Debian's $package into $folder" >&2
    work=$(mktemp -d "$cache/$package.XXXXXX")
    if (
      cd "$work" || exit 1
      fetch() { apt-get download -qq -o APT::Sandbox::User="$(id -un)" "$package"; }
      # A fresh machine has no package lists yet.
      { fetch 2>/dev/null || { [ "$(id -u)" = 0 ] && apt-get update -qq && fetch; }; } && dpkg-deb -x ./*.deb tree
    ) >&2 && { [ -x "$folder/$path" ] || mv -T "$work/tree" "$folder"; }; then
      rm -rf "$work"
    else
      rm -rf "$work"
      echo "Failed to fetch Debian's $package: apt-get says why above. Run apt-get update as root and try again." >&2
      return 1
    fi
  fi
  printf '%s\n' "$folder/$path"
}
