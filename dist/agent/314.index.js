export const id = 314;
export const ids = [314];
export const modules = {

/***/ 6924:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   j3: () => (/* binding */ DeadlineError),
/* harmony export */   tm: () => (/* binding */ NEVER),
/* harmony export */   ux: () => (/* binding */ within)
/* harmony export */ });
class DeadlineError extends Error {
    name = 'DeadlineError';
    constructor(ms) {
        super(`no answer within ${ms / 1000} s`);
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
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);


function configFolder(environment) {
    const home = environment['HOME'];
    return environment['DOCKER_CONFIG'] || (home === undefined ? undefined : (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(home, '.docker'));
}
async function readConfig(path) {
    let text;
    try {
        text = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.readFile)(path, 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
            return undefined;
        throw error;
    }
    return JSON.parse(text);
}


/***/ }),

/***/ 314:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

// ESM COMPAT FLAG
__webpack_require__.r(__webpack_exports__);

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
const OLDEST_API = [1, 40];
async function checkEngine(engine, signal) {
    const endpoint = await engine.endpoint();
    let headers;
    try {
        headers = await engine.ping({ signal, ms: CHECK_MS });
    }
    catch (error) {
        if (!(error instanceof errors/* EngineRefusedError */.ZI))
            throw error;
        throw (0,errors/* unavailable */.hU)(endpoint, `it answered ${error.status} (${error.message})`, 'Check who may use the engine.', error);
    }
    const api = headers['api-version'];
    if (typeof api !== 'string') {
        throw (0,errors/* unavailable */.hU)(endpoint, 'what answers there is not a Docker engine', 'Correct DOCKER_HOST.');
    }
    const os = typeof headers['ostype'] === 'string' ? headers['ostype'] : 'linux';
    const name = `${product(headers['server'])} (API ${api}, ${os}) at ${endpoint.name}`;
    if (os !== 'linux') {
        throw new target/* TargetUnavailableError */.qc(`Failed to use the Docker engine for this runner: ${name} runs ${os} containers. Switch it to Linux containers.`);
    }
    const [major = 0, minor = 0] = api.split('.').map(Number);
    if (major < OLDEST_API[0] || (major === OLDEST_API[0] && minor < OLDEST_API[1])) {
        throw new target/* TargetUnavailableError */.qc(`Failed to use the Docker engine for this runner: ${name} is too old. Install Docker Engine 19.03 (API ${OLDEST_API.join('.')}) or newer.`);
    }
    return name;
}
function product(server) {
    const [, name, version] = /^(\w+)\/(\S+)/.exec(String(server)) ?? [];
    if (name === undefined)
        return 'Docker Engine';
    return `${name === 'Docker' ? 'Docker Engine' : name === 'Libpod' ? 'Podman' : name} ${version}`;
}

;// CONCATENATED MODULE: ./lib/target/docker/data-directory.js
async function dataDirectory(engine, signal) {
    const { socketPath } = await engine.endpoint();
    if (socketPath === undefined)
        return undefined;
    const info = await engine.call((docker) => docker.info(), { signal });
    if (typeof info !== 'object' || info === null || !('DockerRootDir' in info))
        return undefined;
    const { DockerRootDir: directory } = info;
    return typeof directory === 'string' && directory.startsWith('/') ? directory : undefined;
}

// EXTERNAL MODULE: ./lib/target/docker/deadline.js
var deadline = __webpack_require__(6924);
// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __webpack_require__(7975);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./lib/target/docker/docker-config.js
var docker_config = __webpack_require__(7467);
;// CONCATENATED MODULE: ./lib/target/docker/docker-context.js




async function currentContext(environment) {
    const folder = (0,docker_config/* configFolder */.v)(environment);
    const name = environment['DOCKER_CONTEXT'] || (folder === undefined ? undefined : await chosen(folder));
    if (name === undefined || name === '' || name === 'default' || folder === undefined)
        return undefined;
    const { createHash } = process.getBuiltinModule('node:crypto');
    const id = createHash('sha256').update(name).digest('hex');
    const file = (0,external_node_path_.join)(folder, 'contexts', 'meta', id, 'meta.json');
    const unusable = (reason, cause) => new target/* TargetUnavailableError */.qc(`Failed to read the Docker context ${JSON.stringify(name)} for the Docker target: ${reason}. See docker context ls, or set DOCKER_HOST.`, { cause });
    let meta;
    try {
        meta = await (0,docker_config/* readConfig */.X)(file);
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
async function chosen(folder) {
    const name = at(await (0,docker_config/* readConfig */.X)((0,external_node_path_.join)(folder, 'config.json')).catch(() => undefined), 'currentContext');
    return typeof name === 'string' ? name : undefined;
}
function at(value, key) {
    return typeof value === 'object' && value !== null ? value[key] : undefined;
}

;// CONCATENATED MODULE: ./lib/target/docker/endpoint.js




const DEFAULT_SOCKET = '/var/run/docker.sock';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;
async function resolveEndpoint(environment) {
    const value = environment['DOCKER_HOST'] ?? '';
    if (value !== '') {
        const verify = (environment['DOCKER_TLS_VERIFY'] ?? '') !== '';
        return endpointAt(value, { origin: 'DOCKER_HOST', verify, certificates: () => certificatesOf(environment) });
    }
    const context = await currentContext(environment);
    if (context !== undefined && context.host !== '') {
        const { name, host, certificates: folder } = context;
        const certificates = () => readCertificates(folder, false, `the Docker context ${name}`);
        const verify = Object.keys(await certificates()).length > 0;
        return endpointAt(host, { origin: `the Docker context ${JSON.stringify(name)}`, verify, certificates });
    }
    const socketPath = await defaultSocket(environment['HOME']);
    return { name: `unix://${socketPath}`, socketPath };
}
async function endpointAt(value, source) {
    if (!value.startsWith('unix://'))
        return overNetwork(value, source);
    const socketPath = value.slice('unix://'.length) || DEFAULT_SOCKET;
    return { name: `unix://${socketPath}`, socketPath };
}
async function defaultSocket(home) {
    if (home === undefined)
        return DEFAULT_SOCKET;
    const own = (0,external_node_path_.join)(home, '.docker', 'run', 'docker.sock');
    for (const path of [DEFAULT_SOCKET, own]) {
        const found = await (0,promises_.access)(path).then(() => true, () => false);
        if (found)
            return path;
    }
    return DEFAULT_SOCKET;
}
async function overNetwork(value, { origin, verify, certificates }) {
    const scheme = /^[a-z][a-z0-9+.-]*(?=:\/\/)/i.exec(value)?.[0].toLowerCase() ?? 'tcp';
    const url = parse(value, scheme, origin);
    const encrypted = verify || scheme === 'https' || Number(url.port) === TLS_PORT;
    const port = url.port === '' ? (encrypted ? TLS_PORT : PLAIN_PORT) : Number(url.port);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const name = `tcp://${url.hostname}:${port}`;
    return encrypted ? { name, host, port, tls: await certificates() } : { name, host, port };
}
function parse(value, scheme, origin) {
    const unusable = (cause, advice) => new target/* TargetUnavailableError */.qc(`Failed to read ${origin} for the Docker target: ${cause}. ${advice}`);
    if (scheme === 'ssh') {
        throw unusable('ssh:// engines are not supported', 'Forward the engine to a local port or socket instead.');
    }
    if (!['tcp', 'http', 'https'].includes(scheme))
        throw unusable(`${scheme}:// is not a known scheme`, SHAPES);
    let url;
    try {
        url = new URL(`tcp://${value.replace(/^[^:]*:\/\//, '')}`);
    }
    catch {
    }
    if (url === undefined || url.hostname === '')
        throw unusable('it is not an address', SHAPES);
    if ((url.pathname !== '' && url.pathname !== '/') || url.search !== '' || url.hash !== '') {
        throw unusable('an address has no path', SHAPES);
    }
    return url;
}
const SHAPES = 'Use unix:///path/to/docker.sock or tcp://host:port.';
function certificatesOf(environment) {
    const named = environment['DOCKER_CERT_PATH'] ?? '';
    const folder = named === '' ? (0,external_node_path_.join)(environment['HOME'] ?? '/', '.docker') : named;
    return readCertificates(folder, named !== '', 'DOCKER_CERT_PATH');
}
async function readCertificates(folder, required, origin) {
    const read = async (file) => {
        try {
            return await (0,promises_.readFile)((0,external_node_path_.join)(folder, file), 'utf8');
        }
        catch (cause) {
            if (!required && cause.code === 'ENOENT')
                return undefined;
            const why = cause instanceof Error ? cause.message : String(cause);
            throw new target/* TargetUnavailableError */.qc(`Failed to read ${file} for the encrypted connection to the Docker engine: ${why}. Check ${origin}.`, { cause });
        }
    };
    const ca = await read('ca.pem');
    const cert = await read('cert.pem');
    const key = await read('key.pem');
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
            answer = await (0,deadline/* within */.ux)(ms, signal, (inner) => get(endpoint, '/_ping', inner));
        }
        catch (error) {
            signal.throwIfAborted();
            throw (0,errors/* translate */.Tl)(error, endpoint);
        }
        if (answer.status !== 200)
            throw new errors/* EngineRefusedError */.ZI(answer.status, messageOf(answer) || `HTTP ${answer.status}`);
        return answer.headers;
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
            return (0,errors/* oneLine */.TN)(String(body.message));
    }
    catch {
    }
    return (0,errors/* oneLine */.TN)(text);
}

