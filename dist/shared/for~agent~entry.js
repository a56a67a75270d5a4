import{Ct as e,R as t,gt as n}from"./for~action~post~plan~agent~entry.js";import{BlockList as r,isIP as i}from"node:net";import{Agent as a,request as o}from"node:http";import{domainToASCII as s}from"node:url";import{Agent as c,request as l}from"node:https";var u=class extends Error{name=`DeadlineError`;constructor(e){super(`no answer within ${Math.ceil(e/100)/10} s`)}};async function d(e,t,n,r){t.throwIfAborted();let i=new AbortController,a=Promise.withResolvers(),o=e=>{a.reject(e),i.abort(e)},s=()=>o(t.reason),c=setTimeout(()=>o(new u(e)),e);t.addEventListener(`abort`,s,{once:!0});try{let e=n(i.signal);return e.then(e=>i.signal.aborted&&r?.(e),()=>void 0),await Promise.race([e,a.promise])}finally{clearTimeout(c),t.removeEventListener(`abort`,s)}}const f=5e3;var p=class extends n{constructor(e,t){super(`target-error`,e,t)}},m=class extends p{name=`ExecutorUnavailableError`},h=class extends p{name=`ImageError`},g=class extends p{name=`ContainerError`},_=class extends n{name=`ContainerLostError`;reason;constructor(e,t){super(`failed`,e,t),this.reason=t.reason}};function v(e){return/^[a-z0-9][\w./:@-]*$/i.test(e)&&!e.includes(`..`)&&e.length<=1024}function y(e){let[n=``,r]=e.split(`@`,2),i=n.indexOf(`:`,n.lastIndexOf(`/`)+1),a=i<0?n:n.slice(0,i),o=a.indexOf(`/`),s=o<0?``:a.slice(0,o),c=/[.:]/.test(s)||s===`localhost`||s!==s.toLowerCase(),l=!c||s===`index.docker.io`?`docker.io`:s,u=c?a.slice(o+1):a;return{registry:l,repository:`${l}/${l===`docker.io`&&!u.includes(`/`)&&u!==`**`?`library/`:``}${u}`,pullable:i<0&&r===void 0?`${e}:latest`:e,...t({tag:i<0?void 0:n.slice(i+1),digest:r})}}function b({registry:e}){return e===`docker.io`?`https://index.docker.io/v1/`:e}function x(e,t){let n=y(e),r=t.repoDigests.filter(e=>y(e).repository===n.repository);return r.find(e=>n.digest!==void 0&&e.endsWith(`@${n.digest}`))??r[0]??t.id}function S(e){try{return JSON.parse(e)}catch{return}}function ee(e){return C(S(Buffer.from(e.split(`.`)[1]??``,`base64url`).toString(`utf8`)))}function C(e){return typeof e==`object`&&e?e:{}}function w(e){let t=e.replace(/[\p{Cc}\s]+/gu,` `).trim();return(t.length>500?`${t.slice(0,500)}…`:t).replace(/\.+$/,``)}async function T(e){return await Promise.allSettled(e),Promise.all(e)}async function E(e){return(await T(e)).flatMap(e=>e??[])}function D(e){let t;return()=>(t??=e().catch(e=>{throw t=void 0,e}),t)}const O=`state() {
  kills=0 changed=0
  # cgroup v2, then v1.
  for counter in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$counter" ] || continue
    while read -r key value; do [ "$key" = oom_kill ] && kills=$value; done <"$counter"
  done
  # Never opened here: it may be a FIFO or a device.
  if [ -f "$1" ]; then [ -s "$1" ] && changed=1; elif [ -e "$1" ]; then changed=1; fi
  state="$kills $changed"
} 2>/dev/null`;function k(e){let[,t,n]=/^(\d{1,9}) ([01])$/.exec(e)??[];return t===void 0?void 0:{oomKills:Number(t),environmentChanged:n===`1`}}const A=1e3;var j=class{leader;end;#e=Promise.withResolvers();begun=this.#e.promise;#t=``;#n=``;get unknown(){return`${this.#t} ${this.#n}`.trim().slice(0,A)}startAnew(){this.#n=``}read(e){let t=(this.#n+e).split(`
`);this.#n=(t.pop()??``).slice(0,A);for(let e of t){let[,t,n,r=`0`]=/^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(e)??[];t===void 0?this.note(e):n===void 0?this.leader===void 0&&(this.leader=Number(t),this.#e.resolve(this.leader)):this.end={code:Number(t),state:k(n),bytes:Number(r)}}}note(e){this.#t=`${this.#t} ${e}`.trimStart().slice(0,A)}close(){this.#e.resolve(void 0)}};const M=`# SIGINT is the second bit of the mask of handled signals (proc(5)); a zombie has none.
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
} 2>/dev/null`,te=`memory() {
  memory_of memory.current memory.stat inactive_file ||
    memory_of memory/memory.usage_in_bytes memory/memory.stat total_inactive_file
}
memory_of() {
  read -r usage <"/sys/fs/cgroup/$1" || return
  # gVisor keeps no statistics.
  answer="$usage 0"
  while read -r key value; do [ "$key" = "$3" ] && answer="$usage $value"; done <"/sys/fs/cgroup/$2"
  return 0
} 2>/dev/null`;function ne(e){let[,t,n]=/^(\d{1,18}) (\d{1,18})$/.exec(e)??[];return t===void 0?void 0:Math.max(0,Number(t)-Number(n))}const re=`${M}
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
} 2>/dev/null`;var N=class extends Error{name=`ConnectError`;code;constructor(e,t,n){super(t,n),this.code=e}};function P(t,{address:n,variable:r}){let i=t.code===`ECONNRESET`||t.code===`EPIPE`||t.code===`UND_ERR_SOCKET`;return new N(`PRA-NET-03`,L(t,`the proxy ${n}`,r)??(i?`the proxy ${n} closed the connection (${e(t)}); check that ${r} names an HTTP proxy`:`the proxy ${n} can't be reached (${e(t)}); check that it runs and that ${r} names it`),{cause:t})}function F(e,t,n){let{address:r,authorization:i,variable:a,isFixed:o=!1}=t,s=`or ${o?`remove ${a}`:`add ${n.hostname} to NO_PROXY`} if this machine reaches it directly`;return new N(`PRA-NET-03`,`the proxy ${r} ${(e===401||e===407)&&i===void 0?`requires a user and a password (HTTP ${e}); set them in ${a}, as in http://USER:PASSWORD@HOST:PORT`:e===401||e===407?`refuses the user and password in ${a} (HTTP ${e}); correct them, with special characters written as %XX`:e===403?`forbids connections to ${n.host} (HTTP 403); have it allow them, ${s}`:`could not connect to ${n.host} (HTTP ${e}); see its log, ${s}`}`)}function I(e,t,n){let r=L(e,t.host,n);return r===void 0?e:new N(`PRA-NET-04`,r,{cause:e})}function L(e,t,n){let r=`code`in e?String(e.code):``;switch(r){case`UNABLE_TO_GET_ISSUER_CERT`:case`UNABLE_TO_GET_ISSUER_CERT_LOCALLY`:case`UNABLE_TO_VERIFY_LEAF_SIGNATURE`:case`SELF_SIGNED_CERT_IN_CHAIN`:case`CERT_UNTRUSTED`:return`the certificate of ${t} comes from an authority that isn't trusted here (${r}); set ca_certificate to the authority's certificate`;case`DEPTH_ZERO_SELF_SIGNED_CERT`:return`the certificate of ${t} is self-signed (${r}); set ca_certificate to that certificate`;case`CERT_HAS_EXPIRED`:return`the certificate of ${t} has expired (${r}); have it renewed, or check this machine's clock`;case`CERT_NOT_YET_VALID`:return`the certificate of ${t} isn't valid yet (${r}); check this machine's clock`;case`ERR_TLS_CERT_ALTNAME_INVALID`:return`the certificate of ${t} is for another name (${R(e)}); correct ${n}, or the certificate`;case`EPROTO`:case`ERR_SSL_WRONG_VERSION_NUMBER`:case`ERR_SSL_PACKET_LENGTH_TOO_LONG`:return`${t} doesn't speak TLS (${r}); check scheme and port in ${n}`;default:return}}function R(e){let{cert:t}=e,n=typeof t==`object`&&t&&`subjectaltname`in t?t.subjectaltname:void 0;return typeof n==`string`?n.slice(0,200):`it names none`}const z=new r;z.addSubnet(`::ffff:0:0`,96,`ipv6`);function B({hostname:e}){let t=q(e);return/^(.+\.)?localhost$/.test(t)||W(t,`127.0.0.0`,8)||W(t,`::1`,128)}function V(e,t){return e.toLowerCase().split(/[\s,]+/).some(e=>e!==``&&(e===`*`||H(e,t)))}function H(e,{hostname:t,port:n}){let r=q(t),[,a,o]=/^(.+)\/(\d{1,3})$/.exec(e)??[];if(a!==void 0)return W(r,a,Number(o));let s=U(e);if(s===void 0||s.port!==``&&s.port!==String(n))return!1;let{name:c}=s;if(i(c)!==0)return W(r,c,i(c)===4?32:128);let l=c.replace(/^\*\./,`.`);return l.startsWith(`.`)?r.endsWith(`.${J(l.slice(1))}`):l!==``&&(r===J(l)||r.endsWith(`.${J(l)}`))}function U(e){if(i(e)!==0)return{name:e,port:``};let[,t,n,r=``]=/^(?:\[(.*)\]|([^:]*))(?::([^:]*))?$/.exec(e)??[],a=t??n;return a===void 0?void 0:{name:a,port:r}}function W(e,t,n){if(i(e)===0||i(t)===0||n>(i(t)===4?32:128)||G(e)!==G(t))return!1;let a=new r;return a.addSubnet(t,n,K(t)),a.check(e,K(e))}function G(e){return i(e)===4||z.check(e,`ipv6`)}function K(e){return i(e)===4?`ipv4`:`ipv6`}function q(e){return e.replace(/^\[(.*)\]$/,`$1`)}function J(e){return s(e)||e}function Y(e,t){let n=X(t,e.protocol===`https:`?`HTTPS_PROXY`:`HTTP_PROXY`),r={hostname:e.hostname,port:Number(e.port)||(e.protocol===`https:`?443:80)};if(n===void 0||B(r))return{};let i=X(t,`NO_PROXY`);return i!==void 0&&V(i.text,r)?{exempted:i.name}:{proxy:Z(n)}}function ie(e,t){return{...Z({name:e,text:t}),isFixed:!0}}function X(e,t){for(let n of[t,t.toLowerCase()]){let t=e[n]?.trim();if(t)return{name:n,text:t}}}function Z({name:e,text:t}){let r=URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(t)?t:`http://${t}`);if(r===null||r.protocol!==`http:`&&r.protocol!==`https:`){let t=`Failed to read ${e} for the agent: it is not the address of an HTTP proxy. Set one such as http://proxy.example.com:3128, or http://USER:PASSWORD@HOST:PORT with special characters as %XX.`;throw new n(`config-error`,t,{code:`PRA-CONFIG-03`})}let[i,a]=[Q(r.username),Q(r.password)],o=`${r.protocol}//${r.host}`;if(i===``&&a===``)return{address:o,secrets:[],variable:e};let s=Buffer.from(`${i}:${a}`).toString(`base64`),c=[s,r.password,a].filter(e=>e!==``);return{address:o,authorization:`Basic ${s}`,secrets:c,variable:e}}function Q(e){try{return decodeURIComponent(e)}catch{return e}}function $({proxy:e,service:t,timeoutMs:n,trust:r}){let a=new URL(e.address),s=a.hostname.replace(/^\[|\]$/g,``),c=`${t.hostname}:${t.port||(t.protocol===`https:`?443:80)}`,{authorization:u}=e,d={host:c,connection:`keep-alive`,...u&&{"proxy-authorization":u}},f={method:`CONNECT`,host:s,port:a.port,path:c,headers:d,agent:!1},p={servername:i(s)===0?s:``,...r&&{secureContext:r}};return new Promise((r,i)=>{let s=a.protocol===`https:`?l({...f,...p}):o(f),c=setTimeout(()=>s.destroy(/* @__PURE__ */ Error(`no answer within ${n/1e3} s`)),n);s.once(`close`,()=>clearTimeout(c)),s.once(`error`,t=>i(P(t,e))),s.once(`connect`,({statusCode:n=0},a,o)=>{n>=200&&n<300?(o.length>0&&a.unshift(o),r(a)):(a.on(`error`,()=>void 0).destroy(),i(F(n,e,t)))}),s.end()})}function ae(e){let t=e.service.protocol===`https:`,n=t?new c({keepAlive:!0}):new a({keepAlive:!0}),r=n.createConnection.bind(n),i=async n=>{let i=await $(e);if(!t)return i;try{return r(Object.assign({},n,{socket:i}))}catch(e){throw i.destroy(),e}};return n.createConnection=(e,t)=>{let n=t;i(e).then(e=>n?.(null,e),n)},n}export{m as A,ee as C,y as D,b as E,f as M,u as N,g as O,d as P,S,v as T,T as _,Y as a,w as b,P as c,te as d,ne as f,k as g,j as h,ie as i,h as j,_ as k,I as l,O as m,ae as n,V as o,M as p,Q as r,N as s,$ as t,re as u,E as v,x as w,C as x,D as y};