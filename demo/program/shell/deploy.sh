#!/bin/sh
# deploy.sh plan|apply|output: a deployment in plain shell. Its state, at STATE_URL, lists what exists; plan and apply
# take the state's lock first.
set -eu
wanted='network database service-0 service-1 service-2'

remote() { curl --silent --show-error --fail-with-body --user "$STATE_USERNAME:$STATE_PASSWORD" "$@"; }
is_in_state() { printf '%s' "$state" | grep -q "\"$1\""; }

lock="{\"ID\":\"deploy-$$\",\"Operation\":\"$1\",\"Who\":\"deploy.sh\"}"
with_lock() {
  # If the lock is held, the answer says by whom.
  remote --request LOCK --data "$lock" "$STATE_URL"
  trap 'remote --request UNLOCK --data "$lock" "$STATE_URL" >/dev/null' EXIT
  echo "took the state's lock"
}

# Writes the state after each resource, so it names all that exists even if the program is killed.
write_state() {
  # shellcheck disable=SC2086 # a word for each name
  names=$(printf '"%s",' $1)
  state="{\"serial\":$2,\"branch\":\"$BRANCH\",\"resources\":[${names%,}]}"
  remote --data "$state" "$STATE_URL?ID=deploy-$$" >/dev/null
}

case $1 in
  plan)
    with_lock
    state=$(remote "$STATE_URL")
    for name in $wanted; do
      if is_in_state "$name"; then echo "  = $name"; else echo "  + $name"; fi
    done
    ;;
  apply)
    with_lock
    state=$(remote "$STATE_URL")
    serial=$(printf '%s' "$state" | sed -n 's/.*"serial":\([0-9]*\).*/\1/p')
    made=''
    for name in $wanted; do if is_in_state "$name"; then made="$made $name"; fi; done
    for name in $wanted; do
      is_in_state "$name" && continue
      sh ../create.sh "$name" 2
      made="$made $name"
      serial=$((${serial:-0} + 1))
      write_state "$made" "$serial"
    done
    echo "applied branch $BRANCH"
    ;;
  output)
    remote "$STATE_URL"
    echo
    ;;
  *)
    echo "usage: deploy.sh plan|apply|output" >&2
    exit 2
    ;;
esac
