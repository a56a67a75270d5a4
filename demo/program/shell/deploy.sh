#!/bin/sh
# deploy.sh plan|apply|output: a deployment in plain shell. What exists is in its state, which is at STATE_URL; the one that
# changes it takes its lock first.
set -eu
wanted='network database service-0 service-1 service-2'

remote() { curl --silent --show-error --fail-with-body --user "$STATE_USERNAME:$STATE_PASSWORD" "$@"; }
is_in_state() { printf '%s' "$state" | grep -q "\"$1\""; }

lock="{\"ID\":\"deploy-$$\",\"Operation\":\"$1\",\"Who\":\"deploy.sh\"}"
with_lock() {
  # Where another holds it, the answer says who.
  remote --request LOCK --data "$lock" "$STATE_URL"
  trap 'remote --request UNLOCK --data "$lock" "$STATE_URL" >/dev/null' EXIT
  echo "took the state's lock"
}

# Each resource is written as soon as it is there: whatever ends this program, the state says what it made.
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
