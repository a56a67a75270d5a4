export const id = 957;
export const ids = [957];
export const modules = {

/***/ 3850:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   H0: () => (/* binding */ ownerLabels),
/* harmony export */   _q: () => (/* binding */ hostLabels),
/* harmony export */   ct: () => (/* binding */ ownLabels),
/* harmony export */   hS: () => (/* binding */ fateByLabels)
/* harmony export */ });
/* harmony import */ var _record_fate_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3903);

const HOST = 'pulumi-runner.owner-host';
const PID = 'pulumi-runner.owner-pid';
const STARTED = 'pulumi-runner.owner-started';
const SPACE = 'pulumi-runner.owner-space';
function ownerLabels(owner) {
    return { [HOST]: owner.host, [PID]: String(owner.pid), [STARTED]: owner.started };
}
function ownLabels(owner) {
    const space = (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_0__/* .processSpace */ .S)();
    return { ...ownerLabels(owner), ...(space === undefined ? {} : { [SPACE]: space }) };
}
function hostLabels(host) {
    return { [HOST]: host };
}
function fateByLabels(labels, here = (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_0__/* .processSpace */ .S)()) {
    const { [HOST]: host, [PID]: pid, [STARTED]: started, [SPACE]: space } = labels;
    if (host === undefined || started === undefined || !/^[1-9]\d{0,9}$/.test(pid ?? ''))
        return 'unknown';
    return (0,_record_fate_js__WEBPACK_IMPORTED_MODULE_0__/* .fateOf */ ._)({ host, pid: Number(pid), started }, space, here);
}


/***/ }),

/***/ 490:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  x: () => (/* binding */ targetFor)
});

// EXTERNAL MODULE: ./lib/target/docker/docker-target.js + 5 modules
var docker_target = __webpack_require__(9549);
;// CONCATENATED MODULE: ./lib/agent/containment.js
function containmentOf(config) {
    const { memoryBytes, numCpus, pidsLimit, extraCapabilities, containerNetwork, dnsServers, allowMetadata } = config;
    return {
        ...(memoryBytes === undefined ? {} : { memoryBytes }),
        ...(numCpus === undefined ? {} : { cpus: numCpus }),
        ...(containerNetwork === undefined ? {} : { network: containerNetwork }),
        pidsLimit,
        extraCapabilities,
        dnsServers,
        allowMetadata,
    };
}

;// CONCATENATED MODULE: ./lib/agent/target-choice.js


async function targetFor(config, { environment, labels, logger, onSecret }) {
    if (config.deployTarget !== 'kubernetes') {
        return (0,docker_target.createDockerTarget)({
            environment,
            containment: containmentOf(config),
            ...(logger === undefined ? {} : { logger }),
            ...(onSecret === undefined ? {} : { onSecret }),
        });
    }
    const { createKubernetesTarget } = await __webpack_require__.e(/* import() */ 609).then(__webpack_require__.bind(__webpack_require__, 1609));
    const { clusterProxy } = await __webpack_require__.e(/* import() */ 350).then(__webpack_require__.bind(__webpack_require__, 3350));
    const { kubeconfig, kubeContext, namespace, image, podTemplate, serviceAccount, memoryBytes, numCpus } = config;
    return createKubernetesTarget({
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(kubeContext === undefined ? {} : { context: kubeContext }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(image === undefined ? {} : { image }),
        ...(podTemplate === undefined ? {} : { template: podTemplate }),
        ...(serviceAccount === undefined ? {} : { serviceAccount }),
        ...(memoryBytes === undefined ? {} : { memory: String(memoryBytes) }),
        ...(numCpus === undefined ? {} : { cpus: String(numCpus) }),
        ...(labels === undefined ? {} : { labels }),
        ...(logger === undefined ? {} : { logger }),
        findProxy: clusterProxy({
            environment,
            ...(config.caCertificate === undefined ? {} : { caCertificate: config.caCertificate }),
            ...(onSecret === undefined ? {} : { onSecret }),
        }),
        imagePullPolicy: config.imagePullPolicy,
        startTimeoutMs: config.podStartTimeoutMs,
        graceMs: config.cancelGracePeriodMs,
        keepPods: config.debugPod,
    });
}


/***/ }),

/***/ 3903:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   S: () => (/* binding */ processSpace),
/* harmony export */   _: () => (/* binding */ fateOf)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var _owner_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1218);


