#!/bin/sh
# create.sh NAME SECONDS: pretends to create a resource, which takes that long.
# Prints its credentials, as a careless script would: the log must show them as ***.
set -eu
echo "$1: creating in $AWS_REGION with access key $AWS_ACCESS_KEY_ID"
second=1
while [ "$second" -le "$2" ]; do
  sleep 1
  echo "$1: $second of $2 seconds"
  second=$((second + 1))
done
echo "$1: created, and its state goes where the password is $STATE_PASSWORD"
