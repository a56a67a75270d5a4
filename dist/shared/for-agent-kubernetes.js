import{H as e,nt as t}from"./for-github-agent-kubernetes-ci-export.js";const n=5e3;var r=class extends e{mayPass;constructor(e,{mayPass:t=!1,...n}){super(`target-error`,e,n),this.mayPass=t}},i=class extends r{name=`ExecutorUnavailableError`;mayBeStarting;constructor(e,t){super(e,{fault:`executor`,mayPass:!0,...t}),this.mayBeStarting=t.mayBeStarting??!1}},a=class extends r{name=`ImageError`},o=class extends r{name=`ContainerError`;constructor(e,t){super(e,{fault:`executor`,...t})}},s=class extends e{name=`ContainerLostError`;reason;constructor(e,t){super(`failed`,e,t),this.reason=t.reason}};function c(e){return/^[a-z0-9][\w./:@-]*$/i.test(e)&&!e.includes(`..`)&&e.length<=1024}function l(e){let[n=``,r]=e.split(`@`,2),i=n.indexOf(`:`,n.lastIndexOf(`/`)+1),a=i<0?n:n.slice(0,i),o=a.indexOf(`/`),s=o<0?``:a.slice(0,o),c=/[.:]/.test(s)||s===`localhost`||s!==s.toLowerCase(),l=!c||s===`index.docker.io`?`docker.io`:s,u=c?a.slice(o+1):a;return{registry:l,repository:`${l}/${l===`docker.io`&&!u.includes(`/`)&&u!==`**`?`library/`:``}${u}`,pullable:i<0&&r===void 0?`${e}:latest`:e,...t({tag:i<0?void 0:n.slice(i+1),digest:r})}}function u({registry:e}){return e===`docker.io`?`https://index.docker.io/v1/`:e}function d(e,t){let n=l(e),r=t.repoDigests.filter(e=>l(e).repository===n.repository);return r.find(e=>n.digest!==void 0&&e.endsWith(`@${n.digest}`))??r[0]??t.id}const f=`memory() {
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
`;function p(e){let[,t,n]=/^(\d{1,18}) (\d{1,18})$/.exec(e)??[];return t===void 0?void 0:Math.max(0,Number(t)-Number(n))}const m=`# Of a process, only its stat is read, which is one line. bash reads ahead and seeks back to the end of the line: once the process has
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
`,h=m+`# Calls "$1" for each process in the session of $leader that is not in its group, with $pid, $group and $line set.
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
`,g=`state() {
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
`);this.#n=(t.pop()??``).slice(0,v);for(let e of t){let[,t,n,r=`0`]=/^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(e)??[];t===void 0?this.note(e):n===void 0?this.leader===void 0&&(this.leader=Number(t),this.#e.resolve(this.leader)):this.end={code:Number(t),state:_(n),bytes:Number(r)}}}note(e){this.#t=`${this.#t} ${e}`.trimStart().slice(0,v)}close(){this.#e.resolve(void 0)}};const b=/no space left on device|disk quota exceeded/i,x=/\b(ip6?tables|nftables|nft)\b.*(failed|No chain|does not exist|exit status)|Failed to Setup IP tables/is;function S(e,t){if(b.test(e))return`Free disk space for the engine's ${t}.`;if(x.test(e))return`Restart the engine, which then makes its firewall rules again: the host's firewall has removed them, or the engine can't set them.`}function C(e){return e.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s"]*/gi,`URL`).replace(/\bsha256:[0-9a-f]+/gi,`DIGEST`).replace(/(?<![\w.<])\/[^\s":<>]+/g,`PATH`).replace(/(\[[0-9a-f:]+\]|[\w-]+(\.[\w-]+)*):\d{2,5}\b/gi,`ADDRESS`)}function w(e){let t=e.replace(/[\p{Cc}\s]+/gu,` `).trim();return(t.length>500?`${t.slice(0,500)}…`:t).replace(/\.+$/,``)}const T=[401,403],E=/toomanyrequests|too many requests|(rate|pull|request) limit|rate exceeded|quota exceeded|throttl/i,D=/no matching manifest|does not match the specified platform|no match for platform|no image found in (manifest list|image index)|image operating system .* cannot be used/i,O=/x509:|certificate|server gave HTTP response to HTTPS client/i,k=/\b(unauthorized|denied|forbidden)\b|no basic auth|authentication required|authorization failed|incorrect username/i,A=/dial tcp|no such host|i\/o timeout|connection (refused|reset|timed out)|TLS handshake timeout|Client\.Timeout|deadline exceeded|request canceled|network is unreachable|no route to host|broken pipe|service unavailable|bad gateway|internal server error|GOAWAY|stream error|client connection lost|bad record MAC|closed network connection|short read|failed size validation|expected HTTP 206/i,j=/\bEOF\b/,M=/lease does not exist|content digest .*not found|commit failed: rename .*no such file|parent snapshot .*does not exist/i,N=/no basic auth|authentication required|incorrect username|token (has )?expired|\bunauthorized\b|\b401\b/i,P=/media ?type|unsupported|schema ?1/i,F=/unknown blob|could not fetch content descriptor|blob unknown/i,I=/(manifest|name) unknown|repository name not known|\bnot found\b/i,L=/^error from registry:/;function R({message:e,status:t},n){let{image:r,by:i,platform:a}=n,o=G(e,r),s=t===429?429:K(o);if(/invalid reference format|repository name must be|invalid checksum digest|cannot contain/i.test(o))return B(`"${r}" is not a valid image name: correct it in the deployment settings.`);if(D.test(o))return B(`Use an image built for ${a??`this platform`}, or a runner pool of another platform.`);if(s===429||E.test(o))return H(U(i));let c=S(o,`images`);if(c!==void 0)return V(c);if(M.test(o))return H(`Another program removed content while it was pulled, such as docker image prune: run none during jobs.`);if(O.test(o))return V(`Make the engine trust the registry: install its certificate in the engine's certs.d, or list it under insecure-registries.`);if(s!==void 0&&s>=500||A.test(o)||j.test(o))return H(z);if(T.includes(s??0)||k.test(o)){let e=W(i);return i===`runner`&&N.test(o)?V(e):B(e)}if(F.test(o))return B(`The registry lacks a part of the image: push the image again.`);if(s===404||I.test(o))return B(`Check the image's name and tag: the registry has no such image.`);if(L.test(o))return H(`See the registry's status, or try again later.`);let l="Check the image, and that the engine can pull it (`docker pull` shows the same error).";return P.test(o)?B(l):V(l)}const z=`Check that the engine reaches the registry (network, proxy of the engine).`;function B(e){return{passes:!1,fault:`deployment`,advice:e}}function V(e){return{passes:!1,fault:`elsewhere`,advice:e}}function H(e){return{passes:!0,fault:`elsewhere`,advice:e}}function U(e){let t=`pull through a cache or a mirror, or try again later`;return e===void 0?`The registry's rate limit is reached, which is lowest without a login: set credentials for it in the deployment settings, run docker login on the runner, ${t}.`:`The registry's rate limit is reached, although the pull was signed in: ${t}.`}function W(e){return e===void 0?`Check the image's name; if it is private, set credentials for its registry in the deployment settings, or run docker login on the runner.`:`Check the image's name, and that the credentials ${e===`job`?`in the deployment settings`:`of the runner's Docker configuration`} may read it.`}function G(e,t){let{registry:n,repository:r,tag:i}=l(t),[a=t]=t.split(`@`,1),o=[t,a,r,r.slice(n.length+1),n].filter(e=>/[/:.]/.test(e)),s=e;for(let e of o)s=s.replaceAll(e,`NAME`);return i!==void 0&&(s=s.replaceAll(`manifest ${i} in`,`manifest TAG in`)),C(s).replace(/(response body): .*$/s,`$1`)}function K(e){let[,t]=/(?:\bstatus\b[^<]*?|\bHTTP |<title>)([45]\d\d)\b/.exec(e)??[];return t===void 0?void 0:Number(t)}async function q(e){return await Promise.allSettled(e),Promise.all(e)}async function J(e){return(await q(e)).flatMap(e=>e??[])}function Y(e){let t;return()=>(t??=e().catch(e=>{throw t=void 0,e}),t)}export{n as C,a as S,u as _,w as a,s as b,g as c,h as d,m as f,c as g,d as h,R as i,y as l,p as m,J as n,S as o,f as p,Y as r,C as s,q as t,_ as u,l as v,r as w,i as x,o as y};