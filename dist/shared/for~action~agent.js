import{B as e,G as t,U as n,V as r,W as i,q as a}from"./for~action~post~plan~agent.js";import{r as o}from"./for~action~post~plan~agent~kubernetes-target.js";const s=4096;function c(e,t){return e.replace(t,e=>`\\u${e.charCodeAt(0).toString(16).padStart(4,`0`)}`)}function l(e){let t=JSON.stringify(e).slice(1,-1),n=t.replaceAll(`/`,`\\/`),r=[t,n].map(e=>c(e,/[^ -~]/g));return[t,c(t,/[<>&]/g),c(t,/[<>&=']/g),n,...r]}const u=[`*`,`~`,`~!*'()`],d=[`~/`,`~!*'();/?:@&=+$,#`,`~$&+,;=`,`~$&+=:@`,`~$&+,/:;=@`,`~!$%&'()*+,`];function f(e){return(e.length>s?u:[...u,...d]).flatMap(t=>{let n=p(e.toWellFormed(),t),r=[n,n.replaceAll(`%20`,`+`)];return[...r,...r.map(e=>e.replace(/%[0-9A-F]{2}/g,e=>e.toLowerCase()))]})}function p(e,t){return e.replace(/[^\w.-]/gu,e=>t.includes(e)?e:Buffer.from(e).toString(`hex`).toUpperCase().replace(/../g,`%$&`))}const m=[76,64];function h(e){let t=Buffer.from(e,`utf8`),n=[t.toString(`base64`).replace(/=+$/,``),...g(t)],r=t.toString(`base64`).slice(0,Math.floor(t.length*8/6));for(let e of m)for(let t=0;r.length>e&&t<r.length;t+=e)n.push(r.slice(t,t+e));let i=JSON.stringify(e).slice(1,-1);return i!==e&&i.length<=s&&n.push(...g(Buffer.from(i))),n.flatMap(e=>[e,e.replaceAll(`+`,`-`).replaceAll(`/`,`_`)])}function g(e){return[0,1,2].map(t=>Buffer.concat([Buffer.alloc(t),e]).toString(`base64`).slice(Math.ceil(t*8/6),Math.floor((t+e.length)*8/6)))}function _(e){let t=Buffer.from(e,`utf8`).toString(`hex`),n=[t,t.toUpperCase()];for(let e=0;t.length>60&&e<t.length;e+=60)n.push(t.slice(e,e+60));return n}function v(e){return e.split(/\r?\n/).flatMap(e=>{let t=e.trim();return t.length>=8?[t]:e.length>=8&&t.length>=4?[e]:[]})}function y(e){if(e.trim().length<4)return[];let t=/* @__PURE__ */ new Set([e]),n=e.replace(/[\r\n]+$/,``),r=n.replaceAll(`\r
`,`
`);for(let e of[n,r,r.replaceAll(`
`,`\r
`)])t.add(e);if(r.includes(`
`))for(let e of v(r))t.add(e);for(let e of[l,f,h,_])for(let i of[...e(n),...n===r?[]:e(r)])i.length>=8&&t.add(i);return[...t]}const b=D(`
  CI COLUMNS DEBIAN_FRONTEND EDITOR FORCE_COLOR HOME HOSTNAME LANG LANGUAGE LINES LOGNAME NO_COLOR OLDPWD PAGER PATH PWD
  SHELL SHLVL TEMP TERM TMP TMPDIR TZ USER XDG_CACHE_HOME XDG_CONFIG_HOME NO_PROXY no_proxy SSL_CERT_DIR SSL_CERT_FILE
  NODE_ENV NODE_EXTRA_CA_CERTS DOTNET_ROOT GOARCH GOCACHE GOMODCACHE GOOS GOPATH GOROOT JAVA_HOME VIRTUAL_ENV

  AWS_DEFAULT_OUTPUT AWS_DEFAULT_REGION AWS_PARTITION AWS_PROFILE AWS_REGION AWS_SDK_LOAD_CONFIG
  ARM_ENVIRONMENT ARM_LOCATION AZURE_ENVIRONMENT AZURE_LOCATION
  CLOUDSDK_COMPUTE_REGION CLOUDSDK_COMPUTE_ZONE GOOGLE_REGION GOOGLE_ZONE

  PULUMI_AUTOMATION_API PULUMI_CI_SYSTEM PULUMI_DEBUG_COMMANDS PULUMI_ENV_FILE PULUMI_EXPERIMENTAL PULUMI_HOME PULUMI_ORG
  PULUMI_ORGANIZATION PULUMI_PARALLEL PULUMI_PROJECT PULUMI_SKIP_CONFIRMATIONS PULUMI_SKIP_UPDATE_CHECK PULUMI_STACK

  GITHUB_ACTIONS GITHUB_ACTOR GITHUB_BASE_REF GITHUB_EVENT_NAME GITHUB_HEAD_REF GITHUB_JOB GITHUB_REF GITHUB_REF_NAME
  GITHUB_REF_TYPE GITHUB_REPOSITORY GITHUB_REPOSITORY_OWNER GITHUB_RUN_ATTEMPT GITHUB_RUN_ID GITHUB_RUN_NUMBER
  GITHUB_SERVER_URL GITHUB_SHA GITHUB_WORKFLOW GITHUB_WORKSPACE RUNNER_ARCH RUNNER_NAME RUNNER_OS RUNNER_TEMP
`),x=D(`
  PULUMI_API PULUMI_BACKEND_URL PULUMI_SERVICE_URL DOCKER_HOST
  ALL_PROXY HTTPS_PROXY HTTP_PROXY all_proxy https_proxy http_proxy
`);function S(e){return b.has(e)||/^LC_[A-Z]+$/.test(e)}function C(e,t){return S(e)||x.has(e)&&T(t)}function w(e){return Object.entries(e).filter(([e,t])=>!C(e,t)&&!/^(?:true|false)$/i.test(t)).flatMap(([,e])=>[e,...E(e)]).filter(e=>e.trim().length>=4)}function T(e){let t=/^[a-z][a-z0-9+.-]*:\/\//i.test(e)?URL.parse(e):null;return t!==null&&t.username===``&&t.password===``&&t.search===``&&t.hash===``}function E(e){let t=URL.parse(e)?.password??``;if(t===``)return[];try{return[t,decodeURIComponent(t)]}catch{return[t]}}function D(e){return new Set(e.trim().split(/\s+/))}const O=[`passed`,`warning`,`failed`,`unknown`,`skipped`],k=e(o),A=t({id:a(),title:a(),status:e(O),detail:a(),seconds:i(),outcome:k.optional()}),j=t({schema:n(1),version:a(),outcome:k,exitCode:i().int(),checks:r(A)}),M={passed:`✔`,warning:`!`,failed:`✘`,unknown:`?`,skipped:`–`};function N(e){let t={passed:`passed`,warning:`with a warning`,failed:`failed`,unknown:`could not be told`,skipped:`skipped`},n=O.map(t=>[e.filter(e=>e.status===t).length,t]).filter(([e])=>e!==0).map(([e,n])=>`${e} ${t[n]}`);return`${e.length} checks: ${n.join(`, `)}.`}export{w as a,C as i,N as n,y as o,j as r,M as t};