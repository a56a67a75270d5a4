export const id = 6;
export const ids = [6];
export const modules = {

/***/ 72054:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   BK: () => (/* binding */ ID_TOKEN_FILE),
/* harmony export */   KT: () => (/* binding */ writeIdToken),
/* harmony export */   gj: () => (/* binding */ requestIdToken),
/* harmony export */   qd: () => (/* binding */ keepIdTokenFresh)
/* harmony export */ });
/* unused harmony export refreshDelay */
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(51455);
/* harmony import */ var node_timers_promises__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(58500);
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(42077);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(54792);




const ID_TOKEN_FILE = 'id-token';
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const ATTEMPT_DEADLINE_MS = 20_000;
const REFRESH_AT = 0.6;
const REFRESH_AGAIN_MS = 10_000;
const ASSUMED_LIFE_MS = 300_000;
const LONGEST_REFRESH_MS = 3_600_000;
const NO_PERMISSION = "Failed to get this job's ID token: the job may not ask for one. Add `permissions: id-token: write` to the workflow " +
    'or the job; GitHub never grants it to pull requests from forks.';
async function requestIdToken(source) {
    const { audience, environment, signal, getIdToken = _actions_core__WEBPACK_IMPORTED_MODULE_2__/* .getIDToken */ .V9, firstPauseMs = FIRST_PAUSE_MS } = source;
    const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken } = environment;
    if (!url || !requestToken)
        throw new _outcome_js__WEBPACK_IMPORTED_MODULE_3__/* .OutcomeError */ .Rz('auth-error', NO_PERMISSION);
    let { trustMore } = source;
    for (let attempt = 1;; attempt++) {
        signal.throwIfAborted();
        try {
            return await abortable(getIdToken(audience), signal, ATTEMPT_DEADLINE_MS);
        }
        catch (cause) {
            signal.throwIfAborted();
            const text = cause instanceof Error ? cause.message.replace(/\s+/g, ' ').trim() : String(cause);
            if (CERTIFICATE.test(text) && trustMore !== undefined) {
                await trustMore();
                trustMore = undefined;
                continue;
            }
            if (attempt === ATTEMPTS || !isPassing(text)) {
                const sentence = `Failed to get this job's ID token for ${audience}: ${text}. ${adviceOn(text)}`;
                throw new _outcome_js__WEBPACK_IMPORTED_MODULE_3__/* .OutcomeError */ .Rz('auth-error', sentence, { cause });
            }
            await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_1__.setTimeout)(firstPauseMs * 2 ** (attempt - 1), undefined, { signal });
        }
    }
}
const CERTIFICATE = /certificate|altnames/i;
function adviceOn(text) {
    if (CERTIFICATE.test(text))
        return "Set the input ca-certificate to the certificate of the authority that signed GitHub's, or the proxy's.";
    if (/tunneling socket/.test(text))
        return 'Check the proxy that HTTPS_PROXY names, and what it allows.';
    return 'Run the job again; if it stays, see githubstatus.com.';
}
function isPassing(message) {
    const status = /Error Code : (\d+)/.exec(message)?.[1];
    return status === undefined
        ? !(/do not have ID Token/.test(message) || CERTIFICATE.test(message))
        : status === '429' || status.startsWith('5');
}
async function abortable(work, signal, ms) {
    const stopped = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
    work.catch(() => undefined);
    let onAbort = () => undefined;
    const aborted = new Promise((_, reject) => {
        onAbort = () => reject(signal.aborted ? signal.reason : new Error(`no answer within ${ms / 1000} s`));
        stopped.addEventListener('abort', onAbort, { once: true });
    });
    try {
        return await Promise.race([work, aborted]);
    }
    finally {
        stopped.removeEventListener('abort', onAbort);
    }
}
async function writeIdToken(path, token) {
    await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.writeFile)(`${path}.part`, token, { mode: 0o600 });
    await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.rename)(`${path}.part`, path);
}
function refreshDelay(token, now) {
    const { iat = now / 1000, exp = iat + ASSUMED_LIFE_MS / 1000 } = timesOf(token);
    return Math.min(Math.max(1_000, REFRESH_AT * (exp - iat) * 1000), LONGEST_REFRESH_MS);
}
function timesOf(token) {
    try {
        const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
        if (typeof claims !== 'object' || claims === null)
            return {};
        const { iat, exp } = claims;
        return { ...(typeof iat === 'number' && { iat }), ...(typeof exp === 'number' && { exp }) };
    }
    catch {
        return {};
    }
}
async function keepIdTokenFresh(file) {
    const { path, signal, now, warn, retryMs = REFRESH_AGAIN_MS } = file;
    let wait = refreshDelay(file.token, now());
    let warned = false;
    while (!signal.aborted) {
        try {
            await (0,node_timers_promises__WEBPACK_IMPORTED_MODULE_1__.setTimeout)(wait, undefined, { signal });
            const token = await requestIdToken(file);
            await writeIdToken(path, token);
            wait = refreshDelay(token, now());
            warned = false;
        }
        catch (error) {
            if (signal.aborted)
                return;
            if (!warned)
                warn((0,_outcome_js__WEBPACK_IMPORTED_MODULE_3__/* .messageOf */ .bD)(error));
            warned = true;
            wait = retryMs;
        }
    }
}


