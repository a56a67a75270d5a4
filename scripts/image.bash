# Sourced by the image scripts here: makes test images without a registry, again only if their recipe changes.

# The labels of a test image: its kind and the hash of its recipe.
kind_label=pulumi-runner-test.image
recipe_label=pulumi-runner-test.recipe

# image_is_current TAG RECIPE: whether TAG exists and was made by RECIPE (a hash); if so, prints that.
image_is_current() {
  [ "$(docker image inspect --format "{{index .Config.Labels \"$recipe_label\"}}" "$1" 2>/dev/null)" = "$2" ] && echo "$1 is up to date"
}

# image_id TAG: prints the ID of the image; nothing if there is none.
image_id() { docker image inspect --format '{{.Id}}' "$1" 2>/dev/null || true; }

# image_made TAG OLD_ID: reports the new image and removes the old one unless another tag or a container needs it.
image_made() {
  echo "made $1"
  if [ -n "$2" ] && [ "$(docker image inspect --format '{{len .RepoTags}}' "$2" 2>/dev/null)" = 0 ]; then
    docker image rm "$2" >/dev/null 2>&1 || true
  fi
}

# lay_out FOLDER: creates what any root file system needs: users 0 and 1000, mount points, a world-writable /tmp.
lay_out() {
  mkdir -p "$1"/{dev,etc,home,mnt,proc,root,run,sys,tmp,usr/bin,usr/sbin,usr/lib,usr/lib64,usr/local/bin,var/tmp}
  local folder
  for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$1/$folder"; done
  chmod 1777 "$1/tmp" "$1/var/tmp"
  # User 1000's home is /tmp: without root, this script can't create a folder that the user owns.
  printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'job:x:1000:1000:job:/tmp:/bin/sh' >"$1/etc/passwd"
  printf '%s\n' 'root:x:0:' 'job:x:1000:' >"$1/etc/group"
  printf 'passwd: files\ngroup: files\nhosts: files dns\n' >"$1/etc/nsswitch.conf"
}

# import_image TAG KIND RECIPE: makes an image from the tar archive on stdin.
import_image() {
  docker import --change "LABEL $kind_label=$2 $recipe_label=$3" \
    --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' --change 'CMD ["/bin/sh"]' - "$1" >/dev/null
}
