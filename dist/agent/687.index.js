export const id = 687;
export const ids = [687,896];
export const modules = {

/***/ 9140:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   i: () => (/* binding */ jsonLines)
/* harmony export */ });
/* harmony import */ var node_string_decoder__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6193);

const LINE_LIMIT = 1024 ** 2;
async function* jsonLines(stream) {
    const decoder = new node_string_decoder__WEBPACK_IMPORTED_MODULE_0__.StringDecoder('utf8');
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


/***/ }),

/***/ 2936:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Z: () => (/* binding */ removeNetwork),
/* harmony export */   z: () => (/* binding */ makeNetwork)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8500);
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(4429);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1568);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3119);




const CREATE_MS = 120_000;
const RETRY_MS = 200;
const SPARE_TRIES = 20;
const SPARE_RANGE = { first: [198, 19], parts: 2_048 };
async function makeNetwork(engine, name, labels) {
    try {
        await create(engine, name, labels);
    }
    catch (error) {
        if (!isExhausted(error))
            throw failure(error);
        await createOfSpareRange(engine, name, labels, error);
    }
}
async function removeNetwork(engine, network, { ms }) {
    for (const end = performance.now() + ms;; await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(RETRY_MS)) {
        try {
            await engine.call((docker, abortSignal) => docker.getNetwork(network).remove({ abortSignal }), {
                signal: _deadline_js__WEBPACK_IMPORTED_MODULE_1__/* .NEVER */ .tm,
            });
            return true;
        }
        catch (error) {
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .refusedWith */ .P0)(error, 404))
                return false;
            const passing = !(error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_3__/* .EngineRefusedError */ .ZI) || error.status >= 500 || (0,_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .refusedWith */ .P0)(error, 403, 409);
            if (passing && performance.now() + RETRY_MS < end)
                continue;
            throw new _target_js__WEBPACK_IMPORTED_MODULE_2__/* .ContainerError */ .OJ(`Failed to remove network ${network} for the job: ${(0,_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .textOf */ .b6)(error)}. Remove it by hand: docker network rm ${network}.`, { cause: error });
        }
    }
}
async function create(engine, name, labels, subnet) {
    const options = {
        Name: name,
        Driver: 'bridge',
        EnableIPv6: false,
        Labels: { ...labels },
        ...(subnet === undefined ? {} : { IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] } }),
    };
    await engine.call((docker, abortSignal) => docker.createNetwork({ ...options, abortSignal }), {
        signal: _deadline_js__WEBPACK_IMPORTED_MODULE_1__/* .NEVER */ .tm,
        ms: CREATE_MS,
    });
}
async function createOfSpareRange(engine, name, labels, exhausted) {
    for (let tries = 1;; tries += 1) {
        try {
            await create(engine, name, labels, spareSubnet(Math.floor(Math.random() * SPARE_RANGE.parts)));
            return;
        }
        catch (error) {
            if (!isTaken(error))
                throw failure(error);
            if (tries === SPARE_TRIES)
                throw failure(exhausted);
        }
    }
}
function spareSubnet(part) {
    return `${SPARE_RANGE.first.join('.')}.${part >> 4}.${(part & 15) << 4}/28`;
}
function isExhausted(error) {
    return error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_3__/* .EngineRefusedError */ .ZI && /available, non-overlapping|fully subnetted/i.test(error.message);
}
function isTaken(error) {
    return error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_3__/* .EngineRefusedError */ .ZI && /overlap/i.test(error.message);
}
function failure(error) {
    if (!(error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_3__/* .EngineRefusedError */ .ZI))
        return error;
    const cause = (0,_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .textOf */ .b6)(error);
    const message = `Failed to make a network for the job: ${cause}. Remove networks that nobody uses, or set container_network to one that is there.`;
    return new _target_js__WEBPACK_IMPORTED_MODULE_2__/* .ContainerError */ .OJ(message, { cause: error });
}


/***/ }),

/***/ 1896:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  y: () => (/* binding */ allowedName),
  n: () => (/* binding */ obtainImage),
  prepullImage: () => (/* binding */ prepullImage)
});

// EXTERNAL MODULE: ./lib/target/image-policy.js
var image_policy = __webpack_require__(9687);
// EXTERNAL MODULE: ./lib/target/reference.js
var target_reference = __webpack_require__(5316);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
// EXTERNAL MODULE: ./lib/target/docker/errors.js
var errors = __webpack_require__(3119);
;// CONCATENATED MODULE: ./lib/target/docker/image.js




