export const id = 293;
export const ids = [293];
export const modules = {

/***/ 2875:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   $b: () => (/* binding */ ApiRefusedError),
/* harmony export */   HB: () => (/* binding */ unreachable),
/* harmony export */   P0: () => (/* binding */ refusedWith),
/* harmony export */   _5: () => (/* binding */ targetError),
/* harmony export */   x5: () => (/* binding */ refusal)
/* harmony export */ });
/* unused harmony export missingRule */
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
function unreachable(server, cause) {
    return new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .TargetUnavailableError */ .qc(`Failed to reach the Kubernetes API server at ${server}: ${(0,_one_line_js__WEBPACK_IMPORTED_MODULE_2__/* .oneLine */ .T)((0,_outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(cause))}. Check the address in the kubeconfig, the network and the cluster.`, { cause });
}


/***/ }),

/***/ 2293:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  createKubernetesTarget: () => (/* binding */ createKubernetesTarget)
});

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
    purpose: 'the pod template can not be merged',
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

// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(4429);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
// EXTERNAL MODULE: ./lib/target/kubernetes/errors.js
var errors = __webpack_require__(2875);
;// CONCATENATED MODULE: ./lib/target/kubernetes/cluster.js





const CALL_MS = 30_000;
const BODY_BYTES = 32 * 1024 ** 2;
class Cluster {
    #settings;
    #config;
    #namespace;
    #agent;
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
    async call(call) {
        const config = await this.config();
        const server = await this.server();
        let answer;
        try {
            answer = await (0,deadline/* within */.ux)(call.ms ?? CALL_MS, call.signal, async (signal) => {
                const options = {};
                await config.applyToHTTPSOptions(options);
                this.#agent ??= kept(options.agent);
                return ask(server, { ...options, ...(this.#agent === undefined ? {} : { agent: this.#agent }) }, call, signal);
            });
        }
        catch (error) {
            call.signal.throwIfAborted();
            throw (0,errors/* unreachable */.HB)(server, error);
        }
        if (answer.status === 401)
            this.close();
        if (answer.status >= 400)
            throw (0,errors/* refusal */.x5)(answer.status, answer.text, call.subject);
        try {
            return JSON.parse(answer.text);
        }
        catch (error) {
            throw (0,errors/* unreachable */.HB)(server, new Error(`not the API's answer: ${(0,one_line/* oneLine */.T)(answer.text).slice(0, 80)}`, { cause: error }));
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
            response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }));
        });
        call.on('error', reject);
        call.end(text);
    });
}

// EXTERNAL MODULE: ./lib/target/kubernetes/pod.js
var kubernetes_pod = __webpack_require__(7849);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
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
            throw openError(error, { namespace: await cluster.namespace(), pod });
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
function openError(error, { namespace, pod }) {
    const text = error instanceof Error ? error.message : String(error.message ?? error);
    const [, status] = /Unexpected server response: (\d{3})/.exec(text) ?? [];
    if (status === undefined)
        return error instanceof Error ? error : new Error(text);
    const subject = { verb: 'create', resource: 'pods/exec', namespace, name: pod };
    const message = status === '403' ? 'this account cannot create resource "pods/exec"' : text;
    return new errors/* ApiRefusedError */.$b(Number(status), { reason: '', message, subject });
}

// EXTERNAL MODULE: ./lib/target/kubernetes/pod-scripts.js
var pod_scripts = __webpack_require__(1740);
;// CONCATENATED MODULE: ./lib/target/kubernetes/control.js






