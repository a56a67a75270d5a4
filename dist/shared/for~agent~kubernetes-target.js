import{i as e}from"./for~action~post~plan~agent~kubernetes-target.js";var t=class extends e{name=`TargetUnavailableError`;constructor(e,t){super(`target-error`,e,t)}},n=class extends e{name=`ImageError`;constructor(e,t){super(`target-error`,e,t)}},r=class extends e{name=`ContainerError`;constructor(e,t){super(`target-error`,e,t)}},i=class extends e{name=`ContainerLostError`;reason;constructor(e,t){super(`failed`,e,t),this.reason=t?.reason}};function a(e){return/^[a-z0-9][\w./:@-]*$/i.test(e)&&!e.includes(`..`)&&e.length<=1024}function o(e){let[t=``,n]=e.split(`@`,2),r=t.indexOf(`:`,t.lastIndexOf(`/`)+1),i=r<0?t:t.slice(0,r),a=i.indexOf(`/`),o=a<0?``:i.slice(0,a),s=/[.:]/.test(o)||o===`localhost`||o!==o.toLowerCase(),c=!s||o===`index.docker.io`?`docker.io`:o,l=s?i.slice(a+1):i;return{registry:c,repository:`${c}/${c===`docker.io`&&!l.includes(`/`)&&l!==`**`?`library/`:``}${l}`,pullable:r<0&&n===void 0?`${e}:latest`:e,...r<0?{}:{tag:t.slice(r+1)},...n===void 0?{}:{digest:n}}}function s(e,t){let n=o(e),r=t.repoDigests.filter(e=>o(e).repository===n.repository);return r.find(e=>n.digest!==void 0&&e.endsWith(`@${n.digest}`))??r[0]??t.id}var c=class extends Error{name=`DeadlineError`;constructor(e){super(`no answer within ${Math.ceil(e/100)/10} s`)}};const l=new AbortController().signal;async function u(e,t,n,r){t.throwIfAborted();let i=new AbortController,a=Promise.withResolvers(),o=!1,s=e=>{o=!0,a.reject(e),i.abort(e)},l=()=>s(t.reason),u=setTimeout(()=>s(new c(e)),e);t.addEventListener(`abort`,l,{once:!0});try{let e=n(i.signal);return e.then(e=>o&&r?.(e),()=>void 0),await Promise.race([e,a.promise])}finally{clearTimeout(u),t.removeEventListener(`abort`,l)}}function d(e){let t=e.replace(/[\p{Cc}\s]+/gu,` `).trim();return(t.length>500?`${t.slice(0,500)}…`:t).replace(/\.+$/,``)}const f=`file() {
  umask 022
  if [ ! -e "$2" ] && [ ! -L "$2" ] && { [ -d "\${2%/*}/" ] || mkdir -p "\${2%/*}/"; }; then
    umask "$1"
    printf %b "$3" >"$2" && answer=yes
    umask 022
  fi
} 2>/dev/null`;function p({path:e,mode:t,content:n}){if(/^\/[\w./+=@:-]+$/.test(e))return`file ${(511&~t).toString(8).padStart(4,`0`)} ${e} ${m(n)}`}function m(e){return Buffer.from(e).toString(`latin1`).replace(/[^A-Za-z0-9_./=+-]/g,e=>`\\0${e.charCodeAt(0).toString(8).padStart(3,`0`)}`)}const h=`state() {
  kills=0 changed=0
  # cgroup v2, then v1.
  for counter in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$counter" ] || continue
    while read -r key value; do [ "$key" = oom_kill ] && kills=$value; done <"$counter"
  done
  # Never opened here: it may be a FIFO or a device.
  if [ -f "$1" ]; then [ -s "$1" ] && changed=1; elif [ -e "$1" ]; then changed=1; fi
  state="$kills $changed"
} 2>/dev/null`;function g(e){let[,t,n]=/^(\d{1,9}) ([01])$/.exec(e)??[];return t===void 0?void 0:{oomKills:Number(t),environmentChanged:n===`1`}}const _=`# SIGINT is the second bit of the mask of handled signals (proc(5)); a zombie has none.
handles() {
  while read -r key value; do
    case $key in SigCgt:) case $value in *[2367abef]) return 0 ;; *) return 1 ;; esac ;; esac
  done <"/proc/$1/status"
  return 1
} 2>/dev/null
# Whether process $1 writes into the pipe that process $2 reads. The pipes of ksh93 are pairs of sockets, whose ends have nothing in
# common to see; a step has no other sockets there.
feeds() {
  [ "/proc/$1/fd/1" -ef "/proc/$2/fd/0" ] || [ "/proc/$1/fd/2" -ef "/proc/$2/fd/0" ] ||
    { [ -S "/proc/$1/fd/1" ] && [ -S "/proc/$2/fd/0" ]; }
}
interrupt() {
  leader=$1 able=' ' others_of_group=
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    [ "$3" = "$leader" ] || continue
    if handles "$pid"; then able="$able$pid "; elif [ -p "/proc/$pid/fd/0" ] || [ -S "/proc/$pid/fd/0" ]; then others_of_group="$others_of_group $pid"; fi
  done
  spared=' ' more=1
  while [ -n "$more" ]; do
    more=
    for reader in $others_of_group; do
      case $spared in *" $reader "*) continue ;; esac
      for writer in $able $spared; do
        if [ "$writer" != "$leader" ] && feeds "$writer" "$reader"; then
          spared="$spared$reader " more=1
          break
        fi
      done
    done
  done
  [ "$spared" != ' ' ] || { kill -INT "-$leader"; return; }
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    [ "$3" = "$leader" ] || continue
    case $spared in *" $pid "*) ;; *) kill -INT "$pid" ;; esac
  done
  return 0
} 2>/dev/null
await_finish() {
  leader=$1 able=
  # The signal may meet what a shell waits for a moment sooner than the shell. It doesn't come where 130 is the step's own exit code.
  [ -n "$stopped" ] || { sleep 1; [ -n "$stopped" ] || return; }
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    [ "$4" = "$leader" ] && [ "$pid" != "$leader" ] || continue
    # timeout(1) has a process group of its own, with its command.
    name=
    [ "$3" = "$leader" ] || read -r name <"/proc/$3/comm"
    { [ "$3" = "$leader" ] || [ "$name" = timeout ]; } && handles "$pid" && able="$able $pid"
  done
  for pid in $able; do
    while runs "$pid"; do sleep 0.1 || sleep 1 || return; done
  done
} 2>/dev/null
runs() {
  while read -r key value; do
    case $key in State:) case $value in [ZX]*) return 1 ;; *) return 0 ;; esac ;; esac
  done <"/proc/$1/status"
  return 1
} 2>/dev/null`,v=`${_}
# Calls "$1" for each process in the session of $leader that is not in its group, with $pid, $group and $line set.
others() {
  action=$1
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    group=$3
    [ "$4" = "$leader" ] && [ "$group" != "$leader" ] && "$action"
  done
}
find_timeout() {
  case $line in "$pid (timeout) "*) [ "$pid" = "$group" ] && timeouts="$timeouts$pid " ;; esac
}
below_timeout() {
  case $timeouts in *" $group "*) [ "$pid" = "$group" ] || kill "-$name" "$pid" ;; esac
}
whole_group() { kill "-$name" "-$group"; }

# As a terminal would: the step's process group. Pulumi's plugins are in groups of their own just so that they can end
# their work; timeout(1) too is in one, with its command, which would miss the signal (timeout itself would send it on
# twice). SIGKILL takes the whole session.
# Exactly "kill -NAME -GROUP" works everywhere: dash refuses "--" after a name, ash reports it as a failure.
signal() {
  name=$1 leader=$2 timeouts=' '
  if [ "$name" = INT ]; then interrupt "$leader"; else kill "-$name" "-$leader"; fi && answer=yes
  if [ "$name" = KILL ]; then
    others whole_group
  else
    others find_timeout
    [ "$timeouts" = ' ' ] || others below_timeout
  fi
} 2>/dev/null`;async function y(e){let t=await Promise.allSettled(e),n=t.find(e=>e.status===`rejected`);if(n!==void 0)throw n.reason;return t.flatMap(e=>e.status===`fulfilled`?[e.value]:[])}async function b(e){return(await y(e)).flatMap(e=>e??[])}export{i as _,h as a,p as c,l as d,u as f,r as g,o as h,_ as i,d as l,a as m,b as n,g as o,s as p,v as r,f as s,y as t,c as u,n as v,t as y};