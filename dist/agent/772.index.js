export const id = 772;
export const ids = [772,468];
export const modules = {

/***/ 468:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Cluster: () => (/* binding */ Cluster),
/* harmony export */   H: () => (/* binding */ patienceOf)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8500);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3259);
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(4429);
/* harmony import */ var _one_line_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(2964);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1568);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2875);






const CALL_MS = 30_000;
const AWAY_MS = 60_000;
const RETRY_MS = 1_000;
const BODY_BYTES = 32 * 1024 ** 2;
function patienceOf(signal) {
    return { ms: AWAY_MS, signal };
}
class Cluster {
    #settings;
    #config;
    #namespace;
    #agent;
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
                if (patience === undefined || !(0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .isPassing */ .WG)(error) || performance.now() - begun > patience.ms)
                    throw error;
                await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(RETRY_MS, undefined, { signal: patience.signal });
            }
        }
    }
    async #once(call) {
        const config = await this.config();
        const server = await this.server();
        let answer;
        try {
            answer = await (0,_deadline_js__WEBPACK_IMPORTED_MODULE_2__/* .within */ .ux)(call.ms ?? CALL_MS, call.signal, async (signal) => {
                const options = {};
                await config.applyToHTTPSOptions(options);
                return ask(server, options, call, signal);
            });
        }
        catch (error) {
            call.signal.throwIfAborted();
            throw (0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .unreachable */ .HB)(server, error);
        }
        const date = Date.parse(answer.date ?? '');
        if (!Number.isNaN(date))
            this.#aheadMs = date - Date.now();
        if (answer.status === 401)
            this.close();
        if (answer.status >= 400)
            throw (0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .refusal */ .x5)(answer.status, answer.text, call.subject);
        try {
            return JSON.parse(answer.text);
        }
        catch (error) {
            throw (0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .unreachable */ .HB)(server, new Error(`not the API's answer: ${(0,_one_line_js__WEBPACK_IMPORTED_MODULE_5__/* .oneLine */ .T)(answer.text).slice(0, 80)}`, { cause: error }));
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
            throw new _target_js__WEBPACK_IMPORTED_MODULE_3__/* .TargetUnavailableError */ .qc(`Failed to read ${named} for the cluster: ${(0,_one_line_js__WEBPACK_IMPORTED_MODULE_5__/* .oneLine */ .T)((0,_outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .messageOf */ .bD)(error))}. Check the file, and that this user may read it.`, { cause: error });
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
            throw new _target_js__WEBPACK_IMPORTED_MODULE_3__/* .TargetUnavailableError */ .qc(`Failed to find the cluster for jobs in ${named}: ${why}. Set KUBECONFIG or kubeconfig to a kubeconfig file, and kube_context to one of its contexts.`);
        }
        return this.#keepConnections(config);
    }
    #keepConnections(config) {
        const apply = config.applyToHTTPSOptions.bind(config);
        config.applyToHTTPSOptions = async (options) => {
            await apply(options);
            this.#agent ??= kept(options.agent);
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
function ask(server, options, { method, path, query = {}, body, contentType = 'application/json' }, signal) {
    const url = new URL(`${server.replace(/\/+$/, '')}${path}`);
    url.search = new URLSearchParams(query).toString();
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { request } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
    return new Promise((resolve, reject) => {
        const headers = {
            ...options.headers,
            accept: 'application/json',
            ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
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
        call.end(text);
    });
}


/***/ }),

/***/ 2875:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $b: () => (/* binding */ ApiRefusedError),
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
    if (error.status === 403 && /cannot \w+ resource/.test(message)) {
        return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .TargetUnavailableError */ .qc(`Failed to ${doing} for the job: the cluster forbids it: may not ${subject.verb} ${subject.resource} in namespace ${subject.namespace}. Add the rule ${missingRule(subject)} to a Role there that is bound to this account. (${message})`, { cause: error });
    }
    if (error.status === 403 || /admission webhook|denied (the )?request|violates PodSecurity/.test(message)) {
        return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .ContainerError */ .OJ(`Failed to ${doing} for the job: an admission rule of the cluster refused it: ${message}. Change the pod template to what the cluster's policies allow, or the policy.`, { cause: error });
    }
    if (reason === 'Invalid' || error.status === 400 || error.status === 422) {
        return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .ContainerError */ .OJ(`Failed to ${doing} for the job: the cluster calls it invalid: ${message}. Correct the pod template or the settings it comes from.`, { cause: error });
    }
    return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .TargetUnavailableError */ .qc(`Failed to ${doing} for the job: the API server answered ${error.status}: ${message}. Check that the cluster is healthy.`, { cause: error });
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

/***/ 1772:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  createKubernetesTarget: () => (/* binding */ createKubernetesTarget)
});

