folder=$1
trap '' HUP INT TERM
while read -r id verb a b; do
  [ -e "$folder/done-$id" ] && { echo "$id yes"; continue; }
  answer=no
  case $verb in
    beat) echo "$id" 1<>"$folder/beat" && answer=yes ;;
    signal) true >"$folder/done-$id"; [ "$a" != INT ] || true >"$folder/interrupted-$b"; signal "$a" "$b" ;;
    memory) memory ;;
  esac
  echo "$id $answer"
done
