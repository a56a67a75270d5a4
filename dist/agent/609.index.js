export const id = 609;
export const ids = [609,273];
export const modules = {

/***/ 4051:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   D: () => (/* binding */ linesOf),
/* harmony export */   m: () => (/* binding */ allTried)
/* harmony export */ });
async function allTried(work) {
    const results = await Promise.allSettled(work);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined)
        throw failed.reason;
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
async function linesOf(removals) {
    return (await allTried(removals)).flatMap((told) => told ?? []);
}


/***/ }),

/***/ 7273:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Cluster: () => (/* binding */ Cluster),
  H: () => (/* binding */ patienceOf)
});

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(4429);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
;// CONCATENATED MODULE: ./lib/target/kubernetes/api-request.js
const BODY_BYTES = 32 * 1024 ** 2;
function ask(server, options, { method, path, query, body, contentType = 'application/json', isWebSocket }, signal) {
    const url = new URL(`${server.replace(/\/+$/, '')}${path}`);
    if (query !== undefined)
        url.search = new URLSearchParams(query).toString();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { request } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
    return new Promise((resolve, reject) => {
        const headers = {
            ...options.headers,
            accept: 'application/json',
            ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
            ...(isWebSocket && upgradeHeaders(url.origin)),
        };
        const call = request(url, { ...options, method, headers, signal }, (response) => {
            const pieces = [];
            let bytes = 0;
            response.on('data', (piece) => {
                pieces.push(piece);
                bytes += piece.length;
                if (bytes > BODY_BYTES)
                    call.destroy(new Error('the answer is too long'));
            });
            response.on('error', reject);
            response.on('end', () => {
                const { statusCode: status = 0, headers: said } = response;
                resolve({ status, text: Buffer.concat(pieces).toString(), date: said.date });
            });
        });
        call.on('error', reject);
        call.on('upgrade', ({ statusCode: status = 0, headers: said }, socket) => {
            socket.destroy();
            resolve({ status, text: '', date: said.date });
        });
        call.end(text);
    });
}
function upgradeHeaders(origin) {
    return {
        connection: 'Upgrade',
        upgrade: 'websocket',
        origin,
        'sec-websocket-version': '13',
        'sec-websocket-key': process.getBuiltinModule('node:crypto').randomBytes(16).toString('base64'),
    };
}

// EXTERNAL MODULE: ./lib/target/kubernetes/errors.js
var errors = __webpack_require__(2875);
;// CONCATENATED MODULE: ./lib/target/kubernetes/cluster.js







const CALL_MS = 30_000;
const AWAY_MS = 60_000;
const RETRY_MS = 1_000;
function patienceOf(signal) {
    return { ms: AWAY_MS, signal };
}
class Cluster {
    #settings;
    #config;
    #namespace;
    #agent;
    #proxy;
    #aheadMs = 0;
    constructor(settings) {
        this.#settings = settings;
    }
    config() {
        this.#config ??= this.#load();
        return this.#config;
    }
    async namespace() {
        this.#namespace ??= await this.#findNamespace();
        return this.#namespace;
    }
    async server() {
        return (await this.config()).getCurrentCluster()?.server ?? '';
    }
    async way() {
        const server = await this.server();
        return this.#proxy === undefined
            ? server
            : `${server} through the proxy ${this.#proxy.address} (${this.#proxy.variable})`;
    }
    now() {
        return Date.now() + this.#aheadMs;
    }
    async call(call) {
        const { patience } = call;
        const begun = performance.now();
        for (;;) {
            try {
                return await this.#once(call);
            }
            catch (error) {
                if (patience === undefined || !(0,errors/* isPassing */.WG)(error) || performance.now() - begun > patience.ms)
                    throw error;
                await (0,promises_.setTimeout)(RETRY_MS, undefined, { signal: patience.signal });
            }
        }
    }
    async #once(call) {
        const config = await this.config();
        const server = await this.server();
        let answer;
        try {
            answer = await (0,deadline/* within */.ux)(call.ms ?? CALL_MS, call.signal, async (signal) => {
                const options = {};
                await config.applyToHTTPSOptions(options);
                return ask(server, options, call, signal);
            });
        }
        catch (error) {
            call.signal.throwIfAborted();
            throw (0,errors/* unreachable */.HB)(await this.way(), error);
        }
        const date = Date.parse(answer.date ?? '');
        if (!Number.isNaN(date))
            this.#aheadMs = date - Date.now();
        if (answer.status === 401)
            this.close();
        const isRefused = call.isWebSocket === true ? answer.status !== 101 : answer.status >= 400;
        if (isRefused)
            throw (0,errors/* refusal */.x5)(answer.status, answer.text, call.subject);
        if (call.isText === true)
            return answer.text;
        try {
            return JSON.parse(answer.text);
        }
        catch (error) {
            throw (0,errors/* unreachable */.HB)(await this.way(), new Error(`not the API's answer: ${(0,one_line/* oneLine */.T)(answer.text).slice(0, 80)}`, { cause: error }));
        }
    }
    close() {
        this.#agent?.destroy();
        this.#agent = undefined;
    }
    async #load() {
        const { KubeConfig: Config } = await Promise.all(/* import() */[__webpack_require__.e(99), __webpack_require__.e(163), __webpack_require__.e(752), __webpack_require__.e(23)]).then(__webpack_require__.bind(__webpack_require__, 5023));
        const { kubeconfig, context } = this.#settings;
        const config = new Config();
        const named = kubeconfig ?? 'the kubeconfig';
        try {
            if (kubeconfig === undefined)
                config.loadFromDefault();
            else
                config.loadFromFile(kubeconfig);
        }
        catch (error) {
            throw new target/* TargetUnavailableError */.qc(`Failed to read ${named} for the cluster: ${(0,one_line/* oneLine */.T)((0,outcome/* messageOf */.bD)(error))}. Check the file, and that this user may read it.`, { cause: error });
        }
        if (context !== undefined)
            config.setCurrentContext(context);
        const current = config.getContextObject(config.getCurrentContext());
        const invented = kubeconfig === undefined && config.getCurrentCluster()?.server === 'http://localhost:8080';
        if (current === null || config.getCurrentCluster() === null || invented) {
            const known = config.getContexts().map(({ name }) => name);
            const why = invented
                ? 'there is no kubeconfig, and no service account of a pod'
                : `it has no context "${context ?? config.getCurrentContext()}" with a cluster${known.length === 0 ? '' : ` (it has ${known.join(', ')})`}`;
            throw new target/* TargetUnavailableError */.qc(`Failed to find the cluster for jobs in ${named}: ${why}. Set KUBECONFIG or kubeconfig to a kubeconfig file, and kube_context to one of its contexts.`);
        }
        const { server, proxyUrl } = config.getCurrentCluster() ?? {};
        const url = URL.parse(server ?? '');
        if (url !== null)
            this.#proxy = await this.#settings.findProxy?.(url, proxyUrl || undefined);
        return this.#keepConnections(config);
    }
    #keepConnections(config) {
        const apply = config.applyToHTTPSOptions.bind(config);
        config.applyToHTTPSOptions = async (options) => {
            await apply(options);
            this.#agent ??= this.#proxy?.agent() ?? kept(options.agent);
            if (this.#agent !== undefined)
                options.agent = this.#agent;
        };
        return config;
    }
    async #findNamespace() {
        const config = await this.config();
        if (this.#settings.namespace !== undefined)
            return this.#settings.namespace;
        return config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
    }
}
function kept(agent) {
    if (agent === undefined || typeof agent === 'boolean')
        return undefined;
    return Object.assign(agent, { keepAlive: true });
}


/***/ }),

/***/ 2875:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $b: () => (/* binding */ ApiRefusedError),
/* harmony export */   FV: () => (/* binding */ proxyError),
/* harmony export */   HB: () => (/* binding */ unreachable),
/* harmony export */   P0: () => (/* binding */ refusedWith),
/* harmony export */   WG: () => (/* binding */ isPassing),
/* harmony export */   _5: () => (/* binding */ targetError),
/* harmony export */   x5: () => (/* binding */ refusal)
/* harmony export */ });
/* unused harmony exports missingRule, ApiAwayError */
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);
/* harmony import */ var _one_line_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2964);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1568);



class ApiRefusedError extends Error {
    name = 'ApiRefusedError';
    status;
    reason;
    subject;
    constructor(status, { reason, message, subject }) {
        super(message);
        this.status = status;
        this.reason = reason;
        this.subject = subject;
    }
}
function refusedWith(error, ...statuses) {
    return error instanceof ApiRefusedError && statuses.includes(error.status);
}
function refusal(status, body, subject) {
    try {
        const parsed = JSON.parse(body);
        if (typeof parsed === 'object' && parsed !== null && 'message' in parsed && typeof parsed.message === 'string') {
            const reason = 'reason' in parsed && typeof parsed.reason === 'string' ? parsed.reason : '';
            const message = (0,_one_line_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .T)(parsed.message.replace(/Invalid value: "map\[.*\]": /s, ''));
            return new ApiRefusedError(status, { reason, message, subject });
        }
    }
    catch {
    }
    return new ApiRefusedError(status, { reason: '', message: (0,_one_line_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .T)(body) || `HTTP ${status}`, subject });
}
function missingRule({ verb, resource, group = '' }) {
    return `{apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"]}`;
}
function targetError(error, doing) {
    if (!(error instanceof ApiRefusedError))
        return error;
    const { subject, reason, message } = error;
    if (error.status === 401) {
        return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .TargetUnavailableError */ .qc(`Failed to ${doing} for the job: the cluster does not accept these credentials (${message}). Renew the kubeconfig's user, or the service account's token.`, { cause: error });
    }
    if (error.status === 403 && /exceeded quota/.test(message)) {
        return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .ContainerError */ .OJ(`Failed to ${doing} for the job: the namespace's quota is used up: ${message}. Raise the ResourceQuota of namespace ${subject.namespace}, run fewer jobs at once, or let each ask for less.`, { cause: error });
    }
    if (error.status === 403 && /failed quota: .*must specify/s.test(message)) {
        return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .ContainerError */ .OJ(`Failed to ${doing} for the job: the namespace's quota wants to know what the pod takes: ${message}. Set num-cpus and memory, or requests and limits in the pod template.`, { cause: error });
    }
    const [, verb] = (error.status === 403 && /cannot (\w+) resource/.exec(message)) || [];
    if (verb !== undefined) {
        return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .TargetUnavailableError */ .qc(`Failed to ${doing} for the job: the cluster forbids it: may not ${verb} ${subject.resource} in namespace ${subject.namespace}. Add the rule ${missingRule({ ...subject, verb })} to a Role there that is bound to this account. (${message})`, { cause: error });
    }
    if (error.status === 403 || /admission webhook|denied (the )?request|violates PodSecurity/.test(message)) {
        return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .ContainerError */ .OJ(`Failed to ${doing} for the job: an admission rule of the cluster refused it: ${message}. Change the pod template to what the cluster's policies allow, or the policy.`, { cause: error });
    }
    if (subject.resource === 'pods/exec' && error.status < 500 && ![404, 429].includes(error.status))
        return proxyError(error, doing);
    if (reason === 'Invalid' || error.status === 400 || error.status === 422) {
        return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .ContainerError */ .OJ(`Failed to ${doing} for the job: the cluster calls it invalid: ${message}. Correct the pod template or the settings it comes from.`, { cause: error });
    }
    return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .TargetUnavailableError */ .qc(`Failed to ${doing} for the job: the API server answered ${error.status}: ${message}. Check that the cluster is healthy.`, { cause: error });
}
function proxyError(error, doing) {
    return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .TargetUnavailableError */ .qc(`Failed to ${doing} for the job: a proxy or an ingress before the API server answered ${error.status} in its place (${error.message.slice(0, 120)}). Have it let WebSockets and request lines of 2 KiB through, or name another address of the cluster in the kubeconfig.`, { cause: error });
}
class ApiAwayError extends _target_js__WEBPACK_IMPORTED_MODULE_1__/* .TargetUnavailableError */ .qc {
}
function isPassing(error) {
    if (error instanceof ApiAwayError)
        return true;
    return refusedWith(error, 429, 502, 503, 504) || (refusedWith(error, 409) && error.reason === 'Conflict');
}
function unreachable(server, cause) {
    return new ApiAwayError(`Failed to reach the Kubernetes API server at ${server}: ${(0,_one_line_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .T)((0,_outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(cause))}. Check the address in the kubeconfig, the network and the cluster.`, { cause });
}


/***/ }),

/***/ 1609:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  createKubernetesTarget: () => (/* binding */ createKubernetesTarget)
});

// EXTERNAL MODULE: ./lib/target/all-tried.js
var all_tried = __webpack_require__(4051);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
// EXTERNAL MODULE: ./lib/target/kubernetes/errors.js
var errors = __webpack_require__(2875);
// EXTERNAL MODULE: ./lib/target/kubernetes/pod.js
var kubernetes_pod = __webpack_require__(7849);
;// CONCATENATED MODULE: ./lib/target/kubernetes/look.js