const INITIAL_PIDS = 'pid:[4026531836]';
function processSpace() {
    try {
        const boot = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)('/proc/sys/kernel/random/boot_id', 'utf8').trim();
        return `${machine()}/${boot}/${(0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readlinkSync)('/proc/self/ns/pid')}`;
    }
    catch {
        return undefined;
    }
}
function machine() {
    try {
        const id = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)('/etc/machine-id', 'utf8').trim();
        const { hash } = process.getBuiltinModule('node:crypto');
        return id === '' ? '' : hash('sha256', `pulumi-runner ${id}`).slice(0, 16);
    }
    catch {
        return '';
    }
}
function fateOf(owner, space, here = processSpace()) {
    if (space === undefined || here === undefined)
        return 'unknown';
    if (space !== here)
        return diedWithItsBoot(space.split('/'), here.split('/')) ? 'dead' : 'unknown';
    const started = (0,_owner_js__WEBPACK_IMPORTED_MODULE_1__/* .startOf */ .GH)(owner.pid);
    if (started !== undefined)
        return started === owner.started ? 'alive' : 'dead';
    return isNumberFree(owner.pid) ? 'dead' : 'unknown';
}
function diedWithItsBoot(there, here) {
    const [machineThere = '', bootThere, pidsThere] = there;
    const [machineHere, bootHere, pidsHere] = here;
    const sameMachine = machineThere !== '' && machineThere === machineHere;
    return sameMachine && bootThere !== bootHere && pidsThere === INITIAL_PIDS && pidsHere === INITIAL_PIDS;
}
function isNumberFree(pid) {
    try {
        process.kill(pid, 0);
        return /^State:\s*Z/m.test((0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`/proc/${pid}/status`, 'utf8'));
    }
    catch (error) {
        return error instanceof Error && 'code' in error && error.code === 'ESRCH';
    }
}


/***/ }),

/***/ 1218:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   CR: () => (/* binding */ ownOwner),
/* harmony export */   GH: () => (/* binding */ startOf),
/* harmony export */   _n: () => (/* binding */ isAlive)
/* harmony export */ });
/* unused harmony exports ownerOf, signalOwner */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_os__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8161);


function startOf(pid) {
    if (process.platform === 'linux') {
        try {
            const fields = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(`/proc/${pid}/stat`, 'utf8')
                .replace(/^.*\) /s, '')
                .split(' ');
            return fields[0] === 'Z' ? undefined : fields[19];
        }
        catch {
            return undefined;
        }
    }
    try {
        const { execFileSync } = process.getBuiltinModule('node:child_process');
        const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
            encoding: 'utf8',
            timeout: 5_000,
        }).trim();
        return started === '' ? undefined : started;
    }
    catch {
        return undefined;
    }
}
function ownerOf(pid) {
    const started = startOf(pid);
    return started === undefined ? undefined : { host: (0,node_os__WEBPACK_IMPORTED_MODULE_1__.hostname)(), pid, started };
}
function ownOwner() {
    return ownerOf(process.pid) ?? { host: (0,node_os__WEBPACK_IMPORTED_MODULE_1__.hostname)(), pid: process.pid, started: 'unknown' };
}
function isAlive(owner) {
    return owner.host === (0,node_os__WEBPACK_IMPORTED_MODULE_1__.hostname)() && startOf(owner.pid) === owner.started;
}
function signalOwner(owner, signal) {
    if (!isAlive(owner))
        return false;
    try {
        return process.kill(owner.pid, signal);
    }
    catch {
        return false;
    }
}


/***/ }),

/***/ 4429:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   j3: () => (/* binding */ DeadlineError),
/* harmony export */   tm: () => (/* binding */ NEVER),
/* harmony export */   ux: () => (/* binding */ within)
/* harmony export */ });
class DeadlineError extends Error {
    name = 'DeadlineError';
    constructor(ms) {
        super(`no answer within ${Math.ceil(ms / 100) / 10} s`);
    }
}
const NEVER = new AbortController().signal;
async function within(ms, signal, run, late) {
    signal.throwIfAborted();
    const inner = new AbortController();
    const ended = Promise.withResolvers();
    let over = false;
    const end = (reason) => {
        over = true;
        ended.reject(reason);
        inner.abort(reason);
    };
    const onAbort = () => end(signal.reason);
    const timer = setTimeout(() => end(new DeadlineError(ms)), ms);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
        const result = run(inner.signal);
        result.then((value) => over && late?.(value), () => undefined);
        return await Promise.race([result, ended.promise]);
    }
    finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
    }
}