const ANSWER_MS = 20_000;
const BEAT_MS = 20_000;
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
    #beat;
    #channel;
    #isEnding = false;
    #id = 0;
    #text = '';
    constructor(options) {
        this.#options = options;
        this.#gone.promise.catch(() => undefined);
        this.#beat = setInterval(() => void this.#ask('beat').catch(() => undefined), BEAT_MS);
    }
    async open(signal) {
        const ready = this.#expect(0, '');
        this.#channel = await this.#connect(signal);
        await (0,deadline/* within */.ux)(ANSWER_MS, signal, () => Promise.race([ready, this.#gone.promise]));
        void this.#follow(this.#channel);
        void this.#ask('beat').catch(() => undefined);
    }
    get isLost() {
        return this.#over.signal.aborted;
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
            command: ['sh', '-c', pod_scripts/* CONTROL_SCRIPT */._u, pod_scripts/* CONTROL_FOLDER */.t7],
            onOutput: (piece) => this.#hear(piece.toString('latin1')),
            onError: () => undefined,
            signal,
        });
    }
    async #follow(first) {
        let channel = first;
        for (let told = false;; told = true) {
            await channel.end;
            if (this.isLost || this.#isEnding)
                return;
            if (!told)
                this.#options.onTrouble('The stream to the job is cut; the job goes on. Opening it again.');
            const next = await this.#again();
            if (next === undefined)
                return;
            channel = next;
            this.#channel = next;
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
                if (this.isLost)
                    return undefined;
                await (0,promises_.setTimeout)(RETRY_MS, undefined, { signal: this.#over.signal }).catch(() => undefined);
            }
        }
    }
    async #ask(question, signal = deadline/* NEVER */.tm) {
        if (this.isLost)
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
        const lines = (this.#text + text).split('\n');
        this.#text = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
        for (const line of lines) {
            const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
            if (id !== undefined && answer !== undefined)
                this.#waiting.get(Number(id))?.answer(answer);
        }
    }
}

// EXTERNAL MODULE: ./lib/target/kubernetes/start.js + 1 modules
var start = __webpack_require__(5538);
;// CONCATENATED MODULE: ./lib/target/kubernetes/loss.js




const LOOK_MS = 30_000;
async function lossOf(cluster, name) {
    const subject = `Failed to finish the step in pod ${name}`;
    const signal = AbortSignal.timeout(LOOK_MS);
    try {
        const [pod, events] = await Promise.all([
            (0,start/* readPod */.Ax)(cluster, name, signal).catch((error) => {
                if ((0,errors/* refusedWith */.P0)(error, 404))
                    return undefined;
                throw error;
            }),
            (0,start/* eventsOf */.XL)(cluster, name, signal).then(start/* eventText */.cj),
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
    const terminated = (0,start/* jobStatus */.WB)(pod)?.state?.terminated;
    if (terminated?.reason === 'OOMKilled') {
        return ['the container ran out of memory (OOMKilled)', 'Give jobs more memory, or let the job use less.'];
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
    if ((0,start/* isOverdue */.Jv)(pod)) {
        return [
            `its node ${pod.spec?.nodeName ?? ''} does not answer any more, and the cluster gives the pod up`,
            'See kubectl get nodes. What ran there may still run: look before you cancel the deployment or unlock the stack.',
        ];
    }
    if (pod.metadata?.deletionTimestamp !== undefined) {
        return ['the pod is being deleted by somebody', 'Look for a clean-up job, a drained node, or kubectl delete.'];
    }
    if (terminated !== undefined) {
        return [
            `the container ended (${terminated.reason ?? 'without a reason'}, exit code ${terminated.exitCode})`,
            'Look for a step that kills processes which are not its own.',
        ];
    }
    return ['the connection to the pod was lost', 'Check the node, its kubelet and the API server.'];
}

// EXTERNAL MODULE: ./lib/target/kubernetes/removal.js
var removal = __webpack_require__(9298);
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
const CONTROL_CHARACTERS = 1_000;
class Step {
    exit;
    #context;
    #name;
    #sink;
    #signal;
    #leader = Promise.withResolvers();
    #known;
    #end;
    #bytes = 0;
    #line = '';
    #complaint = '';
    #isOver = false;
    #channel;
    constructor(context, { name, spec, sink, signal }) {
        this.#context = context;
        this.#name = name;
        this.#sink = sink;
        this.#signal = signal;
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
        const onAbort = () => this.#channel?.close();
        this.#signal.addEventListener('abort', onAbort, { once: true });
        try {
            await this.#show(spec);
            return await this.#result();
        }
        finally {
            this.#isOver = true;
            this.#leader.resolve(undefined);
            this.#signal.removeEventListener('abort', onAbort);
            this.#channel?.close();
        }
    }
    async #show(spec) {
        for (let told = false; this.#end === undefined; told = true) {
            this.#signal.throwIfAborted();
            const end = await this.#once(spec);
            this.#signal.throwIfAborted();
            if (this.#end !== undefined)
                return;
            if ('exitCode' in end && this.#known === undefined)
                throw this.#neverBegan(end);
            if (!(await this.#context.isAlive().catch(() => true)))
                throw await this.#context.loss();
            if (!told && 'cut' in end) {
                this.#context.logger('warning', 'The stream of the step is cut; the step goes on, and its output is taken up again.');
            }
            await (0,promises_.setTimeout)(step_RETRY_MS, undefined, { signal: this.#signal }).catch(() => undefined);
        }
    }
    async #once(spec) {
        this.#line = '';
        const { environmentFile, variables } = this.#context;
        try {
            if (this.#known !== undefined ||
                (this.#channel !== undefined && !(await this.#context.control.forbid(this.#name)))) {
                return await this.#follow([pod_scripts/* REJOIN_SCRIPT */.CN, pod_scripts/* CONTROL_FOLDER */.t7, this.#name, String(this.#bytes)]);
            }
            if (this.#channel !== undefined)
                throw this.#unanswered();
            const settings = stepSettings({ ...spec, environment: { ...spec.environment, ...variables } });
            const bytes = Buffer.byteLength(settings);
            return await this.#follow([pod_scripts/* STEP_SCRIPT */.P4, pod_scripts/* CONTROL_FOLDER */.t7, this.#name, environmentFile, String(bytes)], settings);
        }
        catch (cause) {
            if (cause instanceof target/* ContainerError */.OJ)
                throw cause;
            return { cut: cause };
        }
    }
    async #follow(command, input) {
        const { cluster, pod, container } = this.#context;
        const channel = await Channel.open({
            cluster,
            pod,
            container,
            command: ['sh', '-c', ...command],
            onOutput: (piece) => {
                this.#bytes += piece.length;
                return this.#sink(piece);
            },
            onError: (piece) => this.#hear(piece.toString('latin1')),
            signal: this.#signal,
        });
        this.#channel = channel;
        if (this.#signal.aborted)
            channel.close();
        if (input !== undefined)
            channel.write(input);
        return channel.end;
    }
    #hear(text) {
        const lines = (this.#line + text).split('\n');
        this.#line = (lines.pop() ?? '').slice(0, CONTROL_CHARACTERS);
        for (const line of lines) {
            const [, number, state] = /^(\d{1,9})(?: (.+))?$/.exec(line) ?? [];
            if (number === undefined)
                this.#complaint = `${this.#complaint} ${line}`.trim().slice(0, CONTROL_CHARACTERS);
            else if (state !== undefined)
                this.#end = { code: Number(number), state: (0,state_function/* readState */.u)(state) };
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





const LIMIT = 1024 ** 2;
const REMOVAL_GRACE_SECONDS = 1;
class PodContainer {
    id;
    imageDigest;
    #options;
    #context;
    #removing = new AbortController();
    #steps = 0;
    #removal;
    constructor(options) {
        this.id = options.context.pod;
        this.imageDigest = options.imageDigest;
        this.#options = options;
        this.#context = Object.assign(options.context, { loss: () => this.#loss() });
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
            return environmentChanged ? await this.#read(signal) : '';
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
    async #read(signal) {
        const { cluster, pod, container, environmentFile: path } = this.#context;
        const pieces = [];
        const channel = await Channel.open({
            cluster,
            pod,
            container,
            command: ['sh', '-c', `[ -f "$0" ] || exit 3; head -c ${LIMIT + 1} "$0"`, path],
            onOutput: (piece) => void pieces.push(piece),
            onError: () => undefined,
            signal,
        });
        const end = await channel.end;
        const failed = (cause, advice) => new target/* ContainerError */.OJ(`Failed to read the environment file for the next step: ${path}: ${cause}. ${advice}`);
        if ('cut' in end)
            throw failed('the stream was cut', 'Check the API server and the kubelet.');
        if (end.exitCode === 3)
            throw failed('it is not a regular file', 'Only append lines to it.');
        const text = Buffer.concat(pieces);
        if (text.length > LIMIT)
            throw failed('it has more than 1 MiB', 'Keep it under 1 MiB.');
        return text.toString('utf8');
    }
    async #remove() {
        const { cluster, pod, control, logger } = this.#context;
        this.#removing.abort(this.#removedByUs());
        if (this.#options.keep) {
            const namespace = await cluster.namespace();
            logger('warning', `Pod ${pod} is kept for a look into it: kubectl exec -it ${pod} -n ${namespace} -- sh. It ends by itself.`);
            control.close();
            return;
        }
        control.expectEnd();
        try {
            await (0,removal/* removePod */.gH)(cluster, pod, { ms: this.#options.stopMs, graceSeconds: REMOVAL_GRACE_SECONDS });
        }
        finally {
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

// EXTERNAL MODULE: ./lib/target/reference.js
var reference = __webpack_require__(5316);
// EXTERNAL MODULE: ./lib/target/kubernetes/labels.js
var kubernetes_labels = __webpack_require__(1243);
;// CONCATENATED MODULE: ./lib/target/kubernetes/pull-secret.js


const DOCKER_HUB = 'https://index.docker.io/v1/';
async function createPullSecret(cluster, options) {
    const { name, image, credentials, labels, signal } = options;
    const namespace = await cluster.namespace();
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
    const subject = { verb: 'create', resource: 'secrets', namespace, name };
    await cluster.call({
        subject,
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/secrets`,
        body: secret,
        signal,
    });
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
    });
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
    try {
        if (credentials !== undefined) {
            await createPullSecret(cluster, { name, image: spec.image, credentials, labels: spec.labels, signal }).catch((error) => Promise.reject((0,errors/* targetError */._5)(error, 'create the pull secret')));
        }
        const wanted = (0,kubernetes_pod/* podFor */.tH)(spec, { name, settings, ...(pullSecret === undefined ? {} : { pullSecret }) });
        const made = await create(cluster, await template(wanted, signal), signal);
        await progress(`Created pod ${name} in namespace ${await cluster.namespace()}.`);
        if (pullSecret !== undefined) {
            await ownSecret(cluster, { name, pod: name, uid: made.metadata?.uid ?? '', signal }).catch((error) => logger('warning', `The pull secret stays until the job is over, as it could not be given to its pod: ${(0,outcome/* messageOf */.bD)(error)}`));
        }
        const pod = await (0,start/* untilRunning */.gU)({ cluster, pod: name, progress, signal, timeoutMs: options.startTimeoutMs });
        spec.whileStarting?.();
        await progress(`Image ${imageOf(pod)} runs on node ${pod.spec?.nodeName ?? '?'}.`);
        const isAlive = () => podRuns(cluster, name);
        control = new Control({
            cluster,
            pod: name,
            container: kubernetes_pod/* JOB_CONTAINER */.wD,
            isAlive,
            onTrouble: (text) => logger('warning', text),
        });
        await control.open(signal);
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
                isDoomed: () => podIsDoomed(cluster, name),
            },
            imageDigest: imageOf(pod),
            stopMs,
            keep: settings.keepPods === true,
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
    await (0,removal/* removePod */.gH)(cluster, pod, { ms: stopMs, graceSeconds: 0 });
    if (secret !== undefined)
        await (0,removal/* deleteObject */.XR)(cluster, { kind: 'secrets', name: secret, signal: deadline/* NEVER */.tm });
}
async function create(cluster, pod, signal) {
    signal.throwIfAborted();
    const namespace = await cluster.namespace();
    const subject = { verb: 'create', resource: 'pods', namespace };
    try {
        return await cluster.call({
            subject,
            method: 'POST',
            path: `/api/v1/namespaces/${namespace}/pods`,
            body: pod,
            signal: deadline/* NEVER */.tm,
        });
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
async function podIsDoomed(cluster, name) {
    try {
        const pod = await (0,start/* readPod */.Ax)(cluster, name, AbortSignal.timeout(prepare_LOOK_MS));
        return pod.metadata?.deletionTimestamp !== undefined || (0,start/* jobStatus */.WB)(pod)?.state?.running === undefined;
    }
    catch (error) {
        if ((0,errors/* refusedWith */.P0)(error, 404))
            return true;
        throw error;
    }
}
async function podRuns(cluster, name) {
    try {
        const pod = await (0,start/* readPod */.Ax)(cluster, name, AbortSignal.timeout(prepare_LOOK_MS));
        return (0,start/* jobStatus */.WB)(pod)?.state?.running !== undefined && !(0,start/* isOverdue */.Jv)(pod);
    }
    catch (error) {
        if ((0,errors/* refusedWith */.P0)(error, 404))
            return false;
        throw error;
    }
}
function imageOf(pod) {
    const { imageID = '', image = '' } = (0,start/* jobStatus */.WB)(pod) ?? {};
    return imageID.replace(/^docker-pullable:\/\//, '') || image;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/kubernetes-target.js






const TRIED_IMAGE = 'pulumi/pulumi:latest';
function createKubernetesTarget(options) {
    const { logger = () => undefined, stopTimeoutMs: stopMs = 60_000, startTimeoutMs } = options;
    const cluster = new Cluster(options);
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
            startTimeoutMs,
            stopMs,
            logger,
        }),
        sweep: async (labels, signal, sweep) => {
            try {
                return await (0,removal/* sweepObjects */.t)(cluster, labels, { ...sweep, ms: stopMs, signal });
            }
            catch (error) {
                throw (0,errors/* targetError */._5)(error, 'remove what is left');
            }
        },
        sweepEnded: async (signal) => {
            try {
                return await (0,removal/* sweepEnded */.ff)(cluster, { ms: stopMs, signal });
            }
            catch (error) {
                throw (0,errors/* targetError */._5)(error, 'remove what ended by itself');
            }
        },
        close: async () => cluster.close(),
    };
}
async function loadTemplate(textOrPath) {
    const { PodTemplate: Template, templateSource } = await Promise.all(/* import() */[__webpack_require__.e(815), __webpack_require__.e(182)]).then(__webpack_require__.bind(__webpack_require__, 1182));
    return new Template(await templateSource(textOrPath));
}
async function tryPod(cluster, settings, merge, signal) {
    const { randomBytes } = process.getBuiltinModule('node:crypto');
    const name = `pulumi-workflow-check-${randomBytes(6).toString('hex')}`;
    const pod = await merge((0,kubernetes_pod/* podFor */.tH)({ image: TRIED_IMAGE, labels: {} }, { name, settings }), signal);
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

/***/ 1740:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CN: () => (/* binding */ REJOIN_SCRIPT),
/* harmony export */   P4: () => (/* binding */ STEP_SCRIPT),
/* harmony export */   Vb: () => (/* binding */ LEASE_SECONDS),
/* harmony export */   _p: () => (/* binding */ MAIN_SCRIPT),
/* harmony export */   _u: () => (/* binding */ CONTROL_SCRIPT),
/* harmony export */   t7: () => (/* binding */ CONTROL_FOLDER),
/* harmony export */   uf: () => (/* binding */ ORPHAN_GRACE_SECONDS)
/* harmony export */ });
/* harmony import */ var _shell_file_function_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6821);
/* harmony import */ var _shell_interrupt_function_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(7136);
/* harmony import */ var _shell_signal_function_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(151);
/* harmony import */ var _shell_state_function_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4594);




const CONTROL_FOLDER = '/mnt/pulumi-runner';
const LEASE_SECONDS = 200;
const ORPHAN_GRACE_SECONDS = 45;
const INTERRUPT_ALL = `
running() {
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    [ "$4" = "$pid" ] && [ "$pid" != 1 ] && [ -e "$folder/leader-$pid" ] && echo "$pid"
  done 2>/dev/null
}
interrupt_all() {
  for each in $(running); do
    [ -e "$folder/interrupted-$each" ] || { leader=$each; signal INT "$each"; }
  done
  n=0
  while [ "$n" -lt "$1" ] && [ -n "$(running)" ]; do sleep 1; n=$((n + 1)); done
}
`;
const MAIN_SCRIPT = `
folder=$0
${_shell_signal_function_js__WEBPACK_IMPORTED_MODULE_0__/* .SIGNAL_FUNCTION */ .m}
${INTERRUPT_ALL}
trap 'ended=1' TERM
trap '' HUP INT
ended='' last='' silent=0
while [ -z "$ended" ] && [ "$silent" -lt "$1" ]; do
  sleep 2 &
  wait "$!"
  beat=
  read -r beat 2>/dev/null <"$folder/beat"
  if [ "$beat" = "$last" ]; then silent=$((silent + 2)); else last=$beat silent=0; fi
done
if [ -n "$ended" ]; then interrupt_all "$3"; exit; fi
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
echo '0 ready'
while read -r id verb a b c; do
  [ -e "$folder/done-$id" ] && { echo "$id yes"; continue; }
  answer=no
  case $verb in
    beat) echo "$id" >"$folder/beat" && answer=yes ;;
    signal) : >"$folder/done-$id"; [ "$a" != INT ] || : >"$folder/interrupted-$b"; signal "$a" "$b" ;;
    file) file "$a" "$b" "$c"; [ "$answer" = no ] || : >"$folder/done-$id" ;;
    state) state "$a"; answer=$state ;;
    forbid) { set -C; echo 0 2>/dev/null >"$folder/step-$a" && answer=yes; set +C; } 2>/dev/null ;;
    forget) rm -f "$folder/output-$a" && answer=yes ;;
    *) continue ;;
  esac
  echo "$id $answer"
done
`;
const COPY = `
copy() {
  last=
  trap 'last=1' USR1
  while :; do
    cat <&3
    [ -n "$last" ] && break
    # Not on the stream: it would stay open for as long as this sleeps.
    sleep 0.1 >/dev/null 2>&1 &
    wait "$!"
  done
}
`;
const STEP_SCRIPT = `
folder=$0 step=$1 environment=$2 stopped=
trap : HUP INT TERM PIPE
${_shell_state_function_js__WEBPACK_IMPORTED_MODULE_1__/* .STATE_FUNCTION */ .T}
${_shell_interrupt_function_js__WEBPACK_IMPORTED_MODULE_3__/* .INTERRUPT_FUNCTION */ .X}
${COPY}
settings=$(head -c "$3")
case $settings in *'# complete') ;; *) exit 125 ;; esac
set -C
echo "$$" 2>/dev/null >"$folder/step-$step" || exit 125
set +C
# Left of a process that had this number before.
[ ! -e "$folder/interrupted-$$" ] || rm -f "$folder/interrupted-$$"
: >"$folder/leader-$$" >"$folder/output-$step"
exec 3<"$folder/output-$step"
echo "$$" >&2
copy &
copier=$!
(
  trap : HUP PIPE
  trap stopped=1 INT TERM
  (exec >"$folder/output-$step" 2>&1 </dev/null 3<&-; eval "$settings")
  code=$?
  # The signal may be on its way still.
  [ "$stopped$code" != 130 ] || sleep 1
  # Now that no child of it can inherit that: await_finish waits for programs that handle SIGINT.
  trap '' HUP INT TERM
  [ -z "$stopped" ] && [ "$code" != 130 ] || await_finish "$$"
  state "$environment"
  echo "$code $state" >"$folder/end-$step"
)
kill -USR1 "$copier"
wait "$copier"
# What it did not get to: a step may be over before the copier has so much as set its trap, and then USR1 ends it.
cat <&3
read -r end <"$folder/end-$step"
printf '\\n%s\\n' "$end" >&2
`;
const REJOIN_SCRIPT = `
folder=$0 step=$1
trap '' HUP INT TERM
read -r leader <"$folder/step-$step" || exit 124
echo "$leader" >&2
exec 3<"$folder/output-$step" || exit 124
tail -c "+$(($2 + 1))" <&3
while [ ! -s "$folder/end-$step" ]; do
  if ! kill -0 "-$leader" 2>/dev/null; then
    sleep 1
    [ -s "$folder/end-$step" ] || echo '137 0 1' >"$folder/end-$step"
  fi
  sleep 0.1
  cat <&3
done
cat <&3
read -r end <"$folder/end-$step"
printf '\\n%s\\n' "$end" >&2
`;


/***/ }),

/***/ 7849:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
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
const KEEP_SECONDS = 24 * 3600;
const KILL_SECONDS = 15;
function podFor(spec, { name, pullSecret, settings }) {
    const { serviceAccount, imagePullPolicy, cpus, memory, graceMs, leaseSeconds = _pod_scripts_js__WEBPACK_IMPORTED_MODULE_1__/* .LEASE_SECONDS */ .Vb, keepPods = false, } = settings;
    const [os, architecture] = spec.platform?.split('/') ?? [];
    const graceSeconds = Math.ceil(graceMs / 1000);
    const limits = { ...(cpus === undefined ? {} : { cpu: cpus }), ...(memory === undefined ? {} : { memory }) };
    return {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, ...(0,_labels_js__WEBPACK_IMPORTED_MODULE_0__/* .ownership */ .kG)({ ...spec.labels, ...(keepPods ? { [KEPT]: 'true' } : {}) }) },
        spec: {
            restartPolicy: 'Never',
            enableServiceLinks: false,
            automountServiceAccountToken: serviceAccount !== undefined,
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
                        String(_pod_scripts_js__WEBPACK_IMPORTED_MODULE_1__/* .ORPHAN_GRACE_SECONDS */ .uf),
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

/***/ 9298:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   XR: () => (/* binding */ deleteObject),
/* harmony export */   ff: () => (/* binding */ sweepEnded),
/* harmony export */   gH: () => (/* binding */ removePod),
/* harmony export */   t: () => (/* binding */ sweepObjects)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8500);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3259);
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(4429);
/* harmony import */ var _one_line_js__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(2964);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(1568);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2875);
/* harmony import */ var _labels_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(1243);
/* harmony import */ var _pod_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(7849);
/* harmony import */ var _start_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(5538);









const LOOK_MS = 200;
async function deleteObject(cluster, { kind, name, graceSeconds, signal }) {
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
        });
        return true;
    }
    catch (error) {
        if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .refusedWith */ .P0)(error, 404))
            return false;
        throw error;
    }
}
async function removePod(cluster, name, { ms, graceSeconds }) {
    const end = performance.now() + ms;
    let failure;
    let found = true;
    do {
        try {
            found = await deleteObject(cluster, { kind: 'pods', name, graceSeconds, signal: _deadline_js__WEBPACK_IMPORTED_MODULE_2__/* .NEVER */ .tm });
            if (!found || (await isGoneBefore(cluster, name, end)))
                return found;
        }
        catch (error) {
            failure = error;
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .refusedWith */ .P0)(error, 401, 403))
                break;
            await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(LOOK_MS * 5);
        }
    } while (performance.now() < end);
    const namespace = await cluster.namespace();
    throw new _target_js__WEBPACK_IMPORTED_MODULE_3__/* .ContainerError */ .OJ(`Failed to remove pod ${name} for the job: ${failure === undefined ? 'it does not end' : (0,_one_line_js__WEBPACK_IMPORTED_MODULE_8__/* .oneLine */ .T)((0,_outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .messageOf */ .bD)(failure))}. Remove it by hand: kubectl delete pod ${name} -n ${namespace}.`, { cause: failure });
}
async function isGoneBefore(cluster, name, end) {
    while (performance.now() < end) {
        try {
            await (0,_start_js__WEBPACK_IMPORTED_MODULE_7__/* .readPod */ .Ax)(cluster, name, _deadline_js__WEBPACK_IMPORTED_MODULE_2__/* .NEVER */ .tm);
        }
        catch (error) {
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .refusedWith */ .P0)(error, 404))
                return true;
            throw error;
        }
        await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(LOOK_MS);
    }
    return false;
}
async function sweepObjects(cluster, labels, { ms, signal, only = () => true, graceMs = 0 }) {
    if (Object.keys(labels).length === 0)
        throw new Error('a sweep needs labels');
    const lines = [];
    for (const kind of ['pods', 'secrets']) {
        for (const name of await namesOf(cluster, kind, { labels, only, signal })) {
            const removed = kind === 'pods'
                ? await removePod(cluster, name, { ms, graceSeconds: Math.ceil(graceMs / 1000) })
                : await deleteObject(cluster, { kind, name, signal });
            if (removed)
                lines.push(`Removed ${kind.slice(0, -1)} ${name}.`);
        }
    }
    return lines;
}
const ENDED_MS = 10 * 60_000;
async function sweepEnded(cluster, { ms, signal, now = Date.now() }) {
    const namespace = await cluster.namespace();
    const { items } = await cluster.call({
        subject: { verb: 'list', resource: 'pods', namespace },
        method: 'GET',
        path: `/api/v1/namespaces/${namespace}/pods`,
        query: { labelSelector: (0,_labels_js__WEBPACK_IMPORTED_MODULE_5__/* .selectorOf */ .Bk)({}) },
        signal,
    });
    const lines = [];
    for (const pod of items) {
        const name = pod.metadata?.name;
        const finished = (0,_start_js__WEBPACK_IMPORTED_MODULE_7__/* .jobStatus */ .WB)(pod)?.state?.terminated?.finishedAt;
        if (name === undefined || finished === undefined || pod.metadata?.annotations?.[_pod_js__WEBPACK_IMPORTED_MODULE_6__/* .KEPT */ .t0] !== undefined)
            continue;
        if (now - new Date(finished).getTime() < ENDED_MS)
            continue;
        if (await removePod(cluster, name, { ms, graceSeconds: 0 }))
            lines.push(`Removed pod ${name}, whose agent is gone.`);
    }
    return lines;
}
async function namesOf(cluster, kind, { labels, only, signal, }) {
    const namespace = await cluster.namespace();
    const { items } = await cluster.call({
        subject: { verb: 'list', resource: kind, namespace },
        method: 'GET',
        path: `/api/v1/namespaces/${namespace}/${kind}`,
        query: { labelSelector: (0,_labels_js__WEBPACK_IMPORTED_MODULE_5__/* .selectorOf */ .Bk)(labels) },
        signal,
    });
    return items.flatMap(({ metadata }) => {
        const annotations = metadata?.annotations ?? {};
        const same = Object.entries(labels).every(([key, value]) => annotations[key] === value);
        return same && annotations[_pod_js__WEBPACK_IMPORTED_MODULE_6__/* .KEPT */ .t0] === undefined && only(annotations) && metadata?.name !== undefined
            ? [metadata.name]
            : [];
    });
}


/***/ }),

/***/ 5538:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  cj: () => (/* binding */ eventText),
  XL: () => (/* binding */ eventsOf),
  Jv: () => (/* binding */ isOverdue),
  WB: () => (/* binding */ jobStatus),
  Ax: () => (/* binding */ readPod),
  gU: () => (/* binding */ untilRunning)
});

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
// EXTERNAL MODULE: ./lib/target/kubernetes/errors.js
var errors = __webpack_require__(2875);
// EXTERNAL MODULE: ./lib/target/kubernetes/pod.js
var kubernetes_pod = __webpack_require__(7849);
;// CONCATENATED MODULE: ./lib/target/kubernetes/words.js
function formatSeconds(ms) {
    const seconds = ms / 1000;
    return seconds >= 120 && seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.round(seconds * 10) / 10} s`;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/start.js






const LOOK_MS = 100;
const LONG_LOOK_MS = 1_000;
const LONG_MS = 10_000;
const IMAGE_PATIENCE_MS = 20_000;
const LAST_EVENTS = 3;
async function readPod(cluster, name, signal) {
    const namespace = await cluster.namespace();
    const subject = { verb: 'get', resource: 'pods', namespace, name };
    return cluster.call({ subject, method: 'GET', path: `/api/v1/namespaces/${namespace}/pods/${name}`, signal });
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
    catch (error) {
        if ((0,errors/* refusedWith */.P0)(error, 403, 404))
            return [];
        throw error;
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
const OVERDUE_MS = 15_000;
function isOverdue(pod, now = Date.now()) {
    const deleted = pod.metadata?.deletionTimestamp;
    return deleted !== undefined && now > new Date(deleted).getTime() + OVERDUE_MS;
}
async function untilRunning(options) {
    const { cluster, pod: name, signal, timeoutMs } = options;
    const begun = performance.now();
    const told = new Set();
    let refusedSince;
    for (;;) {
        const pod = await readPod(cluster, name, signal);
        const status = jobStatus(pod);
        if (status?.state?.running !== undefined) {
            await tell(options, told);
            return pod;
        }
        const passed = performance.now() - begun;
        const waiting = pod.status?.containerStatuses?.find((each) => isRefused(each))?.state?.waiting;
        refusedSince = waiting === undefined ? undefined : (refusedSince ?? passed);
        const over = await hopeless(options, pod, {
            refusedMs: refusedSince === undefined ? 0 : passed - refusedSince,
            passed,
        });
        if (over !== undefined)
            throw over;
        if (passed >= timeoutMs)
            throw await notInTime(options, pod);
        if (passed > LOOK_MS * 5)
            await tell(options, told);
        await (0,promises_.setTimeout)(passed > LONG_MS ? LONG_LOOK_MS : LOOK_MS, undefined, { signal });
    }
}
async function tell({ cluster, pod, progress, signal }, told) {
    for (const { reason = '', message = '' } of await eventsOf(cluster, pod, signal)) {
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
async function hopeless({ cluster, pod: name, signal }, pod, { refusedMs }) {
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


/***/ })

};