function checkImageName(image) {
    if ((0,target_reference/* isReference */.A_)(image))
        return;
    throw new target/* ImageError */.C8(`Failed to read the image's name for the job: "${(0,one_line/* oneLine */.T)(image)}" is not a valid image name. Correct it in the deployment settings.`);
}
async function findImage(engine, image, pulled, signal) {
    try {
        const found = await engine.call((docker) => docker.getImage(image).inspect(), { signal });
        const { Id: id, RepoDigests: repoDigests, Config: config, Os: os, Architecture: architecture } = found;
        return {
            id,
            digest: (0,target_reference/* digestOf */.ol)(image, { id, repoDigests: repoDigests ?? [] }),
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

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(4429);
// EXTERNAL MODULE: ./lib/target/docker/json-lines.js
var json_lines = __webpack_require__(9140);
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
    const { registry } = (0,target_reference/* parseReference */.F2)(options.image);
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
        await (0,promises_.setTimeout)(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
}
async function pullOnce(engine, options, login, progress, signal) {
    const docker = await engine.docker();
    const endpoint = await engine.endpoint();
    signal.throwIfAborted();
    const reference = (0,target_reference/* parseReference */.F2)(options.image);
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
        for await (const value of (0,json_lines/* jsonLines */.i)(stream)) {
            idle.stop();
            const frame = readFrame(value);
            if (frame.error !== undefined)
                throw new errors/* EngineRefusedError */.ZI(200, (0,one_line/* oneLine */.T)(frame.error));
            const line = lines.line(frame);
            if (line !== undefined)
                await progress((0,one_line/* oneLine */.T)(line));
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

;// CONCATENATED MODULE: ./lib/target/docker/obtain-image.js




async function obtainImage(engine, spec, settings, progress, signal) {
    const { pull, credentials, platform } = spec;
    const image = allowedName(spec.image, spec.policy);
    if (!pull)
        return findImage(engine, image, false, signal);
    await progress(`Pulling image ${spec.image}.`);
    const key = (0,image_policy/* fullName */.fq)((0,target_reference/* parseReference */.F2)(image));
    settings.prepulls.endOthers(key);
    if (await settings.prepulls.join(key, progress, signal)) {
        const found = await findImage(engine, image, true, signal);
        if (platform === undefined || found.platform === platform)
            return found;
    }
    await pullImage(engine, {
        image,
        idleMs: settings.pullIdleMs,
        retryMs: settings.pullRetryMs,
        hostLogin: settings.hostLogin,
        ...(credentials === undefined ? {} : { credentials }),
        ...(platform === undefined ? {} : { platform }),
    }, progress, signal);
    return findImage(engine, image, true, signal);
}
async function prepullImage(engine, { image, policy }, { prepulls, hostLogin, pullIdleMs: idleMs, pullRetryMs: retryMs }, signal) {
    const name = allowedName(image, policy);
    const pull = (progress, inner) => pullImage(engine, { image: name, idleMs, retryMs, hostLogin }, progress, inner);
    await prepulls.run((0,image_policy/* fullName */.fq)((0,target_reference/* parseReference */.F2)(name)), pull, signal);
    const { digest, platform } = await findImage(engine, name, true, signal);
    return `${digest} (${platform})`;
}
function allowedName(image, policy) {
    checkImageName(image);
    return policy?.check(image) ?? image;
}


/***/ }),

/***/ 3687:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  prepareContainer: () => (/* binding */ prepareContainer)
});

// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(4429);
// EXTERNAL MODULE: ./lib/target/target.js
var target = __webpack_require__(1568);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: external "node:stream/promises"
var promises_ = __webpack_require__(6466);
;// CONCATENATED MODULE: ./lib/target/docker/archive.js


async function packFiles(files, { uid, gid }) {
    const { pack } = await __webpack_require__.e(/* import() */ 118).then(__webpack_require__.t.bind(__webpack_require__, 6118, 19));
    const archive = pack();
    for (const { path, mode, content } of files) {
        archive.entry({ name: external_node_path_.posix.resolve('/', path).slice(1), mode, uid, gid, mtime: new Date() }, content);
    }
    archive.finalize();
    return collected(archive);
}
async function packFolder(path, mode) {
    const { pack } = await __webpack_require__.e(/* import() */ 118).then(__webpack_require__.t.bind(__webpack_require__, 6118, 19));
    const archive = pack();
    const name = `${external_node_path_.posix.resolve('/', path).slice(1)}/`;
    archive.entry({ name, type: 'directory', mode, uid: 0, gid: 0, mtime: new Date() });
    archive.finalize();
    return collected(archive);
}
async function collected(archive) {
    const chunks = [];
    for await (const chunk of archive)
        chunks.push(chunk);
    return Buffer.concat(chunks);
}
async function readEntry(stream, limit) {
    const { extract } = await __webpack_require__.e(/* import() */ 118).then(__webpack_require__.t.bind(__webpack_require__, 6118, 19));
    const archive = extract();
    const piped = (0,promises_.pipeline)(stream, archive).catch(() => undefined);
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

// EXTERNAL MODULE: ./lib/target/docker/errors.js
var errors = __webpack_require__(3119);
;// CONCATENATED MODULE: ./lib/target/docker/cache-volume.js



const CACHE_LABEL = 'pulumi-runner.cache';
const ARCHIVE_MS = 60_000;
const OPEN_TO_ALL = 0o1777;
async function cacheVolumes(engine, { spec, progress, signal, logger }) {
    if (spec.cache === undefined)
        return [];
    const mount = await cacheMount(engine, spec.cache, spec, signal);
    if (typeof mount !== 'string') {
        await progress(`Volume ${mount.name} is at ${mount.path}.`);
        return [mount];
    }
    const told = `The job goes without its cache volume: ${mount}.`;
    logger('warning', told);
    await progress(told);
    return [];
}
async function cacheMount(engine, { name, path, owner }, { files, environmentFile }, signal) {
    const own = [...files.map((file) => file.path), environmentFile].find((file) => file.startsWith(`${path}/`));
    if (own !== undefined)
        return `${own} lies in ${path}, and would outlive the job`;
    try {
        let label = await labelOf(engine, name, signal);
        if (label === undefined) {
            const made = { Name: name, Labels: { [CACHE_LABEL]: owner } };
            await engine.call((docker, abortSignal) => docker.createVolume({ ...made, abortSignal }), { signal });
            label = await labelOf(engine, name, signal);
        }
        if (!label)
            return `volume ${name} was not made for jobs: it lacks the label ${CACHE_LABEL}=${owner}`;
        if (label !== owner)
            return `volume ${name} is for ${label}, and this agent serves ${owner}`;
    }
    catch (error) {
        if (error instanceof target/* TargetUnavailableError */.qc || signal.aborted)
            throw error;
        return `volume ${name} can't be had: ${String(error)}`;
    }
    return { name, path, labels: { [CACHE_LABEL]: owner } };
}
async function labelOf(engine, name, signal) {
    try {
        const { Labels: labels } = await engine.call((docker) => docker.getVolume(name).inspect(), { signal });
        return labels?.[CACHE_LABEL] ?? '';
    }
    catch (error) {
        if ((0,errors/* refusedWith */.P0)(error, 404))
            return undefined;
        throw error;
    }
}
async function openToAll(engine, container, { path }, signal) {
    const archive = await packFolder(path, OPEN_TO_ALL);
    await engine.call((docker, abortSignal) => docker.getContainer(container).putArchive(archive, { path: '/', abortSignal }), { signal, ms: ARCHIVE_MS });
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




const container_files_ARCHIVE_MS = 60_000;
const TABLE_BYTES = 1024 ** 2;
const LINKS = 4;
async function putFiles(engine, container, { files, user, signal }) {
    if (files.length === 0)
        return;
    const owner = await imageOwner(user, (path) => readTable(engine, container, path, signal));
    const archive = await packFiles(files, owner);
    await engine.call((docker, abortSignal) => docker.getContainer(container).putArchive(archive, { path: '/', abortSignal }), { signal, ms: container_files_ARCHIVE_MS });
}
async function readFile(engine, container, { path, limit, signal }) {
    try {
        return await engine.call(async (docker, abortSignal) => {
            const stream = await docker.getContainer(container).getArchive({ path, abortSignal });
            return readEntry(stream, limit);
        }, { signal, ms: container_files_ARCHIVE_MS });
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

// EXTERNAL MODULE: ./lib/target/shell/file-function.js
var file_function = __webpack_require__(6821);
// EXTERNAL MODULE: ./lib/target/shell/state-function.js
var state_function = __webpack_require__(4594);
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
    #deaf = Promise.withResolvers();
    ended;
    #isStopping = false;
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
        return this.#gone.signal.aborted || this.#isStopping;
    }
    get isStopping() {
        return this.#isStopping;
    }
    get complaint() {
        return this.#complaint.trim();
    }
    async ready(ms, signal) {
        await this.#answer(this.#ready.promise, ms, signal);
    }
    async putFile(file, ms, signal) {
        const request = (0,file_function/* fileRequest */.g)(file);
        if (request === undefined || (file.mode & ~0o666) !== 0 || Buffer.byteLength(file.content) > FILE_BYTES)
            return false;
        return (await this.#ask(request, ms, signal)) === 'yes';
    }
    async signal(name, leader) {
        return (await this.#ask(`signal ${name.slice('SIG'.length)} ${leader}`, ANSWER_MS, deadline/* NEVER */.tm)) === 'yes';
    }
    async state(signal) {
        const state = (0,state_function/* readState */.u)(await this.#ask('state', ANSWER_MS, signal));
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
        return (0,deadline/* within */.ux)(ms, signal, () => Promise.race([answer, this.#deaf.promise.then(() => Promise.reject(gone()))]));
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
            this.#deaf.resolve();
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
            else if (answer === 'ending') {
                this.#isStopping = true;
                this.#deaf.resolve();
            }
            else
                this.#waiting.get(Number(id))?.(answer);
        }
    }
    #complain(text) {
        this.#complaint = (this.#complaint + text).slice(0, COMPLAINT_BYTES);
    }
}

// EXTERNAL MODULE: ./lib/target/docker/json-lines.js
var json_lines = __webpack_require__(9140);
// EXTERNAL MODULE: ./lib/target/shell/signal-function.js
var signal_function = __webpack_require__(151);
;// CONCATENATED MODULE: ./lib/target/docker/keeper-script.js



const ORPHAN_GRACE_SECONDS = 10;
const STOP_SIGNAL = 30;
const KEEPER_SCRIPT = `
trap '' HUP INT PIPE TERM
trap 'echo 0 ending; ending' ${STOP_SIGNAL}
grace=$1 interrupted=' '

${signal_function/* SIGNAL_FUNCTION */.m}

${file_function/* FILE_FUNCTION */.a}

${state_function/* STATE_FUNCTION */.T}

# Every exec leads a session; 1 is the init's, which this shell is in. Nothing is interrupted twice: an engine would take that for
# the wish to end without its state.
ending() {
  trap '' ${STOP_SIGNAL}
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    pid=\${line%% *}
    set -- \${line##*)}
    case $interrupted in *" $pid "*) continue ;; esac
    [ "$4" = "$pid" ] && [ "$pid" != 1 ] && [ "$pid" != "$$" ] && signal INT "$pid"
  done 2>/dev/null
  n=0
  while [ "$n" -lt "$grace" ] && kill -0 -1 2>/dev/null && sleep 1; do n=$((n + 1)); done
  exit
}

echo '0 ready'
while read -r id verb a b c; do
  answer=no
  case $verb in
    signal)
      [ "$a" != INT ] || interrupted="$interrupted$b "
      signal "$a" "$b"
      ;;
    file) file "$a" "$b" "$c" ;;
    state) state "$0"; answer=$state ;;
    *) continue ;;
  esac
  echo "$id $answer"
done

# The agent is gone.
ending
`;

;// CONCATENATED MODULE: ./lib/target/docker/loss.js





const EVENTS_MS = 2_000;
async function lossOf(engine, container) {
    let ending;
    try {
        ending = await endingOf(engine, container);
    }
    catch (cause) {
        const why = `the container was lost, and the engine does not tell why (${(0,errors/* textOf */.b6)(cause)})`;
        return lost(container, [why, "See the engine's log."], cause);
    }
    return lost(container, explain(ending));
}
const STOPPED = [
    'the engine was told to stop the container, or is being stopped itself',
    'Look for a docker stop, a clean-up job or an engine that was restarted or updated.',
];
const CUT = [
    'the connection to the container was cut, which ends it',
    'Check the engine and the network between here and there.',
];
function lost(container, [why, advice], cause) {
    const reason = `${why}. ${advice}`;
    const message = `Failed to finish the step in container ${container.slice(0, 12)}: ${reason}`;
    return new target/* ContainerLostError */.kL(message, { reason, cause });
}
function explain({ oom, stopped, signal, exitCode }) {
    if (oom && exitCode !== undefined) {
        return [
            'the kernel ended the container for want of memory',
            'Run the job where there is more memory, or let it use less.',
        ];
    }
    if (stopped)
        return STOPPED;
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
    return CUT;
}
async function endingOf(engine, container) {
    const docker = await engine.docker();
    let ending = { oom: false };
    let answered = false;
    const connection = new AbortController();
    try {
        await (0,deadline/* within */.ux)(EVENTS_MS, deadline/* NEVER */.tm, async () => {
            const stream = await docker.getEvents({
                since: 1,
                filters: { container: [container], event: ['oom', 'kill', 'die'] },
                abortSignal: connection.signal,
            });
            answered = true;
            for await (const event of (0,json_lines/* jsonLines */.i)(stream)) {
                ending = { ...ending, ...read(event) };
                if (ending.exitCode !== undefined)
                    return;
            }
        });
    }
    catch (error) {
        if (!answered)
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
    if (action === 'kill') {
        const signal = String(actor?.Attributes?.['signal'] ?? '?');
        return signal === String(STOP_SIGNAL) ? { signal, stopped: true } : { signal };
    }
    if (action === 'die')
        return { exitCode: String(actor?.Attributes?.['exitCode'] ?? '?') };
    return {};
}

// EXTERNAL MODULE: ./lib/target/docker/removal.js
var removal = __webpack_require__(3190);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
;// CONCATENATED MODULE: ./lib/target/docker/step-failure.js



function cutOff(cause) {
    const why = cause === undefined ? '' : ` (${(0,errors/* textOf */.b6)(cause)})`;
    const reason = `the connection that carries its output was cut${why}. Check the engine and the network between here and there.`;
    return new target/* ContainerLostError */.kL(`Failed to follow the step in its container: ${reason}`, { cause, reason });
}
function startFailure(text, cause) {
    const advice = /argument list too long/i.test(text)
        ? 'Make the script and each of its variables shorter than 128 KiB.'
        : /(cannot|can't) fork|resource temporarily unavailable/i.test(text)
            ? 'Let the steps before it leave fewer processes behind, or raise pids_limit.'
            : 'Check that the image has a POSIX shell and that the variables are sound.';
    const message = `Failed to start the step in its container: ${(0,one_line/* oneLine */.T)(text)}. ${advice}`;
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
                this.#finish({ code: Number(number), state: (0,state_function/* readState */.u)(state ?? '') });
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

// EXTERNAL MODULE: ./lib/target/shell/interrupt-function.js
var interrupt_function = __webpack_require__(7136);
;// CONCATENATED MODULE: ./lib/target/docker/step-script.js


const STEP_SCRIPT = `
${state_function/* STATE_FUNCTION */.T}
${interrupt_function/* INTERRUPT_FUNCTION */.X}
trap : HUP
trap stopped=1 INT TERM
(echo "$$" >&2; exec 2>&1 </dev/null; cd -- "$2" && exec "$0" -c "$1")
code=$?
# dash, ash and others die of the signal at once, while what they ran still ends its work.
[ -z "$stopped" ] && [ "$code" != 130 ] || await_finish "$$"
state "$3"
printf '\\n%s\\n' "$code $state" >&2
exec >&- 2>&-
read -r go
exit "$code"
`;
function ifStopped(command) {
    return `for stat in /proc/[0-9]*/stat; do
  read -r line <"$stat" || continue
  set -- \${line##*)}
  case $4$1 in 1[Tt]) ${command}; break ;; esac
done 2>/dev/null`;
}
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
    if (context.keeper.isGone)
        throw await context.loss();
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
    #isUnanswered = false;
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
            this.#isUnanswered = true;
            this.#context.logger('debug', `The container's main process does not answer; ${name} goes by an exec of its own${name === 'SIGINT' ? ' if that process is stopped' : ''}.`);
            await this.#signalByExec(name, leader);
        }
    }
    async #signalByExec(name, leader) {
        const { engine, container } = this.#context;
        await engine.call(async (docker, abortSignal) => {
            const kill = `kill -${name.slice('SIG'.length)} -${leader}`;
            const script = name === 'SIGINT' ? ifStopped(kill) : kill;
            const exec = await docker.getContainer(container).exec({ Cmd: ['sh', '-c', script], abortSignal });
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
        const exit = { code: end.code, outOfMemory: this.#ranOutOfMemory(end.state) };
        if (end.code !== 0 && !this.#isUnanswered)
            await this.#context.keeper.state(signal).catch(() => undefined);
        const { isGone, isStopping } = this.#context.keeper;
        return isGone ? { ...exit, interruption: (isStopping ? STOPPED : CUT).join('. ') } : exit;
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
        const { engine, keeper, network, stopMs } = this.#options;
        this.#removing.abort(this.#removedByUs());
        try {
            await (0,removal/* removeContainer */.o)(engine, this.id, { ms: stopMs, signal: deadline/* NEVER */.tm });
        }
        finally {
            keeper.close();
        }
        await network.remove(stopMs);
    }
    async #loss() {
        if (this.#removing.signal.aborted)
            return this.#removedByUs();
        const { engine, keeper } = this.#options;
        return keeper.isStopping ? lost(this.id, STOPPED) : lossOf(engine, this.id);
    }
    #removedByUs() {
        const message = `Failed to finish the step in container ${this.id.slice(0, 12)}: the agent removed the container. The job was being stopped.`;
        return new target/* ContainerLostError */.kL(message);
    }
}

;// CONCATENATED MODULE: ./lib/target/docker/host-config.js
const CAPABILITIES = {
    CHOWN: 'package managers and `tar` as root give files to their owners',
    DAC_OVERRIDE: 'root writes where another user owns the folder, as installations and caches need it',
    FOWNER: 'root changes the mode and the times of files that it gave away',
    FSETID: 'a file keeps its setgid bit when root changes it; `dpkg` and `tar` set it on shared folders',
    KILL: 'the agent interrupts steps whose processes run as another user than the container\u2019s',
    SETFCAP: '`rpm` refuses packages whose files have capabilities where it can\u2019t set them',
    SETGID: '`apt-get` downloads as the user `_apt`; scripts run parts of theirs as another group',
    SETUID: '`apt-get` downloads as the user `_apt`; scripts run parts of theirs as another user',
};
const PIDS_LIMIT = 8_192;
const VOLUME_NAME = /^[A-Za-z0-9][\w.-]+$/;
const CPU_PERIOD = 100_000;
function hostConfig(options) {
    const { memoryBytes, cpus, pidsLimit = PIDS_LIMIT, extraCapabilities = [], dnsServers = [] } = options;
    const { network, volumes = [] } = options;
    if (network === 'host' || network.startsWith('container:'))
        throw new Error(`a job must not share the network of ${network}`);
    const stray = volumes.find(({ name }) => !VOLUME_NAME.test(name));
    if (stray !== undefined)
        throw new Error(`"${stray.name}" is not a volume's name`);
    return {
        AutoRemove: true,
        Init: true,
        LogConfig: { Type: 'none', Config: {} },
        Privileged: false,
        SecurityOpt: ['no-new-privileges'],
        CapDrop: ['ALL'],
        CapAdd: [...new Set([...Object.keys(CAPABILITIES), ...extraCapabilities])],
        IpcMode: 'private',
        NetworkMode: network,
        PidsLimit: pidsLimit,
        ...(memoryBytes === undefined ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
        ...(cpus === undefined ? {} : { CpuPeriod: CPU_PERIOD, CpuQuota: Math.round(cpus * CPU_PERIOD) }),
        ...(dnsServers.length === 0 ? {} : { Dns: [...dnsServers] }),
        ...(volumes.length === 0 ? {} : { Mounts: volumes.map(mountOf) }),
    };
}
function mountOf({ name, path, labels }) {
    const made = { Labels: { ...labels }, NoCopy: false, DriverConfig: { Name: '', Options: {} } };
    return { Type: 'volume', Source: name, Target: path, VolumeOptions: made };
}

;// CONCATENATED MODULE: ./lib/target/docker/create-container.js




const CREATE_MS = 120_000;
async function createContainer(engine, options) {
    const { name, image, spec, network, linkLocalAddresses } = options;
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
        StopSignal: String(STOP_SIGNAL),
        StopTimeout: ORPHAN_GRACE_SECONDS + 5,
        HostConfig: hostConfig(options),
        ...(linkLocalAddresses.length === 0
            ? {}
            : {
                NetworkingConfig: {
                    EndpointsConfig: { [network]: { IPAMConfig: { LinkLocalIPs: [...linkLocalAddresses] } } },
                },
            }),
    };
    const query = { name, ...(spec.platform === undefined ? {} : { platform: spec.platform }) };
    const answer = await engine.call((docker, abortSignal) => post(docker, { _query: query, _body: body }, abortSignal), {
        signal: deadline/* NEVER */.tm,
        ms: CREATE_MS,
    });
    return { id: answer.Id, warnings: (answer.Warnings ?? []).map(one_line/* oneLine */.T) };
}
function post(docker, options, abortSignal) {
    const modem = docker.modem;
    const statusCodes = { 200: true, 201: true, 400: 'bad parameter', 404: 'no such container', 500: 'server error' };
    const call = { path: '/containers/create?', method: 'POST', options, abortSignal, statusCodes };
    return new Promise((resolve, reject) => {
        modem.dial(call, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
}

// EXTERNAL MODULE: external "node:fs/promises"
var external_node_fs_promises_ = __webpack_require__(1455);
;// CONCATENATED MODULE: ./lib/target/docker/metadata.js

const METADATA_ADDRESSES = ['169.254.169.254', '169.254.170.2', '169.254.170.23'];
const STUB = '127.0.0.53';
const RESOLV_CONF = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];
async function nameServerNextDoor({ socketPath }, read = (path) => (0,external_node_fs_promises_.readFile)(path, 'utf8')) {
    if (socketPath === undefined)
        return undefined;
    const [own, resolved] = RESOLV_CONF;
    const servers = nameServers(await read(own).catch(() => ''));
    const asked = servers.length === 1 && servers[0] === STUB ? nameServers(await read(resolved).catch(() => '')) : servers;
    return asked.find((address) => address.startsWith('169.254.'));
}
function nameServers(text) {
    return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address);
}

// EXTERNAL MODULE: ./lib/target/docker/network.js
var network = __webpack_require__(2936);
;// CONCATENATED MODULE: ./lib/target/docker/job-network.js



const ADVICE = 'Block it on the host if jobs must not have the credentials of the machine; docs/security.md tells how.';
async function openJobNetwork(engine, name, { labels }, { network: given, allowMetadata = false, dnsServers = [] }) {
    if (given !== undefined) {
        const open = !allowMetadata && given !== 'none';
        return {
            name: given,
            ready: Promise.resolve(),
            blocked: [],
            warning: async () => (open ? openAt(`the container is on network ${given}, which isn't its own`) : undefined),
            remove: () => Promise.resolve(),
        };
    }
    const ready = (0,network/* makeNetwork */.z)(engine, name, labels);
    ready.catch(() => undefined);
    const server = allowMetadata || dnsServers.length > 0 ? undefined : await nameServerNextDoor(await engine.endpoint());
    const blocked = allowMetadata || server !== undefined ? [] : METADATA_ADDRESSES;
    const podman = blocked.length === 0 ? false : isPodman(engine).catch(() => false);
    return {
        name,
        ready,
        blocked,
        warning: async () => {
            if (server !== undefined)
                return `${openAt(`name server ${server} of this host would be out of reach with it`)} Or set dns_servers to others.`;
            return (await podman) ? openAt("Podman doesn't give the container that address") : undefined;
        },
        remove: async (ms) => {
            await ready.catch(() => undefined);
            await (0,network/* removeNetwork */.Z)(engine, name, { ms });
        },
    };
}
async function isPodman(engine) {
    const { server } = await engine.ping({ signal: deadline/* NEVER */.tm });
    return String(server).startsWith('Libpod');
}
function openAt(reason) {
    return `The cloud's metadata address ${METADATA_ADDRESSES[0]} is not blocked: ${reason}. ${ADVICE}`;
}

;// CONCATENATED MODULE: ./lib/target/docker/limits.js
async function unkeptLimits(engine, { memoryBytes, cpus, pidsLimit }, signal) {
    if (memoryBytes === undefined && cpus === undefined && pidsLimit === undefined)
        return [];
    const able = await engine.call((docker) => docker.info(), { signal });
    const unkept = [
        ...(memoryBytes !== undefined && able.MemoryLimit === false ? ['memory'] : []),
        ...(cpus !== undefined && able.CpuCfsQuota === false ? ['num_cpus'] : []),
        ...(pidsLimit !== undefined && able.PidsLimit === false ? ['pids_limit'] : []),
    ];
    return unkept.map((key) => `Warning: this engine keeps no limit of that kind, so ${key} has no effect. Rootless engines need cgroup v2 for it.`);
}

// EXTERNAL MODULE: ./lib/target/docker/obtain-image.js + 4 modules
var obtain_image = __webpack_require__(1896);
;// CONCATENATED MODULE: ./lib/target/docker/start-failure.js




function startError(error, image, keeper) {
    const refused = error instanceof errors/* EngineRefusedError */.ZI;
    if (!refused && !(error instanceof KeeperGoneError))
        return error;
    const cause = refused ? error.message : (0,one_line/* oneLine */.T)(keeper?.complaint || 'its main process ended at once');
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
    if (/container-init binary not found/i.test(cause))
        return 'Install catatonit beside Podman.';
    if (/no such file or directory|executable file not found/i.test(cause)) {
        return 'The image must have a POSIX shell named sh in its PATH.';
    }
    if (/unable to find user|no matching entries in passwd/i.test(cause))
        return "Correct the USER of the image: it isn't in its /etc/passwd.";
    const [, network] = /network (\S+) not found/i.exec(cause) ?? [];
    if (network !== undefined)
        return `Make it on the engine (docker network create ${network}), or correct container_network.`;
    if (/no space left/i.test(cause))
        return "Free disk space for the engine's containers.";
    return "See the engine's log.";
}

;// CONCATENATED MODULE: ./lib/target/docker/prepare.js












async function prepareContainer(engine, options) {
    const { spec, progress, signal, stopMs, containment } = options;
    (0,obtain_image/* allowedName */.y)(spec.image, spec.policy);
    signal.throwIfAborted();
    const { randomBytes } = process.getBuiltinModule('node:crypto');
    const name = `pulumi-runner-${randomBytes(6).toString('hex')}`;
    const network = await openJobNetwork(engine, name, spec, containment);
    let image;
    let keeper;
    try {
        image = await (0,obtain_image/* obtainImage */.n)(engine, spec, options, progress, signal);
        await progress(`Image ${image.digest} (${image.platform}).`);
        const volumes = await cacheVolumes(engine, options);
        const { name: mode, blocked } = network;
        const settings = { ...containment, name, image, spec, volumes, network: mode, linkLocalAddresses: blocked };
        const { id, warnings } = await createContainer(engine, settings);
        signal.throwIfAborted();
        await progress(`Created container ${name} (${id.slice(0, 12)}).`);
        for (const warning of warnings)
            await progress(`The engine warns: ${warning}.`);
        for (const line of await unkeptLimits(engine, containment, signal))
            await progress(line);
        keeper = new Keeper(await attach(engine, id, signal));
        if (!isRoot(image.user))
            for (const volume of volumes)
                await openToAll(engine, id, volume, signal);
        await network.ready;
        await start(engine, { id, image, keeper, spec, signal });
        const open = await network.warning();
        if (open !== undefined)
            await progress(open);
        await progress(`Started container ${name}.`);
        return new DockerContainer({
            ...options,
            engine,
            id,
            imageDigest: image.digest,
            keeper,
            network,
            environmentFile: spec.environmentFile,
        });
    }
    catch (error) {
        await clear(engine, { name, network, ms: stopMs, logger: options.logger });
        keeper?.close();
        throw image === undefined ? error : startError(error, image, keeper);
    }
}
async function clear(engine, { name, network, ms, logger }) {
    try {
        await (0,removal/* removeContainer */.o)(engine, name, { ms, signal: deadline/* NEVER */.tm });
        await network.remove(ms);
    }
    catch (left) {
        logger('warning', String(left));
    }
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


/***/ }),

/***/ 3190:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   o: () => (/* binding */ removeContainer)
/* harmony export */ });
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(8500);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1568);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3119);



const POLL_MS = 50;
const RETRY_MS = 500;
async function removeContainer(engine, container, { ms, signal }) {
    const end = performance.now() + ms;
    const left = () => Math.max(1, end - performance.now());
    let failure;
    for (let pause = 0; pause < left() || failure === undefined; pause = RETRY_MS) {
        if (pause > 0)
            await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(pause, undefined, { signal });
        try {
            await engine.call((docker, abortSignal) => docker.getContainer(container).remove({ force: true, v: true, abortSignal }), { signal, ms: left() });
            return true;
        }
        catch (error) {
            signal.throwIfAborted();
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .refusedWith */ .P0)(error, 404))
                return false;
            failure = error;
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .refusedWith */ .P0)(error, 409) && (await isGoneWithin(engine, container, left(), signal)))
                return true;
            if (error instanceof _errors_js__WEBPACK_IMPORTED_MODULE_2__/* .EngineRefusedError */ .ZI && error.status < 500 && error.status !== 409)
                break;
        }
    }
    throw new _target_js__WEBPACK_IMPORTED_MODULE_1__/* .ContainerError */ .OJ(`Failed to remove container ${container} for the job: ${(0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .textOf */ .b6)(failure)}. Remove it by hand: docker rm -f ${container}.`, { cause: failure });
}
async function isGoneWithin(engine, container, ms, signal) {
    const end = performance.now() + ms;
    while (performance.now() < end) {
        try {
            await engine.call((docker, abortSignal) => docker.getContainer(container).inspect({ abortSignal }), { signal });
        }
        catch (error) {
            if ((0,_errors_js__WEBPACK_IMPORTED_MODULE_2__/* .refusedWith */ .P0)(error, 404))
                return true;
            signal.throwIfAborted();
        }
        await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_0__.setTimeout)(POLL_MS, undefined, { signal });
    }
    return false;
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