/***/ }),

/***/ 7467:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   X: () => (/* binding */ readConfig),
/* harmony export */   v: () => (/* binding */ configFolder)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);


function configFolder(environment) {
    const home = environment['HOME'];
    return environment['DOCKER_CONFIG'] || (home === undefined ? undefined : (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(home, '.docker'));
}
function readConfig(path) {
    let text;
    try {
        text = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(path, 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
            return undefined;
        throw error;
    }
    return JSON.parse(text);
}


/***/ }),

/***/ 9549:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  createDockerTarget: () => (/* binding */ createDockerTarget)
});

// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
// EXTERNAL MODULE: ./lib/target/docker/errors.js
var errors = __webpack_require__(3119);
;// CONCATENATED MODULE: ./lib/target/docker/check.js


const CHECK_MS = 10_000;
const OLDEST_API = '1.40';
async function checkEngine(engine, signal) {
    const endpoint = await engine.endpoint();
    let headers;
    try {
        headers = await engine.ping({ signal, ms: CHECK_MS });
    }
    catch (error) {
        if (!(error instanceof errors/* EngineRefusedError */.ZI))
            throw error;
        const wantsTls = /HTTP request to an HTTPS server/.test(error.message);
        const advice = wantsTls
            ? 'Set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to the folder of the certificates.'
            : 'Check who may use the engine.';
        throw (0,errors/* unavailable */.hU)(endpoint, `it answered ${error.status} (${error.message})`, advice, error);
    }
    const api = headers['api-version'];
    if (typeof api !== 'string') {
        throw (0,errors/* unavailable */.hU)(endpoint, 'what answers there is not a Docker engine', `Correct ${endpoint.origin ?? 'DOCKER_HOST'}.`);
    }
    const os = typeof headers['ostype'] === 'string' ? headers['ostype'] : 'linux';
    const name = `${product(headers['server'])} (API ${api}, ${os}) at ${endpoint.name}`;
    if (os !== 'linux') {
        throw new target/* TargetUnavailableError */.qc(`Failed to use the Docker engine for this runner: ${name} runs ${os} containers. Switch it to Linux containers.`);
    }
    const wanted = engine.apiVersion;
    if (wanted !== undefined && (!/^\d+\.\d+$/.test(wanted) || isOlder(wanted, OLDEST_API) || isOlder(api, wanted))) {
        throw new target/* TargetUnavailableError */.qc(`Failed to use the Docker engine for this runner: DOCKER_API_VERSION is ${JSON.stringify(wanted)}, and ${name} takes ${OLDEST_API} to ${api} of it. Unset it.`);
    }
    if (isOlder(api, OLDEST_API)) {
        throw new target/* TargetUnavailableError */.qc(`Failed to use the Docker engine for this runner: ${name} is too old. Install Docker Engine 19.03 (API ${OLDEST_API}) or newer.`);
    }
    return name;
}
function isOlder(version, than) {
    const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [version, than].map((text) => text.split('.').map(Number));
    return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
function product(server) {
    const [, name, version] = /^(\w+)\/(\S+)/.exec(String(server)) ?? [];
    if (name === undefined)
        return 'Docker Engine';
    return `${name === 'Docker' ? 'Docker Engine' : name === 'Libpod' ? 'Podman' : name} ${version}`;
}

// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __webpack_require__(7975);
// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(4429);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./lib/target/docker/docker-config.js
var docker_config = __webpack_require__(7467);
;// CONCATENATED MODULE: ./lib/target/docker/docker-context.js




function currentContext(environment) {
    const folder = (0,docker_config/* configFolder */.v)(environment);
    const name = environment['DOCKER_CONTEXT'] || (folder === undefined ? undefined : chosen(folder));
    if (name === undefined || name === '' || name === 'default' || folder === undefined)
        return undefined;
    const { createHash } = process.getBuiltinModule('node:crypto');
    const id = createHash('sha256').update(name).digest('hex');
    const file = (0,external_node_path_.join)(folder, 'contexts', 'meta', id, 'meta.json');
    const unusable = (reason, cause) => new target/* TargetUnavailableError */.qc(`Failed to read the Docker context ${JSON.stringify(name)} for the Docker target: ${reason}. See docker context ls, or set DOCKER_HOST.`, { cause });
    let meta;
    try {
        meta = (0,docker_config/* readConfig */.X)(file);
    }
    catch (error) {
        throw unusable(`${file}: ${(0,errors/* textOf */.b6)(error)}`, error);
    }
    if (meta === undefined)
        throw unusable('there is no such context');
    const engine = at(at(meta, 'Endpoints'), 'docker');
    if (engine === undefined)
        throw unusable('it names no Docker engine');
    const [host, unverified] = [at(engine, 'Host'), at(engine, 'SkipTLSVerify')];
    if (unverified === true)
        throw unusable("it does not verify the engine's certificate, which this agent always does");
    return {
        name,
        host: typeof host === 'string' ? host : '',
        certificates: (0,external_node_path_.join)(folder, 'contexts', 'tls', id, 'docker'),
    };
}
function chosen(folder) {
    try {
        const name = at((0,docker_config/* readConfig */.X)((0,external_node_path_.join)(folder, 'config.json')), 'currentContext');
        return typeof name === 'string' ? name : undefined;
    }
    catch {
        return undefined;
    }
}
function at(value, key) {
    return typeof value === 'object' && value !== null ? value[key] : undefined;
}

;// CONCATENATED MODULE: ./lib/target/docker/endpoint.js





const DEFAULT_SOCKET = '/var/run/docker.sock';
const DEFAULT_HOST = '127.0.0.1';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;
async function resolveEndpoint(environment) {
    const verify = isSet(environment, 'DOCKER_TLS_VERIFY') || isSet(environment, 'DOCKER_TLS');
    const byEnvironment = { verify, certificates: () => certificatesOf(environment) };
    const value = environment['DOCKER_HOST'] ?? '';
    if (value !== '') {
        return endpointAt(value.trim(), { origin: 'DOCKER_HOST', ...byEnvironment });
    }
    const context = currentContext(environment);
    if (context !== undefined && context.host !== '') {
        const { name, host, certificates: folder } = context;
        const origin = `the Docker context ${JSON.stringify(name)}`;
        const certificates = () => readCertificates(folder, false, origin);
        const encrypted = !host.startsWith('unix://') && Object.keys(certificates()).length > 0;
        return { ...endpointAt(host, { origin, verify: encrypted, certificates }), origin };
    }
    if (context === undefined && verify) {
        const origin = isSet(environment, 'DOCKER_TLS_VERIFY') ? 'DOCKER_TLS_VERIFY' : 'DOCKER_TLS';
        return { ...overNetwork('tcp://', { origin, ...byEnvironment }), origin };
    }
    return usualSocket(environment);
}
function isSet(environment, name) {
    return (environment[name] ?? '') !== '';
}
function endpointAt(value, source) {
    if (!value.startsWith('unix://'))
        return overNetwork(value, source);
    const socketPath = value.slice('unix://'.length) || DEFAULT_SOCKET;
    return { name: `unix://${socketPath}`, socketPath };
}
function usualSocket(environment) {
    const at = (socketPath) => ({ name: `unix://${socketPath}`, socketPath });
    if ((0,external_node_fs_.existsSync)(DEFAULT_SOCKET))
        return at(DEFAULT_SOCKET);
    const [home, runtime] = [environment['HOME'], environment['XDG_RUNTIME_DIR']];
    const own = home === undefined ? undefined : (0,external_node_path_.join)(home, '.docker', 'run', 'docker.sock');
    if (own !== undefined && (0,external_node_fs_.existsSync)(own))
        return at(own);
    const known = [
        ...(runtime === undefined ? [] : [(0,external_node_path_.join)(runtime, 'docker.sock'), (0,external_node_path_.join)(runtime, 'podman', 'podman.sock')]),
        '/run/podman/podman.sock',
        ...(home === undefined
            ? []
            : ['.docker/desktop/docker.sock', '.colima/default/docker.sock'].map((path) => (0,external_node_path_.join)(home, path))),
    ];
    const others = known.filter((path) => (0,external_node_fs_.existsSync)(path)).map((path) => `unix://${path}`);
    return others.length === 0 ? at(DEFAULT_SOCKET) : { ...at(DEFAULT_SOCKET), others };
}
function overNetwork(value, { origin, verify, certificates }) {
    const scheme = /^[a-z][a-z0-9+.-]*(?=:\/\/)/i.exec(value)?.[0].toLowerCase() ?? 'tcp';
    const url = parse(value, scheme, origin);
    const encrypted = verify || scheme === 'https' || Number(url.port) === TLS_PORT;
    const port = url.port === '' ? (encrypted ? TLS_PORT : PLAIN_PORT) : Number(url.port);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const path = url.pathname.replace(/\/+$/, '');
    const place = { name: `tcp://${url.hostname}:${port}${path}`, host, port, ...(path === '' ? {} : { path }) };
    return encrypted ? { ...place, tls: certificates() } : place;
}
function parse(value, scheme, origin) {
    const unusable = (cause, advice) => new target/* TargetUnavailableError */.qc(`Failed to read ${origin} for the Docker target: ${cause}. ${advice}`);
    if (scheme === 'ssh') {
        throw unusable('ssh:// engines are not supported', 'Forward the engine to a local port or socket instead.');
    }
    if (scheme === 'npipe') {
        throw unusable('npipe:// is a named pipe of Windows, and jobs run on engines for Linux only', SHAPES);
    }
    if (!['tcp', 'http', 'https'].includes(scheme))
        throw unusable(`${scheme}:// is not a known scheme`, SHAPES);
    let url;
    try {
        const address = value.replace(/^[^:/]*:\/\//, '');
        url = new URL(`tcp://${address === '' || address.startsWith(':') ? `${DEFAULT_HOST}${address}` : address}`);
    }
    catch {
    }
    if (url === undefined || url.hostname === '')
        throw unusable('it is not an address', SHAPES);
    if (url.search !== '' || url.hash !== '')
        throw unusable('an address has neither ? nor #', SHAPES);
    return url;
}
const SHAPES = 'Use unix:///path/to/docker.sock or tcp://host:port.';
function certificatesOf(environment) {
    const named = environment['DOCKER_CERT_PATH'] ?? '';
    return readCertificates(named || ((0,docker_config/* configFolder */.v)(environment) ?? '/'), named !== '', 'DOCKER_CERT_PATH');
}
function readCertificates(folder, authority, origin) {
    const read = (file, required = false) => {
        try {
            return (0,external_node_fs_.readFileSync)((0,external_node_path_.join)(folder, file), 'utf8');
        }
        catch (cause) {
            if (!required && cause.code === 'ENOENT')
                return undefined;
            const why = cause instanceof Error ? cause.message : String(cause);
            throw new target/* TargetUnavailableError */.qc(`Failed to read ${file} for the encrypted connection to the Docker engine: ${why}. Check ${origin}.`, { cause });
        }
    };
    const ca = read('ca.pem', authority);
    const cert = read('cert.pem');
    const key = read('key.pem');
    return {
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined || key === undefined ? {} : { cert, key }),
    };
}

;// CONCATENATED MODULE: ./lib/target/docker/engine.js





const CALL_MS = 30_000;
const BODY_LIMIT = 1024 ** 2;
class Engine {
    #environment;
    #endpoint;
    #docker;
    #agent;
    constructor(environment) {
        this.#environment = environment;
    }
    endpoint() {
        this.#endpoint ??= resolveEndpoint(this.#environment);
        return this.#endpoint;
    }
    docker() {
        this.#docker ??= this.#connect();
        return this.#docker;
    }
    async call(run, options) {
        const docker = await this.docker();
        try {
            return await (0,deadline/* within */.ux)(options.ms ?? CALL_MS, options.signal, (signal) => run(docker, signal), options.late);
        }
        catch (error) {
            options.signal.throwIfAborted();
            throw (0,errors/* translate */.Tl)(error, await this.endpoint());
        }
    }
    async ping({ signal, ms = CALL_MS }) {
        const endpoint = await this.endpoint();
        let answer;
        try {
            answer = await (0,deadline/* within */.ux)(ms, signal, (inner) => get(endpoint, `${endpoint.path ?? ''}/_ping`, inner));
        }
        catch (error) {
            signal.throwIfAborted();
            throw (0,errors/* translate */.Tl)(error, endpoint);
        }
        if (answer.status !== 200)
            throw new errors/* EngineRefusedError */.ZI(answer.status, messageOf(answer) || `HTTP ${answer.status}`);
        return answer.headers;
    }
    get apiVersion() {
        return (this.#environment['DOCKER_API_VERSION'] ?? '').trim().replace(/^v/, '') || undefined;
    }
    close() {
        this.#agent?.destroy();
    }
    async #connect() {
        const [endpoint, { default: Dockerode }] = await Promise.all([this.endpoint(), Promise.all(/* import() */[__webpack_require__.e(40), __webpack_require__.e(407)]).then(__webpack_require__.t.bind(__webpack_require__, 9040, 19))]);
        const { Agent } = endpoint.tls === undefined ? builtin('node:http') : builtin('node:https');
        this.#agent = Object.assign(new Agent({ keepAlive: true }), { [external_node_util_.inspect.custom]: () => 'Agent' });
        const options = {
            socketPath: endpoint.socketPath,
            host: endpoint.host,
            port: endpoint.port,
            protocol: endpoint.tls === undefined ? 'http' : 'https',
            ca: endpoint.tls?.ca,
            cert: endpoint.tls?.cert,
            key: endpoint.tls?.key,
            timeout: undefined,
            pathPrefix: '/',
            version: [endpoint.path?.slice(1), this.apiVersion && `v${this.apiVersion}`].filter(Boolean).join('/') || undefined,
            agent: this.#agent,
        };
        return new Dockerode(options);
    }
}
function builtin(name) {
    return process.getBuiltinModule(name);
}
function get(endpoint, path, signal) {
    const { request } = endpoint.tls === undefined ? builtin('node:http') : builtin('node:https');
    const { socketPath, host, port, tls } = endpoint;
    const options = {
        path,
        signal,
        agent: false,
        ...(tls === undefined && { servername: '' }),
        ...(socketPath === undefined ? { host, port } : { socketPath, headers: { host: 'docker' } }),
        ...tls,
    };
    return new Promise((resolve, reject) => {
        const call = request(options, (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (chunk) => {
                text += chunk;
                if (text.length > BODY_LIMIT)
                    call.destroy(new Error('the answer is too long'));
            });
            response.on('error', reject);
            response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        });
        call.on('error', reject);
        call.end();
    });
}
function messageOf({ text }) {
    try {
        const body = JSON.parse(text);
        if (typeof body === 'object' && body !== null && 'message' in body)
            return (0,one_line/* oneLine */.T)(String(body.message));
    }
    catch {
    }
    return (0,one_line/* oneLine */.T)(text);
}

