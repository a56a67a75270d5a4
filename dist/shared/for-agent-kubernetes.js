import{R as e,l as t}from"./for-github-agent-kubernetes-ci-export.js";const n=5e3;var r=class extends e{constructor(e,t){super(`target-error`,e,t)}},i=class extends r{name=`ExecutorUnavailableError`},a=class extends r{name=`ImageError`},o=class extends r{name=`ContainerError`},s=class extends e{name=`ContainerLostError`;reason;constructor(e,t){super(`failed`,e,t),this.reason=t.reason}};function c(e){return/^[a-z0-9][\w./:@-]*$/i.test(e)&&!e.includes(`..`)&&e.length<=1024}function l(e){let[n=``,r]=e.split(`@`,2),i=n.indexOf(`:`,n.lastIndexOf(`/`)+1),a=i<0?n:n.slice(0,i),o=a.indexOf(`/`),s=o<0?``:a.slice(0,o),c=/[.:]/.test(s)||s===`localhost`||s!==s.toLowerCase(),l=!c||s===`index.docker.io`?`docker.io`:s,u=c?a.slice(o+1):a;return{registry:l,repository:`${l}/${l===`docker.io`&&!u.includes(`/`)&&u!==`**`?`library/`:``}${u}`,pullable:i<0&&r===void 0?`${e}:latest`:e,...t({tag:i<0?void 0:n.slice(i+1),digest:r})}}function u({registry:e}){return e===`docker.io`?`https://index.docker.io/v1/`:e}function d(e,t){let n=l(e),r=t.repoDigests.filter(e=>l(e).repository===n.repository);return r.find(e=>n.digest!==void 0&&e.endsWith(`@${n.digest}`))??r[0]??t.id}function f(e){let t=e.replace(/[\p{Cc}\s]+/gu,` `).trim();return(t.length>500?`${t.slice(0,500)}…`:t).replace(/\.+$/,``)}async function p(e){return await Promise.allSettled(e),Promise.all(e)}async function m(e){return(await p(e)).flatMap(e=>e??[])}function h(e){let t;return()=>(t??=e().catch(e=>{throw t=void 0,e}),t)}const g=`state() {
  kills=0 changed=0
  # cgroup v2, then v1.
  for counter in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$counter" ] || continue
    while read -r key value; do [ "$key" = oom_kill ] && kills=$value; done <"$counter"
  done
  # Never opened here: it may be a FIFO or a device.
  if [ -f "$1" ]; then [ -s "$1" ] && changed=1; elif [ -e "$1" ]; then changed=1; fi
  state="$kills $changed"
} 2>/dev/null
`;function _(e){let[,t,n]=/^(\d{1,9}) ([01])$/.exec(e)??[];return t===void 0?void 0:{oomKills:Number(t),environmentChanged:n===`1`}}const v=1e3;var y=class{leader;end;#e=Promise.withResolvers();begun=this.#e.promise;#t=``;#n=``;get unknown(){return`${this.#t} ${this.#n}`.trim().slice(0,v)}startAnew(){this.#n=``}read(e){let t=(this.#n+e).split(`
`);this.#n=(t.pop()??``).slice(0,v);for(let e of t){let[,t,n,r=`0`]=/^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(e)??[];t===void 0?this.note(e):n===void 0?this.leader===void 0&&(this.leader=Number(t),this.#e.resolve(this.leader)):this.end={code:Number(t),state:_(n),bytes:Number(r)}}}note(e){this.#t=`${this.#t} ${e}`.trimStart().slice(0,v)}close(){this.#e.resolve(void 0)}};const b=`# Of a process, only its stat is read, which is one line. bash reads ahead and seeks back to the end of the line: once the process has
# ended that fails, and all that bash reads from then on, from any file, begins with the rest.
# SIGINT is the second bit of $1, the mask of handled signals in the stat (proc(5)).
handles() { [ $((\${1:-0} & 2)) != 0 ]; }
# Whether process $1 writes into the pipe that process $2 reads. The pipes of ksh93 are pairs of sockets, whose ends have nothing in
# common to see; a step has no other sockets there.
feeds() {
  [ "/proc/$1/fd/1" -ef "/proc/$2/fd/0" ] || [ "/proc/$1/fd/2" -ef "/proc/$2/fd/0" ] ||
    { [ -S "/proc/$1/fd/1" ] && [ -S "/proc/$2/fd/0" ]; }
}
# A caller with a deadline defines it anew: a job can have so many processes that the search below takes hours.
in_time() { :; }
interrupt() {
  leader=$1 able=' ' others_of_group=
  for stat in /proc/[0-9]*/stat; do
    in_time || break
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    [ "$3" = "$leader" ] || continue
    if handles "\${32}"; then able="$able$pid "; elif [ -p "/proc/$pid/fd/0" ] || [ -S "/proc/$pid/fd/0" ]; then others_of_group="$others_of_group $pid"; fi
  done
  spared=' ' more=1
  while [ -n "$more" ]; do
    more=
    for reader in $others_of_group; do
      case $spared in *" $reader "*) continue ;; esac
      in_time || break 2
      for writer in $able $spared; do
        if [ "$writer" != "$leader" ] && feeds "$writer" "$reader"; then
          spared="$spared$reader " more=1
          break
        fi
      done
    done
  done
  [ "$spared" != ' ' ] || { kill -INT "-$leader"; return; }
  # The shell that waits for the step must know of the interrupt before the step dies of it: it is the leader or a child of that.
  children= rest=
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    [ "$3" = "$leader" ] && [ "$pid" != "$leader" ] || continue
    case $spared in *" $pid "*) continue ;; esac
    if [ "$2" = "$leader" ]; then children="$children $pid"; else rest="$rest $pid"; fi
  done
  for pid in "$leader" $children $rest; do kill -INT "$pid"; done
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
    [ "$4" = "$leader" ] && [ "$pid" != "$leader" ] && handles "\${32}" || continue
    if [ "$3" != "$leader" ]; then
      # timeout(1) has a process group of its own, with its command.
      read -r line <"/proc/$3/stat" || continue
      case $line in "$3 (timeout) "*) ;; *) continue ;; esac
    fi
    able="$able $pid"
  done
  for pid in $able; do
    while runs "$pid"; do sleep 0.1 || sleep 1 || return; done
  done
} 2>/dev/null
runs() {
  read -r line <"/proc/$1/stat" || return
  set -- \${line##*)}
  case $1 in [ZX]) return 1 ;; esac
} 2>/dev/null
`,x=`memory() {
  memory_of memory.current memory.stat inactive_file ||
    memory_of memory/memory.usage_in_bytes memory/memory.stat total_inactive_file
}
memory_of() {
  read -r usage <"/sys/fs/cgroup/$1" || return
  # gVisor keeps no statistics.
  answer="$usage 0"
  while read -r key value; do [ "$key" = "$3" ] && answer="$usage $value"; done <"/sys/fs/cgroup/$2"
  return 0
} 2>/dev/null
`;function S(e){let[,t,n]=/^(\d{1,18}) (\d{1,18})$/.exec(e)??[];return t===void 0?void 0:Math.max(0,Number(t)-Number(n))}const C=b+`# Calls "$1" for each process in the session of $leader that is not in its group, with $pid, $group and $line set.
others() {
  action=$1
  for stat in /proc/[0-9]*/stat; do
    in_time || break
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
} 2>/dev/null
`;export{s as _,g as a,n as b,p as c,f as d,d as f,o as g,l as h,b as i,m as l,u as m,x as n,y as o,c as p,S as r,_ as s,C as t,h as u,i as v,a as y};