// EXTERNAL MODULE: ./lib/target/kubernetes/errors.js
var errors = __webpack_require__(2875);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
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
function eventText(events) {
    const notable = events.filter(({ type }) => type !== 'Normal');
    const told = new Set(notable.slice(-LAST_EVENTS).map(({ reason = '', message = '' }) => `${reason}: ${(0,one_line/* oneLine */.T)(message)}`));
    return told.size === 0 ? '' : ` (${[...told].join('; ')})`;
}
function jobStatus(pod) {
    return pod.status?.containerStatuses?.find(({ name }) => name === kubernetes_pod/* JOB_CONTAINER */.wD);
}
async function standingOf(cluster, name, signal) {
    try {
        const pod = await readPod(cluster, name, signal);
        const isOver = jobStatus(pod)?.state?.terminated !== undefined || /^(Failed|Succeeded)$/.test(pod.status?.phase ?? '');
        if (isOver)
            return 'over';
        return pod.metadata?.deletionTimestamp === undefined ? 'running' : 'leaving';
    }
    catch (error) {
        if ((0,errors/* refusedWith */.P0)(error, 404))
            return 'over';
        throw error;
    }
}

// EXTERNAL MODULE: ./lib/target/kubernetes/objects.js
var kubernetes_objects = __webpack_require__(8062);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(4429);
// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
;// CONCATENATED MODULE: ./lib/target/kubernetes/removal.js









