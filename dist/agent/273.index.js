export const id = 273;
export const ids = [273];
export const modules = {

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


/***/ })

};
