export const id = 896;
export const ids = [896];
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


/***/ })

};