const LOOK_MS = 200;
async function removePod(cluster, name, { ms, graceSeconds }) {
    const end = performance.now() + ms;
    let failure;
    let found = true;
    do {
        try {
            found = await (0,kubernetes_objects/* deleteObject */.XR)(cluster, { kind: 'pods', name, graceSeconds, signal: deadline/* NEVER */.tm });
            if (!found || (await isGoneBefore(cluster, name, end)))
                return found;
        }
        catch (error) {
            failure = error;
            if ((0,errors/* refusedWith */.P0)(error, 401, 403))
                break;
            await (0,promises_.setTimeout)(LOOK_MS * 5);
        }
    } while (performance.now() < end);
    const namespace = await cluster.namespace();
    throw new target/* ContainerError */.OJ(`Failed to remove pod ${name} for the job: ${failure === undefined ? 'it does not end' : (0,one_line/* oneLine */.T)((0,outcome/* messageOf */.bD)(failure))}. Remove it by hand: kubectl delete pod ${name} -n ${namespace}.`, { cause: failure });
}
async function isGoneBefore(cluster, name, end) {
    while (performance.now() < end) {
        try {
            await readPod(cluster, name, deadline/* NEVER */.tm);
        }
        catch (error) {
            if ((0,errors/* refusedWith */.P0)(error, 404))
                return true;
            throw error;
        }
        await (0,promises_.setTimeout)(LOOK_MS);
    }
    return false;
}
async function sweepObjects(cluster, labels, { ms, signal, only = () => true, graceMs = 0 }) {
    if (Object.keys(labels).length === 0)
        throw new Error('a sweep needs labels');
    const lines = [];
    for (const kind of kubernetes_objects/* KINDS */.GW) {
        for (const name of await namesOf(cluster, kind, { labels, only, signal })) {
            const removed = kind === 'pods'
                ? await removePod(cluster, name, { ms, graceSeconds: Math.ceil(graceMs / 1000) })
                : await (0,kubernetes_objects/* deleteObject */.XR)(cluster, { kind, name, signal });
            if (removed)
                lines.push(`Removed ${kind.slice(0, -1)} ${name}.`);
        }
    }
    return lines;
}
async function namesOf(cluster, kind, { labels, only, signal, }) {
    const objects = await (0,kubernetes_objects/* listObjects */.L)(cluster, { kind, labels, signal }).catch((error) => {
        if (kind === 'podtemplates' && (0,errors/* refusedWith */.P0)(error, 403))
            return [];
        throw error;
    });
    return objects.flatMap(({ metadata }) => {
        const annotations = metadata?.annotations ?? {};
        const same = Object.entries(labels).every(([key, value]) => annotations[key] === value);
        return same && annotations[kubernetes_pod/* KEPT */.t0] === undefined && only(annotations) && metadata?.name !== undefined
            ? [metadata.name]
            : [];
    });
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/abandoned.js





const ENDED_MS = 10 * 60_000;
async function sweepAbandoned(cluster, options) {
    const { ms, signal } = options;
    const pods = await (0,kubernetes_objects/* listObjects */.L)(cluster, { kind: 'pods', labels: {}, signal });
    const { now = cluster.now() } = options;
    const lines = [];
    for (const pod of pods) {
        const name = pod.metadata?.name;
        if (name === undefined || !isAbandoned(pod, now))
            continue;
        if (await removePod(cluster, name, { ms, graceSeconds: 0 }))
            lines.push(`Removed pod ${name}, whose agent is gone.`);
    }
    const names = new Set(pods.map(({ metadata }) => metadata?.name));
    for (const kind of ['secrets', 'podtemplates']) {
        for (const { metadata } of await listed(cluster, kind, signal)) {
            const { name, creationTimestamp } = metadata ?? {};
            if (name === undefined || names.has(name) || !isOld(creationTimestamp, now))
                continue;
            if (await (0,kubernetes_objects/* deleteObject */.XR)(cluster, { kind, name, signal }))
                lines.push(`Removed ${kind.slice(0, -1)} ${name}, whose agent is gone.`);
        }
    }
    return lines;
}
async function listed(cluster, kind, signal) {
    try {
        return await (0,kubernetes_objects/* listObjects */.L)(cluster, { kind, labels: {}, signal });
    }
    catch (error) {
        if ((0,errors/* refusedWith */.P0)(error, 403))
            return [];
        throw error;
    }
}
function isAbandoned(pod, now) {
    const { metadata, status } = pod;
    const annotations = metadata?.annotations ?? {};
    if (annotations[kubernetes_pod/* KEPT */.t0] !== undefined)
        return false;
    const finished = jobStatus(pod)?.state?.terminated?.finishedAt;
    if (finished !== undefined)
        return isOld(finished, now);
    const seconds = Number(annotations[kubernetes_pod/* START_SECONDS */.Jo]);
    return status?.phase === 'Pending' && seconds > 0 && isOld(metadata?.creationTimestamp, now - seconds * 1000);
}
function isOld(since, now) {
    return since !== undefined && now - new Date(since).getTime() >= ENDED_MS;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/access.js
const ACCESS = [
    {
        resource: 'pods',
        needed: ['create', 'get', 'delete'],
        useful: ['list'],
        purpose: 'what dead agents left is not removed',
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

// EXTERNAL MODULE: ./lib/target/kubernetes/cluster.js
var kubernetes_cluster = __webpack_require__(468);
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
        const { cluster, pod, container, command, signal } = options;
        const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true', tty: 'false' });
        for (const word of command)
            query.append('command', word);
        const path = `/api/v1/namespaces/${await cluster.namespace()}/pods/${pod}/exec?${query}`;
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

// EXTERNAL MODULE: ./lib/target/kubernetes/pod-scripts.js
var pod_scripts = __webpack_require__(1740);
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
const LAST_WORDS = `total=
read -r key total 2>/dev/null </proc/self/fdinfo/3
printf '\\n%s\\n' "$end\${total:+ of $total}" >&2`;
const RUN_STEP = 'folder=$0; [ -f "$folder/run" ] && [ -s "$folder/run" ] || exit 123; . "$folder/run"';
const RUN_MISSING = 123;
const STEP_SCRIPT = `
step=$1 environment=$2 stopped=
trap : HUP INT TERM PIPE
${state_function/* STATE_FUNCTION */.T}
${interrupt_function/* INTERRUPT_FUNCTION */.X}
${COPY}
settings=$(head -c "$3")
case $settings in *'# complete') ;; *) exit 125 ;; esac
set -C
echo "$$" 2>/dev/null >"$folder/step-$step" || exit 125
set +C
# Left of a process that had this number before.
[ ! -e "$folder/interrupted-$$" ] || rm -f "$folder/interrupted-$$"
for each in "$folder/output-$step" "$folder/end-$step"; do [ ! -e "$each" ] || rm -rf "$each"; done
: >"$folder/leader-$$" >"$folder/output-$step"
echo 'running                 ' >"$folder/end-$step"
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
const RUN_STEP_IN_FULL = `folder=$0\n${STEP_SCRIPT}`;
const REJOIN_SCRIPT = `
folder=$0 step=$1 leader=$3
trap '' HUP INT TERM
[ -n "$leader" ] || read -r leader 2>/dev/null <"$folder/step-$step" || exit 124
[ "$leader" -gt 0 ] || exit 124
echo "$leader" >&2
output=$folder/output-$step
[ -f "$output" ] || output=/proc/$leader/fd/3
[ -f "$output" ] || { output=/dev/null; echo gone >&2; }
exec 3<"$output"
tail -c "+$(($2 + 1))" <&3
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

;// CONCATENATED MODULE: ./lib/target/kubernetes/control.js









const ANSWER_MS = 20_000;
const BEAT = 1 / 10;
const SILENCE = 1 / 3;
const MARGIN = 1 / 4;
const RETRY_MS = 1_000;
const LINE_CHARACTERS = 200;
class ControlLostError extends Error {
    name = 'ControlLostError';
}
class Control {
    #options;
    #waiting = new Map();
    #over = new AbortController();
    #gone = Promise.withResolvers();
    #silent = new Set();
    #beat;
    #heardAt = 0;
    #openedAt = 0;
    #channel;
    #isEnding = false;
    #id = 0;
    #text = '';
    constructor(options) {
        this.#options = options;
        this.#gone.promise.catch(() => undefined);
    }
    async open(signal) {
        const ready = this.#expect(0, '');
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
    async signal(name, leader) {
        return (await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`)) === 'yes';
    }
    async forbid(step) {
        return (await this.#ask(`forbid ${step}`)) === 'yes';
    }
    async forget(step) {
        await this.#ask(`forget ${step}`);
    }
    async state(environmentFile, signal) {
        const state = (0,state_function/* readState */.u)(await this.#ask(`state ${environmentFile}`, signal));
        return state ?? { oomKills: 0, environmentChanged: true };
    }
    expectEnd() {
        this.#isEnding = true;
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
        this.#gone.reject(reason);
        this.#channel?.close();
    }
    #connect(signal) {
        this.#text = '';
        return Channel.open({
            ...this.#options,
            command: ['sh', '-c', pod_scripts/* CONTROL_SCRIPT */._u, pod_scripts/* CONTROL_FOLDER */.t7, STEP_SCRIPT],
            onOutput: (piece) => this.#hear(piece.toString('latin1')),
            onError: () => undefined,
            signal,
        });
    }
    async #follow(first) {
        let channel = first;
        for (let told = false;; told = true) {
            await channel.end;
            if (performance.now() - this.#openedAt < RETRY_MS)
                await (0,promises_.setTimeout)(RETRY_MS, undefined, { signal: this.#over.signal }).catch(() => undefined);
            if (this.lost.aborted || this.#isEnding)
                return;
            if (!told)
                this.#options.onTrouble('The stream to the job is cut; the job goes on. Opening it again.');
            const next = await this.#again();
            if (next === undefined)
                return;
            channel = next;
            this.#channel = next;
            this.#openedAt = performance.now();
            for (const { line } of this.#waiting.values())
                channel.write(line);
        }
    }
    async #again() {
        for (;;) {
            if (!(await this.#options.isAlive().catch(() => true))) {
                this.#lose(new ControlLostError('the pod is gone'));
                return undefined;
            }
            try {
                return await this.#connect(this.#over.signal);
            }
            catch {
                if (this.lost.aborted)
                    return undefined;
                await (0,promises_.setTimeout)(RETRY_MS, undefined, { signal: this.#over.signal }).catch(() => undefined);
            }
        }
    }
    async #ask(question, signal = deadline/* NEVER */.tm) {
        if (this.lost.aborted)
            throw new ControlLostError('the pod is gone');
        this.#id += 1;
        const id = this.#id;
        const line = `${id} ${question}\n`;
        const answer = this.#expect(id, line);
        try {
            this.#channel?.write(line);
            for (;;) {
                try {
                    return await (0,deadline/* within */.ux)(ANSWER_MS, signal, () => Promise.race([answer, this.#gone.promise]));
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
            this.#waiting.delete(id);
        }
    }
    #expect(id, line) {
        const { promise, resolve } = Promise.withResolvers();
        this.#waiting.set(id, { line, answer: resolve });
        return promise;
    }
    #hear(text) {
        this.#heardAt = performance.now();
        const lines = (this.#text + text).split('\n');
        this.#text = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
        for (const line of lines) {
            const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
            if (id !== undefined && answer !== undefined)
                this.#waiting.get(Number(id))?.answer(answer);
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

;// CONCATENATED MODULE: ./lib/target/kubernetes/loss.js





const loss_LOOK_MS = 30_000;
async function lossOf(cluster, name) {
    const subject = `Failed to finish the step in pod ${name}`;
    const signal = AbortSignal.timeout(loss_LOOK_MS);
    try {
        const [pod, events] = await Promise.all([
            readPod(cluster, name, signal).catch((error) => {
                if ((0,errors/* refusedWith */.P0)(error, 404))
                    return undefined;
                throw error;
            }),
            eventsOf(cluster, name, signal).then(eventText),
        ]);
        const [why, advice] = explain(pod);
        return new target/* ContainerLostError */.kL(`${subject}: ${why}${events}. ${advice}`);
    }
    catch (cause) {
        return new target/* ContainerLostError */.kL(`${subject}: the pod can't be reached, and the API server does not tell why. Check the cluster.`, { cause });
    }
}
function explain(pod) {
    if (pod === undefined) {
        return ['the pod was deleted by somebody', 'Look for a clean-up job, a drained node, or kubectl delete.'];
    }
    const { reason = '', message = '' } = pod.status ?? {};
    const terminated = jobStatus(pod)?.state?.terminated;
    if (terminated?.reason === 'OOMKilled') {
        return ['the container ran out of memory (OOMKilled)', 'Give jobs more memory, or let the job use less.'];
    }
    if (hasSilentNode(pod)) {
        return [
            `its node ${pod.spec?.nodeName ?? ''} does not answer any more`,
            'See kubectl get nodes. If the node still runs, the pod interrupts its step by itself: look what became of it before you cancel the deployment or unlock the stack.',
        ];
    }
    if (reason === 'Evicted' ||
        pod.status?.conditions?.some(({ type, status }) => type === 'DisruptionTarget' && status === 'True')) {
        return [
            `the pod was evicted: ${(0,one_line/* oneLine */.T)(message) || 'its node was drained or short of something'}`,
            'Ask for as much memory and disk as the job uses, or keep its node from being drained.',
        ];
    }
    if (reason === 'NodeLost' || reason === 'NodeShutdown' || reason === 'Terminated') {
        return [
            `its node is gone (${reason})`,
            'See kubectl get nodes; the stack may be locked until the deployment is cancelled.',
        ];
    }
    if (pod.metadata?.deletionTimestamp !== undefined) {
        return ['the pod is being deleted by somebody', 'Look for a clean-up job, a drained node, or kubectl delete.'];
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
                command: ['sh', '-c', `[ -f "$0" ] || exit 3; head -c ${LIMIT + 1} "$0"`, environmentFile],
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

// EXTERNAL MODULE: ./lib/target/reference.js
var reference = __webpack_require__(5316);
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
    await (0,kubernetes_objects/* createObject */.ed)(cluster, { kind: 'secrets', body: secret, signal });
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
    await (0,kubernetes_objects/* deleteObject */.XR)(cluster, { kind: 'secrets', name, signal: deadline/* NEVER */.tm, patience: (0,kubernetes_cluster/* patienceOf */.H)(deadline/* NEVER */.tm) });
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/step-settings.js
const NAME = /^[A-Za-z_]\w*$/;
const READ_ONLY = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID']);
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
function quoted(text) {
    return `'${text.replaceAll("'", `'\\''`)}'`;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/step.js








const step_RETRY_MS = 1_000;
const STARTS = 5;
const CONTROL_CHARACTERS = 1_000;
const LOST = 'The pod is gone before all output of the step was taken over: its last lines are lost.';
const GONE = 'The step removed its output in the pod: lines that were not taken over yet are lost.';
class Step {
    exit;
    #context;
    #name;
    #sink;
    #signal;
    #over;
    #leader = Promise.withResolvers();
    #known;
    #starts = 0;
    #command = RUN_STEP;
    #end;
    #bytes = 0;
    #taken = 0;
    #onWhole = () => undefined;
    #line = '';
    #complaint = '';
    #isOver = false;
    #channel;
    constructor(context, { name, spec, sink, signal }) {
        this.#context = context;
        this.#name = name;
        this.#sink = sink;
        this.#signal = signal;
        this.#over = AbortSignal.any([signal, context.control.lost]);
        this.exit = this.#run(spec);
        this.exit.catch(() => undefined);
    }
    async signal(name) {
        const leader = await this.#leader.promise;
        if (leader === undefined || this.#isOver)
            return;
        try {
            await this.#context.control.signal(name, leader);
        }
        catch (error) {
            if (!(error instanceof ControlLostError))
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
            this.#isOver = true;
            this.#leader.resolve(undefined);
            this.#over.removeEventListener('abort', cut);
            forget();
            this.#channel?.close();
        }
    }
    async #show(spec) {
        for (let told = false;; told = true) {
            this.#signal.throwIfAborted();
            const before = this.#bytes;
            const end = await this.#once(spec);
            this.#signal.throwIfAborted();
            if (this.#isWhole() || (this.#end !== undefined && told && this.#bytes === before))
                return;
            if ('exitCode' in end && this.#known === undefined && !this.#isMending(end))
                throw this.#neverBegan(end);
            if (!(await this.#isAlive())) {
                if (this.#end === undefined)
                    throw await this.#context.loss();
                this.#context.logger('warning', LOST);
                return;
            }
            if (!told && 'cut' in end) {
                this.#context.logger('warning', 'The stream of the step is cut; the step goes on, and its output is taken up again.');
            }
            await (0,promises_.setTimeout)(step_RETRY_MS, undefined, { signal: this.#over }).catch(() => undefined);
        }
    }
    #isWhole() {
        return this.#end !== undefined && this.#taken >= this.#end.bytes;
    }
    async #isAlive() {
        const { control, isAlive } = this.#context;
        return !control.lost.aborted && (await isAlive().catch(() => true));
    }
    async #once(spec) {
        this.#line = '';
        const { control, environmentFile, variables } = this.#context;
        try {
            if (this.#known !== undefined || (this.#channel !== undefined && !(await control.forbid(this.#name)))) {
                const leader = this.#known === undefined ? [] : [String(this.#known)];
                return await this.#follow([REJOIN_SCRIPT, pod_scripts/* CONTROL_FOLDER */.t7, this.#name, String(this.#bytes), ...leader]);
            }
            if (this.#channel !== undefined)
                this.#rename();
            const settings = stepSettings({ ...spec, environment: { ...spec.environment, ...variables } });
            const bytes = Buffer.byteLength(settings);
            return await this.#follow([this.#command, pod_scripts/* CONTROL_FOLDER */.t7, this.#name, environmentFile, String(bytes)], settings);
        }
        catch (cause) {
            if (cause instanceof target/* ContainerError */.OJ)
                throw cause;
            return { cut: cause };
        }
    }
    async #follow(command, input) {
        const { cluster, pod, container } = this.#context;
        const whole = Promise.withResolvers();
        this.#onWhole = () => whole.resolve({ exitCode: 0, message: '' });
        const channel = await Channel.open({
            cluster,
            pod,
            container,
            command: ['sh', '-c', ...command],
            onOutput: async (piece) => {
                this.#bytes += piece.length;
                await this.#sink(piece);
                this.#taken += piece.length;
                if (this.#isWhole())
                    this.#onWhole();
            },
            onError: (piece) => this.#hear(piece.toString('latin1')),
            signal: this.#over,
        });
        this.#channel = channel;
        if (this.#over.aborted)
            channel.close();
        if (input !== undefined)
            channel.write(input);
        return Promise.race([channel.end, whole.promise]);
    }
    #rename() {
        this.#starts += 1;
        if (this.#starts >= STARTS)
            throw this.#unanswered();
        this.#channel = undefined;
        this.#name = `${this.#name.replace(/-.*/, '')}-${this.#starts}`;
    }
    #isMending({ exitCode }) {
        if (exitCode !== RUN_MISSING || this.#command !== RUN_STEP)
            return false;
        this.#command = RUN_STEP_IN_FULL;
        this.#channel = undefined;
        return true;
    }
    #hear(text) {
        const lines = (this.#line + text).split('\n');
        this.#line = (lines.pop() ?? '').slice(0, CONTROL_CHARACTERS);
        for (const line of lines) {
            const [, number, state, bytes = '0'] = /^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(line) ?? [];
            if (line === 'gone')
                this.#context.logger('warning', GONE);
            else if (number === undefined)
                this.#complaint = `${this.#complaint} ${line}`.trim().slice(0, CONTROL_CHARACTERS);
            else if (state !== undefined) {
                this.#end = { code: Number(number), state: (0,state_function/* readState */.u)(state), bytes: Number(bytes) };
                if (this.#isWhole())
                    this.#onWhole();
            }
            else if (this.#known === undefined) {
                this.#known = Number(number);
                this.#leader.resolve(this.#known);
            }
        }
    }
    async #result() {
        const { code = 137, state } = this.#end ?? {};
        const context = this.#context;
        if (code !== 0 && !this.#signal.aborted && (await context.isDoomed().catch(() => false)))
            throw await context.loss();
        void context.control.forget(this.#name).catch(() => undefined);
        if (state === undefined)
            return { code, outOfMemory: false };
        const outOfMemory = state.oomKills > context.oomKills;
        context.oomKills = Math.max(context.oomKills, state.oomKills);
        context.state = state;
        return { code, outOfMemory };
    }
    #neverBegan({ exitCode, message }) {
        const why = this.#complaint || message || `exit code ${exitCode}`;
        return new target/* ContainerError */.OJ(`Failed to start the step for the job: ${why}. Use an image with a POSIX shell, head, cat, sleep and tail, and with the shell that the job names.`);
    }
    #unanswered() {
        return new target/* ContainerError */.OJ('Failed to start the step for the job: the cluster did not answer, and the step had not begun. Check the API server and the kubelet.');
    }
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
    #removal;
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
        this.#steps += 1;
        return new Step(this.#context, { name: String(this.#steps), spec, sink, signal: either });
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
            const namespace = await cluster.namespace();
            logger('warning', `Pod ${pod} is kept for a look into it: kubectl exec -it ${pod} -n ${namespace} -- sh. It ends by itself.`);
            this.#removed.abort();
            control.close();
            return;
        }
        control.expectEnd();
        try {
            await removePod(cluster, pod, { ms: this.#options.stopMs, graceSeconds: REMOVAL_GRACE_SECONDS });
            if (this.#options.secret !== undefined)
                await removeSecret(cluster, this.#options.secret);
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

;// CONCATENATED MODULE: ./lib/target/kubernetes/words.js
function formatSeconds(ms) {
    const seconds = ms / 1000;
    return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.round(seconds * 10) / 10} s`;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/start.js







const start_LOOK_MS = 100;
const LONG_LOOK_MS = 1_000;
const LONG_MS = 10_000;
const IMAGE_PATIENCE_MS = 20_000;
async function untilRunning(options, { early }) {
    const { cluster, pod: name, signal, timeoutMs } = options;
    const begun = performance.now();
    let refusedSince;
    for (;;) {
        const [pod, events] = await Promise.all([
            readPod(cluster, name, signal, (0,kubernetes_cluster/* patienceOf */.H)(signal)),
            eventsOf(cluster, name, signal),
        ]);
        await tell(options, events);
        const isStated = jobStatus(pod)?.state?.running !== undefined;
        if (isStated || (early && hasStarted(pod, events)))
            return { pod, isStated };
        const passed = performance.now() - begun;
        const waiting = pod.status?.containerStatuses?.find((each) => isRefused(each))?.state?.waiting;
        refusedSince = waiting === undefined ? undefined : (refusedSince ?? passed);
        const refusedMs = refusedSince === undefined ? 0 : passed - refusedSince;
        const over = await hopeless(options, pod, refusedMs);
        if (over !== undefined)
            throw over;
        if (passed >= timeoutMs)
            throw await notInTime(options, pod);
        await (0,promises_.setTimeout)(passed > LONG_MS ? LONG_LOOK_MS : start_LOOK_MS, undefined, { signal });
    }
}
function hasStarted({ spec }, events) {
    const container = spec?.containers.find(({ name }) => name === kubernetes_pod/* JOB_CONTAINER */.wD);
    if (container?.lifecycle?.postStart !== undefined)
        return false;
    const path = `spec.containers{${kubernetes_pod/* JOB_CONTAINER */.wD}}`;
    return events.some(({ reason, involvedObject }) => reason === 'Started' && involvedObject.fieldPath === path);
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
const REFUSED = [
    'ErrImagePull',
    'ImagePullBackOff',
    'InvalidImageName',
    'ErrImageNeverPull',
    'CreateContainerConfigError',
    'CreateContainerError',
    'RunContainerError',
];
function isRefused({ state }) {
    return REFUSED.includes(state?.waiting?.reason ?? '');
}
async function hopeless({ cluster, pod: name, signal }, pod, refusedMs) {
    const events = () => eventsOf(cluster, name, signal).then(eventText);
    if (pod.metadata?.deletionTimestamp !== undefined) {
        return new target/* ContainerError */.OJ(`Failed to start pod ${name} for the job: somebody deleted it${await events()}. Look for a clean-up job, a drained node or an eviction.`);
    }
    const terminated = jobStatus(pod)?.state?.terminated;
    if (terminated !== undefined || pod.status?.phase === 'Failed') {
        const { reason = pod.status?.reason ?? '', exitCode, message = pod.status?.message ?? '' } = terminated ?? {};
        return new target/* ContainerError */.OJ(`Failed to start pod ${name} for the job: it ended at once: ${(0,one_line/* oneLine */.T)(`${reason} ${exitCode === undefined ? '' : `(exit code ${exitCode})`} ${message}`)}${await events()}. Use an image with a POSIX shell; see kubectl describe pod.`);
    }
    const waiting = pod.status?.containerStatuses?.find(isRefused)?.state?.waiting;
    const { reason = '', message = '' } = waiting ?? {};
    const image = jobStatus(pod)?.image ?? '';
    if (reason === 'InvalidImageName') {
        return new target/* ImageError */.C8(`Failed to pull image ${image} for the job: "${image}" is not a valid image name. Correct it in the deployment settings.`);
    }
    if (reason === 'ErrImageNeverPull') {
        return new target/* ImageError */.C8(`Failed to find image ${image} for the job: it is not on the node, and the pull policy is Never. Load it there, or set image-pull-policy to IfNotPresent.`);
    }
    if (!/Image/.test(reason)) {
        if (waiting === undefined || refusedMs < IMAGE_PATIENCE_MS)
            return undefined;
        return new target/* ContainerError */.OJ(`Failed to start pod ${name} for the job: ${reason}: ${(0,one_line/* oneLine */.T)(message)}${await events()}. See kubectl describe pod.`);
    }
    if (refusedMs < IMAGE_PATIENCE_MS)
        return undefined;
    return new target/* ImageError */.C8(`Failed to pull image ${image} for the job: ${(0,one_line/* oneLine */.T)(message) || reason}${await events()}. Check the image's name, and its registry's credentials in the deployment settings or as imagePullSecrets of the service account.`);
}
async function notInTime({ cluster, pod: name, signal, timeoutMs }, pod) {
    const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    const events = eventText(await eventsOf(cluster, name, signal));
    const after = formatSeconds(timeoutMs);
    if (scheduled?.status === 'False') {
        return new target/* ContainerError */.OJ(`Failed to schedule pod ${name} for the job: no node took it within ${after}: ${(0,one_line/* oneLine */.T)(scheduled.message ?? scheduled.reason ?? '')}${events}. Add nodes, let the job ask for less, or correct node selector and tolerations in the pod template.`);
    }
    return new target/* ContainerError */.OJ(`Failed to start pod ${name} for the job: it did not run within ${after}${events}. See kubectl describe pod, or raise pod-start-timeout.`);
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
    let control;
    let secretLeft = pullSecret;
    try {
        if (credentials !== undefined) {
            await createPullSecret(cluster, { name, image: spec.image, credentials, labels: spec.labels, signal }).catch((error) => Promise.reject((0,errors/* targetError */._5)(error, 'create the pull secret')));
        }
        const wanted = (0,kubernetes_pod/* podFor */.tH)(spec, { name, settings, ...(pullSecret === undefined ? {} : { pullSecret }) });
        const made = await create(cluster, await template(wanted, signal), signal);
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
        const standing = () => standingOf(cluster, name, AbortSignal.timeout(prepare_LOOK_MS));
        const isAlive = async () => (await standing()) !== 'over';
        control = new Control({
            cluster,
            pod: name,
            container: kubernetes_pod/* JOB_CONTAINER */.wD,
            leaseSeconds: settings.leaseSeconds ?? pod_scripts/* LEASE_SECONDS */.Vb,
            orphanGraceSeconds: settings.orphanGraceSeconds ?? pod_scripts/* ORPHAN_GRACE_SECONDS */.uf,
            isAlive,
            onTrouble: (text) => logger('warning', text),
        });
        const start = { cluster, pod: name, progress, signal, timeoutMs: settings.startTimeoutMs, told: new Set() };
        const { pod } = await enter(control, (early) => untilRunning(start, { early }), signal, spec.whileStarting);
        const image = new PodImage(pod, spec.image);
        await progress(`Runs on node ${pod.spec?.nodeName ?? '?'}.`);
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
                isDoomed: async () => (await standing()) !== 'running',
            },
            image,
            stopMs,
            keep: settings.keepPods === true,
            ...(secretLeft === undefined ? {} : { secret: secretLeft }),
            loss: () => lossOf(cluster, name),
        });
    }
    catch (error) {
        await removeAll(cluster, { pod: name, secret: pullSecret, stopMs }).catch((left) => logger('warning', String(left)));
        control?.close();
        signal.throwIfAborted();
        throw (0,errors/* targetError */._5)(error, 'start the pod');
    }
}
async function removeAll(cluster, { pod, secret, stopMs }) {
    try {
        await removePod(cluster, pod, { ms: stopMs, graceSeconds: 0 });
    }
    finally {
        if (secret !== undefined)
            await removeSecret(cluster, secret);
    }
}
async function create(cluster, pod, signal) {
    try {
        const made = await (0,kubernetes_objects/* createObject */.ed)(cluster, { kind: 'pods', body: pod, signal });
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
                await tryPod(cluster, options, merge, signal);
                return `Kubernetes ${gitVersion} at ${await cluster.server()}, namespace ${await cluster.namespace()}`;
            }
            catch (error) {
                throw (0,errors/* targetError */._5)(error, 'ask the cluster for its version');
            }
        },
        permissions: () => permissionsIn(cluster, options.template !== undefined),
        warmUp: async () => void (await Promise.all(/* import() */[__webpack_require__.e(99), __webpack_require__.e(163), __webpack_require__.e(752), __webpack_require__.e(23)]).then(__webpack_require__.bind(__webpack_require__, 5023))),
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
    const { PodTemplate: Template, templateSource } = await Promise.all(/* import() */[__webpack_require__.e(815), __webpack_require__.e(845)]).then(__webpack_require__.bind(__webpack_require__, 9845));
    return new Template(await templateSource(textOrPath));
}
async function tryPod(cluster, { image = TRIED_IMAGE, ...settings }, merge, signal) {
    const { randomBytes } = process.getBuiltinModule('node:crypto');
    const name = `pulumi-workflow-check-${randomBytes(6).toString('hex')}`;
    const pod = await merge((0,kubernetes_pod/* podFor */.tH)({ image, labels: {} }, { name, settings }), signal);
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
/* harmony export */   GW: () => (/* binding */ KINDS),
/* harmony export */   L: () => (/* binding */ listObjects),
/* harmony export */   XR: () => (/* binding */ deleteObject),
/* harmony export */   ed: () => (/* binding */ createObject)
/* harmony export */ });
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4429);
/* harmony import */ var _cluster_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(468);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2875);
/* harmony import */ var _labels_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1243);




const KINDS = ['pods', 'secrets', 'podtemplates'];
async function listObjects(cluster, { kind, labels, signal }) {
    const namespace = await cluster.namespace();
    const { items } = await cluster.call({
        subject: { verb: 'list', resource: kind, namespace },
        method: 'GET',
        path: `/api/v1/namespaces/${namespace}/${kind}`,
        query: { labelSelector: (0,_labels_js__WEBPACK_IMPORTED_MODULE_3__/* .selectorOf */ .Bk)(labels) },
        signal,
    });
    return items;
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
folder=$0
trap '' HUP INT TERM
${_shell_signal_function_js__WEBPACK_IMPORTED_MODULE_0__/* .SIGNAL_FUNCTION */ .m}
${_shell_state_function_js__WEBPACK_IMPORTED_MODULE_1__/* .STATE_FUNCTION */ .T}
${_shell_file_function_js__WEBPACK_IMPORTED_MODULE_2__/* .FILE_FUNCTION */ .a}
[ -s "$folder/run" ] || printf %s "$1" >"$folder/run" || exit
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
                    securityContext: { allowPrivilegeEscalation: false },
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

/***/ 5316:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A_: () => (/* binding */ isReference),
/* harmony export */   F2: () => (/* binding */ parseReference),
/* harmony export */   ol: () => (/* binding */ digestOf)
/* harmony export */ });
function isReference(text) {
    return /^[a-z0-9][\w./:@-]*$/i.test(text) && !text.includes('..') && text.length <= 1024;
}
function parseReference(text) {
    const [name = '', digest] = text.split('@', 2);
    const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
    const path = colon < 0 ? name : name.slice(0, colon);
    const slash = path.indexOf('/');
    const first = slash < 0 ? '' : path.slice(0, slash);
    const named = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
    const registry = !named || first === 'index.docker.io' ? 'docker.io' : first;
    const rest = named ? path.slice(slash + 1) : path;
    const inLibrary = registry === 'docker.io' && !rest.includes('/') && rest !== '**';
    return {
        registry,
        repository: `${registry}/${inLibrary ? 'library/' : ''}${rest}`,
        pullable: colon < 0 && digest === undefined ? `${text}:latest` : text,
        ...(colon < 0 ? {} : { tag: name.slice(colon + 1) }),
        ...(digest === undefined ? {} : { digest }),
    };
}
function digestOf(text, image) {
    const wanted = parseReference(text);
    const own = image.repoDigests.filter((entry) => parseReference(entry).repository === wanted.repository);
    return own.find((entry) => wanted.digest !== undefined && entry.endsWith(`@${wanted.digest}`)) ?? own[0] ?? image.id;
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