/***/ }),

/***/ 60379:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   AN: () => (/* binding */ inputText),
/* harmony export */   G3: () => (/* binding */ AGENT_INPUTS),
/* harmony export */   Ox: () => (/* binding */ audienceOf),
/* harmony export */   tj: () => (/* binding */ agentSettings),
/* harmony export */   v4: () => (/* binding */ writtenText),
/* harmony export */   vZ: () => (/* binding */ plainAudience)
/* harmony export */ });
/* harmony import */ var _config_schema_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(62280);
/* harmony import */ var _config_search_path_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(88587);


const AGENT_INPUTS = {
    organization: 'organization_name',
    'runner-pool-id': 'runner_pool_id',
    'runner-pool-name': 'runner_pool_name',
    'oidc-scope': 'oidc_scope',
    'oidc-audience': 'oidc_audience',
    token: 'token',
    'token-expiration': 'token_expiration',
    'service-url': 'service_url',
    'allow-insecure-service-url': 'allow_insecure_service_url',
    'ca-certificate': 'ca_certificate',
    'ca-certificate-in-jobs': 'ca_certificate_in_jobs',
    'env-forward-allowlist': 'env_forward_allowlist',
    'max-wait': 'max_wait',
    'polling-interval': 'polling_interval',
    'deploy-target': 'deploy_target',
    'pull-image': 'pull_image',
    image: 'image',
    'allowed-images': 'allowed_images',
    'require-digest': 'require_digest',
    'prepull-images': 'prepull_images',
    'cache-volume': 'cache_volume',
    memory: 'memory',
    'num-cpus': 'num_cpus',
    'pids-limit': 'pids_limit',
    'extra-capabilities': 'extra_capabilities',
    'container-network': 'container_network',
    'dns-servers': 'dns_servers',
    'allow-metadata': 'allow_metadata',
    'cancel-grace-period': 'cancel_grace_period',
    'report-timeout': 'report_timeout',
    'http-server-port': 'http_server_port',
    kubeconfig: 'kubeconfig',
    'kube-context': 'kube_context',
    namespace: 'namespace',
    'pod-template': 'pod_template',
    'service-account': 'service_account',
    'image-pull-policy': 'image_pull_policy',
    'pod-start-timeout': 'pod_start_timeout',
    trigger: 'trigger',
    operation: 'operation',
    'trigger-jitter': 'trigger_jitter',
    'access-token': 'access_token',
    'access-token-scope': 'access_token_scope',
};
function inputText(environment, name) {
    return environment[`INPUT_${name.toUpperCase()}`]?.trim() ?? '';
}
function agentSettings(environment) {
    const given = Object.entries(AGENT_INPUTS).map(([name, key]) => [key, inputText(environment, name)]);
    return Object.fromEntries(given.filter(([, text]) => text !== ''));
}
function writtenText(environment, key) {
    const input = agentSettings(environment)[key];
    const fromEnvironment = (0,_config_schema_js__WEBPACK_IMPORTED_MODULE_0__/* .environmentNames */ .iF)(key).map((name) => environment[name]?.trim() ?? '');
    return input ?? fromEnvironment.find((text) => text !== '') ?? '';
}
function plainAudience(sources) {
    const { environment } = sources;
    const said = (key) => writtenText(environment, key);
    if (said('token') !== '' || said('oidc_token_file') !== '' || inputText(environment, 'config-file') !== '')
        return undefined;
    const audience = said('oidc_audience') || audienceOf(said('organization_name'));
    return audience === '' || (0,_config_search_path_js__WEBPACK_IMPORTED_MODULE_1__/* .findConfigFile */ ["if"])(sources).file !== undefined ? undefined : audience;
}
function audienceOf(organization) {
    return organization === '' ? '' : `urn:pulumi:org:${organization}`;
}