const LAST_EVENTS = 3;
async function readPod(cluster, name, signal, patience) {
    const namespace = await cluster.namespace();
    const subject = { verb: 'get', resource: 'pods', namespace, name };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    return cluster.call({ subject, method: 'GET', path, signal, ...(patience && { patience }) });
}
async function findPod(cluster, name, signal) {
    try {
        return await readPod(cluster, name, signal);
    }
    catch (error) {
        if ((0,errors/* refusedWith */.P0)(error, 404))
            return undefined;
        throw error;
    }
}
async function eventsOf(cluster, pod, signal) {
    const namespace = await cluster.namespace();
    const subject = { verb: 'list', resource: 'events', namespace };
    const query = { fieldSelector: `involvedObject.kind=Pod,involvedObject.name=${pod}` };
    try {
        const path = `/api/v1/namespaces/${namespace}/events`;
        const { items } = await cluster.call({ subject, method: 'GET', path, query, signal });
        const time = ({ lastTimestamp, eventTime }) => String(lastTimestamp ?? eventTime ?? '');
        return items.toSorted((a, b) => time(a).localeCompare(time(b)));
    }
    catch {
        signal.throwIfAborted();
        return [];
    }
}
const ENDS = ['Preempted', 'TaintManagerEviction', 'DeadlineExceeded'];
function eventText(events) {
    const notable = events.filter((event) => event.type !== 'Normal' || (ENDS.includes(event.reason ?? '') && !isCancelled(event)));
    const told = new Set(notable.slice(-LAST_EVENTS).map(({ reason = '', message = '' }) => `${reason}: ${(0,one_line/* oneLine */.T)(message)}`));
    return told.size === 0 ? '' : ` (${[...told].join('; ')})`;
}
function isCancelled({ message = '' }) {
    return /^Cancelling deletion/.test(message);
}
function isBeingKilled(events) {
    return hasHappened('Killing', events);
}
function hasHappened(wanted, events) {
    const path = `spec.containers{${kubernetes_pod/* JOB_CONTAINER */.wD}}`;
    return events.some(({ reason, involvedObject }) => reason === wanted && involvedObject.fieldPath === path);
}
function jobStatus(pod) {
    return pod.status?.containerStatuses?.find(({ name }) => name === kubernetes_pod/* JOB_CONTAINER */.wD);
}
function isOver(pod) {
    return jobStatus(pod)?.state?.terminated !== undefined || /^(Failed|Succeeded)$/.test(pod.status?.phase ?? '');
}
async function standingOf(cluster, name, signal) {
    const pod = await findPod(cluster, name, signal);
    if (pod === undefined || isOver(pod))
        return 'over';
    return pod.metadata?.deletionTimestamp === undefined ? 'running' : 'leaving';
}
async function isDoomed(cluster, name, signal) {
    if ((await standingOf(cluster, name, signal)) !== 'running')
        return true;
    return isBeingKilled(await eventsOf(cluster, name, signal));
}
const LOG_LINES = 5;
const LOG_BYTES = 16_384;
const LOG_CHARACTERS = 400;
async function logEnd(cluster, { pod, container, signal }) {
    const namespace = await cluster.namespace();
    const subject = { verb: 'get', resource: 'pods/log', namespace, name: pod };
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log`;
    const query = { container, tailLines: String(LOG_LINES), limitBytes: String(LOG_BYTES) };
    try {
        const text = await cluster.call({ subject, method: 'GET', path, query, isText: true, signal });
        return text.trim() === '' ? undefined : text.trim().slice(-LOG_CHARACTERS);
    }
    catch {
        signal.throwIfAborted();
        return undefined;
    }
}

// EXTERNAL MODULE: ./lib/target/kubernetes/objects.js
var objects = __webpack_require__(8062);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(4429);
// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
// EXTERNAL MODULE: ./lib/target/reference.js
var reference = __webpack_require__(5316);
// EXTERNAL MODULE: ./lib/target/kubernetes/cluster.js + 1 modules
var kubernetes_cluster = __webpack_require__(7273);
// EXTERNAL MODULE: ./lib/target/kubernetes/labels.js
var kubernetes_labels = __webpack_require__(1243);
;// CONCATENATED MODULE: ./lib/target/kubernetes/pull-secret.js





const DOCKER_HUB = 'https://index.docker.io/v1/';
async function createPullSecret(cluster, options) {
    const { name, image, credentials, labels, signal } = options;
    const registry = (0,reference/* parseReference */.F2)(image).registry;
    const key = registry === 'docker.io' ? DOCKER_HUB : registry;
    const auth = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
    const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, ...(0,kubernetes_labels/* ownership */.kG)(labels) },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [key]: { ...credentials, auth } } }) },
    };
    await (0,objects/* createObject */.ed)(cluster, { kind: 'secrets', body: secret, signal });
}
async function ownSecret(cluster, { name, pod, uid, signal }) {
    const namespace = await cluster.namespace();
    const ownerReferences = [
        { apiVersion: 'v1', kind: 'Pod', name: pod, uid, controller: false, blockOwnerDeletion: false },
    ];
    await cluster.call({
        subject: { verb: 'patch', resource: 'secrets', namespace, name },
        method: 'PATCH',
        path: `/api/v1/namespaces/${namespace}/secrets/${name}`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { ownerReferences } },
        signal,
        patience: (0,kubernetes_cluster/* patienceOf */.H)(signal),
    });
}
async function removeSecret(cluster, name) {
    await (0,objects/* deleteObject */.XR)(cluster, { kind: 'secrets', name, signal: deadline/* NEVER */.tm, patience: (0,kubernetes_cluster/* patienceOf */.H)(deadline/* NEVER */.tm) });
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/removal.js










const LOOK_MS = 200;
async function removePod(cluster, name, { ms, graceSeconds, isPatient = false }) {
    const time = { end: performance.now() + ms, isPatient };
    let failure;
    let found = true;
    do {
        try {
            const grace = graceSeconds === undefined ? {} : { graceSeconds };
            found = await (0,objects/* deleteObject */.XR)(cluster, { kind: 'pods', name, ...grace, signal: deadline/* NEVER */.tm });
            if (!found || (await isGoneInTime(cluster, name, time)))
                return found;
        }
        catch (error) {
            failure = error;
            if ((0,errors/* refusedWith */.P0)(error, 401, 403))
                break;
            await (0,promises_.setTimeout)(LOOK_MS * 5);
        }
    } while (performance.now() < time.end);
    const namespace = await cluster.namespace();
    throw new target/* ContainerError */.OJ(`Failed to remove pod ${name} for the job: ${failure === undefined ? 'it does not end' : (0,one_line/* oneLine */.T)((0,outcome/* messageOf */.bD)(failure))}. Remove it by hand: kubectl delete pod ${name} -n ${namespace}.`, { cause: failure });
}
async function isGoneInTime(cluster, name, time) {
    while (performance.now() < time.end) {
        const pod = await findPod(cluster, name, deadline/* NEVER */.tm);
        if (pod === undefined)
            return true;
        if (time.isPatient)
            time.end += (pod.metadata?.deletionGracePeriodSeconds ?? 0) * 1000;
        time.isPatient = false;
        await (0,promises_.setTimeout)(LOOK_MS);
    }
    return false;
}
async function removePodAndSecret(cluster, { pod, secret, ...removal }) {
    await (0,all_tried/* allTried */.m)([
        removePod(cluster, pod, removal),
        ...(secret === undefined ? [] : [removeSecret(cluster, secret)]),
    ]);
}
function removeNamed(cluster, { kind, names, signal }) {
    return (0,all_tried/* linesOf */.D)(names.map(async (name) => (await (0,objects/* deleteObject */.XR)(cluster, { kind, name, signal })) ? `Removed ${kind.slice(0, -1)} ${name}.` : undefined));
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/abandoned.js





const ENDED_MS = 10 * 60_000;
async function sweepAbandoned(cluster, options) {
    const { ms, signal } = options;
    const pods = await (0,objects/* listObjects */.L)(cluster, { kind: 'pods', labels: {}, signal });
    const { now = cluster.now() } = options;
    const ended = pods.flatMap((pod) => {
        const name = pod.metadata?.name;
        return name === undefined || !isAbandoned(pod, now) ? [] : [name];
    });
    const names = new Set(pods.map(({ metadata }) => metadata?.name));
    const others = ['secrets', 'podtemplates'].map(async (kind) => {
        const heads = await (0,objects/* listObjects */.L)(cluster, { kind, labels: {}, signal });
        const alone = heads.flatMap(({ metadata: { name, creationTimestamp } = {} }) => name === undefined || names.has(name) || !isOld(creationTimestamp, now) ? [] : [name]);
        return removeNamed(cluster, { kind, names: alone, signal });
    });
    const removals = ended.map(async (name) => (await removePod(cluster, name, { ms, graceSeconds: 0 })) ? `Removed pod ${name}.` : undefined);
    return (0,all_tried/* linesOf */.D)([...removals, ...others]);
}
function isAbandoned(pod, now) {
    const { metadata, status } = pod;
    const annotations = metadata?.annotations ?? {};
    if (annotations[kubernetes_pod/* KEPT */.t0] !== undefined)
        return false;
    const over = overSince(pod);
    if (over !== undefined)
        return isOld(over, now);
    const seconds = Number(annotations[kubernetes_pod/* START_SECONDS */.Jo]);
    return status?.phase === 'Pending' && seconds > 0 && isOld(metadata?.creationTimestamp, now - seconds * 1000);
}
function overSince(pod) {
    const finished = jobStatus(pod)?.state?.terminated?.finishedAt;
    if (!isOver(pod) || finished)
        return finished;
    const changes = pod.status?.conditions?.flatMap(({ lastTransitionTime }) => lastTransitionTime ?? []) ?? [];
    return changes.toSorted((a, b) => time(a) - time(b)).at(-1) ?? pod.metadata?.creationTimestamp;
}
function isOld(since, now) {
    return since !== undefined && now - time(since) >= ENDED_MS;
}
function time(at) {
    return new Date(at).getTime();
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/access.js
const ACCESS = [
    {
        resource: 'pods',
        needed: ['create', 'get', 'delete'],
        useful: ['list', 'watch'],
        purpose: 'what dead agents left is not removed, and a proxy that lets no WebSocket through is not found before a job is claimed',
    },
    {
        resource: 'pods/exec',
        needed: ['get'],
        useful: ['create'],
        purpose: 'no step can be started once the cluster has Kubernetes 1.35',
    },
    { resource: 'events', useful: ['list'], purpose: "a pod's failure is told without its events" },
    {
        resource: 'secrets',
        useful: ['create', 'patch', 'list', 'delete'],
        purpose: 'a deployment that comes with credentials of a registry fails, or leaves them behind',
    },
];
const TEMPLATE_ACCESS = {
    resource: 'podtemplates',
    needed: ['create', 'patch', 'delete'],
    useful: ['list'],
    purpose: 'the pod template can not be merged, or what a dead agent left of that is not removed',
};
function permissionsIn(cluster, hasTemplate) {
    return [...ACCESS, ...(hasTemplate ? [TEMPLATE_ACCESS] : [])].map(({ resource, needed = [], useful = [], purpose }) => ({
        resource,
        needed,
        useful,
        purpose,
        review: async (signal) => {
            const verbs = [...needed, ...useful];
            const allowed = await Promise.all(verbs.map((verb) => isAllowed(cluster, { resource, verb, signal })));
            const refused = verbs.filter((_, index) => allowed[index] !== true);
            return { refused, remedy: remedy(resource, refused, await cluster.namespace()) };
        },
    }));
}
async function isAllowed(cluster, { resource: name, verb, signal }) {
    const group = 'authorization.k8s.io';
    const [resource, subresource] = name.split('/');
    const namespace = await cluster.namespace();
    const { status } = await cluster.call({
        subject: { verb: 'create', resource: 'selfsubjectaccessreviews', group, namespace: '' },
        method: 'POST',
        path: `/apis/${group}/v1/selfsubjectaccessreviews`,
        body: {
            apiVersion: `${group}/v1`,
            kind: 'SelfSubjectAccessReview',
            spec: {
                resourceAttributes: {
                    namespace,
                    verb,
                    group: '',
                    resource,
                    ...(subresource === undefined ? {} : { subresource }),
                },
            },
        },
        signal,
    });
    return status?.allowed === true;
}
function remedy(resource, verbs, namespace) {
    const list = verbs.map((verb) => `"${verb}"`).join(', ');
    return `Add the rule {apiGroups: [""], resources: ["${resource}"], verbs: [${list}]} to a Role in namespace ${namespace} that is bound to this account`;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/exec-request.js
const END = '# end of script';
const BOOTSTRAP = `runner_script= runner_line=
while IFS= read -r runner_line && [ "$runner_line" != '${END}' ]; do
runner_script=$runner_script$runner_line'
'
done
[ "$runner_line" = '${END}' ] || exit 125
eval "$runner_script"`;
function execPath(namespace, pod, container) {
    const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true', tty: 'false' });
    for (const word of ['sh', '-c', BOOTSTRAP])
        query.append('command', word);
    return `/api/v1/namespaces/${namespace}/pods/${pod}/exec?${query}`;
}
function scriptInput({ code, words }) {
    return `set -- ${words.map(quoted).join(' ')}\n${code}\n${END}\n`;
}
function quoted(text) {
    return `'${text.replaceAll("'", `'\\''`)}'`;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/exec-trial.js




async function tryExec(cluster, pod, signal) {
    const namespace = await cluster.namespace();
    const open = (path, resource) => {
        const subject = { verb: 'get', resource, namespace };
        return cluster.call({ subject, method: 'GET', path, isWebSocket: true, isText: true, signal });
    };
    try {
        await open(execPath(namespace, pod, kubernetes_pod/* JOB_CONTAINER */.wD), 'pods/exec').catch((error) => {
            if (!(0,errors/* refusedWith */.P0)(error, 404) || error.reason === '')
                throw error;
        });
        if (!(await isAllowed(cluster, { resource: 'pods', verb: 'watch', signal })))
            return;
        const query = new URLSearchParams({
            watch: 'true',
            fieldSelector: `metadata.name=${pod}`,
            timeoutSeconds: '1',
        });
        await open(`/api/v1/namespaces/${namespace}/pods?${query}`, 'pods');
    }
    catch (error) {
        const isProxys = error instanceof errors/* ApiRefusedError */.$b && error.reason === '' && error.status !== 429;
        throw isProxys ? (0,errors/* proxyError */.FV)(error, 'try an exec request') : (0,errors/* targetError */._5)(error, 'try an exec request');
    }
}

// EXTERNAL MODULE: ./lib/target/shell/file-function.js
var file_function = __webpack_require__(6821);
// EXTERNAL MODULE: ./lib/target/shell/state-function.js
var state_function = __webpack_require__(4594);
;// CONCATENATED MODULE: ./lib/target/kubernetes/channel.js




const OPEN_MS = 30_000;
const PING_MS = 10_000;
const SILENCE_MS = 30_000;
const [STDIN, STDOUT, STDERR, STATUS] = [0, 1, 2, 3];
class Channel {
    #socket;
    #end = Promise.withResolvers();
    #options;
    #watch;
    #status;
    #delivery = Promise.resolve();
    #undelivered = 0;
    #heardAt = performance.now();
    #failure;
    static async open(options) {
        const { WebSocketHandler } = await Promise.all(/* import() */[__webpack_require__.e(99), __webpack_require__.e(163), __webpack_require__.e(752), __webpack_require__.e(23)]).then(__webpack_require__.bind(__webpack_require__, 5023));
        const { cluster, pod, container, script, signal } = options;
        const path = execPath(await cluster.namespace(), pod, container);
        const handler = new WebSocketHandler(await cluster.config());
        let channel;
        const early = [];
        const connect = async () => (await handler.connect(path, null, (stream, piece) => {
            if (channel === undefined)
                early.push([stream, piece]);
            else
                channel.#take(stream, piece);
            return true;
        }));
        let socket;
        try {
            socket = await (0,deadline/* within */.ux)(OPEN_MS, signal, connect, (late) => late.terminate());
        }
        catch (error) {
            signal.throwIfAborted();
            throw await openError(error, options);
        }
        channel = new Channel(socket, options);
        for (const [stream, piece] of early)
            channel.#take(stream, piece);
        channel.write(scriptInput(script));
        return channel;
    }
    constructor(socket, options) {
        this.#socket = socket;
        this.#options = options;
        socket.on('close', () => this.#closed(new Error('the stream through the API server was cut')));
        socket.on('error', (error) => this.#closed(error));
        socket.on('pong', () => this.#hear());
        socket.on('message', () => this.#hear());
        this.#watch = setInterval(() => this.#look(), PING_MS);
    }
    get end() {
        return this.#end.promise;
    }
    write(data) {
        if (this.#socket.readyState !== 1)
            return;
        this.#socket.send(Buffer.concat([Buffer.from([STDIN]), Buffer.from(data)]));
    }
    close() {
        this.#socket.terminate();
    }
    #hear() {
        this.#heardAt = performance.now();
    }
    #look() {
        if (this.#undelivered > 0)
            this.#hear();
        if (performance.now() - this.#heardAt > SILENCE_MS)
            this.#socket.terminate();
        else if (this.#socket.readyState === 1)
            this.#socket.ping();
    }
    #take(stream, piece) {
        if (piece.length === 0)
            return;
        if (stream === STDOUT)
            this.#deliver(piece);
        else if (stream === STDERR)
            this.#options.onError(piece);
        else if (stream === STATUS) {
            this.#status = JSON.parse(piece.toString('utf8'));
            this.#socket.close();
        }
    }
    #deliver(piece) {
        this.#undelivered += 1;
        if (this.#undelivered === 1)
            this.#socket.pause();
        this.#delivery = this.#delivery.then(async () => {
            try {
                if (this.#failure === undefined)
                    await this.#options.onOutput(piece);
            }
            catch (error) {
                this.#failure = error;
            }
            finally {
                this.#undelivered -= 1;
                if (this.#undelivered === 0)
                    this.#socket.resume();
            }
        });
    }
    #closed(cause) {
        clearInterval(this.#watch);
        void this.#delivery.then(() => {
            const status = this.#status;
            if (this.#failure !== undefined)
                this.#end.resolve({ cut: this.#failure });
            else if (status === undefined)
                this.#end.resolve({ cut: cause });
            else
                this.#end.resolve({ exitCode: exitCodeOf(status), message: status.message ?? '' });
        });
    }
}
function exitCodeOf(status) {
    if (status.status === 'Success')
        return 0;
    const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
    return cause?.message === undefined ? 126 : Number(cause.message);
}
async function openError(error, { cluster, pod, signal }) {
    const text = error instanceof Error ? error.message : String(error.message ?? error);
    const [, status] = /Unexpected server response: (\d{3})/.exec(text) ?? [];
    if (status === undefined)
        return error instanceof Error ? error : new Error(text);
    if (status === '401')
        cluster.close();
    const verb = status === '403' ? await missingVerb(cluster, signal) : 'get';
    const subject = { verb, resource: 'pods/exec', namespace: await cluster.namespace(), name: pod };
    const message = status === '403' ? `this account cannot ${verb} resource "pods/exec"` : text;
    return new errors/* ApiRefusedError */.$b(Number(status), { reason: '', message, subject });
}
async function missingVerb(cluster, signal) {
    const mayGet = isAllowed(cluster, { resource: 'pods/exec', verb: 'get', signal });
    return (await mayGet.catch(() => true)) ? 'create' : 'get';
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/control-questions.js
const LINE_CHARACTERS = 200;
class ControlQuestions {
    #waiting = new Map();
    #id = 0;
    #text = '';
    get lines() {
        return [...this.#waiting.values()].map(({ line }) => line);
    }
    ready() {
        return this.#expect(0, '');
    }
    ask(question) {
        this.#id += 1;
        const id = this.#id;
        const line = `${id} ${question}\n`;
        return { id, line, answer: this.#expect(id, line) };
    }
    drop({ id }) {
        this.#waiting.delete(id);
    }
    startAnew() {
        this.#text = '';
    }
    hear(text) {
        const lines = (this.#text + text).split('\n');
        this.#text = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
        for (const line of lines) {
            const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
            if (id !== undefined && answer !== undefined)
                this.#waiting.get(Number(id))?.answer(answer);
        }
    }
    #expect(id, line) {
        const { promise, resolve } = Promise.withResolvers();
        this.#waiting.set(id, { line, answer: resolve });
        return promise;
    }
}

// EXTERNAL MODULE: ./lib/target/kubernetes/pod-scripts.js
var pod_scripts = __webpack_require__(1740);
;// CONCATENATED MODULE: ./lib/target/kubernetes/control.js









const ANSWER_MS = 20_000;
const BEAT = 1 / 10;
const SILENCE = 1 / 3;
const MARGIN = 1 / 4;
const RETRY_MS = 1_000;
class ControlLostError extends Error {
    name = 'ControlLostError';
}
class Control {
    #options;
    #questions = new ControlQuestions();
    #over = new AbortController();
    #ending = new AbortController();
    #gone = Promise.withResolvers();
    #silent = new Set();
    #beat;
    #heardAt = 0;
    #openedAt = 0;
    #channel;
    constructor(options) {
        this.#options = options;
        this.#gone.promise.catch(() => undefined);
    }
    async open(signal) {
        const ready = this.#questions.ready();
        const channel = await this.#connect(signal);
        const ended = channel.end.then((end) => Promise.reject(notReady(end)));
        ended.catch(() => undefined);
        try {
            await (0,deadline/* within */.ux)(ANSWER_MS, signal, () => Promise.race([ready, ended]));
        }
        catch (error) {
            channel.close();
            throw error;
        }
        this.#channel = channel;
        this.#openedAt = performance.now();
        this.#beat = setInterval(() => this.#look(), this.#options.leaseSeconds * 1000 * BEAT);
        void this.#follow(channel);
        this.#say();
    }
    get lost() {
        return this.#over.signal;
    }
    onSilence(listener) {
        this.#silent.add(listener);
        return () => this.#silent.delete(listener);
    }
    async putFile(file, signal) {
        const request = (0,file_function/* fileRequest */.g)(file);
        return request !== undefined && (await this.#ask(request, signal)) === 'yes';
    }
    async signal(name, leader, signal) {
        return (await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`, signal)) === 'yes';
    }
    async forbid(step, signal) {
        return (await this.#ask(`forbid ${step}`, signal)) === 'yes';
    }
    async forget(step) {
        await this.#ask(`forget ${step}`);
    }
    async state(environmentFile, signal) {
        const answer = await this.#ask(`state ${environmentFile}`, signal);
        return (0,state_function/* readState */.u)(answer) ?? { oomKills: 0, environmentChanged: true };
    }
    expectEnd() {
        this.#ending.abort();
    }
    close() {
        this.#lose(new ControlLostError('the job was over'));
    }
    #look() {
        const now = performance.now();
        const { leaseSeconds, orphanGraceSeconds } = this.#options;
        const leaseMs = leaseSeconds * 1000;
        const silentMs = now - this.#heardAt;
        if (silentMs > leaseMs * (1 + MARGIN) + orphanGraceSeconds * 1000) {
            this.#lose(new ControlLostError('the pod has not been heard of for longer than it runs without its agent'));
            return;
        }
        if (Math.min(silentMs, now - this.#openedAt) > leaseMs * SILENCE) {
            this.#openedAt = Number.POSITIVE_INFINITY;
            this.#channel?.close();
            for (const listener of this.#silent)
                listener();
        }
        this.#say();
    }
    #say() {
        void this.#ask('beat').catch(() => undefined);
    }
    #lose(reason) {
        clearInterval(this.#beat);
        this.#over.abort();
        this.#ending.abort();
        this.#gone.reject(reason);
        this.#channel?.close();
    }
    #connect(signal) {
        this.#questions.startAnew();
        return Channel.open({
            ...this.#options,
            script: { code: pod_scripts/* CONTROL_SCRIPT */._u, words: [pod_scripts/* CONTROL_FOLDER */.t7] },
            onOutput: (piece) => {
                this.#heardAt = performance.now();
                this.#questions.hear(piece.toString('latin1'));
            },
            onError: () => undefined,
            signal,
        });
    }
    async #follow(first) {
        let channel = first;
        for (let told = false;; told = true) {
            await channel.end;
            if (performance.now() - this.#openedAt < RETRY_MS)
                await this.#pause();
            if (this.#ending.signal.aborted)
                return;
            if (!told)
                this.#options.onTrouble('The stream to the job is cut; the job goes on. Opening it again.');
            const next = await this.#again();
            if (next === undefined)
                return;
            channel = next;
            this.#channel = next;
            this.#openedAt = performance.now();
            for (const line of this.#questions.lines)
                channel.write(line);
        }
    }
    async #again() {
        const { signal } = this.#ending;
        while (!signal.aborted) {
            try {
                if (await this.#options.isAlive().catch(() => true))
                    return await this.#connect(signal);
                this.#lose(new ControlLostError('the pod is gone'));
            }
            catch {
                await this.#pause();
            }
        }
        return undefined;
    }
    async #pause() {
        await (0,promises_.setTimeout)(RETRY_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
    }
    async #ask(question, signal = deadline/* NEVER */.tm) {
        if (this.lost.aborted)
            throw new ControlLostError('the pod is gone');
        signal.throwIfAborted();
        const asked = this.#questions.ask(question);
        try {
            this.#channel?.write(asked.line);
            for (;;) {
                try {
                    return await (0,deadline/* within */.ux)(ANSWER_MS, signal, () => Promise.race([asked.answer, this.#gone.promise]));
                }
                catch (error) {
                    if (!(error instanceof deadline/* DeadlineError */.j3))
                        throw error;
                    if (question === 'beat')
                        throw error;
                }
            }
        }
        finally {
            this.#questions.drop(asked);
        }
    }
}
function notReady(end) {
    if ('cut' in end)
        return new Error((0,outcome/* messageOf */.bD)(end.cut), { cause: end.cut });
    return new target/* ContainerError */.OJ(`Failed to enter the pod for the job: its shell ended with exit code ${end.exitCode}${end.message === '' ? '' : `: ${end.message}`}. Use an image with a POSIX shell.`);
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/enter.js






const EARLY_MS = 5_000;
const enter_RETRY_MS = 1_000;
async function enter(control, look, signal, whileWaiting) {
    const patience = (0,kubernetes_cluster/* patienceOf */.H)(signal);
    let started = await look(true);
    whileWaiting?.();
    for (const begun = performance.now();; started = await look(false)) {
        try {
            await control.open(started.isStated ? signal : AbortSignal.any([signal, AbortSignal.timeout(EARLY_MS)]));
            return started;
        }
        catch (error) {
            signal.throwIfAborted();
            if (started.isStated && (isFinal(error) || performance.now() - begun > patience.ms))
                throw barred(error);
            if (started.isStated)
                await (0,promises_.setTimeout)(enter_RETRY_MS, undefined, { signal });
        }
    }
}
function barred(error) {
    if (error instanceof errors/* ApiRefusedError */.$b || error instanceof outcome/* OutcomeError */.Rz)
        return error;
    return new target/* TargetUnavailableError */.qc(`Failed to enter the pod for the job: ${(0,one_line/* oneLine */.T)((0,outcome/* messageOf */.bD)(error))}. Check the API server, the kubelet and the network between them.`, { cause: error });
}
function isFinal(error) {
    if (error instanceof errors/* ApiRefusedError */.$b)
        return error.status < 500 && error.status !== 429;
    return error instanceof target/* ContainerError */.OJ;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/image.js


const image_LOOK_MS = 500;
class PodImage {
    #digest;
    #isKnown = false;
    constructor(pod, image) {
        this.#digest = image;
        this.#see(pod);
    }
    get digest() {
        return this.#digest;
    }
    async learn(cluster, name, signal) {
        try {
            while (!this.#isKnown) {
                await (0,promises_.setTimeout)(image_LOOK_MS, undefined, { signal });
                this.#see(await readPod(cluster, name, signal));
            }
        }
        catch {
        }
    }
    #see(pod) {
        const { imageID = '' } = jobStatus(pod) ?? {};
        if (imageID === '')
            return;
        this.#digest = imageID.replace(/^docker-pullable:\/\//, '');
        this.#isKnown = true;
    }
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/ending.js

const NODE_ADVICE = 'See kubectl get nodes. If the machine still runs, the pod interrupts its step by itself: look what became of it before you cancel the deployment or unlock the stack.';
const EVICTED_ADVICE = 'Ask for as much memory and disk as the job uses, or give jobs nodes of their own. See kubectl describe node.';
function endedByCluster({ spec, status }, node = spec?.nodeName) {
    const target = status?.conditions?.find(({ type, status: is }) => type === 'DisruptionTarget' && is === 'True');
    const isKubelets = target === undefined || target.reason === 'TerminationByKubelet';
    const reason = (isKubelets ? status?.reason : undefined) ?? target?.reason;
    const known = reason === undefined ? undefined : ENDINGS[reason];
    if (reason === undefined || (known === undefined && target === undefined))
        return undefined;
    const message = (0,one_line/* oneLine */.T)((isKubelets ? status?.message : undefined) ?? target?.message ?? '');
    const [why, advice] = (known ?? otherEnding(reason))(node === undefined ? 'its node' : `its node ${node}`);
    return [message === '' ? why : `${why}: ${message}`, advice];
}
function endingOf(reason, message, node) {
    return endedByCluster({ status: { reason, message } }, node);
}
const ENDINGS = {
    PreemptionByScheduler: preempted,
    Preempted: preempted,
    Preempting: (node) => [
        `${node} made room for a pod of the system`,
        'Leave room for such pods on the nodes of jobs, or give jobs nodes of their own.',
    ],
    DeletionByTaintManager: tainted,
    TaintManagerEviction: tainted,
    EvictionByEvictionAPI: () => [
        'the pod was evicted',
        'Look for kubectl drain, an autoscaler or an upgrade of the nodes: a PodDisruptionBudget over the pods of jobs lets them wait.',
    ],
    Evicted: (node) => [`the pod was evicted by ${node}`, EVICTED_ADVICE],
    TerminationByKubelet: (node) => [`the pod was ended by ${node}`, EVICTED_ADVICE],
    DeletionByPodGC: goneNode,
    NodeLost: goneNode,
    Terminated: shutDown,
    NodeShutdown: shutDown,
    Shutdown: shutDown,
    DeadlineExceeded: () => [
        'the pod has run for longer than its activeDeadlineSeconds',
        'Look for what sets that on the pods of jobs, as an admission webhook may, and take it off them.',
    ],
};
function preempted() {
    return [
        'the pod was preempted',
        'Give jobs a priorityClassName in the pod template that is not below that of other pods, or nodes of their own.',
    ];
}
function tainted(node) {
    return [
        `${node} got a taint that the pod does not tolerate`,
        'See kubectl describe node: keep such taints off while jobs run, or tolerate them in the pod template.',
    ];
}
function shutDown(node) {
    return [
        `${node} was shut down`,
        'Keep nodes from being shut down while jobs run. Look what became of the step: the stack may be locked.',
    ];
}
function deletedBySomebody(is) {
    return [`the pod ${is} deleted by somebody`, 'Look for a clean-up job, a drained node, or kubectl delete.'];
}
function goneNode(node) {
    return [`${node} is gone`, NODE_ADVICE];
}
function silentNode(node) {
    return [`${node} does not answer any more`, NODE_ADVICE];
}
function otherEnding(reason) {
    return () => [`the cluster ended the pod (${reason})`, 'See the events of its namespace and its node.'];
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/loss.js






const loss_LOOK_MS = 30_000;
const SETTLE_MS = 10_000;
const AGAIN_MS = 250;
async function lossOf(cluster, name, node) {
    const subject = `Failed to finish the step in pod ${name}`;
    try {
        const [[why, advice], events] = await becameOf(cluster, name, node);
        return new target/* ContainerLostError */.kL(`${subject}: ${why}${events}. ${advice}`);
    }
    catch (cause) {
        return new target/* ContainerLostError */.kL(`${subject}: the pod can't be reached, and the API server does not tell why. Check the cluster.`, { cause });
    }
}
async function becameOf(cluster, name, node) {
    const signal = AbortSignal.timeout(loss_LOOK_MS);
    const [pod, events] = await settled(cluster, name, signal);
    const ending = pod === undefined ? await whyGone(cluster, { node, events, signal }) : explain(pod, node);
    return [ending, eventText(events)];
}
async function settled(cluster, name, signal) {
    for (const begun = performance.now();; await (0,promises_.setTimeout)(AGAIN_MS, undefined, { signal })) {
        const [pod, events] = await Promise.all([findPod(cluster, name, signal), eventsOf(cluster, name, signal)]);
        const isSaid = pod === undefined || pod.metadata?.deletionTimestamp !== undefined || jobStatus(pod)?.state?.terminated;
        if (isSaid || !isBeingKilled(events) || performance.now() - begun > SETTLE_MS)
            return [pod, events];
    }
}
function explain(pod, node = pod.spec?.nodeName) {
    const terminated = jobStatus(pod)?.state?.terminated;
    if (terminated?.reason === 'OOMKilled' && terminated.exitCode === 137) {
        return ['the container ran out of memory (OOMKilled)', 'Give jobs more memory, or let the job use less.'];
    }
    if (hasSilentNode(pod))
        return silentNode(`its node ${node ?? ''}`);
    const ending = endedByCluster(pod, node);
    if (ending !== undefined)
        return ending;
    if (pod.metadata?.deletionTimestamp !== undefined) {
        return deletedBySomebody('is being');
    }
    if (terminated?.message?.trim() === pod_scripts/* LEASE_OVER */.eY) {
        return [
            'the pod had not heard of its agent for longer than it runs without it, and has ended the step by itself',
            'Check the network, the API server and the kubelet, and that no step changes what lies in /mnt/pulumi-runner.',
        ];
    }
    if (terminated !== undefined) {
        return [
            `the container ended (${terminated.reason ?? 'without a reason'}, exit code ${terminated.exitCode})`,
            'Look for a step that kills processes which are not its own.',
        ];
    }
    return [
        'it has not been heard of for longer than it runs without its agent, and has ended the step by itself',
        'Check the node, its kubelet and the API server.',
    ];
}
function hasSilentNode({ status }) {
    const condition = (name) => status?.conditions?.find(({ type }) => type === name);
    const ready = condition('Ready');
    const isTakenBack = ready !== undefined && ready.status !== 'True' && (ready.reason ?? '') === '';
    return isTakenBack && condition('ContainersReady')?.status === 'True';
}
const DECISIVE = ['Preempted', 'Preempting', 'Evicted', 'DeadlineExceeded', 'TaintManagerEviction'];
async function whyGone(cluster, { node, events, signal }) {
    const standing = node === undefined ? 'unknown' : await nodeStanding(cluster, node, signal);
    const named = node === undefined ? 'its node' : `its node ${node}`;
    if (standing === 'gone')
        return goneNode(named);
    const last = (...reasons) => events.findLastIndex((event) => reasons.includes(event.reason ?? '') && !isCancelled(event));
    const isNotHeardOf = last('NodeNotReady') > last('Killing');
    if (standing === 'silent' || (standing === 'unknown' && isNotHeardOf)) {
        const [why, advice] = silentNode(named);
        return [`${why}, and the pod was deleted`, advice];
    }
    const { reason = '', message = '' } = events[last(...DECISIVE)] ?? {};
    const ending = endingOf(reason, message, node);
    if (ending !== undefined)
        return ending;
    const [why, advice] = deletedBySomebody('was');
    const isOpen = node !== undefined && standing === 'unknown';
    return [why, isOpen ? `${advice} See kubectl get nodes whether ${named} is still there.` : advice];
}
async function nodeStanding(cluster, name, signal) {
    const subject = { verb: 'get', resource: 'nodes', namespace: '', name };
    try {
        const { status } = await cluster.call({ subject, method: 'GET', path: `/api/v1/nodes/${name}`, signal });
        return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True' ? 'ready' : 'silent';
    }
    catch (error) {
        return (0,errors/* refusedWith */.P0)(error, 404) ? 'gone' : 'unknown';
    }
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/environment-file.js






const LIMIT = 1024 ** 2;
const READ_MS = 20_000;
const SLOW_TRIES = 2;
const environment_file_RETRY_MS = 1_000;
async function readEnvironmentFile(context, signal) {
    const { control, environmentFile: path } = context;
    const over = AbortSignal.any([signal, control.lost]);
    const failed = (cause, advice) => new target/* ContainerError */.OJ(`Failed to read the environment file for the next step: ${path}: ${cause}. ${advice}`);
    for (let slow = 0;;) {
        const { end, text } = await tried(context, over);
        signal.throwIfAborted();
        if ('exitCode' in end) {
            if (end.exitCode === 3)
                throw failed('it is not a regular file', 'Only append lines to it.');
            if (end.exitCode === 0 && text.length > LIMIT)
                throw failed('it has more than 1 MiB', 'Keep it under 1 MiB.');
            if (end.exitCode === 0)
                return text.toString('utf8');
        }
        else if ((0,errors/* refusedWith */.P0)(end.cut, 403))
            throw (0,errors/* targetError */._5)(end.cut, 'read the environment file');
        if (control.lost.aborted || !(await context.isAlive().catch(() => true)))
            throw new ControlLostError('the pod is gone');
        if ('exitCode' in end || end.cut instanceof deadline/* DeadlineError */.j3)
            slow += 1;
        if (slow > SLOW_TRIES)
            throw failed('it can not be read to its end', 'Only append lines to it, and let no process change it after its step.');
        await (0,promises_.setTimeout)(environment_file_RETRY_MS, undefined, { signal: over }).catch(() => undefined);
    }
}
async function tried({ cluster, pod, container, environmentFile }, signal) {
    const pieces = [];
    let channel;
    try {
        const end = await (0,deadline/* within */.ux)(READ_MS, signal, async (inner) => {
            channel = await Channel.open({
                cluster,
                pod,
                container,
                script: { code: `[ -f "$1" ] || exit 3; head -c ${LIMIT + 1} "$1"`, words: [environmentFile] },
                onOutput: (piece) => void pieces.push(piece),
                onError: () => undefined,
                signal: inner,
            });
            return channel.end;
        });
        return { end, text: Buffer.concat(pieces) };
    }
    catch (cut) {
        return { end: { cut }, text: Buffer.alloc(0) };
    }
    finally {
        channel?.close();
    }
}

// EXTERNAL MODULE: ./lib/target/shell/interrupt-function.js
var interrupt_function = __webpack_require__(7136);
;// CONCATENATED MODULE: ./lib/target/kubernetes/step-scripts.js


const COPY = `
copy() {
  last=
  trap 'last=1' USR1
  while [ -z "$last" ]; do
    # Not on the stream: it would stay open for as long as this sleeps.
    sleep 0.1 >/dev/null 2>&1 &
    wait "$!"
    # Whoever would send it may have been killed.
    kill -0 "$$" 2>/dev/null || last=1
    [ -n "$last" ] || cat <&3
  done
  cat <&3
}
`;
const NO_ROOM = 122;
const LAST_WORDS = `total=
read -r key total 2>/dev/null </proc/self/fdinfo/3
printf '\\n%s\\n' "$end\${total:+ of $total}" >&2`;
const STEP_SCRIPT = `
folder=$1 step=$2 environment=$3 stopped=
trap : HUP INT TERM PIPE
${state_function/* STATE_FUNCTION */.T}
${interrupt_function/* INTERRUPT_FUNCTION */.X}
${COPY}
settings=$(head -c "$4")
case $settings in *'# complete') ;; *) exit 125 ;; esac
set -C
true 2>/dev/null >"$folder/step-$step" || exit 125
set +C
# Left of a process that had this number before.
[ ! -e "$folder/interrupted-$$" ] || rm -f "$folder/interrupted-$$"
for each in "$folder/output-$step" "$folder/end-$step"; do [ ! -e "$each" ] || rm -rf "$each"; done
{
  echo "$$" >"$folder/step-$step" && true >"$folder/leader-$$" >"$folder/output-$step" &&
    echo 'running                 ' >"$folder/end-$step"
} 2>/dev/null || {
  rm -f "$folder/step-$step" "$folder/end-$step"
  exit ${NO_ROOM}
}
exec 3<"$folder/output-$step"
echo "$$" >&2
copy &
copier=$!
(
  trap : HUP PIPE
  trap stopped=1 INT TERM
  (read -r process rest </proc/self/stat; echo "$process" 2>/dev/null >"$folder/process-$step"
    exec >"$folder/output-$step" 2>&1 </dev/null 3<&-; eval "$settings")
  code=$?
  # The signal may be on its way still.
  [ "$stopped$code" != 130 ] || sleep 1
  # Now that no child of it can inherit that: await_finish waits for programs that handle SIGINT.
  trap '' HUP INT TERM
  [ -z "$stopped" ] && [ "$code" != 130 ] || await_finish "$$"
  state "$environment"
  printf '%-24s\\n' "$code $state" 2>/dev/null 1<>"$folder/end-$step"
  exit "$code"
)
code=$?
kill -USR1 "$copier"
# A step may be over before the copier has so much as set its trap: then USR1 ends it.
wait "$copier" || cat <&3
end=
read -r end 2>/dev/null <"$folder/end-$step"
case $end in [0-9]*) ;; *) state "$environment"; end="$code $state" ;; esac
${LAST_WORDS}
`;
const REJOIN_SCRIPT = `
folder=$1 step=$2 leader=$4
trap '' HUP INT TERM
[ -n "$leader" ] || read -r leader 2>/dev/null <"$folder/step-$step" || exit 124
[ "$leader" -gt 0 ] || exit 124
echo "$leader" >&2
output=$folder/output-$step
[ -f "$output" ] || output=/proc/$leader/fd/3
[ -f "$output" ] || { output=/dev/null; echo gone >&2; }
exec 3<"$output"
tail -c "+$(($3 + 1))" <&3
over() {
  end=
  read -r end 2>/dev/null <"$folder/end-$step"
  case $end in [0-9]*) return 0 ;; *) return 1 ;; esac
}
# What a step has left running doesn't tell its end.
gone() {
  kill -0 "-$leader" || return 0
  process=
  read -r process <"$folder/process-$step"
  [ -n "$process" ] && ! kill -0 "$leader" && ! kill -0 "$process"
} 2>/dev/null
until over; do
  if gone; then
    sleep 1
    over || end='137 0 1'
    break
  fi
  sleep 0.1
  cat <&3
done
cat <&3
${LAST_WORDS}
`;

;// CONCATENATED MODULE: ./lib/target/kubernetes/step-settings.js

const NAME = /^[A-Za-z_]\w*$/;
const READ_ONLY = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID']);
function exposureWarning({ environment }) {
    const names = Object.keys(environment).filter((name) => !NAME.test(name));
    if (names.length === 0)
        return undefined;
    const [subject, object] = names.length === 1 ? ['its value stands', 'it'] : ['their values stand', 'them'];
    return `No shell can export ${names.map((name) => JSON.stringify(name)).join(', ')}: ${subject} on a command line inside the pod for a moment whenever a step begins. Give ${object} a name of letters, digits and underscores.`;
}
function stepSettings({ shell, script, workingDirectory, environment }) {
    const lines = [];
    const foreign = [];
    for (const [name, value] of Object.entries(environment)) {
        if (NAME.test(name) && !READ_ONLY.has(name))
            lines.push(`export ${name}=${quoted(value)}`);
        else
            foreign.push(quoted(`${name}=${value}`));
    }
    const folder = workingDirectory === undefined || workingDirectory === '' ? '/' : workingDirectory;
    const command = [...(foreign.length === 0 ? [] : ['env', ...foreign]), quoted(shell), '-c', quoted(script)].join(' ');
    const place = folder.startsWith('/') ? folder : `/${folder}`;
    return `${lines.join('\n')}\ncd -- ${quoted(place)} && exec ${command}\n# complete`;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/step-start.js


const STARTS = 5;
const ROOM_TRIES = 5;
class StepStart {
    name;
    #starts = 0;
    #full = 0;
    constructor(name) {
        this.name = name;
    }
    rename() {
        this.#starts += 1;
        if (this.#starts >= STARTS)
            throw new target/* ContainerError */.OJ('Failed to start the step for the job: the cluster did not answer, and the step had not begun. Check the API server and the kubelet.');
        this.name = `${this.name.replace(/-.*/, '')}-${this.#starts}`;
    }
    mayBegin({ exitCode }) {
        if (exitCode !== NO_ROOM)
            return false;
        this.#full += 1;
        return this.#full < ROOM_TRIES;
    }
}
function neverBegan({ exitCode, message }, complaint) {
    if (exitCode === NO_ROOM)
        return new target/* ContainerError */.OJ('Failed to start the step for the job: the disk of the volume "pulumi-runner" in its pod is full. Have the steps leave room there, or give the volume more in the pod template.');
    const why = complaint || message || `exit code ${exitCode}`;
    return new target/* ContainerError */.OJ(`Failed to start the step for the job: ${why}. Use an image with a POSIX shell, head, cat, sleep and tail, and with the shell that the job names.`);
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/step-words.js

const CHARACTERS = 1_000;
class StepWords {
    #onGone;
    #begun = Promise.withResolvers();
    #leader;
    #last;
    #line = '';
    #complaint = '';
    constructor(onGone) {
        this.#onGone = onGone;
    }
    get begun() {
        return this.#begun.promise;
    }
    get leader() {
        return this.#leader;
    }
    get last() {
        return this.#last;
    }
    get complaint() {
        return this.#complaint;
    }
    startAnew() {
        this.#line = '';
    }
    hear(text) {
        const lines = (this.#line + text).split('\n');
        this.#line = (lines.pop() ?? '').slice(0, CHARACTERS);
        for (const line of lines) {
            const [, number, state, bytes = '0'] = /^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(line) ?? [];
            if (line === 'gone')
                this.#onGone();
            else if (number === undefined)
                this.#complaint = `${this.#complaint} ${line}`.trim().slice(0, CHARACTERS);
            else if (state !== undefined)
                this.#last = { code: Number(number), state: (0,state_function/* readState */.u)(state), bytes: Number(bytes) };
            else if (this.#leader === undefined) {
                this.#leader = Number(number);
                this.#begun.resolve(this.#leader);
            }
        }
    }
    close() {
        this.#begun.resolve(undefined);
    }
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/step.js








const step_RETRY_MS = 1_000;
const REST_MS = 300_000;
const WITHHELD = 130;
const ignore = () => undefined;
const LOST = 'The pod is gone before all output of the step was taken over: its last lines are lost.';
const GONE = 'The step removed its output in the pod: lines that were not taken over yet are lost.';
const CUT_SHORT = 'The pod has less output of the step than the step printed: the lines that are missing are lost.';
const OUT_OF_REACH = 'The rest of the step\u2019s output could not be taken over, though its pod still runs: its last lines are lost.';
class Step {
    exit;
    #context;
    #start;
    #sink;
    #signal;
    #over;
    #ended = new AbortController();
    #words;
    #bytes = 0;
    #failure;
    #onWhole = () => undefined;
    #isStopping = false;
    #isWithheld = false;
    #isKilled = false;
    #channel;
    constructor(context, { name, spec, sink, signal }) {
        this.#context = context;
        this.#start = new StepStart(name);
        this.#sink = sink;
        this.#signal = signal;
        this.#over = AbortSignal.any([signal, context.control.lost, this.#ended.signal]);
        this.#words = new StepWords(() => context.logger('warning', GONE));
        this.exit = this.#run(spec);
        this.exit.catch(() => undefined);
    }
    get needsInterrupt() {
        return this.#words.last === undefined && !this.#isWithheld && !this.#isKilled;
    }
    async signal(name) {
        this.#isStopping = true;
        const leader = await this.#words.begun;
        if (leader === undefined || this.#over.aborted)
            return;
        if (this.#words.last !== undefined)
            return this.exit.then(ignore, ignore);
        try {
            await this.#context.control.signal(name, leader, this.#over);
            if (name === 'SIGKILL')
                this.#isKilled = true;
        }
        catch (error) {
            if (!this.#over.aborted)
                throw error;
        }
    }
    async #run(spec) {
        const { control } = this.#context;
        const cut = () => this.#channel?.close();
        this.#over.addEventListener('abort', cut, { once: true });
        const forget = control.onSilence(cut);
        try {
            await this.#show(spec);
            return await this.#result();
        }
        finally {
            this.#words.close();
            this.#ended.abort();
            forget();
        }
    }
    async #show(spec) {
        let isTold = false;
        for (let movedAt = performance.now();;) {
            this.#signal.throwIfAborted();
            const before = this.#bytes;
            const isTakenUp = this.#words.leader !== undefined;
            const end = await this.#once(spec);
            this.#signal.throwIfAborted();
            if (this.#failure !== undefined)
                throw this.#failure.error;
            if (this.#isWithheld || this.#isWhole())
                return;
            if ('exitCode' in end && this.#words.leader === undefined) {
                if (!this.#start.mayBegin(end))
                    throw neverBegan(end, this.#words.complaint);
                this.#channel = undefined;
            }
            if (this.#bytes !== before || this.#words.last === undefined)
                movedAt = performance.now();
            else if (isTakenUp && 'exitCode' in end && end.exitCode === 0)
                return this.#warn(CUT_SHORT);
            else if (performance.now() - movedAt > REST_MS)
                return this.#warn(OUT_OF_REACH);
            if (!(await this.#isAlive())) {
                if (this.#words.last === undefined)
                    throw await this.#context.loss();
                return this.#warn(LOST);
            }
            if (!isTold && 'cut' in end) {
                isTold = true;
                const goesOn = this.#words.last === undefined ? 'the step goes on, and ' : '';
                this.#warn(`The stream of the step is cut; ${goesOn}its output is taken up again.`);
            }
            await (0,promises_.setTimeout)(step_RETRY_MS, undefined, { signal: this.#over }).catch(() => undefined);
        }
    }
    #warn(text) {
        this.#context.logger('warning', text);
    }
    #isWhole() {
        return this.#words.last !== undefined && this.#bytes >= this.#words.last.bytes;
    }
    async #isAlive() {
        const { control, isAlive } = this.#context;
        return !control.lost.aborted && (await isAlive().catch(() => true));
    }
    async #once(spec) {
        this.#words.startAnew();
        const { control, environmentFile, variables } = this.#context;
        const { leader } = this.#words;
        try {
            if (leader !== undefined ||
                (this.#channel !== undefined && !(await control.forbid(this.#start.name, this.#over)))) {
                const known = leader === undefined ? [] : [String(leader)];
                const words = [pod_scripts/* CONTROL_FOLDER */.t7, this.#start.name, String(this.#bytes), ...known];
                return await this.#follow({ code: REJOIN_SCRIPT, words });
            }
            if (this.#isStopping) {
                this.#isWithheld = true;
                return { exitCode: WITHHELD, message: '' };
            }
            if (this.#channel !== undefined)
                this.#start.rename();
            const settings = stepSettings({ ...spec, environment: { ...spec.environment, ...variables } });
            const words = [pod_scripts/* CONTROL_FOLDER */.t7, this.#start.name, environmentFile, String(Buffer.byteLength(settings))];
            return await this.#follow({ code: STEP_SCRIPT, words }, settings);
        }
        catch (cause) {
            if (cause instanceof target/* ContainerError */.OJ)
                throw cause;
            return { cut: cause };
        }
    }
    async #follow(script, input) {
        const { cluster, pod, container } = this.#context;
        const whole = Promise.withResolvers();
        this.#onWhole = () => whole.resolve({ exitCode: 0, message: '' });
        const channel = await Channel.open({
            cluster,
            pod,
            container,
            script,
            onOutput: (piece) => this.#take(piece),
            onError: (piece) => {
                this.#words.hear(piece.toString('latin1'));
                if (this.#isWhole())
                    this.#onWhole();
            },
            signal: this.#over,
        });
        this.#channel = channel;
        if (this.#over.aborted || this.#failure !== undefined)
            channel.close();
        if (input !== undefined)
            channel.write(input);
        return Promise.race([channel.end, whole.promise]);
    }
    async #take(piece) {
        try {
            await this.#sink(piece);
        }
        catch (error) {
            this.#failure ??= { error };
            this.#channel?.close();
            throw error;
        }
        this.#bytes += piece.length;
        if (this.#isWhole())
            this.#onWhole();
    }
    async #result() {
        if (this.#isWithheld)
            return { code: WITHHELD, outOfMemory: false };
        const { code = 137, state } = this.#words.last ?? {};
        const context = this.#context;
        if (code !== 0 && !this.#signal.aborted && (await context.isDoomed().catch(() => false)))
            throw await context.loss();
        void context.control.forget(this.#start.name).catch(() => undefined);
        if (state === undefined)
            return { code, outOfMemory: false };
        const outOfMemory = state.oomKills > context.oomKills;
        context.oomKills = Math.max(context.oomKills, state.oomKills);
        context.state = state;
        return { code, outOfMemory };
    }
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/words.js

function formatSeconds(ms) {
    const seconds = ms / 1000;
    return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.round(seconds * 10) / 10} s`;
}
function lookAt({ pod, namespace, kept }) {
    return kept
        ? `See kubectl describe pod ${pod} -n ${namespace}.`
        : `See kubectl get events -n ${namespace} --field-selector involvedObject.name=${pod}; PULUMI_AGENT_DEBUG_POD=true keeps such a pod.`;
}
function lookInto(container, place) {
    return place.kept
        ? `See kubectl logs ${place.pod} -c ${container} -n ${place.namespace}.`
        : 'PULUMI_AGENT_DEBUG_POD=true keeps such a pod, for kubectl logs.';
}
function keptForALook({ pod, namespace }) {
    return `Pod ${pod} is kept for a look into it: kubectl exec -it ${pod} -c ${kubernetes_pod/* JOB_CONTAINER */.wD} -n ${namespace} -- sh. It ends by itself.`;
}
function keptUnstarted({ pod, namespace }) {
    return `Pod ${pod}, which failed to start, is kept for a look at it: kubectl describe pod ${pod} -n ${namespace}. Then remove it: kubectl delete pod ${pod} -n ${namespace}.`;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/pod-container.js








const REMOVAL_GRACE_SECONDS = 1;
class PodContainer {
    id;
    #options;
    #context;
    #removing = new AbortController();
    #removed = new AbortController();
    #steps = 0;
    #step;
    #removal;
    #isInReach;
    constructor(options) {
        this.id = options.context.pod;
        this.#options = options;
        this.#context = Object.assign(options.context, { loss: () => this.#loss() });
        void options.image.learn(options.context.cluster, this.id, this.#removed.signal);
    }
    get imageDigest() {
        return this.#options.image.digest;
    }
    async start(spec, sink, signal) {
        const either = AbortSignal.any([signal, this.#removing.signal]);
        either.throwIfAborted();
        this.#context.state = undefined;
        const exposure = this.#steps === 0 ? exposureWarning(spec) : undefined;
        if (exposure !== undefined)
            this.#context.logger('warning', exposure);
        this.#steps += 1;
        this.#step = new Step(this.#context, { name: String(this.#steps), spec, sink, signal: either });
        return this.#step;
    }
    async readEnvironmentFile(signal) {
        const { control, environmentFile } = this.#context;
        const known = this.#context.state;
        this.#context.state = undefined;
        try {
            const { environmentChanged } = known ?? (await control.state(environmentFile, signal));
            return environmentChanged ? await readEnvironmentFile(this.#context, signal) : '';
        }
        catch (error) {
            throw error instanceof ControlLostError ? await this.#loss() : error;
        }
    }
    remove() {
        this.#removal ??= this.#remove().catch((error) => {
            this.#removal = undefined;
            throw error;
        });
        return this.#removal;
    }
    async #remove() {
        const { cluster, pod, control, logger } = this.#context;
        this.#removing.abort(this.#removedByUs());
        if (this.#options.keep) {
            logger('warning', keptForALook({ pod, namespace: await cluster.namespace() }));
            this.#removed.abort();
            control.close();
            if (this.#options.secret !== undefined)
                await removeSecret(cluster, this.#options.secret);
            return;
        }
        control.expectEnd();
        this.#isInReach ??= !control.lost.aborted;
        const grace = this.#step?.needsInterrupt ? { isPatient: this.#isInReach } : { graceSeconds: REMOVAL_GRACE_SECONDS };
        try {
            const { secret, stopMs: ms } = this.#options;
            await removePodAndSecret(cluster, { pod, secret, ms, ...grace });
        }
        finally {
            this.#removed.abort();
            control.close();
        }
    }
    async #loss() {
        return this.#removing.signal.aborted ? this.#removedByUs() : this.#options.loss();
    }
    #removedByUs() {
        return new target/* ContainerLostError */.kL(`Failed to finish the step in pod ${this.id}: the agent removed the pod. The job was being stopped.`);
    }
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/start-failure.js






const PATIENCE_MS = 20_000;
const REFUSED = [
    'ErrImagePull',
    'ImagePullBackOff',
    'InvalidImageName',
    'ErrImageNeverPull',
    'ImageInspectError',
    'RegistryUnavailable',
    'SignatureValidationFailed',
    'CreateContainerConfigError',
    'CreateContainerError',
    'PreCreateHookError',
    'PreStartHookError',
    'RunContainerError',
    'CrashLoopBackOff',
];
const IMAGE = /Image|^Registry|^Signature/;
function refusedContainer(pod) {
    const { initContainerStatuses: first = [], containerStatuses: rest = [] } = pod.status ?? {};
    const isJobs = ({ name }) => name === kubernetes_pod/* JOB_CONTAINER */.wD;
    const inOrder = [...first, ...rest.filter(isJobs), ...rest.filter((each) => !isJobs(each))];
    return inOrder.find(({ state }) => REFUSED.includes(state?.waiting?.reason ?? ''));
}
async function hopeless(options, pod, { refused, refusedMs }) {
    if (pod.metadata?.deletionTimestamp !== undefined)
        return deleted(options, pod);
    if (pod.status?.phase === 'Failed' || jobStatus(pod)?.state?.terminated !== undefined)
        return ended(options, pod);
    if (refused === undefined)
        return undefined;
    const reason = refused.state?.waiting?.reason ?? '';
    if (reason === 'InvalidImageName' || reason === 'ErrImageNeverPull' || refusedMs >= PATIENCE_MS) {
        return IMAGE.test(reason) ? unusableImage(options, pod, refused) : unstartable(options, pod, refused);
    }
    return undefined;
}
async function deleted(options, pod) {
    const [why, advice] = endedByCluster(pod) ?? deletedBySomebody('is being');
    return failed(options, `${why}${await eventsFor(options)}. ${advice}`);
}
async function notInTime(options, pod, timeoutMs) {
    const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    const events = await eventsFor(options);
    const after = formatSeconds(timeoutMs);
    if (scheduled?.status === 'False') {
        return new target/* ContainerError */.OJ(`Failed to schedule pod ${options.pod} for the job: no node took it within ${after}: ${(0,one_line/* oneLine */.T)(scheduled.message ?? scheduled.reason ?? '')}${events}. Add nodes, let the job ask for less, or correct node selector and tolerations in the pod template.`);
    }
    const place = await placeOf(options);
    const init = unfinished(pod);
    const [why, look] = init === undefined ? ['', lookAt(place)] : [`: init container ${init} has not ended`, lookInto(init, place)];
    return failed(options, `it did not run within ${after}${why}${events}. Raise pod-start-timeout if it takes so long. ${look}`);
}
function unfinished({ spec, status }) {
    const isMeantTo = (init) => spec?.initContainers?.some(({ name, restartPolicy }) => name === init && restartPolicy === 'Always') ?? false;
    return status?.initContainerStatuses?.find(({ name, state }) => state?.running !== undefined && !isMeantTo(name))
        ?.name;
}
async function ended(options, pod) {
    const { reason, message } = pod.status ?? {};
    const events = await eventsFor(options);
    const place = await placeOf(options);
    const init = pod.status?.initContainerStatuses?.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
    const byCluster = endedByCluster(pod);
    if (byCluster !== undefined)
        return failed(options, `${byCluster[0]}${events}. ${byCluster[1]}`);
    if (init !== undefined) {
        const how = await exitOf(options, init, init.state?.terminated);
        return failed(options, `init container ${init.name} ended with ${how}${events}. Correct it in the pod template. ${lookInto(init.name, place)}`);
    }
    const job = jobStatus(pod);
    if (job?.state?.terminated !== undefined) {
        const how = await exitOf(options, job, job.state.terminated);
        return failed(options, `it ended at once: ${how}${events}. Use an image with a POSIX shell. ${lookAt(place)}`);
    }
    return failed(options, `it ended at once: ${(0,one_line/* oneLine */.T)(`${reason ?? 'Failed'}: ${message ?? ''}`)}${events}. ${lookAt(place)}`);
}
async function unstartable(options, pod, status) {
    const { reason = '', message = '' } = status.state?.waiting ?? {};
    const label = labelOf(pod, status);
    const events = await eventsFor(options);
    const place = await placeOf(options);
    const last = status.lastState?.terminated;
    if (reason === 'CrashLoopBackOff' && last !== undefined) {
        const how = await exitOf(options, status, last);
        return failed(options, `${label} ends again and again, the last time with ${how}${events}. Correct it in the pod template. ${lookInto(status.name, place)}`);
    }
    return failed(options, `${label}: ${reason}: ${(0,one_line/* oneLine */.T)(message)}${events}. ${lookAt(place)}`);
}
async function unusableImage(options, pod, status) {
    const { image } = status;
    const { reason = '', message = '' } = status.state?.waiting ?? {};
    const isJobs = status.name === kubernetes_pod/* JOB_CONTAINER */.wD;
    const of = isJobs ? '' : ` of ${labelOf(pod, status)}`;
    if (reason === 'InvalidImageName') {
        return new target/* ImageError */.C8(`Failed to pull image ${image}${of} for the job: "${image}" is not a valid image name. Correct it in the ${isJobs ? 'deployment settings' : 'pod template'}.`);
    }
    if (reason === 'ErrImageNeverPull') {
        return new target/* ImageError */.C8(`Failed to find image ${image}${of} for the job: it is not on the node, and the pull policy is Never. Load it there, or set ${isJobs ? 'image-pull-policy' : 'imagePullPolicy in the pod template'} to IfNotPresent.`);
    }
    const where = isJobs ? 'in the deployment settings or as' : 'as';
    return new target/* ImageError */.C8(`Failed to pull image ${image}${of} for the job: ${(0,one_line/* oneLine */.T)(message) || reason}${await eventsFor(options)}. Check the image's name, and its registry's credentials ${where} imagePullSecrets of the service account.`);
}
async function exitOf({ cluster, pod, signal }, { name }, terminated) {
    const { exitCode, reason = '', message = '' } = terminated ?? {};
    const how = `exit code ${exitCode}${/^(Error|Completed)?$/.test(reason) ? '' : ` (${reason})`}`;
    const said = message.trim() === '' ? await logEnd(cluster, { pod, container: name, signal }) : message;
    return said === undefined ? how : `${how}: ${(0,one_line/* oneLine */.T)(said)}`;
}
function labelOf(pod, { name }) {
    const isInit = pod.status?.initContainerStatuses?.some((each) => each.name === name) ?? false;
    return `${isInit ? 'init container' : 'container'} ${name}`;
}
function failed({ pod }, why) {
    return new target/* ContainerError */.OJ(`Failed to start pod ${pod} for the job: ${why}`);
}
async function eventsFor({ cluster, pod, signal }) {
    return eventText(await eventsOf(cluster, pod, signal));
}
async function placeOf({ cluster, pod, kept }) {
    return { pod, namespace: await cluster.namespace(), kept };
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/start.js






const start_LOOK_MS = 100;
const LONG_LOOK_MS = 1_000;
const LONG_MS = 10_000;
async function untilRunning(options, { early }) {
    const { cluster, pod: name, signal, timeoutMs } = options;
    const begun = performance.now();
    let last;
    for (;;) {
        const [pod, events] = await Promise.all([
            readPod(cluster, name, signal, (0,kubernetes_cluster/* patienceOf */.H)(signal)),
            eventsOf(cluster, name, signal),
        ]);
        await tell(options, events);
        const isStated = jobStatus(pod)?.state?.running !== undefined;
        if (isStated || (early && hasStarted(pod, events)))
            return { pod, isStated };
        const now = performance.now();
        const refused = refusedContainer(pod);
        if (refused?.name !== last?.container)
            last = refused && { container: refused.name, since: now };
        const over = await hopeless(options, pod, { refused, refusedMs: now - (last?.since ?? now) });
        if (over !== undefined)
            throw over;
        if (now - begun >= timeoutMs)
            throw await notInTime(options, pod, timeoutMs);
        await (0,promises_.setTimeout)(now - begun > LONG_MS ? LONG_LOOK_MS : start_LOOK_MS, undefined, { signal });
    }
}
function hasStarted({ spec }, events) {
    const container = spec?.containers.find(({ name }) => name === kubernetes_pod/* JOB_CONTAINER */.wD);
    if (container?.lifecycle?.postStart !== undefined)
        return false;
    return hasHappened('Started', events);
}
async function tell({ progress, told }, events) {
    for (const { reason = '', message = '' } of events) {
        const line = `${reason}: ${(0,one_line/* oneLine */.T)(message)}.`;
        if (told.has(line))
            continue;
        told.add(line);
        await progress(line);
    }
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/prepare.js

















const prepare_LOOK_MS = 10_000;
async function preparePod(cluster, options) {
    const { settings, template, progress, signal, stopMs, logger } = options;
    const { randomBytes } = process.getBuiltinModule('node:crypto');
    const name = `pulumi-workflow-${randomBytes(6).toString('hex')}`;
    const spec = { ...options.spec, image: options.spec.policy?.check(options.spec.image) ?? options.spec.image };
    const { credentials } = spec;
    const pullSecret = credentials === undefined ? undefined : name;
    const kept = settings.keepPods === true;
    let control;
    let made;
    let node;
    let secretLeft = pullSecret;
    try {
        if (credentials !== undefined) {
            await createPullSecret(cluster, { name, image: spec.image, credentials, labels: spec.labels, signal }).catch((error) => Promise.reject((0,errors/* targetError */._5)(error, 'create the pull secret')));
        }
        const wanted = (0,kubernetes_pod/* podFor */.tH)(spec, { name, settings, ...(pullSecret === undefined ? {} : { pullSecret }) });
        made = await create(cluster, await template(wanted, signal), signal);
        await progress(`Created pod ${name} in namespace ${await cluster.namespace()}.`);
        if (pullSecret !== undefined) {
            try {
                await ownSecret(cluster, { name: pullSecret, pod: name, uid: made.metadata?.uid ?? '', signal });
                secretLeft = undefined;
            }
            catch (error) {
                const why = (0,outcome/* messageOf */.bD)(error);
                logger('warning', `The pull secret stays until the job is over, as it could not be given to its pod: ${why}`);
            }
        }
        const isAlive = async () => (await standingOf(cluster, name, AbortSignal.timeout(prepare_LOOK_MS))) !== 'over';
        control = new Control({
            cluster,
            pod: name,
            container: kubernetes_pod/* JOB_CONTAINER */.wD,
            leaseSeconds: settings.leaseSeconds ?? pod_scripts/* LEASE_SECONDS */.Vb,
            orphanGraceSeconds: settings.orphanGraceSeconds ?? pod_scripts/* ORPHAN_GRACE_SECONDS */.uf,
            isAlive,
            onTrouble: (text) => logger('warning', text),
        });
        const { startTimeoutMs: timeoutMs } = settings;
        const start = { cluster, pod: name, kept, progress, signal, timeoutMs, told: new Set() };
        const { pod } = await enter(control, (early) => untilRunning(start, { early }), signal, spec.whileStarting);
        const image = new PodImage(pod, spec.image);
        const secret = kept ? pullSecret : secretLeft;
        node = pod.spec?.nodeName;
        await progress(`Runs on node ${node ?? '?'}.`);
        const { environmentFile, variables } = await putFiles(control, spec, signal);
        return new PodContainer({
            context: {
                cluster,
                pod: name,
                container: kubernetes_pod/* JOB_CONTAINER */.wD,
                control,
                environmentFile,
                variables,
                logger,
                oomKills: 0,
                state: undefined,
                isAlive,
                isDoomed: () => isDoomed(cluster, name, AbortSignal.timeout(prepare_LOOK_MS)),
            },
            image,
            stopMs,
            keep: kept,
            ...(secret === undefined ? {} : { secret }),
            loss: () => lossOf(cluster, name, node),
        });
    }
    catch (error) {
        const why = signal.aborted ? error : await whyLost(cluster, error, { pod: name, node });
        const warn = (left) => logger('warning', String(left));
        if (kept && made !== undefined && !(0,errors/* refusedWith */.P0)(error, 404)) {
            logger('warning', keptUnstarted({ pod: name, namespace: await cluster.namespace() }));
            if (pullSecret !== undefined)
                await removeSecret(cluster, pullSecret).catch(warn);
        }
        else
            await removePodAndSecret(cluster, { pod: name, secret: pullSecret, ms: stopMs, graceSeconds: 0 }).catch(warn);
        control?.close();
        signal.throwIfAborted();
        throw (0,errors/* targetError */._5)(why, 'start the pod');
    }
}
async function whyLost(cluster, error, { pod, node }) {
    const isGone = error instanceof ControlLostError || ((0,errors/* refusedWith */.P0)(error, 404) && /^pods\b/.test(error.subject.resource));
    if (!isGone)
        return error;
    try {
        const [[why, advice], events] = await becameOf(cluster, pod, node);
        return new target/* ContainerError */.OJ(`Failed to start pod ${pod} for the job: ${why}${events}. ${advice}`, { cause: error });
    }
    catch {
        return error;
    }
}
async function create(cluster, pod, signal) {
    try {
        const made = await (0,objects/* createObject */.ed)(cluster, { kind: 'pods', body: pod, signal });
        return made ?? (await readPod(cluster, pod.metadata?.name ?? '', signal, (0,kubernetes_cluster/* patienceOf */.H)(signal)));
    }
    catch (error) {
        throw (0,errors/* targetError */._5)(error, 'create the pod');
    }
}
async function putFiles(control, { files, environmentFile }, signal) {
    for (const file of files) {
        if (await control.putFile(file, signal))
            continue;
        if (file.path !== environmentFile) {
            throw new target/* ContainerError */.OJ(`Failed to put file ${file.path} into the pod for the job: it is there already, or its folder is not writable. Use an image whose user may write below ${kubernetes_pod/* JOB_FOLDER */.Pd}.`);
        }
        const other = `${kubernetes_pod/* JOB_FOLDER */.Pd}/environment`;
        await control.putFile({ ...file, path: other }, signal);
        return { environmentFile: other, variables: { PULUMI_ENV_FILE: other } };
    }
    return { environmentFile, variables: {} };
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/sweep.js






const sweep_LOOK_MS = 250;
async function sweepObjects(cluster, labels, limits) {
    if (Object.keys(labels).length === 0)
        throw new Error('a sweep needs labels');
    const pods = await found(cluster, 'pods', labels, limits);
    const others = ['secrets', 'podtemplates'].map(async (kind) => {
        const names = (await found(cluster, kind, labels, limits)).map(([name]) => name);
        return removeNamed(cluster, { kind, names, signal: limits.signal });
    });
    return (0,all_tried/* linesOf */.D)([...pods.map(([name, pod]) => sweepPod(cluster, name, pod, limits)), ...others]);
}
async function found(cluster, kind, labels, { only = () => true, signal }) {
    return (await (0,objects/* listObjects */.L)(cluster, { kind, labels, signal })).flatMap((object) => {
        const { name, annotations = {} } = object.metadata ?? {};
        const same = Object.entries(labels).every(([key, value]) => annotations[key] === value);
        const taken = same && annotations[kubernetes_pod/* KEPT */.t0] === undefined && only(annotations);
        return taken && name !== undefined ? [[name, object]] : [];
    });
}
async function sweepPod(cluster, name, pod, limits) {
    const { ms, hurry, signal } = limits;
    const removed = `Removed pod ${name}.`;
    if (isOver(pod))
        return (await removePod(cluster, name, { ms, graceSeconds: 0 })) ? removed : undefined;
    const runs = pod.status?.phase === 'Running' || jobStatus(pod)?.state?.running !== undefined;
    if (runs && hurry?.aborted)
        return undefined;
    if (!(await (0,objects/* deleteObject */.XR)(cluster, { kind: 'pods', name, signal, patience: { ms, signal } })))
        return undefined;
    if (await isSoonGone(cluster, name, limits))
        return removed;
    const seconds = pod.metadata?.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
    return `Pod ${name} was told to end in order, for which it has ${seconds} s.`;
}
async function isSoonGone(cluster, name, { graceMs = 0, hurry, signal }) {
    const end = performance.now() + graceMs;
    const woken = AbortSignal.any([signal, ...(hurry === undefined ? [] : [hurry])]);
    for (;;) {
        try {
            if ((await findPod(cluster, name, signal)) === undefined)
                return true;
        }
        catch {
            signal.throwIfAborted();
        }
        if (hurry?.aborted || performance.now() >= end)
            return false;
        await (0,promises_.setTimeout)(sweep_LOOK_MS, undefined, { signal: woken }).catch(() => signal.throwIfAborted());
    }
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/kubernetes-target.js








const TRIED_IMAGE = 'pulumi/pulumi:latest';
function createKubernetesTarget(options) {
    const { logger = () => undefined, stopTimeoutMs: stopMs = 60_000 } = options;
    const cluster = new kubernetes_cluster.Cluster(options);
    let template;
    const merge = async (pod, signal) => {
        if (options.template === undefined)
            return pod;
        template ??= loadTemplate(options.template);
        return (await template).mergeOver(pod, cluster, signal);
    };
    return {
        name: 'kubernetes',
        check: async (signal) => {
            try {
                const { gitVersion } = await cluster.call({
                    subject: { verb: 'get', resource: 'version', namespace: '' },
                    method: 'GET',
                    path: '/version',
                    signal,
                });
                const { randomBytes } = process.getBuiltinModule('node:crypto');
                const name = `pulumi-workflow-check-${randomBytes(6).toString('hex')}`;
                await tryPod(cluster, name, options, merge, signal);
                await tryExec(cluster, name, signal);
                return `Kubernetes ${gitVersion} at ${await cluster.way()}, namespace ${await cluster.namespace()}`;
            }
            catch (error) {
                throw (0,errors/* targetError */._5)(error, 'ask the cluster for its version');
            }
        },
        permissions: () => permissionsIn(cluster, options.template !== undefined),
        prepare: (spec, progress, signal) => preparePod(cluster, {
            spec,
            settings: options,
            template: merge,
            progress,
            signal,
            stopMs,
            logger,
        }),
        sweep: async (labels, signal, sweep) => {
            try {
                return await sweepObjects(cluster, labels, { ...sweep, ms: stopMs, signal });
            }
            catch (error) {
                throw (0,errors/* targetError */._5)(error, 'remove what is left');
            }
        },
        sweepAbandoned: async (signal) => {
            try {
                return await sweepAbandoned(cluster, { ms: stopMs, signal });
            }
            catch (error) {
                throw (0,errors/* targetError */._5)(error, 'remove what dead agents left');
            }
        },
        close: async () => cluster.close(),
    };
}
async function loadTemplate(textOrPath) {
    const { PodTemplate: Template, templateSource } = await Promise.all(/* import() */[__webpack_require__.e(815), __webpack_require__.e(546)]).then(__webpack_require__.bind(__webpack_require__, 546));
    return new Template(await templateSource(textOrPath));
}
async function tryPod(cluster, name, { image = TRIED_IMAGE, labels = {}, ...settings }, merge, signal) {
    const pod = await merge((0,kubernetes_pod/* podFor */.tH)({ image, labels }, { name, settings }), signal);
    const namespace = await cluster.namespace();
    const subject = { verb: 'create', resource: 'pods', namespace };
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await cluster
        .call({ subject, method: 'POST', path, query: { dryRun: 'All' }, body: pod, signal })
        .catch((error) => {
        throw (0,errors/* targetError */._5)(error, 'try a pod');
    });
}


/***/ }),

/***/ 1243:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Bk: () => (/* binding */ selectorOf),
/* harmony export */   kG: () => (/* binding */ ownership)
/* harmony export */ });
/* unused harmony exports COMPONENT_LABELS, labelValue */
const COMPONENT_LABELS = {
    'app.kubernetes.io/component': 'pulumi-workflow',
    'app.kubernetes.io/name': 'workflow-runner',
    'app.kubernetes.io/managed-by': 'pulumi-runner-agent',
};
const VALUE = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/;
function labelValue(value) {
    if (VALUE.test(value))
        return value;
    const { createHash } = process.getBuiltinModule('node:crypto');
    return `sha256-${createHash('sha256').update(value).digest('hex').slice(0, 32)}`;
}
function ownership(labels) {
    const values = Object.entries(labels).map(([key, value]) => [key, labelValue(value)]);
    return { labels: { ...Object.fromEntries(values), ...COMPONENT_LABELS }, annotations: { ...labels } };
}
function selectorOf(labels) {
    return Object.entries({ ...labels, 'app.kubernetes.io/managed-by': COMPONENT_LABELS['app.kubernetes.io/managed-by'] })
        .map(([key, value]) => `${key}=${labelValue(value)}`)
        .join(',');
}


/***/ }),

/***/ 8062:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   L: () => (/* binding */ listObjects),
/* harmony export */   XR: () => (/* binding */ deleteObject),
/* harmony export */   ed: () => (/* binding */ createObject)
/* harmony export */ });
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4429);
/* harmony import */ var _cluster_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7273);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2875);
/* harmony import */ var _labels_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1243);




async function listObjects(cluster, { kind, labels, signal }) {
    const namespace = await cluster.namespace();
    const list = cluster.call({
        subject: { verb: 'list', resource: kind, namespace },
        method: 'GET',
        path: `/api/v1/namespaces/${namespace}/${kind}`,
        query: { labelSelector: (0,_labels_js__WEBPACK_IMPORTED_MODULE_3__/* .selectorOf */ .Bk)(labels) },
        signal,
    });
    try {
        return (await list).items;
    }
    catch (error) {
        if (kind === 'podtemplates' && (0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .refusedWith */ .P0)(error, 403))
            return [];
        throw error;
    }
}
async function createObject(cluster, { kind, body, signal }) {
    signal.throwIfAborted();
    const namespace = await cluster.namespace();
    try {
        return await cluster.call({
            subject: { verb: 'create', resource: kind, namespace },
            method: 'POST',
            path: `/api/v1/namespaces/${namespace}/${kind}`,
            body,
            signal: _deadline_js__WEBPACK_IMPORTED_MODULE_0__/* .NEVER */ .tm,
            patience: (0,_cluster_js__WEBPACK_IMPORTED_MODULE_1__/* .patienceOf */ .H)(signal),
        });
    }
    catch (error) {
        if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .refusedWith */ .P0)(error, 409) && error.reason === 'AlreadyExists')
            return undefined;
        throw error;
    }
}
async function deleteObject(cluster, { kind, name, graceSeconds, signal, patience, }) {
    const namespace = await cluster.namespace();
    const subject = { verb: 'delete', resource: kind, namespace, name };
    try {
        await cluster.call({
            subject,
            method: 'DELETE',
            path: `/api/v1/namespaces/${namespace}/${kind}/${name}`,
            body: {
                kind: 'DeleteOptions',
                apiVersion: 'v1',
                ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
            },
            signal,
            ...(patience && { patience }),
        });
        return true;
    }
    catch (error) {
        if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .refusedWith */ .P0)(error, 404))
            return false;
        throw error;
    }
}


/***/ }),

/***/ 1740:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Vb: () => (/* binding */ LEASE_SECONDS),
/* harmony export */   _p: () => (/* binding */ MAIN_SCRIPT),
/* harmony export */   _u: () => (/* binding */ CONTROL_SCRIPT),
/* harmony export */   eY: () => (/* binding */ LEASE_OVER),
/* harmony export */   t7: () => (/* binding */ CONTROL_FOLDER),
/* harmony export */   uf: () => (/* binding */ ORPHAN_GRACE_SECONDS)
/* harmony export */ });
/* harmony import */ var _shell_file_function_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6821);
/* harmony import */ var _shell_signal_function_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(151);
/* harmony import */ var _shell_state_function_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4594);



const CONTROL_FOLDER = '/mnt/pulumi-runner';
const LEASE_SECONDS = 200;
const ORPHAN_GRACE_SECONDS = 45;
const LEASE_OVER = 'no word of the agent';
const PAUSE = `
pause() {
  slept=
  command eval 'sleep "$1" & slept=1; wait "$!"' 2>/dev/null
  [ -z "$slept" ] || return 0
  read -r now rest </proc/uptime
  until=$((\${now%%.*} + $1))
  while [ -z "$ended" ] && [ "\${now%%.*}" -lt "$until" ]; do read -r now rest </proc/uptime; done
}
`;
const INTERRUPT_ALL = `
running() {
  found=
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    [ "$4" = "$pid" ] && [ "$pid" != 1 ] && [ -e "$folder/leader-$pid" ] && found="$found $pid"
  done 2>/dev/null
  [ -n "$found" ]
}
interrupt_all() {
  running
  for each in $found; do
    [ -e "$folder/interrupted-$each" ] || { leader=$each; signal INT "$each"; }
  done
  n=0 ended=
  while [ "$n" -lt "$1" ] && running; do pause 1; n=$((n + 1)); done
}
`;
const MAIN_SCRIPT = `
folder=$0
${_shell_signal_function_js__WEBPACK_IMPORTED_MODULE_0__/* .SIGNAL_FUNCTION */ .m}
${PAUSE}
${INTERRUPT_ALL}
trap 'ended=1' TERM
trap '' HUP INT
ended='' last='' silent=0
while [ -z "$ended" ] && [ "$silent" -lt "$1" ]; do
  pause 2
  beat=
  read -r beat 2>/dev/null <"$folder/beat"
  if [ "$beat" = "$last" ]; then silent=$((silent + 2)); else last=$beat silent=0; fi
done
if [ -n "$ended" ]; then interrupt_all "$3"; exit; fi
echo '${LEASE_OVER}' 2>/dev/null >/dev/termination-log
interrupt_all "$2"
sleep "$4" &
wait "$!"
`;
const CONTROL_SCRIPT = `
folder=$1
trap '' HUP INT TERM
${_shell_signal_function_js__WEBPACK_IMPORTED_MODULE_0__/* .SIGNAL_FUNCTION */ .m}
${_shell_state_function_js__WEBPACK_IMPORTED_MODULE_1__/* .STATE_FUNCTION */ .T}
${_shell_file_function_js__WEBPACK_IMPORTED_MODULE_2__/* .FILE_FUNCTION */ .a}
echo '0 ready'
while read -r id verb a b c; do
  [ -e "$folder/done-$id" ] && { echo "$id yes"; continue; }
  answer=no
  case $verb in
    beat) echo "$id" 1<>"$folder/beat" && answer=yes ;;
    signal) true >"$folder/done-$id"; [ "$a" != INT ] || true >"$folder/interrupted-$b"; signal "$a" "$b" ;;
    file) file "$a" "$b" "$c"; [ "$answer" = no ] || true >"$folder/done-$id" ;;
    state) state "$a"; answer=$state ;;
    forbid)
      { set -C; echo 0 >"$folder/step-$a" && answer=yes; set +C; } 2>/dev/null
      # Asked a second time.
      b=
      [ "$answer" = yes ] || { read -r b 2>/dev/null <"$folder/step-$a"; [ "$b" != 0 ] || answer=yes; } ;;
    forget) rm -f "$folder/output-$a" && answer=yes ;;
    *) continue ;;
  esac
  echo "$id $answer"
done
`;


/***/ }),

/***/ 7849:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Jo: () => (/* binding */ START_SECONDS),
/* harmony export */   Pd: () => (/* binding */ JOB_FOLDER),
/* harmony export */   t0: () => (/* binding */ KEPT),
/* harmony export */   tH: () => (/* binding */ podFor),
/* harmony export */   wD: () => (/* binding */ JOB_CONTAINER)
/* harmony export */ });
/* harmony import */ var _labels_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1243);
/* harmony import */ var _pod_scripts_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1740);


const JOB_CONTAINER = 'pulumi-workflow';
const JOB_FOLDER = '/mnt/pulumi';
const KEPT = 'pulumi-runner.kept';
const START_SECONDS = 'pulumi-runner.start-seconds';
const KEEP_SECONDS = 24 * 3600;
const KILL_SECONDS = 15;
const DROPPED = ['AUDIT_WRITE', 'MKNOD', 'NET_BIND_SERVICE', 'NET_RAW', 'SETPCAP', 'SYS_CHROOT'];
function podFor(spec, { name, pullSecret, settings }) {
    const { serviceAccount, imagePullPolicy, cpus, memory, graceMs, startTimeoutMs, leaseSeconds = _pod_scripts_js__WEBPACK_IMPORTED_MODULE_1__/* .LEASE_SECONDS */ .Vb, orphanGraceSeconds = _pod_scripts_js__WEBPACK_IMPORTED_MODULE_1__/* .ORPHAN_GRACE_SECONDS */ .uf, keepPods = false, } = settings;
    const [os, architecture] = spec.platform?.split('/') ?? [];
    const graceSeconds = Math.ceil(graceMs / 1000);
    const limits = { ...(cpus === undefined ? {} : { cpu: cpus }), ...(memory === undefined ? {} : { memory }) };
    const labels = {
        ...spec.labels,
        [START_SECONDS]: String(Math.ceil(startTimeoutMs / 1000)),
        ...(keepPods ? { [KEPT]: 'true' } : {}),
    };
    return {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, ...(0,_labels_js__WEBPACK_IMPORTED_MODULE_0__/* .ownership */ .kG)(labels) },
        spec: {
            restartPolicy: 'Never',
            enableServiceLinks: false,
            ...(serviceAccount === undefined ? { automountServiceAccountToken: false } : {}),
            terminationGracePeriodSeconds: graceSeconds + KILL_SECONDS,
            ...(serviceAccount === undefined ? {} : { serviceAccountName: serviceAccount }),
            ...(pullSecret === undefined ? {} : { imagePullSecrets: [{ name: pullSecret }] }),
            ...(os === undefined || architecture === undefined
                ? {}
                : { nodeSelector: { 'kubernetes.io/os': os, 'kubernetes.io/arch': architecture } }),
            containers: [
                {
                    name: JOB_CONTAINER,
                    image: spec.image,
                    imagePullPolicy: imagePullPolicy ?? 'IfNotPresent',
                    command: ['sh', '-c', _pod_scripts_js__WEBPACK_IMPORTED_MODULE_1__/* .MAIN_SCRIPT */ ._p, _pod_scripts_js__WEBPACK_IMPORTED_MODULE_1__/* .CONTROL_FOLDER */ .t7],
                    args: [
                        String(leaseSeconds),
                        String(orphanGraceSeconds),
                        String(graceSeconds),
                        String(keepPods ? KEEP_SECONDS : 0),
                    ],
                    workingDir: '/',
                    ...(Object.keys(limits).length === 0 ? {} : { resources: { limits, requests: limits } }),
                    securityContext: {
                        allowPrivilegeEscalation: false,
                        capabilities: { drop: [...DROPPED] },
                        seccompProfile: { type: 'RuntimeDefault' },
                    },
                    volumeMounts: [
                        { name: 'pulumi', mountPath: JOB_FOLDER },
                        { name: 'pulumi-runner', mountPath: _pod_scripts_js__WEBPACK_IMPORTED_MODULE_1__/* .CONTROL_FOLDER */ .t7 },
                    ],
                },
            ],
            volumes: [
                { name: 'pulumi', emptyDir: {} },
                { name: 'pulumi-runner', emptyDir: {} },
            ],
        },
    };
}


/***/ }),

/***/ 6821:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   a: () => (/* binding */ FILE_FUNCTION),
/* harmony export */   g: () => (/* binding */ fileRequest)
/* harmony export */ });
const FILE_FUNCTION = `file() {
  umask 022
  if [ ! -e "$2" ] && [ ! -L "$2" ] && { [ -d "\${2%/*}/" ] || mkdir -p "\${2%/*}/"; }; then
    umask "$1"
    printf %b "$3" >"$2" && answer=yes
    umask 022
  fi
} 2>/dev/null`;
function fileRequest({ path, mode, content }) {
    if (!/^\/[\w./+=@:-]+$/.test(path))
        return undefined;
    return `file ${(0o777 & ~mode).toString(8).padStart(4, '0')} ${path} ${octal(content)}`;
}
function octal(text) {
    return Buffer.from(text)
        .toString('latin1')
        .replace(/[^A-Za-z0-9_./=+-]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
}


/***/ }),

/***/ 7136:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   X: () => (/* binding */ INTERRUPT_FUNCTION)
/* harmony export */ });
const INTERRUPT_FUNCTION = `# SIGINT is the second bit of the mask of handled signals (proc(5)); a zombie has none.
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
} 2>/dev/null`;


/***/ }),

/***/ 151:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   m: () => (/* binding */ SIGNAL_FUNCTION)
/* harmony export */ });
/* harmony import */ var _interrupt_function_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(7136);

const SIGNAL_FUNCTION = `${_interrupt_function_js__WEBPACK_IMPORTED_MODULE_0__/* .INTERRUPT_FUNCTION */ .X}
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
} 2>/dev/null`;


/***/ }),

/***/ 4594:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   T: () => (/* binding */ STATE_FUNCTION),
/* harmony export */   u: () => (/* binding */ readState)
/* harmony export */ });
const STATE_FUNCTION = `state() {
  kills=0 changed=0
  # cgroup v2, then v1.
  for counter in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$counter" ] || continue
    while read -r key value; do [ "$key" = oom_kill ] && kills=$value; done <"$counter"
  done
  # Never opened here: it may be a FIFO or a device.
  if [ -f "$1" ]; then [ -s "$1" ] && changed=1; elif [ -e "$1" ]; then changed=1; fi
  state="$kills $changed"
} 2>/dev/null`;
function readState(text) {
    const [, kills, changed] = /^(\d{1,9}) ([01])$/.exec(text) ?? [];
    return kills === undefined ? undefined : { oomKills: Number(kills), environmentChanged: changed === '1' };
}


/***/ })

};
