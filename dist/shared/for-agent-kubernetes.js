import{B as e,Tt as t,t as n,vt as r}from"./for-github-agent-kubernetes.js";import{BlockList as i,isIP as a}from"node:net";import{Agent as o,request as s}from"node:http";import{domainToASCII as c}from"node:url";import{Agent as l,request as u}from"node:https";const d=5e3;var f=class extends r{constructor(e,t){super(`target-error`,e,t)}},p=class extends f{name=`ExecutorUnavailableError`},ee=class extends f{name=`ImageError`},m=class extends f{name=`ContainerError`},h=class extends r{name=`ContainerLostError`;reason;constructor(e,t){super(`failed`,e,t),this.reason=t.reason}};function te(e){return/^[a-z0-9][\w./:@-]*$/i.test(e)&&!e.includes(`..`)&&e.length<=1024}function g(t){let[n=``,r]=t.split(`@`,2),i=n.indexOf(`:`,n.lastIndexOf(`/`)+1),a=i<0?n:n.slice(0,i),o=a.indexOf(`/`),s=o<0?``:a.slice(0,o),c=/[.:]/.test(s)||s===`localhost`||s!==s.toLowerCase(),l=!c||s===`index.docker.io`?`docker.io`:s,u=c?a.slice(o+1):a;return{registry:l,repository:`${l}/${l===`docker.io`&&!u.includes(`/`)&&u!==`**`?`library/`:``}${u}`,pullable:i<0&&r===void 0?`${t}:latest`:t,...e({tag:i<0?void 0:n.slice(i+1),digest:r})}}function _({registry:e}){return e===`docker.io`?`https://index.docker.io/v1/`:e}function v(e,t){let n=g(e),r=t.repoDigests.filter(e=>g(e).repository===n.repository);return r.find(e=>n.digest!==void 0&&e.endsWith(`@${n.digest}`))??r[0]??t.id}var y=class extends Error{name=`ConnectError`;code;constructor(e,t,n){super(t,n),this.code=e}};function b(e,{address:n,variable:r}){let i=e.code===`ECONNRESET`||e.code===`EPIPE`||e.code===`UND_ERR_SOCKET`;return new y(`PRA-NET-03`,C(e,`the proxy ${n}`,r)??(i?`the proxy ${n} closed the connection (${t(e)}); check that ${r} names an HTTP proxy`:`the proxy ${n} can't be reached (${t(e)}); check that it runs and that ${r} names it`),{cause:e})}function x(e,t,n){let{address:r,authorization:i,variable:a,isFixed:o=!1}=t,s=`or ${o?`remove ${a}`:`add ${n.hostname} to NO_PROXY`} if this machine reaches it directly`;return new y(`PRA-NET-03`,`the proxy ${r} ${(e===401||e===407)&&i===void 0?`requires a user and a password (HTTP ${e}); set them in ${a}, as in http://USER:PASSWORD@HOST:PORT`:e===401||e===407?`refuses the user and password in ${a} (HTTP ${e}); correct them, with special characters written as %XX`:e===403?`forbids connections to ${n.host} (HTTP 403); have it allow them, ${s}`:`could not connect to ${n.host} (HTTP ${e}); see its log, ${s}`}`)}function S(e,t,n){let r=C(e,t.host,n);return r===void 0?e:new y(`PRA-NET-04`,r,{cause:e})}function C(e,t,n){let r=`code`in e?String(e.code):``;switch(r){case`UNABLE_TO_GET_ISSUER_CERT`:case`UNABLE_TO_GET_ISSUER_CERT_LOCALLY`:case`UNABLE_TO_VERIFY_LEAF_SIGNATURE`:case`SELF_SIGNED_CERT_IN_CHAIN`:case`CERT_UNTRUSTED`:return`the certificate of ${t} comes from an authority that isn't trusted here (${r}); set ca_certificate to the authority's certificate`;case`DEPTH_ZERO_SELF_SIGNED_CERT`:return`the certificate of ${t} is self-signed (${r}); set ca_certificate to that certificate`;case`CERT_HAS_EXPIRED`:return`the certificate of ${t} has expired (${r}); have it renewed, or check this machine's clock`;case`CERT_NOT_YET_VALID`:return`the certificate of ${t} isn't valid yet (${r}); check this machine's clock`;case`ERR_TLS_CERT_ALTNAME_INVALID`:return`the certificate of ${t} is for another name (${w(e)}); correct ${n}, or the certificate`;case`EPROTO`:case`ERR_SSL_WRONG_VERSION_NUMBER`:case`ERR_SSL_PACKET_LENGTH_TOO_LONG`:return`${t} doesn't speak TLS (${r}); check scheme and port in ${n}`;default:return}}function w(e){let{cert:t}=e,n=typeof t==`object`&&t&&`subjectaltname`in t?t.subjectaltname:void 0;return typeof n==`string`?n.slice(0,200):`it names none`}const T=new i;T.addSubnet(`::ffff:0:0`,96,`ipv6`);function E(e,t){return e.toLowerCase().split(/[\s,]+/).some(e=>e!==``&&(e===`*`||D(e,t)))}function D(e,{hostname:t,port:n}){let r=M(t),[,i,o]=/^(.+)\/(\d{1,3})$/.exec(e)??[];if(i!==void 0)return k(r,i,Number(o));let s=O(e);if(s===void 0||s.port!==``&&s.port!==String(n))return!1;let{name:c}=s;if(a(c)!==0)return k(r,c,a(c)===4?32:128);let l=c.replace(/^\*\./,`.`);return l.startsWith(`.`)?r.endsWith(`.${N(l.slice(1))}`):l!==``&&(r===N(l)||r.endsWith(`.${N(l)}`))}function O(e){if(a(e)!==0)return{name:e,port:``};let[,t,n,r=``]=/^(?:\[(.*)\]|([^:]*))(?::([^:]*))?$/.exec(e)??[],i=t??n;return i===void 0?void 0:{name:i,port:r}}function k(e,t,n){if(a(e)===0||a(t)===0||n>(a(t)===4?32:128)||A(e)!==A(t))return!1;let r=new i;return r.addSubnet(t,n,j(t)),r.check(e,j(e))}function A(e){return a(e)===4||T.check(e,`ipv6`)}function j(e){return a(e)===4?`ipv4`:`ipv6`}function M(e){return e.replace(/^\[(.*)\]$/,`$1`)}function N(e){return c(e)||e}function P(e,t){let r=I(t,e.protocol===`https:`?`HTTPS_PROXY`:`HTTP_PROXY`),i={hostname:e.hostname,port:Number(e.port)||(e.protocol===`https:`?443:80)};if(r===void 0||n(i.hostname))return{};let a=I(t,`NO_PROXY`);return a!==void 0&&E(a.text,i)?{exempted:a.name}:{proxy:L(r)}}function F(e,t){return{...L({name:e,text:t}),isFixed:!0}}function I(e,t){for(let n of[t,t.toLowerCase()]){let t=e[n]?.trim();if(t)return{name:n,text:t}}}function L({name:e,text:t}){let n=URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(t)?t:`http://${t}`);if(n===null||n.protocol!==`http:`&&n.protocol!==`https:`){let t=`Failed to read ${e} for the agent: it is not the address of an HTTP proxy. Set one such as http://proxy.example.com:3128, or http://USER:PASSWORD@HOST:PORT with special characters as %XX.`;throw new r(`config-error`,t,{code:`PRA-CONFIG-03`})}let[i,a]=[R(n.username),R(n.password)],o=`${n.protocol}//${n.host}`;if(i===``&&a===``)return{address:o,secrets:[],variable:e};let s=Buffer.from(`${i}:${a}`).toString(`base64`),c=[s,n.password,a].filter(e=>e!==``);return{address:o,authorization:`Basic ${s}`,secrets:c,variable:e}}function R(e){try{return decodeURIComponent(e)}catch{return e}}function z({proxy:e,service:t,timeoutMs:n,trust:r}){let i=new URL(e.address),o=i.hostname.replace(/^\[|\]$/g,``),c=`${t.hostname}:${t.port||(t.protocol===`https:`?443:80)}`,{authorization:l}=e,d={host:c,connection:`keep-alive`,...l&&{"proxy-authorization":l}},f={method:`CONNECT`,host:o,port:i.port,path:c,headers:d,agent:!1},p={servername:a(o)===0?o:``,...r&&{secureContext:r}};return new Promise((r,a)=>{let o=i.protocol===`https:`?u({...f,...p}):s(f),c=setTimeout(()=>o.destroy(/* @__PURE__ */ Error(`no answer within ${n/1e3} s`)),n);o.once(`close`,()=>clearTimeout(c)),o.once(`error`,t=>a(b(t,e))),o.once(`connect`,({statusCode:n=0},i,o)=>{n>=200&&n<300?(o.length>0&&i.unshift(o),r(i)):(i.on(`error`,()=>void 0).destroy(),a(x(n,e,t)))}),o.end()})}function B(e){let t=e.service.protocol===`https:`,n=t?new l({keepAlive:!0}):new o({keepAlive:!0}),r=n.createConnection.bind(n),i=async n=>{let i=await z(e);if(!t)return i;try{return r(Object.assign({},n,{socket:i}))}catch(e){throw i.destroy(),e}};return n.createConnection=(e,t)=>{let n=t;i(e).then(e=>n?.(null,e),n)},n}function V(e){let t=e.replace(/[\p{Cc}\s]+/gu,` `).trim();return(t.length>500?`${t.slice(0,500)}…`:t).replace(/\.+$/,``)}function H(e){try{return JSON.parse(e)}catch{return}}function U(e){return W(H(Buffer.from(e.split(`.`)[1]??``,`base64url`).toString(`utf8`)))}function W(e){return typeof e==`object`&&e?e:{}}var G=class extends Error{name=`DeadlineError`;constructor(e){super(`no answer within ${Math.ceil(e/100)/10} s`)}};async function K(e,t,n,r){t.throwIfAborted();let i=new AbortController,a=Promise.withResolvers(),o=e=>{a.reject(e),i.abort(e)},s=()=>o(t.reason),c=setTimeout(()=>o(new G(e)),e);t.addEventListener(`abort`,s,{once:!0});try{let e=n(i.signal);return e.then(e=>i.signal.aborted&&r?.(e),()=>void 0),await Promise.race([e,a.promise])}finally{clearTimeout(c),t.removeEventListener(`abort`,s)}}async function q(e){return await Promise.allSettled(e),Promise.all(e)}async function J(e){return(await q(e)).flatMap(e=>e??[])}function Y(e){let t;return()=>(t??=e().catch(e=>{throw t=void 0,e}),t)}const X=`state() {
  kills=0 changed=0
  # cgroup v2, then v1.
  for counter in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$counter" ] || continue
    while read -r key value; do [ "$key" = oom_kill ] && kills=$value; done <"$counter"
  done
  # Never opened here: it may be a FIFO or a device.
  if [ -f "$1" ]; then [ -s "$1" ] && changed=1; elif [ -e "$1" ]; then changed=1; fi
  state="$kills $changed"
} 2>/dev/null`;function Z(e){let[,t,n]=/^(\d{1,9}) ([01])$/.exec(e)??[];return t===void 0?void 0:{oomKills:Number(t),environmentChanged:n===`1`}}const Q=1e3;var ne=class{leader;end;#e=Promise.withResolvers();begun=this.#e.promise;#t=``;#n=``;get unknown(){return`${this.#t} ${this.#n}`.trim().slice(0,Q)}startAnew(){this.#n=``}read(e){let t=(this.#n+e).split(`
`);this.#n=(t.pop()??``).slice(0,Q);for(let e of t){let[,t,n,r=`0`]=/^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(e)??[];t===void 0?this.note(e):n===void 0?this.leader===void 0&&(this.leader=Number(t),this.#e.resolve(this.leader)):this.end={code:Number(t),state:Z(n),bytes:Number(r)}}}note(e){this.#t=`${this.#t} ${e}`.trimStart().slice(0,Q)}close(){this.#e.resolve(void 0)}};const $=`# SIGINT is the second bit of the mask of handled signals (proc(5)); a zombie has none.
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
    if handles "$pid"; then able="$able$pid "; elif [ -p "/proc/$pid/fd/0" ] || [ -S "/proc/$pid/fd/0" ]; then others_of_group="$others_of_group $pid"; fi
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
} 2>/dev/null`,re=`memory() {
  memory_of memory.current memory.stat inactive_file ||
    memory_of memory/memory.usage_in_bytes memory/memory.stat total_inactive_file
}
memory_of() {
  read -r usage <"/sys/fs/cgroup/$1" || return
  # gVisor keeps no statistics.
  answer="$usage 0"
  while read -r key value; do [ "$key" = "$3" ] && answer="$usage $value"; done <"/sys/fs/cgroup/$2"
  return 0
} 2>/dev/null`;function ie(e){let[,t,n]=/^(\d{1,18}) (\d{1,18})$/.exec(e)??[];return t===void 0?void 0:Math.max(0,Number(t)-Number(n))}const ae=`${$}
# Calls "$1" for each process in the session of $leader that is not in its group, with $pid, $group and $line set.
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
} 2>/dev/null`;export{m as A,y as C,te as D,v as E,p as M,ee as N,_ as O,d as P,E as S,S as T,z as _,X as a,F as b,q as c,G as d,K as f,V as g,U as h,$ as i,h as j,g as k,J as l,H as m,re as n,ne as o,W as p,ie as r,Z as s,ae as t,Y as u,B as v,b as w,P as x,R as y};