/***/ }),

/***/ 44224:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   M: () => (/* binding */ caCertificateInput),
/* harmony export */   P: () => (/* binding */ trustAsTheAgent)
/* harmony export */ });
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(76760);
/* harmony import */ var _input_text_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(60379);


function caCertificateInput(environment, checkoutDirectory) {
    const given = (0,_input_text_js__WEBPACK_IMPORTED_MODULE_1__/* .inputText */ .AN)(environment, 'ca-certificate');
    return given === '' || given.includes('-----BEGIN') ? given : (0,node_path__WEBPACK_IMPORTED_MODULE_0__.resolve)(checkoutDirectory, given);
}
async function trustAsTheAgent(environment, checkoutDirectory) {
    const { trustByDefault } = await __webpack_require__.e(/* import() */ 526).then(__webpack_require__.bind(__webpack_require__, 85526));
    const sources = { environment, platform: process.platform };
    const text = caCertificateInput(environment, checkoutDirectory) || (0,_input_text_js__WEBPACK_IMPORTED_MODULE_1__/* .writtenText */ .v4)(environment, 'ca_certificate');
    try {
        trustByDefault({ ...sources, ...(text !== '' && { caCertificate: text.replaceAll('\\n', '\n') }) });
    }
    catch {
        trustByDefault(sources);
    }
}


/***/ }),

/***/ 55459:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Te: () => (/* binding */ readPrivateDirectory),
/* harmony export */   Ws: () => (/* binding */ removePrivate),
/* harmony export */   kg: () => (/* binding */ createRunFolder),
/* harmony export */   o0: () => (/* binding */ savePrivateDirectory)
/* harmony export */ });
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(51455);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(76760);
/* harmony import */ var _actions_core__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(42077);
/* harmony import */ var _id_token_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(72054);




async function createRunFolder(parent) {
    const base = await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.mkdtemp)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(parent, 'pulumi-runner-'));
    const privateDirectory = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(base, 'private');
    const runDirectory = (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(base, 'run');
    await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.mkdir)(privateDirectory, { mode: 0o700 });
    await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.mkdir)(runDirectory, { mode: 0o700 });
    return { privateDirectory, idTokenFile: (0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(privateDirectory, _id_token_js__WEBPACK_IMPORTED_MODULE_3__/* .ID_TOKEN_FILE */ .BK), runDirectory };
}
async function removePrivate(privateDirectory) {
    await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.rm)(privateDirectory, { recursive: true, force: true, maxRetries: 2 });
}
const STATE_NAME = 'private-directory';
function savePrivateDirectory({ privateDirectory }) {
    _actions_core__WEBPACK_IMPORTED_MODULE_2__/* .saveState */ .LZ(STATE_NAME, privateDirectory);
}
function readPrivateDirectory() {
    const directory = _actions_core__WEBPACK_IMPORTED_MODULE_2__/* .getState */ .Gu(STATE_NAME);
    return directory === '' ? undefined : directory;
}


/***/ }),

/***/ 62280:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Vx: () => (/* binding */ KEY_NAMES),
  Fg: () => (/* binding */ definitionOf),
  iF: () => (/* binding */ environmentNames),
  wm: () => (/* binding */ fileKey)
});