;// CONCATENATED MODULE: ./lib/target/docker/prepulls.js
class Prepulls {
    #running = new Map();
    async run(name, pull, signal) {
        signal.throwIfAborted();
        const running = this.#running.get(name) ?? this.#begin(name, pull);
        await wait(running, signal);
    }
    async join(name, progress, signal) {
        const running = this.#running.get(name);
        if (running === undefined)
            return false;
        const done = wait(running, signal).then(() => true, () => false);
        running.listeners.add(progress);
        try {
            await progress('Its pull began while the agent waited for work: waiting for the end of it.');
            return await done;
        }
        finally {
            running.listeners.delete(progress);
            signal.throwIfAborted();
        }
    }
    endOthers(name) {
        for (const [other, { abort }] of this.#running)
            if (other !== name)
                abort.abort(new Error('a job needs the network'));
    }
    #begin(name, pull) {
        const abort = new AbortController();
        const listeners = new Set();
        const progress = async (line) => {
            for (const listener of listeners)
                await listener(line).catch(() => undefined);
        };
        const ended = pull(progress, abort.signal).finally(() => this.#running.delete(name));
        const running = { abort, ended, listeners, waiting: 0 };
        this.#running.set(name, running);
        return running;
    }
}
async function wait(running, signal) {
    running.waiting += 1;
    const left = Promise.withResolvers();
    const onAbort = () => left.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted)
        onAbort();
    try {
        await Promise.race([running.ended, left.promise]);
    }
    finally {
        signal.removeEventListener('abort', onAbort);
        running.waiting -= 1;
        if (running.waiting === 0)
            running.abort.abort(signal.reason);
        running.ended.catch(() => undefined);
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/docker-target.js



function createDockerTarget(options) {
    const { environment, logger = () => undefined, stopTimeoutMs: stopMs = 30_000, pullIdleTimeoutMs: pullIdleMs = 120_000, pullRetryMs = 2_000, onSecret = () => undefined, containment = {}, } = options;
    const { silenceMs: idleMs = 5_000 } = options;
    const silence = { idleMs, totalMs: 6 * idleMs, awayMs: 12 * idleMs };
    const engine = new Engine(environment);
    const login = async (registry, signal) => {
        const { hostLogin } = await __webpack_require__.e(/* import() */ 590).then(__webpack_require__.bind(__webpack_require__, 5590));
        const found = await hostLogin(registry, { environment, signal, onTrouble: (text) => logger('warning', text) });
        if (found !== undefined)
            onSecret('password' in found ? found.password : found.identitytoken);
        return found;
    };
    const prepulls = new Prepulls();
    const pulls = { pullIdleMs, pullRetryMs, hostLogin: login, prepulls };
    return {
        name: 'docker',
        check: (signal) => checkEngine(engine, signal),
        prepull: async (image, policy, signal) => {
            const { prepullImage } = await __webpack_require__.e(/* import() */ 896).then(__webpack_require__.bind(__webpack_require__, 1896));
            return prepullImage(engine, { image, ...(policy === undefined ? {} : { policy }) }, pulls, signal);
        },
        prepare: async (spec, progress, signal) => {
            const { prepareContainer } = await __webpack_require__.e(/* import() */ 687).then(__webpack_require__.bind(__webpack_require__, 3687));
            return prepareContainer(engine, {
                spec,
                progress,
                signal,
                ...pulls,
                stopMs,
                silence,
                containment,
                logger,
            });
        },
        sweep: async (labels, signal, how) => {
            const { sweepObjects } = await __webpack_require__.e(/* import() */ 377).then(__webpack_require__.bind(__webpack_require__, 4758));
            return sweepObjects(engine, labels, { ...how, ms: stopMs, signal });
        },
        dataDirectory: async (signal) => {
            const { dataDirectory } = await __webpack_require__.e(/* import() */ 770).then(__webpack_require__.bind(__webpack_require__, 9770));
            return dataDirectory(engine, signal);
        },
        close: async () => {
            prepulls.endOthers();
            engine.close();
        },
    };
}


/***/ }),