// EXTERNAL MODULE: external "node:stream/promises"
var external_node_stream_promises_ = __webpack_require__(6466);
;// CONCATENATED MODULE: ./lib/target/docker/archive.js


async function packFiles(files, { uid, gid }) {
    const { pack } = await __webpack_require__.e(/* import() */ 118).then(__webpack_require__.t.bind(__webpack_require__, 6118, 19));
    const archive = pack();
    for (const { path, mode, content } of files) {
        archive.entry({ name: external_node_path_.posix.resolve('/', path).slice(1), mode, uid, gid, mtime: new Date() }, content);
    }
    archive.finalize();
    const chunks = [];
    for await (const chunk of archive)
        chunks.push(chunk);
    return Buffer.concat(chunks);
}
async function readEntry(stream, limit) {
    const { extract } = await __webpack_require__.e(/* import() */ 118).then(__webpack_require__.t.bind(__webpack_require__, 6118, 19));
    const archive = extract();
    const piped = (0,external_node_stream_promises_.pipeline)(stream, archive).catch(() => undefined);
    try {
        for await (const entry of archive) {
            const { type, size = 0, linkname } = entry.header;
            if (type === 'symlink' && typeof linkname === 'string')
                return { kind: 'link', target: linkname };
            if (type !== 'file')
                return { kind: 'other', type: type ?? 'unknown' };
            if (size > limit)
                return { kind: 'too-big', bytes: size };
            const chunks = [];
            for await (const chunk of entry)
                chunks.push(chunk);
            return { kind: 'file', text: Buffer.concat(chunks).toString('utf8') };
        }
        throw new Error('the archive is empty');
    }
    finally {
        stream.destroy();
        archive.destroy();
        await piped;
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/owner.js
function isRoot(user) {
    return /^(root|0+)?(:|$)/.test(user);
}
async function imageOwner(user, read) {
    const [name = '', group = ''] = user.split(':', 2);
    if (isRoot(user) && /^\d*$/.test(group))
        return { uid: 0, gid: Number(group) };
    const numeric = /^\d+$/.test(name);
    if (numeric && /^\d+$/.test(group))
        return { uid: Number(name), gid: Number(group) };
    const rows = table(await read('/etc/passwd'));
    const row = rows.find((fields) => (numeric ? Number(fields[2]) === Number(name) : fields[0] === name));
    const uid = numeric ? Number(name) : Number(row?.[2] ?? 0);
    if (group === '')
        return { uid, gid: Number(row?.[3] ?? 0) };
    if (/^\d+$/.test(group))
        return { uid, gid: Number(group) };
    const found = table(await read('/etc/group')).find((fields) => fields[0] === group);
    return { uid, gid: Number(found?.[2] ?? 0) };
}
function table(text) {
    return (text ?? '').split('\n').map((line) => line.split(':'));
}

;// CONCATENATED MODULE: ./lib/target/docker/container-files.js




const ARCHIVE_MS = 60_000;
const TABLE_BYTES = 1024 ** 2;
const LINKS = 4;
async function putFiles(engine, container, { files, user, signal }) {
    if (files.length === 0)
        return;
    const owner = await imageOwner(user, (path) => readTable(engine, container, path, signal));
    const archive = await packFiles(files, owner);
    await engine.call((docker, abortSignal) => docker.getContainer(container).putArchive(archive, { path: '/', abortSignal }), { signal, ms: ARCHIVE_MS });
}
async function readFile(engine, container, { path, limit, signal }) {
    try {
        return await engine.call(async (docker, abortSignal) => {
            const stream = await docker.getContainer(container).getArchive({ path, abortSignal });
            return readEntry(stream, limit);
        }, { signal, ms: ARCHIVE_MS });
    }
    catch (error) {
        if ((0,errors/* refusedWith */.P0)(error, 404))
            return undefined;
        throw error;
    }
}
async function readTable(engine, container, path, signal) {
    let at = path;
    for (let links = 0; links < LINKS; links += 1) {
        const found = await readFile(engine, container, { path: at, limit: TABLE_BYTES, signal });
        if (found?.kind !== 'link')
            return found?.kind === 'file' ? found.text : undefined;
        at = external_node_path_.posix.resolve(external_node_path_.posix.dirname(at), found.target);
    }
    return undefined;
}

;// CONCATENATED MODULE: ./lib/target/docker/environment-file.js




const LIMIT = 1024 ** 2;
const MODE_TYPE = 0x8f28_0000;
class EnvironmentFile {
    #engine;
    #container;
    #path;
    #read;
    constructor(engine, container, path) {
        this.#engine = engine;
        this.#container = container;
        this.#path = path;
    }
    async read(keeper, signal) {
        if (!(await this.#hasContent(keeper, signal)))
            return '';
        const stat = await this.#stat(signal);
        if (stat === undefined)
            return '';
        const last = this.#read?.stat;
        if (last !== undefined && last.size === stat.size && last.mtime === stat.mtime && last.mode === stat.mode) {
            return this.#read?.text ?? '';
        }
        if (stat.size > LIMIT)
            throw this.#unreadable(`it has ${stat.size} bytes`, 'Keep it under 1 MiB.');
        if ((stat.mode & MODE_TYPE) !== 0)
            throw this.#unreadable('it is not a regular file', 'Only append lines to it.');
        const found = await readFile(this.#engine, this.#container, { path: this.#path, limit: LIMIT, signal });
        if (found === undefined)
            return '';
        if (found.kind !== 'file')
            throw this.#unreadable('it is not a regular file of at most 1 MiB', 'Only append lines to it.');
        this.#read = { stat, text: found.text };
        return found.text;
    }
    async #hasContent(keeper, signal) {
        try {
            return (await keeper.state(signal)).environmentChanged;
        }
        catch (error) {
            if (error instanceof deadline/* DeadlineError */.j3)
                return true;
            throw error;
        }
    }
    async #stat(signal) {
        try {
            const header = await this.#engine.call(async (docker, abortSignal) => {
                const answer = await docker.getContainer(this.#container).infoArchive({ path: this.#path, abortSignal });
                answer.resume();
                return String(answer.headers['x-docker-container-path-stat'] ?? '');
            }, { signal });
            const stat = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
            return { size: Number(stat.size), mode: Number(stat.mode), mtime: String(stat.mtime) };
        }
        catch (error) {
            if ((0,errors/* refusedWith */.P0)(error, 404))
                return undefined;
            throw error;
        }
    }
    #unreadable(cause, advice) {
        return new target/* ContainerError */.OJ(`Failed to read the environment file for the next step: ${this.#path}: ${cause}. ${advice}`);
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/demux.js
const STDOUT = 1;
const STDERR = 2;
const HEADER_BYTES = 8;
const LAST_CHANNEL = 3;
async function demux(stream, sink) {
    const header = Buffer.alloc(HEADER_BYTES);
    let filled = 0;
    let left = 0;
    for await (const chunk of stream) {
        let at = 0;
        while (at < chunk.length) {
            if (left === 0) {
                const copied = chunk.copy(header, filled, at, at + HEADER_BYTES - filled);
                at += copied;
                filled += copied;
                if (filled < HEADER_BYTES)
                    break;
                filled = 0;
                left = header.readUInt32BE(4);
                if (header.readUInt8(0) > LAST_CHANNEL)
                    throw new Error('the stream of the engine is not multiplexed');
                continue;
            }
            const piece = chunk.subarray(at, at + left);
            at += piece.length;
            left -= piece.length;
            const taken = sink(header.readUInt8(0), piece);
            if (taken !== undefined)
                await taken;
        }
    }
    if (left > 0 || filled > 0)
        throw new Error('the stream of the engine ended inside a frame');
}

;// CONCATENATED MODULE: ./lib/target/docker/state-function.js
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

;// CONCATENATED MODULE: ./lib/target/docker/keeper.js



const ANSWER_MS = 5_000;
const COMPLAINT_BYTES = 2_000;
const LINE_CHARACTERS = 200;
const FILE_BYTES = 32 * 1024;
class KeeperGoneError extends Error {
    name = 'KeeperGoneError';
}
class Keeper {
    #stream;
    #ready = Promise.withResolvers();
    #waiting = new Map();
    #gone = new AbortController();
    ended;
    #id = 0;
    #line = '';
    #complaint = '';
    constructor(stream) {
        this.#stream = stream;
        this.#waiting.set(0, this.#ready.resolve);
        this.ended = this.#listen();
        this.#write('\n');
    }
    get isGone() {
        return this.#gone.signal.aborted;
    }
    get complaint() {
        return this.#complaint.trim();
    }
    async ready(ms, signal) {
        await this.#answer(this.#ready.promise, ms, signal);
    }
    async putFile({ path, mode, content }, ms, signal) {
        if ((mode & ~0o666) !== 0 || !/^\/[\w./+=@:-]+$/.test(path) || Buffer.byteLength(content) > FILE_BYTES)
            return false;
        const umask = (0o777 & ~mode).toString(8).padStart(4, '0');
        return (await this.#ask(`file ${umask} ${path} ${octal(content)}`, ms, signal)) === 'yes';
    }
    async signal(name, leader) {
        return (await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`, ANSWER_MS, deadline/* NEVER */.tm)) === 'yes';
    }
    async state(signal) {
        const state = readState(await this.#ask('state', ANSWER_MS, signal));
        return state ?? { oomKills: 0, environmentChanged: true };
    }
    close() {
        this.#stream.destroy();
    }
    async #ask(question, ms, signal) {
        this.#id += 1;
        const id = this.#id;
        const answer = Promise.withResolvers();
        this.#waiting.set(id, answer.resolve);
        try {
            this.#write(`${id} ${question}\n`);
            return await this.#answer(answer.promise, ms, signal);
        }
        finally {
            this.#waiting.delete(id);
        }
    }
    async #answer(answer, ms, signal) {
        const gone = () => new KeeperGoneError('the container has ended');
        if (this.isGone)
            throw gone();
        return (0,deadline/* within */.ux)(ms, signal, () => Promise.race([answer, this.ended.then(() => Promise.reject(gone()))]));
    }
    #write(text) {
        if (!this.#stream.destroyed && this.#stream.writable)
            this.#stream.write(text);
    }
    async #listen() {
        this.#stream.on('error', () => undefined);
        try {
            await demux(this.#stream, (channel, piece) => {
                if (channel === STDOUT)
                    this.#hear(piece.toString('latin1'));
                else
                    this.#complain(piece.toString('utf8'));
            });
        }
        catch {
        }
        finally {
            this.#gone.abort();
            this.#stream.destroy();
        }
    }
    #hear(text) {
        const lines = (this.#line + text).split('\n');
        this.#line = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
        for (const line of lines) {
            const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
            if (id === undefined || answer === undefined)
                this.#complain(`${line}\n`);
            else
                this.#waiting.get(Number(id))?.(answer);
        }
    }
    #complain(text) {
        this.#complaint = (this.#complaint + text).slice(0, COMPLAINT_BYTES);
    }
}
function octal(text) {
    return Buffer.from(text)
        .toString('latin1')
        .replace(/[^A-Za-z0-9_./=+-]/g, (byte) => `\\0${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

// EXTERNAL MODULE: external "node:string_decoder"
var external_node_string_decoder_ = __webpack_require__(6193);
;// CONCATENATED MODULE: ./lib/target/docker/json-lines.js

const LINE_LIMIT = 1024 ** 2;
async function* jsonLines(stream) {
    const decoder = new external_node_string_decoder_.StringDecoder('utf8');
    let rest = '';
    for await (const chunk of stream) {
        const lines = (rest + (typeof chunk === 'string' ? chunk : decoder.write(chunk))).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines)
            if (line.trim() !== '')
                yield JSON.parse(line);
        if (rest.length > LINE_LIMIT)
            throw new Error(`a line is longer than ${LINE_LIMIT} characters`);
    }
    rest += decoder.end();
    if (rest.trim() !== '')
        yield JSON.parse(rest);
}

;// CONCATENATED MODULE: ./lib/target/docker/loss.js




const EVENTS_MS = 2_000;
async function lossOf(engine, container) {
    const subject = `Failed to finish the step in container ${container.slice(0, 12)}`;
    let ending;
    try {
        ending = await endingOf(engine, container);
    }
    catch (cause) {
        const message = `${subject}: the container was lost, and the engine does not tell why (${(0,errors/* textOf */.b6)(cause)}). See the engine's log.`;
        return new target/* ContainerLostError */.kL(message, { cause });
    }
    const [why, advice] = explain(ending);
    return new target/* ContainerLostError */.kL(`${subject}: ${why}. ${advice}`);
}
function explain({ oom, signal, exitCode }) {
    if (oom && exitCode !== undefined) {
        return [
            'the kernel ended the container for want of memory',
            'Run the job where there is more memory, or let it use less.',
        ];
    }
    if (signal !== undefined) {
        return [
            `somebody had the engine end the container (signal ${signal})`,
            'Look for a docker kill, stop or rm, a clean-up job or an engine that was shut down.',
        ];
    }
    if (exitCode !== undefined && exitCode !== '0') {
        return [
            `the container's main process was killed (exit code ${exitCode})`,
            'Look for a step that kills processes which are not its own.',
        ];
    }
    return [
        'the connection to the container was cut, which ends it',
        'Check the engine and the network between here and there.',
    ];
}
async function endingOf(engine, container) {
    const docker = await engine.docker();
    let ending = { oom: false };
    const connection = new AbortController();
    try {
        await (0,deadline/* within */.ux)(EVENTS_MS, deadline/* NEVER */.tm, async () => {
            const stream = await docker.getEvents({
                since: 1,
                filters: { container: [container], event: ['oom', 'kill', 'die'] },
                abortSignal: connection.signal,
            });
            for await (const event of jsonLines(stream)) {
                ending = { ...ending, ...read(event) };
                if (ending.exitCode !== undefined)
                    return;
            }
        });
    }
    catch (error) {
        if (ending.exitCode === undefined && ending.signal === undefined && !ending.oom)
            throw error;
    }
    finally {
        connection.abort();
    }
    return ending;
}
function read(event) {
    const { Action: action, Actor: actor } = event;
    if (action === 'oom')
        return { oom: true };
    if (action === 'kill')
        return { signal: String(actor?.Attributes?.['signal'] ?? '?') };
    if (action === 'die')
        return { exitCode: String(actor?.Attributes?.['exitCode'] ?? '?') };
    return {};
}

// EXTERNAL MODULE: external "node:timers/promises"
var external_node_timers_promises_ = __webpack_require__(8500);
;// CONCATENATED MODULE: ./lib/target/docker/removal.js



const POLL_MS = 50;
const RETRY_MS = 500;
async function removeContainer(engine, container, { ms, signal }) {
    const end = performance.now() + ms;
    const left = () => Math.max(1, end - performance.now());
    let failure;
    for (let pause = 0; pause < left() || failure === undefined; pause = RETRY_MS) {
        if (pause > 0)
            await (0,external_node_timers_promises_.setTimeout)(pause, undefined, { signal });
        try {
            await engine.call((docker, abortSignal) => docker.getContainer(container).remove({ force: true, v: true, abortSignal }), { signal, ms: left() });
            return true;
        }
        catch (error) {
            signal.throwIfAborted();
            if ((0,errors/* refusedWith */.P0)(error, 404))
                return false;
            failure = error;
            if ((0,errors/* refusedWith */.P0)(error, 409) && (await isGoneWithin(engine, container, left(), signal)))
                return true;
            if (error instanceof errors/* EngineRefusedError */.ZI && error.status < 500 && error.status !== 409)
                break;
        }
    }
    throw new target/* ContainerError */.OJ(`Failed to remove container ${container} for the job: ${(0,errors/* textOf */.b6)(failure)}. Remove it by hand: docker rm -f ${container}.`, { cause: failure });
}
async function isGoneWithin(engine, container, ms, signal) {
    const end = performance.now() + ms;
    while (performance.now() < end) {
        try {
            await engine.call((docker, abortSignal) => docker.getContainer(container).inspect({ abortSignal }), { signal });
        }
        catch (error) {
            if ((0,errors/* refusedWith */.P0)(error, 404))
                return true;
            signal.throwIfAborted();
        }
        await (0,external_node_timers_promises_.setTimeout)(POLL_MS, undefined, { signal });
    }
    return false;
}

;// CONCATENATED MODULE: ./lib/target/docker/step-failure.js


function cutOff(cause) {
    const why = cause === undefined ? '' : ` (${(0,errors/* textOf */.b6)(cause)})`;
    return new target/* ContainerLostError */.kL(`Failed to follow the step in its container: the connection that carries its output was cut${why}. Check the engine and the network between here and there.`, { cause });
}
function startFailure(text, cause) {
    const advice = /argument list too long/i.test(text)
        ? 'Make the script and each of its variables shorter than 128 KiB.'
        : 'Check that the image has a POSIX shell and that the variables are sound.';
    const message = `Failed to start the step in its container: ${(0,errors/* oneLine */.TN)(text)}. ${advice}`;
    return new target/* ContainerError */.OJ(message, cause === undefined ? undefined : { cause });
}
function isCut(error) {
    if (!(error instanceof Error))
        return false;
    const code = 'code' in error ? error.code : undefined;
    return (code === 'ERR_STREAM_PREMATURE_CLOSE' ||
        code === 'ECONNRESET' ||
        code === 'EPIPE' ||
        /inside a frame/.test(error.message));
}

;// CONCATENATED MODULE: ./lib/target/docker/step-output.js


const HELD_BYTES = 1024 ** 2;
const AHEAD_BYTES = 4 * 1024 ** 2;
const CONTROL_CHARACTERS = 1000;
class StepOutput {
    #stream;
    #sink;
    #leader = Promise.withResolvers();
    #known;
    #end;
    #control = '';
    #held = [];
    #heldBytes = 0;
    #complaint = '';
    #ahead = 0;
    #delivery = Promise.resolve();
    #failure;
    #blocked = false;
    #isReading = true;
    #lastRead = performance.now();
    onEnd;
    constructor(stream, sink) {
        this.#stream = stream;
        this.#sink = sink;
    }
    get leader() {
        return this.#leader.promise;
    }
    get hasBegun() {
        return this.#known !== undefined;
    }
    get end() {
        return this.#end;
    }
    get complaint() {
        return `${Buffer.concat(this.#held ?? []).toString('utf8')} ${this.#complaint} ${this.#control}`.trim();
    }
    get isReading() {
        return this.#isReading;
    }
    get idleMs() {
        return this.#blocked ? 0 : performance.now() - this.#lastRead;
    }
    async read() {
        try {
            await demux(this.#stream, (channel, piece) => {
                this.#lastRead = performance.now();
                if (channel === STDERR && this.#end === undefined)
                    return this.#hearControl(piece);
                return channel === STDOUT ? this.#take(piece) : undefined;
            });
        }
        finally {
            this.#isReading = false;
            this.#leader.resolve(undefined);
            this.#stream.destroy();
            if (this.hasBegun)
                await this.#delivery;
        }
        if (this.#failure !== undefined)
            throw this.#failure.error;
    }
    #take(piece) {
        if (this.#held !== undefined) {
            this.#held.push(piece);
            this.#heldBytes += piece.length;
            if (this.#heldBytes < HELD_BYTES)
                return undefined;
            this.#release();
            return this.#delivered();
        }
        this.#deliver(piece);
        if (this.#end !== undefined && this.#ahead < AHEAD_BYTES)
            return undefined;
        return this.#delivered();
    }
    #release() {
        for (const piece of this.#held ?? [])
            this.#deliver(piece);
        this.#held = undefined;
    }
    #deliver(piece) {
        this.#ahead += piece.length;
        this.#delivery = this.#delivery.then(async () => {
            if (this.#failure !== undefined)
                return;
            try {
                await this.#sink(piece);
            }
            catch (error) {
                this.#failure = { error };
            }
            finally {
                this.#ahead -= piece.length;
            }
        });
    }
    async #delivered() {
        this.#blocked = true;
        await this.#delivery;
        this.#blocked = false;
        this.#lastRead = performance.now();
        if (this.#failure !== undefined)
            throw this.#failure.error;
    }
    async #hearControl(piece) {
        const lines = (this.#control + piece.toString('latin1')).split('\n');
        this.#control = (lines.pop() ?? '').slice(0, CONTROL_CHARACTERS);
        for (const line of lines) {
            const [, number, state] = /^(\d{1,9})(?: (.+))?$/.exec(line) ?? [];
            if (number === undefined)
                this.#complaint = `${this.#complaint} ${line}`.slice(0, CONTROL_CHARACTERS);
            else if (this.#known === undefined)
                this.#begin(Number(number));
            else if (this.#end === undefined)
                this.#finish({ code: Number(number), state: readState(state ?? '') });
        }
        await this.#delivered();
    }
    #begin(leader) {
        this.#known = leader;
        this.#leader.resolve(leader);
        this.#release();
    }
    #finish(end) {
        this.#end = end;
        this.onEnd?.();
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/step-script.js

const STEP_SCRIPT = `
${STATE_FUNCTION}
trap : HUP INT TERM
(echo "$$" >&2; exec 2>&1 </dev/null; cd -- "$2" && exec "$0" -c "$1")
code=$?
state "$3"
printf '\\n%s\\n' "$code $state" >&2
exec >&- 2>&-
read -r go
exit "$code"
`;
function stepCommand({ shell, script, workingDirectory, environment }, environmentFile) {
    const foreign = Object.keys(environment).some((name) => !/^[A-Za-z_]\w*$/.test(name));
    const interpreter = foreign && /(^|\/)bash$/.test(shell) ? [shell, '--posix'] : ['sh'];
    return [...interpreter, '-c', STEP_SCRIPT, shell, script, folderOf(workingDirectory), environmentFile];
}
function folderOf(workingDirectory) {
    if (workingDirectory === undefined || workingDirectory === '')
        return '/';
    return workingDirectory.startsWith('/') ? workingDirectory : `/${workingDirectory}`;
}

;// CONCATENATED MODULE: ./lib/target/docker/step.js






const SIGNAL_MS = 15_000;
async function startStep(context, spec, sink, signal) {
    const { engine, container } = context;
    let exec;
    let stream;
    try {
        exec = await engine.call((docker, abortSignal) => docker.getContainer(container).exec({
            Cmd: stepCommand(spec, context.environmentFile),
            Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
            WorkingDir: '/',
            AttachStdin: true,
            AttachStdout: true,
            AttachStderr: true,
            Tty: false,
            abortSignal,
        }), { signal });
        stream = await engine.call(() => exec.start({ hijack: true, stdin: true, Tty: false }), {
            signal: deadline/* NEVER */.tm,
            late: (late) => late.destroy(),
        });
    }
    catch (error) {
        if (context.keeper.isGone || (0,errors/* refusedWith */.P0)(error, 404, 409))
            throw await context.loss();
        if (!(error instanceof errors/* EngineRefusedError */.ZI))
            throw error;
        throw startFailure(error.message, error);
    }
    return new Step(context, exec, stream, sink, signal);
}
class Step {
    exit;
    #context;
    #exec;
    #stream;
    #output;
    #endedAt;
    #awaySince;
    #isLooking = false;
    #givenUp = false;
    #isOver = false;
    constructor(context, exec, stream, sink, signal) {
        this.#context = context;
        this.#exec = exec;
        this.#stream = stream;
        stream.on('error', () => undefined);
        this.#output = new StepOutput(stream, sink);
        this.exit = this.#run(signal);
        this.exit.catch(() => undefined);
    }
    async signal(name) {
        try {
            await (0,deadline/* within */.ux)(SIGNAL_MS, deadline/* NEVER */.tm, () => this.#deliver(name));
        }
        catch (error) {
            if (!(error instanceof deadline/* DeadlineError */.j3))
                throw error;
            this.#context.logger('warning', `${name} is not delivered yet: the engine is slow, or has not begun the step.`);
        }
    }
    async #deliver(name) {
        const leader = await this.#output.leader;
        if (leader === undefined || this.#isOver || this.#output.end !== undefined)
            return;
        try {
            await this.#context.keeper.signal(name, leader);
        }
        catch (error) {
            if (error instanceof KeeperGoneError)
                return;
            if (!(error instanceof deadline/* DeadlineError */.j3))
                throw error;
            this.#context.logger('debug', `The container's main process does not answer; ${name} goes by an exec of its own.`);
            await this.#signalByExec(name, leader);
        }
    }
    async #signalByExec(name, leader) {
        const { engine, container } = this.#context;
        await engine.call(async (docker, abortSignal) => {
            const kill = `kill -${name.slice('SIG'.length)} -${leader}`;
            const exec = await docker.getContainer(container).exec({ Cmd: ['sh', '-c', kill], abortSignal });
            await exec.start({ Detach: true, abortSignal });
        }, { signal: deadline/* NEVER */.tm });
    }
    async #run(signal) {
        const aborted = Promise.withResolvers();
        const onAbort = () => {
            aborted.reject(signal.reason);
            this.#stream.destroy();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        if (signal.aborted)
            onAbort();
        const { idleMs } = this.#context.silence;
        const watch = setInterval(() => void this.#look(), idleMs);
        try {
            return await Promise.race([this.#finish(signal), aborted.promise]);
        }
        finally {
            this.#isOver = true;
            clearInterval(watch);
            signal.removeEventListener('abort', onAbort);
            this.#stream.destroy();
        }
    }
    async #finish(signal) {
        this.#output.onEnd = () => {
            this.#endedAt = performance.now();
            this.#stream.write('\n');
        };
        try {
            await this.#output.read();
        }
        catch (error) {
            if (!isCut(error))
                throw error;
        }
        signal.throwIfAborted();
        const { end } = this.#output;
        if (end === undefined)
            return this.#endedWithoutWord();
        return { code: end.code, outOfMemory: this.#ranOutOfMemory(end.state) };
    }
    async #endedWithoutWord() {
        const state = await this.#context.keeper.state(deadline/* NEVER */.tm).catch(() => undefined);
        if (this.#context.keeper.isGone)
            throw await this.#context.loss();
        let info;
        try {
            info = await this.#inspect(this.#context.silence.idleMs);
        }
        catch (cause) {
            if ((0,errors/* refusedWith */.P0)(cause, 404, 409))
                throw await this.#context.loss();
            throw cutOff(cause);
        }
        if (info.Running && !this.#givenUp)
            throw cutOff();
        if (!this.#output.hasBegun)
            throw startFailure(this.#output.complaint || `exit code ${info.ExitCode}`);
        return { code: info.ExitCode ?? 137, outOfMemory: this.#ranOutOfMemory(state) };
    }
    async #look() {
        if (this.#isLooking || !this.#output.isReading)
            return;
        this.#isLooking = true;
        const { idleMs, totalMs } = this.#context.silence;
        const silent = this.#output.idleMs >= idleMs;
        if (this.#endedAt !== undefined) {
            const blocked = this.#output.idleMs === 0;
            if (silent || (!blocked && performance.now() - this.#endedAt > totalMs))
                this.#giveUp();
        }
        else if (silent) {
            await this.#ask();
        }
        this.#isLooking = false;
    }
    async #ask() {
        const { idleMs, awayMs } = this.#context.silence;
        try {
            if (!(await this.#inspect(idleMs)).Running)
                this.#endedAt = performance.now();
            this.#awaySince = undefined;
        }
        catch {
            this.#awaySince ??= performance.now();
            if (performance.now() - this.#awaySince >= awayMs)
                this.#stream.destroy();
        }
    }
    #giveUp() {
        if (this.#givenUp || this.#isOver)
            return;
        this.#givenUp = true;
        this.#context.logger('warning', 'A process that the step left behind holds its output open; what it writes is no longer read.');
        this.#stream.destroy();
    }
    #inspect(ms) {
        return this.#context.engine.call((_, abortSignal) => this.#exec.inspect({ abortSignal }), { signal: deadline/* NEVER */.tm, ms });
    }
    #ranOutOfMemory(state) {
        if (state === undefined)
            return false;
        const more = state.oomKills > this.#context.oomKills;
        this.#context.oomKills = state.oomKills;
        this.#context.state = state;
        return more;
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/container.js







class DockerContainer {
    id;
    imageDigest;
    #options;
    #environmentFile;
    #context;
    #removing = new AbortController();
    #removal;
    constructor(options) {
        const { engine, id, imageDigest, keeper, environmentFile, silence, logger } = options;
        this.id = id;
        this.imageDigest = imageDigest;
        this.#options = options;
        this.#environmentFile = new EnvironmentFile(engine, id, environmentFile);
        this.#context = {
            engine,
            container: id,
            environmentFile,
            keeper,
            silence,
            logger,
            oomKills: 0,
            state: undefined,
            loss: () => this.#loss(),
        };
    }
    async start(step, output, signal) {
        const either = AbortSignal.any([signal, this.#removing.signal]);
        either.throwIfAborted();
        this.#context.state = undefined;
        return startStep(this.#context, step, output, either);
    }
    async readEnvironmentFile(signal) {
        const known = this.#context.state;
        this.#context.state = undefined;
        try {
            if (known?.environmentChanged === false)
                return '';
            return await this.#environmentFile.read(this.#options.keeper, signal);
        }
        catch (error) {
            throw error instanceof KeeperGoneError ? await this.#loss() : error;
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
        const { engine, keeper, stopMs } = this.#options;
        this.#removing.abort(this.#removedByUs());
        try {
            await removeContainer(engine, this.id, { ms: stopMs, signal: deadline/* NEVER */.tm });
        }
        finally {
            keeper.close();
        }
    }
    async #loss() {
        return this.#removing.signal.aborted ? this.#removedByUs() : lossOf(this.#options.engine, this.id);
    }
    #removedByUs() {
        const message = `Failed to finish the step in container ${this.id.slice(0, 12)}: the agent removed the container. The job was being stopped.`;
        return new target/* ContainerLostError */.kL(message);
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/reference.js
function isReference(text) {
    return /^[a-z0-9][\w./:@-]*$/i.test(text) && !text.includes('..') && text.length <= 1024;
}
function parseReference(text) {
    const [name = '', digest] = text.split('@', 2);
    const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
    const path = colon < 0 ? name : name.slice(0, colon);
    const slash = path.indexOf('/');
    const first = slash < 0 ? '' : path.slice(0, slash);
    const named = first.includes('.') || first.includes(':') || first === 'localhost';
    const registry = !named || first === 'index.docker.io' ? 'docker.io' : first;
    const rest = named ? path.slice(slash + 1) : path;
    const inLibrary = registry === 'docker.io' && !rest.includes('/');
    return {
        registry,
        repository: `${registry}/${inLibrary ? 'library/' : ''}${rest}`,
        pullable: colon < 0 && digest === undefined ? `${text}:latest` : text,
        ...(digest === undefined ? {} : { digest }),
    };
}
function digestOf(text, image) {
    const wanted = parseReference(text);
    const own = image.repoDigests.filter((entry) => parseReference(entry).repository === wanted.repository);
    return own.find((entry) => wanted.digest !== undefined && entry.endsWith(`@${wanted.digest}`)) ?? own[0] ?? image.id;
}

;// CONCATENATED MODULE: ./lib/target/docker/image.js



function checkImageName(image) {
    if (isReference(image))
        return;
    throw new target/* ImageError */.C8(`Failed to read the image's name for the job: "${(0,errors/* oneLine */.TN)(image)}" is not a valid image name. Correct it in the deployment settings.`);
}
async function findImage(engine, image, pulled, signal) {
    try {
        const found = await engine.call((docker) => docker.getImage(image).inspect(), { signal });
        const { Id: id, RepoDigests: repoDigests, Config: config, Os: os, Architecture: architecture } = found;
        return {
            id,
            digest: digestOf(image, { id, repoDigests: repoDigests ?? [] }),
            user: config?.User ?? '',
            platform: `${os}/${architecture}`,
        };
    }
    catch (error) {
        if (!(error instanceof errors/* EngineRefusedError */.ZI))
            throw error;
        const cause = error.status === 404 ? 'the engine does not have it' : error.message;
        const advice = pulled
            ? 'Something removed it after the pull: try again.'
            : 'Pull it on the host first, or set pull_image: true.';
        throw new target/* ImageError */.C8(`Failed to find the image for the job: ${image}: ${cause}. ${advice}`, { cause: error });
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/keeper-script.js

const ORPHAN_GRACE_SECONDS = 10;
const KEEPER_SCRIPT = `
trap '' HUP INT TERM
grace=$1

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
  kill "-$name" "-$leader" && answer=yes
  if [ "$name" = KILL ]; then
    others whole_group
  else
    others find_timeout
    [ "$timeouts" = ' ' ] || others below_timeout
  fi
} 2>/dev/null

file() {
  umask 022
  if [ ! -e "$2" ] && [ ! -L "$2" ] && { [ -d "\${2%/*}/" ] || mkdir -p "\${2%/*}/"; }; then
    umask "$1"
    printf %b "$3" >"$2" && answer=yes
    umask 022
  fi
} 2>/dev/null

${STATE_FUNCTION}

echo '0 ready'
while read -r id verb a b c; do
  answer=no
  case $verb in
    signal) signal "$a" "$b" ;;
    file) file "$a" "$b" "$c" ;;
    state) state "$0"; answer=$state ;;
    *) continue ;;
  esac
  echo "$id $answer"
done

# The agent is gone. Every exec leads a session; 1 is the init's, which this shell is in.
for stat in /proc/[0-9]*/stat; do
  read -r line <"$stat" || continue
  pid=\${line%% *}
  set -- \${line##*)}
  [ "$4" = "$pid" ] && [ "$pid" != 1 ] && [ "$pid" != "$$" ] && signal INT "$pid"
done 2>/dev/null
n=0
while [ "$n" -lt "$grace" ] && kill -0 -1 2>/dev/null && sleep 1; do n=$((n + 1)); done
`;

;// CONCATENATED MODULE: ./lib/target/docker/pull-advice.js
const LIMITED = /toomanyrequests|too many requests|rate limit|\b429\b/i;
const AWAY = /dial tcp|i\/o timeout|connection refused|connection reset|TLS handshake timeout|EOF|Client\.Timeout|\b50[0234]\b|service unavailable|bad gateway|internal server error/i;
function mayPass(text) {
    return LIMITED.test(text) || AWAY.test(text);
}
function pullAdvice(text, { image, by, platform }) {
    if (/invalid reference format|repository name must be|invalid checksum digest|cannot contain/i.test(text)) {
        return `"${image}" is not a valid image name: correct it in the deployment settings.`;
    }
    if (/no matching manifest|does not match the specified platform|no match for platform/i.test(text)) {
        return `Use an image built for ${platform ?? 'this platform'}, or a runner pool of another platform.`;
    }
    if (LIMITED.test(text)) {
        return 'The registry limits how often it is asked: give credentials, use a mirror, or try again later.';
    }
    if (/unauthorized|no basic auth|authentication required|denied|forbidden|incorrect username|\b40[13]\b/i.test(text)) {
        if (by === undefined) {
            return "Check the image's name; if it is private, give credentials for its registry in the deployment settings, or run docker login on the runner.";
        }
        const where = by === 'job' ? 'in the deployment settings' : "of the runner's Docker configuration";
        return `Check the image's name, and that the credentials ${where} may read it.`;
    }
    if (/manifest unknown|not found|name unknown|\b404\b/i.test(text)) {
        return "Check the image's name and tag: the registry has no such image.";
    }
    if (/x509|certificate|server gave HTTP response to HTTPS client/i.test(text)) {
        return "Make the engine trust the registry: install its certificate in the engine's certs.d, or list it under insecure-registries.";
    }
    if (/no space left/i.test(text))
        return "Free disk space for the engine's images.";
    if (AWAY.test(text) || /no such host/i.test(text)) {
        return 'Check that the engine reaches the registry (network, proxy of the engine).';
    }
    return 'Check the image, and that the engine can pull it (`docker pull` shows the same error).';
}

;// CONCATENATED MODULE: ./lib/target/docker/pull-progress.js
const SUMMARY_MS = 10_000;
const QUIET = new Set([
    'Pulling fs layer',
    'Waiting',
    'Downloading',
    'Verifying Checksum',
    'Download complete',
    'Extracting',
]);
function readFrame(value) {
    const frame = asObject(value);
    const progress = asObject(frame['progressDetail']);
    const detail = asObject(frame['errorDetail'])['message'];
    const error = frame['error'] ?? detail;
    return {
        ...(typeof frame['id'] === 'string' ? { id: frame['id'] } : {}),
        ...(typeof frame['status'] === 'string' ? { status: frame['status'] } : {}),
        ...(typeof progress['current'] === 'number' ? { current: progress['current'] } : {}),
        ...(typeof progress['total'] === 'number' ? { total: progress['total'] } : {}),
        ...(error === undefined || error === null ? {} : { error: String(typeof detail === 'string' ? detail : error) }),
    };
}
function asObject(value) {
    return typeof value === 'object' && value !== null ? value : {};
}
class PullProgress {
    #now;
    #layers = new Map();
    #last;
    #summaryAt;
    constructor(now) {
        this.#now = now;
        this.#summaryAt = now() + SUMMARY_MS;
    }
    line(frame) {
        const { id, status } = frame;
        if (status === undefined)
            return undefined;
        const layer = id !== undefined && (QUIET.has(status) || /^(Pull complete|Already exists)/.test(status));
        if (layer)
            this.#count(id, frame);
        if (layer && QUIET.has(status))
            return this.#summary();
        const line = id === undefined ? status : `${id}: ${status}`;
        if (line === this.#last)
            return undefined;
        this.#last = line;
        return line;
    }
    #count(id, { status, current, total }) {
        const layer = this.#layers.get(id) ?? { current: 0, total: 0, done: false };
        this.#layers.set(id, layer);
        if (status === 'Downloading') {
            layer.current = current ?? layer.current;
            layer.total = total ?? layer.total;
        }
        if (status === 'Download complete' || status === 'Extracting')
            layer.current = layer.total;
        if (status === 'Pull complete' || status === 'Already exists')
            layer.done = true;
    }
    #summary() {
        if (this.#now() < this.#summaryAt)
            return undefined;
        this.#summaryAt = this.#now() + SUMMARY_MS;
        const layers = [...this.#layers.values()];
        const sum = (of) => (layers.reduce((bytes, layer) => bytes + of(layer), 0) / 1e6).toFixed(1);
        const done = layers.filter((layer) => layer.done).length;
        return `${sum((l) => l.current)} of ${sum((l) => l.total)} MB downloaded, ${done} of ${layers.length} layers ready`;
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/pull.js








const TRIES = 4;
async function pullImage(engine, options, progress, signal) {
    const { registry } = parseReference(options.image);
    const hosts = options.credentials === undefined ? await options.hostLogin(registry, signal) : undefined;
    if (hosts !== undefined)
        await progress(`Signing in to ${registry} with the runner's Docker configuration.`);
    const login = options.credentials ?? hosts;
    for (let tries = 1, wait = options.retryMs;; tries += 1, wait *= 2) {
        try {
            return await pullOnce(engine, options, login, progress, signal);
        }
        catch (error) {
            if (!(error instanceof errors/* EngineRefusedError */.ZI))
                throw error;
            if (tries === TRIES || !mayPass(error.message)) {
                const by = options.credentials !== undefined ? 'job' : hosts !== undefined ? 'runner' : undefined;
                throw await refusedError(engine, { ...options, ...(by === undefined ? {} : { by }) }, error);
            }
            await progress(`The pull failed: ${error.message}. Trying again in ${wait / 1000} s.`);
        }
        await (0,external_node_timers_promises_.setTimeout)(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
}
async function pullOnce(engine, options, login, progress, signal) {
    const docker = await engine.docker();
    const endpoint = await engine.endpoint();
    signal.throwIfAborted();
    const reference = parseReference(options.image);
    const connection = new AbortController();
    const onAbort = () => connection.abort(signal.reason);
    const idle = new IdleTimer(options.idleMs, () => connection.abort(new deadline/* DeadlineError */.j3(options.idleMs)));
    signal.addEventListener('abort', onAbort, { once: true });
    try {
        idle.start();
        const stream = await docker.createImage(authOf(login, reference.registry), {
            fromImage: reference.pullable,
            ...(options.platform === undefined ? {} : { platform: options.platform }),
            abortSignal: connection.signal,
        });
        const lines = new PullProgress(() => performance.now());
        for await (const value of jsonLines(stream)) {
            idle.stop();
            const frame = readFrame(value);
            if (frame.error !== undefined)
                throw new errors/* EngineRefusedError */.ZI(200, (0,errors/* oneLine */.TN)(frame.error));
            const line = lines.line(frame);
            if (line !== undefined)
                await progress((0,errors/* oneLine */.TN)(line));
            idle.start();
        }
    }
    catch (error) {
        signal.throwIfAborted();
        const stalled = connection.signal.reason instanceof deadline/* DeadlineError */.j3 ? connection.signal.reason : undefined;
        if (stalled !== undefined)
            throw stalledError(options, stalled);
        throw (0,errors/* translate */.Tl)(error, endpoint);
    }
    finally {
        idle.stop();
        signal.removeEventListener('abort', onAbort);
        connection.abort();
    }
}
function authOf(login, registry) {
    if (login === undefined)
        return undefined;
    const serveraddress = registry === 'docker.io' ? 'https://index.docker.io/v1/' : registry;
    return { ...login, serveraddress };
}
function stalledError({ image, idleMs }, cause) {
    return new target/* ImageError */.C8(`Failed to pull the image for the job: ${image} made no progress for ${idleMs / 1000} s. Check the network between the engine and the registry, or set pull_image: false to use an image that is there already.`, { cause });
}
async function refusedError(engine, options, cause) {
    const advice = pullAdvice(cause.message, options);
    const present = await isPresent(engine, options.image);
    const local = present ? ' The engine has an image of that name: pull_image: false uses it.' : '';
    const message = `Failed to pull the image for the job: ${options.image}: ${cause.message}. ${advice}${local}`;
    return new target/* ImageError */.C8(message, { cause });
}
async function isPresent(engine, image) {
    try {
        const signal = AbortSignal.timeout(2_000);
        await engine.call((docker) => docker.getImage(image).inspect(), { signal });
        return true;
    }
    catch {
        return false;
    }
}
class IdleTimer {
    #ms;
    #onIdle;
    #timer;
    constructor(ms, onIdle) {
        this.#ms = ms;
        this.#onIdle = onIdle;
    }
    start() {
        this.stop();
        this.#timer = setTimeout(this.#onIdle, this.#ms);
    }
    stop() {
        clearTimeout(this.#timer);
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/prepare.js











const CREATE_MS = 120_000;
async function prepareContainer(engine, options) {
    const { spec, progress, signal, logger, stopMs } = options;
    checkImageName(spec.image);
    const image = await obtainImage(engine, options);
    await progress(`Image ${image.digest} (${image.platform}).`);
    const { randomBytes } = process.getBuiltinModule('node:crypto');
    const name = `pulumi-runner-${randomBytes(6).toString('hex')}`;
    let keeper;
    try {
        const id = await create(engine, { name, image, spec });
        signal.throwIfAborted();
        await progress(`Created container ${name} (${id.slice(0, 12)}).`);
        keeper = new Keeper(await attach(engine, id, signal));
        await start(engine, { id, image, keeper, spec, signal });
        await progress(`Started container ${name}.`);
        return new DockerContainer({
            ...options,
            engine,
            id,
            imageDigest: image.digest,
            keeper,
            environmentFile: spec.environmentFile,
        });
    }
    catch (error) {
        await removeContainer(engine, name, { ms: stopMs, signal: deadline/* NEVER */.tm }).catch((left) => logger('warning', String(left)));
        keeper?.close();
        throw startError(error, image, keeper);
    }
}
async function obtainImage(engine, { spec, progress, signal, pullIdleMs, pullRetryMs, hostLogin }) {
    const { image, pull, credentials, platform } = spec;
    if (pull) {
        await progress(`Pulling image ${image}.`);
        const options = {
            image,
            idleMs: pullIdleMs,
            retryMs: pullRetryMs,
            hostLogin,
            ...(credentials === undefined ? {} : { credentials }),
            ...(platform === undefined ? {} : { platform }),
        };
        await pullImage(engine, options, progress, signal);
    }
    return findImage(engine, image, pull, signal);
}
async function create(engine, { name, image, spec }) {
    const body = {
        Image: image.id,
        Entrypoint: ['sh', '-c', KEEPER_SCRIPT, spec.environmentFile, String(ORPHAN_GRACE_SECONDS)],
        Cmd: [],
        WorkingDir: '/',
        Labels: { ...spec.labels },
        OpenStdin: true,
        StdinOnce: true,
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        Tty: false,
        Healthcheck: { Test: ['NONE'] },
        HostConfig: {
            AutoRemove: true,
            Init: true,
            LogConfig: { Type: 'none', Config: {} },
            SecurityOpt: ['no-new-privileges'],
        },
    };
    const query = { name, ...(spec.platform === undefined ? {} : { platform: spec.platform }) };
    const container = await engine.call((docker, abortSignal) => {
        const options = { _query: query, _body: body, abortSignal };
        return docker.createContainer(options);
    }, { signal: deadline/* NEVER */.tm, ms: CREATE_MS });
    return container.id;
}
async function attach(engine, id, signal) {
    const stream = await engine.call((docker) => docker.getContainer(id).attach({ stream: true, hijack: true, stdin: true, stdout: true, stderr: true }), { signal, late: (late) => late.destroy() });
    return stream;
}
async function start(engine, { id, image, keeper, spec: { files, whileStarting }, signal, }) {
    const { user } = image;
    const byKeeper = isRoot(user);
    const answers = Promise.all(byKeeper ? files.map((file) => keeper.putFile(file, CREATE_MS, signal)) : []);
    answers.catch(() => undefined);
    if (!byKeeper)
        await putFiles(engine, id, { files, user, signal });
    if (whileStarting !== undefined)
        setImmediate(whileStarting);
    await engine.call((docker, abortSignal) => docker.getContainer(id).start({ abortSignal }), { signal, ms: CREATE_MS });
    await keeper.ready(CREATE_MS, signal);
    const written = await answers;
    await putFiles(engine, id, { files: files.filter((_, index) => written[index] === false), user, signal });
}
function startError(error, image, keeper) {
    const refused = error instanceof errors/* EngineRefusedError */.ZI;
    if (!refused && !(error instanceof KeeperGoneError))
        return error;
    const cause = refused ? error.message : (0,errors/* oneLine */.TN)(keeper?.complaint || 'its main process ended at once');
    const message = `Failed to start a container for the job from ${image.digest}: ${cause}. ${startAdvice(cause, image)}`;
    return new target/* ContainerError */.OJ(message, { cause: error });
}
function startAdvice(cause, image) {
    if (/exec format error/i.test(cause)) {
        return `The image is for ${image.platform} and the engine's host can't run that: use a runner of that platform, or install its emulator (binfmt).`;
    }
    if (/does not match the (specified|requested) platform|no matching manifest/i.test(cause)) {
        return 'Set pull_image: true, so that the image for the wanted platform is pulled, or use a runner pool of the platform that is there.';
    }
    if (/no such file or directory|executable file not found/i.test(cause)) {
        return 'The image must have a POSIX shell named sh in its PATH.';
    }
    if (/unable to find user|no matching entries in passwd/i.test(cause))
        return "Correct the USER of the image: it isn't in its /etc/passwd.";
    if (/no space left/i.test(cause))
        return "Free disk space for the engine's containers.";
    return "See the engine's log.";
}

;// CONCATENATED MODULE: ./lib/target/docker/sweep.js


async function sweepContainers(engine, labels, { ms, signal }) {
    const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    if (label.length === 0)
        throw new Error('a sweep needs labels');
    const found = await engine.call((docker, abortSignal) => docker.listContainers({ all: true, filters: { label }, abortSignal }), { signal });
    const results = await Promise.allSettled(found.map(async ({ Id: id, Names: names }) => {
        const removed = await removeContainer(engine, id, { ms, signal: deadline/* NEVER */.tm });
        return removed ? [`Removed container ${names[0]?.slice(1) ?? ''} (${id.slice(0, 12)}).`] : [];
    }));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined)
        throw failed.reason;
    return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

;// CONCATENATED MODULE: ./lib/target/docker/docker-target.js






function createDockerTarget(options) {
    const { environment, logger = () => undefined, stopTimeoutMs: stopMs = 30_000, pullIdleTimeoutMs: pullIdleMs = 120_000, pullRetryMs = 2_000, onSecret = () => undefined, } = options;
    const { silenceMs: idleMs = 5_000 } = options;
    const silence = { idleMs, totalMs: 6 * idleMs, awayMs: 12 * idleMs };
    const engine = new Engine(environment);
    const login = async (registry, signal) => {
        const { hostLogin } = await Promise.all(/* import() */[__webpack_require__.e(597), __webpack_require__.e(590)]).then(__webpack_require__.bind(__webpack_require__, 5590));
        const found = await hostLogin(registry, { environment, signal, onTrouble: (text) => logger('warning', text) });
        if (found !== undefined)
            onSecret('password' in found ? found.password : found.identitytoken);
        return found;
    };
    return {
        name: 'docker',
        check: (signal) => checkEngine(engine, signal),
        warmUp: async () => void (await engine.call((docker) => docker.ping(), { signal: deadline/* NEVER */.tm })),
        prepare: (spec, progress, signal) => prepareContainer(engine, {
            spec,
            progress,
            signal,
            pullIdleMs,
            pullRetryMs,
            hostLogin: login,
            stopMs,
            silence,
            logger,
        }),
        sweep: (labels, signal) => sweepContainers(engine, labels, { ms: stopMs, signal }),
        dataDirectory: (signal) => dataDirectory(engine, signal),
        close: async () => engine.close(),
    };
}


/***/ }),

/***/ 3119:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   P0: () => (/* binding */ refusedWith),
/* harmony export */   TN: () => (/* binding */ oneLine),
/* harmony export */   Tl: () => (/* binding */ translate),
/* harmony export */   ZI: () => (/* binding */ EngineRefusedError),
/* harmony export */   b6: () => (/* binding */ textOf),
/* harmony export */   hU: () => (/* binding */ unavailable)
/* harmony export */ });
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1568);
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6924);


const TEXT_LIMIT = 500;
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
function oneLine(text) {
    const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
    return (line.length > TEXT_LIMIT ? `${line.slice(0, TEXT_LIMIT)}…` : line).replace(/\.+$/, '');
}
function textOf(error) {
    if (error instanceof AggregateError && error.message === '')
        return error.errors.map(textOf).join('; ');
    return oneLine(error instanceof Error ? error.message : String(error));
}
function translate(error, endpoint) {
    if (!(error instanceof Error) || error instanceof EngineRefusedError)
        return error;
    if ('statusCode' in error && typeof error.statusCode === 'number') {
        const body = 'json' in error ? error.json : undefined;
        const text = oneLine(messageIn(body) ?? error.message.replace(/^\(HTTP code \d+\) .*? - /, ''));
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
    const message = `Failed to reach the Docker engine for this runner at ${endpoint.name}: ${cause}. ${advice}`;
    return new _target_js__WEBPACK_IMPORTED_MODULE_0__/* .TargetUnavailableError */ .qc(message, error === undefined ? undefined : { cause: error });
}
const START = 'Start Docker here, or set DOCKER_HOST to the engine that should run the jobs.';
function diagnose(error, endpoint) {
    const code = codeOf(error);
    switch (code) {
        case 'ENOENT':
        case 'ENOTDIR':
            return ['the socket does not exist', START];
        case 'EACCES':
        case 'EPERM':
            return [
                'this user may not use the socket',
                "Add the user that runs this agent to the group that owns the socket (usually `docker`), then start the runner's service or session anew.",
            ];
        case 'ECONNREFUSED':
            return ['nothing accepts connections there', START];
        case 'ENOTSOCK':
        case 'EPROTOTYPE':
            return ['it is not a socket that accepts connections', START];
        case 'ENOTFOUND':
        case 'EAI_AGAIN':
            return [`the host name ${endpoint.host ?? ''} has no address`, 'Correct DOCKER_HOST.'];
        case 'ETIMEDOUT':
        case 'EHOSTUNREACH':
        case 'ENETUNREACH':
            return ['the host does not answer', 'Check DOCKER_HOST and the network between here and there.'];
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
    if (code !== undefined && /CERT|TLS|SSL|SIGNATURE|^EPROTO$/.test(code)) {
        return [
            `the TLS handshake failed (${textOf(error)})`,
            'Check DOCKER_CERT_PATH, DOCKER_TLS_VERIFY and the port in DOCKER_HOST.',
        ];
    }
    return undefined;
}
function codeOf(error) {
    if (error instanceof AggregateError && error.errors[0] instanceof Error)
        return codeOf(error.errors[0]);
    return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}


/***/ }),

/***/ 1568:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   C8: () => (/* binding */ ImageError),
/* harmony export */   OJ: () => (/* binding */ ContainerError),
/* harmony export */   kL: () => (/* binding */ ContainerLostError),
/* harmony export */   qc: () => (/* binding */ TargetUnavailableError)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);

class TargetUnavailableError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'TargetUnavailableError';
    constructor(message, options) {
        super('target-error', message, options);
    }
}
class ImageError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'ImageError';
    constructor(message, options) {
        super('target-error', message, options);
    }
}
class ContainerError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'ContainerError';
    constructor(message, options) {
        super('target-error', message, options);
    }
}
class ContainerLostError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'ContainerLostError';
    constructor(message, options) {
        super('failed', message, options);
    }
}


/***/ })

};