// UNUSED EXPORTS: KEYS, isOfficial

;// CONCATENATED MODULE: ./lib/config/keys/container.js
const CAPABILITY_NAMES = [
    ...[
        'AUDIT_CONTROL',
        'AUDIT_READ',
        'AUDIT_WRITE',
        'BLOCK_SUSPEND',
        'BPF',
        'CHECKPOINT_RESTORE',
        'CHOWN',
        'DAC_OVERRIDE',
    ],
    ...['DAC_READ_SEARCH', 'FOWNER', 'FSETID', 'IPC_LOCK', 'IPC_OWNER', 'KILL', 'LEASE', 'LINUX_IMMUTABLE', 'MAC_ADMIN'],
    ...[
        'MAC_OVERRIDE',
        'MKNOD',
        'NET_ADMIN',
        'NET_BIND_SERVICE',
        'NET_BROADCAST',
        'NET_RAW',
        'PERFMON',
        'SETFCAP',
        'SETGID',
    ],
    ...['SETPCAP', 'SETUID', 'SYSLOG', 'SYS_ADMIN', 'SYS_BOOT', 'SYS_CHROOT', 'SYS_MODULE', 'SYS_NICE', 'SYS_PACCT'],
    ...['SYS_PTRACE', 'SYS_RAWIO', 'SYS_RESOURCE', 'SYS_TIME', 'SYS_TTY_CONFIG', 'WAKE_ALARM'],
];
const CONTAINER_KEYS = {
    memory: {
        type: 'quantity',
        extension: true,
        unsetMeans: 'no limit',
        environment: ['PULUMI_AGENT_MEMORY', 'PULUMI_AGENT_MEM_QUANTITY'],
        plainUnit: { PULUMI_AGENT_MEM_QUANTITY: 'Gi' },
        help: 'Memory of a job: 512Mi, 4Gi, 2G. Without a unit the second variable counts in Gi.',
    },
    num_cpus: { type: 'decimal', extension: true, unsetMeans: 'no limit', help: 'CPUs of a job, as in 1.5.' },
    pids_limit: {
        type: 'count',
        extension: true,
        target: 'docker',
        minimum: 100,
        default: '8192',
        help: 'Processes and threads of a job, together.',
    },
    extra_capabilities: {
        type: 'choices',
        extension: true,
        target: 'docker',
        choices: CAPABILITY_NAMES,
        default: '',
        help: 'Linux capabilities that a job gets besides the few it has. In the environment split by commas.',
    },
    container_network: {
        type: 'network',
        extension: true,
        target: 'docker',
        unsetMeans: 'a network of its own for each job',
        help: 'Network that jobs are on: one that the Docker engine knows, bridge or none.',
    },
    dns_servers: {
        type: 'addresses',
        extension: true,
        target: 'docker',
        default: '',
        help: "Addresses of the name servers that jobs ask; empty: the Docker engine's.",
    },
    allow_metadata: {
        type: 'boolean',
        extension: true,
        target: 'docker',
        default: 'false',
        help: "Let jobs ask the cloud's metadata service, and so act with the machine's own credentials.",
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/images.js
const IMAGE_KEYS = {
    allowed_images: {
        type: 'image-patterns',
        extension: true,
        default: '',
        help: 'Patterns of the images that may run, without a registry on Docker Hub; empty: any.',
    },
    require_digest: {
        type: 'boolean',
        extension: true,
        default: 'false',
        help: 'Run only images that are named by their digest, as in name@sha256:….',
    },
    prepull_images: {
        type: 'images',
        extension: true,
        target: 'docker',
        default: '',
        help: 'Images to pull while waiting for work, so that a job finds them there.',
    },
    cache_volume: {
        type: 'volume',
        extension: true,
        target: 'docker',
        help: 'name=/path of a volume that stays when its job goes; jobs can hand each other files in it.',
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/kubernetes.js
const KUBERNETES_KEYS = {
    kubeconfig: {
        type: 'path',
        extension: true,
        target: 'kubernetes',
        unsetMeans: "KUBECONFIG's, the home directory's, or the pod's own service account",
        help: 'Kubeconfig of the cluster where jobs run.',
    },
    kube_context: {
        type: 'text',
        extension: true,
        target: 'kubernetes',
        unsetMeans: "the kubeconfig's current one",
        help: 'Context of the kubeconfig.',
    },
    namespace: {
        type: 'word',
        extension: true,
        target: 'kubernetes',
        unsetMeans: "the context's, or the agent's own",
        help: "Namespace of jobs' pods.",
    },
    pod_template: {
        type: 'template',
        extension: true,
        target: 'kubernetes',
        help: "Strategic merge patch over each job's pod: YAML, or the path of such a file.",
    },
    service_account: {
        type: 'word',
        extension: true,
        target: 'kubernetes',
        environment: ['PULUMI_AGENT_SERVICE_ACCOUNT_NAME', 'PULUMI_AGENT_SERVICE_ACCOUNT'],
        unsetMeans: "the namespace's default, without its token",
        help: "Service account of jobs' pods.",
    },
    image_pull_policy: {
        type: 'choice',
        extension: true,
        target: 'kubernetes',
        choices: ['Always', 'IfNotPresent', 'Never'],
        default: 'IfNotPresent',
        help: "When nodes pull a job's image.",
    },
    pod_start_timeout: {
        type: 'duration',
        extension: true,
        target: 'kubernetes',
        default: '10m',
        help: "Time that a job's pod may take until it runs.",
    },
    debug_pod: {
        type: 'boolean',
        extension: true,
        target: 'kubernetes',
        default: 'false',
        help: 'Keep pods when their jobs are over, and say how to enter them.',
    },
    agent_image: {
        type: 'none',
        environmentOnly: true,
        environment: ['PULUMI_AGENT_IMAGE'],
        noEffect: "has no effect: a job's pod needs nothing of the agent's image; to replace the image of jobs set PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE",
        help: 'Accepted without effect.',
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/pulumi.js
const PULUMI_KEYS = {
    token: { type: 'secret', help: 'Token of the pool, shown once when it is created. Required unless OIDC is used.' },
    service_url: {
        type: 'url',
        default: 'https://api.pulumi.com',
        help: 'API of Pulumi Cloud, or of a self-hosted one.',
    },
    working_directory: {
        type: 'path',
        computedDefault: "the agent's own directory",
        noEffect: 'has no effect: this agent loads no runner binaries',
        help: 'Where the official agent loads its runner binaries from. No effect here.',
    },
    shared_volume_directory: {
        type: 'path',
        noEffect: 'has no effect: nothing of the host is mounted into jobs',
        help: 'Where the official agent makes the directories it mounts into jobs. No effect here.',
    },
    deploy_target: {
        type: 'choice',
        choices: ['docker', 'kubernetes', 'ecs'],
        default: 'docker',
        unbuilt: ['ecs'],
        help: 'Where jobs run.',
    },
    single_run: { type: 'boolean', default: 'false', help: 'Exit after one job.' },
    pull_image: {
        type: 'boolean',
        target: 'docker',
        default: 'true',
        help: "Pull a job's image each time; false: use the local one.",
    },
    enabled_workflow_types: {
        type: 'choices',
        choices: ['deployment', 'insights_scan', 'policy_evaluation'],
        default: 'deployment,insights_scan,policy_evaluation',
        help: 'Kinds of work to take; only deployment is served. In the environment split by commas.',
    },
    env_forward_allowlist: {
        type: 'names',
        default: '',
        help: "Variables of the agent's environment given to jobs. In the environment split by spaces.",
    },
    oidc_token_file: {
        type: 'path',
        help: 'File with an OIDC token to exchange for a Pulumi token; read again for each exchange.',
    },
    organization_name: { type: 'word', help: 'Pulumi organization. Required with OIDC.' },
    runner_pool_id: { type: 'word', help: 'ID of the pool. Required with OIDC; a token implies its pool.' },
    token_expiration: { type: 'lifetime', help: 'Lifetime to ask for at the OIDC exchange: a duration, or seconds.' },
    polling_interval: { type: 'duration', default: '1m', help: 'Time between two polls for work.' },
    polling_interval_override: {
        type: 'boolean',
        default: 'false',
        help: "Ignore the server's Retry-After and keep to polling_interval.",
    },
    job_status_loop_interval: {
        type: 'duration',
        default: '30s',
        help: 'How often a running job is checked for cancellation.',
    },
    request_timeout: { type: 'duration', default: '30s', help: 'Longest time one API call may take.' },
    request_retry_count: {
        type: 'count',
        default: '2',
        help: 'Retries of an API call that was rate-limited or failed for a passing reason.',
    },
    request_retry_wait: { type: 'duration', zero: true, default: '20s', help: 'Wait before the first retry.' },
    request_retry_max_wait: { type: 'duration', zero: true, default: '2m', help: 'Longest wait between two retries.' },
    circuit_breaker_failures: {
        type: 'count',
        minimum: 1,
        default: '2',
        help: 'Failed calls in a row, retries included in each, after which polling pauses.',
    },
    circuit_breaker_timeout: { type: 'duration', default: '10m', help: 'How long polling then pauses.' },
    http_server_port: { type: 'port', default: '8080', help: 'Port of /healthz and /metrics; 0: any free one.' },
    health_threshold: {
        type: 'duration',
        untimed: true,
        computedDefault: 'twice the longer of polling_interval and job_status_loop_interval',
        help: 'Time without progress after which /healthz says unhealthy.',
    },
    syslog: { type: 'boolean', default: 'false', help: 'Log to syslog instead of stderr.' },
    version: {
        type: 'none',
        noEffect: 'is a key of old configuration files and has no effect',
        help: 'Accepted from old configuration files. No effect.',
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/run.js
const RUN_KEYS = {
    runner_pool_name: { type: 'text', extension: true, help: 'Name of the pool, tried when OIDC refuses the ID.' },
    oidc_scope: { type: 'text', extension: true, help: 'Scope of the OIDC exchange instead of runner:<pool>.' },
    oidc_audience: {
        type: 'word',
        extension: true,
        help: 'Audience of the OIDC exchange instead of urn:pulumi:org:<organization>.',
    },
    allow_insecure_service_url: {
        type: 'boolean',
        extension: true,
        default: 'false',
        help: 'Allow http:// for a service_url that is not on this machine.',
    },
    ca_certificate: {
        type: 'certificates',
        extension: true,
        help: "Certificates of authorities to trust besides the system's and Node.js's own.",
    },
    ca_certificate_in_jobs: {
        type: 'boolean',
        extension: true,
        default: 'false',
        help: 'Give jobs everything that is trusted as a file, and name it to their programs.',
    },
    max_wait: {
        type: 'duration',
        extension: true,
        zero: true,
        unsetMeans: 'for ever',
        help: 'How long to wait for work before giving up; 0s: one poll.',
    },
    fail_on_no_work: {
        type: 'boolean',
        extension: true,
        default: 'false',
        help: 'Exit with code 75 when there was no work.',
    },
    image: {
        type: 'word',
        extension: true,
        environment: ['PULUMI_DEPLOY_OVERRIDE_IMAGE_REFERENCE'],
        help: "Image to run jobs in, whatever image they name. (PULUMI_AGENT_IMAGE is another of Pulumi's settings.)",
    },
    cancel_grace_period: {
        type: 'duration',
        extension: true,
        zero: true,
        default: '2m',
        help: 'Time a cancelled step has between being interrupted and being killed.',
    },
    report_timeout: {
        type: 'duration',
        extension: true,
        default: '10m',
        help: "How long reports are repeated that Pulumi Cloud doesn't take, from the last step's end on.",
    },
    http_server_address: {
        type: 'address',
        extension: true,
        unsetMeans: 'every address of the machine',
        help: 'IP address that /healthz and /metrics listen on.',
    },
    run_directory: {
        type: 'path',
        extension: true,
        unsetMeans: "a fresh folder below the user's state folder",
        help: 'Where logs, events and the result are written.',
    },
    kept_runs: {
        type: 'count',
        minimum: 1,
        extension: true,
        unsetMeans: 'all of them',
        help: "How many ended runs' directories a lasting agent keeps; it removes older ones.",
    },
    log_format: {
        type: 'choice',
        extension: true,
        choices: ['text', 'json'],
        default: 'text',
        help: "Form of the agent's own log on stderr.",
    },
    log_level: {
        type: 'choice',
        extension: true,
        choices: ['debug', 'info', 'warning', 'error'],
        default: 'info',
        help: "The least that the agent's own log says.",
    },
    syslog_socket: { type: 'path', extension: true, default: '/dev/log', help: "The syslog daemon's socket." },
    syslog_format: {
        type: 'choice',
        extension: true,
        choices: ['rfc5424', 'local'],
        unsetMeans: "rfc5424, and local for journald's socket",
        help: "Form of messages to syslog; local is the C library's, which journald reads.",
    },
};

;// CONCATENATED MODULE: ./lib/config/keys/trigger.js
const TRIGGER_KEYS = {
    trigger: {
        type: 'stacks',
        extension: true,
        default: '',
        help: 'Stacks to start a deployment of, once, before waiting: org/project/stack; * stands for any name.',
    },
    operation: {
        type: 'choice',
        extension: true,
        choices: ['update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift'],
        unsetMeans: 'none: trigger needs one',
        help: 'What the started deployments do; destroy takes stacks that are named in full only.',
    },
    trigger_jitter: {
        type: 'duration',
        extension: true,
        zero: true,
        default: '0s',
        help: 'Each deployment is started at a moment of its own within this time, by chance.',
    },
    access_token: {
        type: 'secret',
        extension: true,
        unsetMeans: 'the OIDC token is exchanged for one',
        help: "Access token that starts deployments and reads the queue; a pool's token can do neither.",
    },
    access_token_scope: {
        type: 'text',
        extension: true,
        unsetMeans: "the organization's, without admin rights",
        help: 'Scope of the access token that OIDC is exchanged for: admin, team:<name> or user:<login>.',
    },
    plan_max: {
        type: 'count',
        extension: true,
        minimum: 1,
        default: '256',
        help: 'The most jobs that the command plan plans; GitHub takes 256 in a matrix.',
    },
};

;// CONCATENATED MODULE: ./lib/config/schema.js






const KEYS = {
    ...PULUMI_KEYS,
    ...RUN_KEYS,
    ...IMAGE_KEYS,
    ...CONTAINER_KEYS,
    ...TRIGGER_KEYS,
    ...KUBERNETES_KEYS,
};
const KEY_NAMES = Object.keys(KEYS);
function definitionOf(key) {
    return KEYS[key];
}
function environmentNames(key) {
    return definitionOf(key).environment ?? [`PULUMI_AGENT_${key.toUpperCase()}`];
}
function isOfficial(key) {
    return definitionOf(key).extension !== true;
}
function isKey(name) {
    return Object.hasOwn(KEYS, name);
}
function fileKey(name) {
    if (!isKey(name))
        return undefined;
    return definitionOf(name).environmentOnly === true ? undefined : name;
}


/***/ }),

/***/ 88587:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   _I: () => (/* binding */ searchDirectories),
/* harmony export */   au: () => (/* binding */ CONFIG_FILE_NAME),
/* harmony export */   "if": () => (/* binding */ findConfigFile)
/* harmony export */ });
/* unused harmony export LEGACY_CONFIG_FILE_NAME */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(73024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(76760);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(54792);



const CONFIG_FILE_NAME = 'pulumi-workflow-agent.yaml';
const LEGACY_CONFIG_FILE_NAME = 'pulumi-deployment-agent.yaml';
function searchDirectories({ workingDirectory, homeDirectory, agentDirectory }) {
    return [
        ...new Set([workingDirectory, homeDirectory, '/etc', agentDirectory].filter((directory) => directory !== '')),
    ];
}
function findConfigFile(sources) {
    const { file, workingDirectory, readFile = file === undefined ? readIfPresent : readNamed } = sources;
    const directories = searchDirectories(sources);
    const candidates = file === undefined
        ? [CONFIG_FILE_NAME, LEGACY_CONFIG_FILE_NAME].flatMap((name) => directories.map((from) => node_path__WEBPACK_IMPORTED_MODULE_1__.join(from, name)))
        : [node_path__WEBPACK_IMPORTED_MODULE_1__.resolve(workingDirectory, file)];
    for (const candidate of candidates) {
        try {
            const text = readFile(candidate);
            if (text !== undefined)
                return { file: candidate, text, problems: [], notices: legacyNotice(candidate) };
        }
        catch (error) {
            const cause = (0,_outcome_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error);
            const message = `the file cannot be read: ${cause}`;
            return { file: candidate, problems: [{ message, file: candidate }], notices: [] };
        }
    }
    const missing = candidates.map((candidate) => ({ message: 'the file does not exist', file: candidate }));
    return { problems: file === undefined ? [] : missing, notices: [] };
}
function legacyNotice(file) {
    if (node_path__WEBPACK_IMPORTED_MODULE_1__.basename(file) !== LEGACY_CONFIG_FILE_NAME)
        return [];
    return [`${file} has the old name of the configuration file; rename it to ${CONFIG_FILE_NAME}.`];
}
function readIfPresent(file) {
    try {
        const found = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.statSync)(file, { throwIfNoEntry: false });
        if (found === undefined || found.isDirectory())
            return undefined;
    }
    catch {
        return undefined;
    }
    return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(file, 'utf8');
}
function readNamed(file) {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(file, 'utf8');
    }
    catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
            return undefined;
        throw error;
    }
}


/***/ }),