/***/ 3119:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   P0: () => (/* binding */ refusedWith),
/* harmony export */   Tl: () => (/* binding */ translate),
/* harmony export */   ZI: () => (/* binding */ EngineRefusedError),
/* harmony export */   b6: () => (/* binding */ textOf),
/* harmony export */   hU: () => (/* binding */ unavailable)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4429);
/* harmony import */ var _one_line_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2964);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1568);




class EngineRefusedError extends Error {
    name = 'EngineRefusedError';
    status;
    constructor(status, message, options) {
        super(message, options);
        this.status = status;
    }
}
function refusedWith(error, ...statuses) {
    return error instanceof EngineRefusedError && statuses.includes(error.status);
}
function textOf(error) {
    if (error instanceof AggregateError && error.message === '')
        return error.errors.map(textOf).join('; ');
    return (0,_one_line_js__WEBPACK_IMPORTED_MODULE_3__/* .oneLine */ .T)((0,_outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error));
}
function translate(error, endpoint) {
    if (!(error instanceof Error) || error instanceof EngineRefusedError)
        return error;
    if ('statusCode' in error && typeof error.statusCode === 'number') {
        const body = 'json' in error ? error.json : undefined;
        const text = (0,_one_line_js__WEBPACK_IMPORTED_MODULE_3__/* .oneLine */ .T)(messageIn(body) ?? error.message.replace(/^\(HTTP code \d+\) .*? - /, ''));
        return new EngineRefusedError(error.statusCode, text || `HTTP ${error.statusCode}`, { cause: error });
    }
    if (error instanceof _deadline_js__WEBPACK_IMPORTED_MODULE_1__/* .DeadlineError */ .j3) {
        return unavailable(endpoint, error.message, 'Check that the engine is healthy (`docker info` answers).', error);
    }
    const [cause, advice] = diagnose(error, endpoint) ?? [];
    return cause === undefined || advice === undefined ? error : unavailable(endpoint, cause, advice, error);
}
function messageIn(body) {
    if (Buffer.isBuffer(body))
        return body.length === 0 ? undefined : body.toString();
    if (typeof body === 'string' && body !== '')
        return body;
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string')
        return body.message;
    return undefined;
}
function unavailable(endpoint, cause, advice, error) {
    const by = endpoint.origin === undefined ? '' : ` (from ${endpoint.origin})`;
    const message = `Failed to reach the Docker engine for this runner at ${endpoint.name}${by}: ${cause}. ${advice}`;
    return new _target_js__WEBPACK_IMPORTED_MODULE_2__/* .TargetUnavailableError */ .qc(message, error === undefined ? undefined : { cause: error });
}
function start({ others = [] }) {
    const found = others.length === 0 ? '' : ` (${others.join(' and ')} ${others.length === 1 ? 'is' : 'are'} there)`;
    return `Start Docker here, or set DOCKER_HOST to the engine that should run the jobs${found}.`;
}
function diagnose(error, endpoint) {
    const code = codeOf(error);
    const correct = `Correct ${endpoint.origin ?? 'DOCKER_HOST'}.`;
    switch (code) {
        case 'ENOENT':
        case 'ENOTDIR':
            return ['the socket does not exist', start(endpoint)];
        case 'EACCES':
        case 'EPERM':
            return [
                'this user may not use the socket',
                "Add the user that runs this agent to the group that owns the socket (usually `docker`), then start the runner's service or session anew.",
            ];
        case 'ECONNREFUSED':
            return ['nothing accepts connections there', start(endpoint)];
        case 'ENOTSOCK':
        case 'EPROTOTYPE':
            return ['it is not a socket that accepts connections', start(endpoint)];
        case 'ENOTFOUND':
        case 'EAI_AGAIN':
            return [`the host name ${endpoint.host ?? ''} has no address`, correct];
        case 'ETIMEDOUT':
        case 'EHOSTUNREACH':
        case 'ENETUNREACH':
            return [
                'the host does not answer',
                `${correct.replace('Correct', 'Check').slice(0, -1)} and the network between here and there.`,
            ];
        case 'ECONNRESET':
        case 'EPIPE':
        case 'ERR_STREAM_PREMATURE_CLOSE':
            return [`the connection was cut (${textOf(error)})`, 'Check that the engine is healthy, and see its log.'];
        default:
    }
    if (code?.startsWith('HPE_')) {
        return [
            'what answers there does not speak HTTP',
            'Check DOCKER_HOST, and set DOCKER_TLS_VERIFY=1 if the engine wants TLS.',
        ];
    }
    return code === undefined ? undefined : diagnoseTls(code, textOf(error), endpoint);
}
function diagnoseTls(code, text, { tls, origin }) {
    const files = origin?.startsWith('the ') ? origin : 'DOCKER_CERT_PATH';
    if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
        return [`its certificate is not valid now (${text})`, "Renew the engine's certificate, and check both clocks."];
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
        return [`its certificate is for another name (${text})`, 'Use the name or address that the certificate has.'];
    if (/SELF_SIGNED|UNABLE_TO|SIGNATURE|UNTRUSTED/.test(code))
        return [
            `its certificate is signed by nobody who is trusted here (${text})`,
            `Put the certificate of the engine's authority into ca.pem of ${files}.`,
        ];
    if (/^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/.test(code))
        return [
            `what answers there does not speak TLS (${text})`,
            'Unset DOCKER_TLS_VERIFY and DOCKER_TLS if the engine wants none, and check the port.',
        ];
    if (/ALERT/.test(code)) {
        const whose = tls?.cert === undefined
            ? `it wants a client's certificate, and there is none`
            : `it refuses the client's certificate`;
        return [`${whose} (${text})`, `Put cert.pem and key.pem that the engine's authority has signed into ${files}.`];
    }
    if (!/CERT|TLS|SSL/.test(code))
        return undefined;
    return [`the TLS handshake failed (${text})`, `Check the certificates of ${files} and the port.`];
}
function codeOf(error) {
    if (error instanceof AggregateError && error.errors[0] instanceof Error)
        return codeOf(error.errors[0]);
    return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}


/***/ }),

/***/ 2964:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   T: () => (/* binding */ oneLine)
/* harmony export */ });
const TEXT_LIMIT = 500;
function oneLine(text) {
    const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
    return (line.length > TEXT_LIMIT ? `${line.slice(0, TEXT_LIMIT)}\u2026` : line).replace(/\.+$/, '');
}


/***/ })

};