/***/ 54792:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Rz: () => (/* binding */ OutcomeError),
/* harmony export */   _m: () => (/* binding */ OUTCOME_NAMES),
/* harmony export */   bD: () => (/* binding */ messageOf),
/* harmony export */   im: () => (/* binding */ OUTCOMES),
/* harmony export */   sb: () => (/* binding */ clause)
/* harmony export */ });
/* unused harmony exports NO_WORK_EXIT_CODE, isOutcome, exitCodeOf */
const OUTCOMES = {
    succeeded: { exitCode: 0, sentence: 'The workflow ran and every step succeeded.' },
    'no-work': { exitCode: 0, sentence: 'No workflow was queued for the pool in time.' },
    failed: { exitCode: 1, sentence: 'The workflow failed.' },
    'config-error': { exitCode: 2, sentence: 'The configuration cannot be used.' },
    'auth-error': { exitCode: 3, sentence: 'Pulumi Cloud refused the credentials.' },
    'cloud-unreachable': { exitCode: 4, sentence: 'Pulumi Cloud could not be reached.' },
    'target-error': { exitCode: 5, sentence: 'The place where the job should run could not be used.' },
    cancelled: { exitCode: 6, sentence: 'The workflow was cancelled in Pulumi Cloud.' },
    interrupted: { exitCode: 7, sentence: 'The CI job interrupted the run.' },
    'lease-lost': { exitCode: 8, sentence: 'No heartbeat was accepted in time, so the job was stopped.' },
    unreported: {
        exitCode: 9,
        sentence: "The workflow's steps succeeded, but Pulumi Cloud took no report of it and will show it as failed.",
    },
};
const NO_WORK_EXIT_CODE = 75;
const OUTCOME_NAMES = Object.keys(OUTCOMES);
function isOutcome(value) {
    return typeof value === 'string' && Object.hasOwn(OUTCOMES, value);
}
function exitCodeOf(outcome, { failOnNoWork = false } = {}) {
    return outcome === 'no-work' && failOnNoWork ? NO_WORK_EXIT_CODE : OUTCOMES[outcome].exitCode;
}
class OutcomeError extends Error {
    name = 'OutcomeError';
    outcome;
    constructor(outcome, message, options) {
        super(message, options);
        this.outcome = outcome;
    }
}
function clause(sentence) {
    return sentence.replace(/\.$/, '');
}
function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}


/***/ })

};
