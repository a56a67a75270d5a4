export const id = 338;
export const ids = [338];
export const modules = {

/***/ 9281:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  z: () => (/* binding */ accessTokenSource)
});

// EXTERNAL MODULE: ./lib/clock.js
var clock = __webpack_require__(5233);
// EXTERNAL MODULE: ./lib/cloud/token.js
var token = __webpack_require__(1204);
// EXTERNAL MODULE: ./lib/cloud/token-exchange.js
var token_exchange = __webpack_require__(1244);
;// CONCATENATED MODULE: ./lib/cloud/access-token.js


class GivenAccessToken extends token/* StaticToken */.A {
    constructor(token) {
        super(token, 'Failed to authenticate for the deployments: Pulumi Cloud refused access_token (HTTP 401). Check that it is the access token of an organization, a team or a user, and that it has not expired.');
    }
}
class ExchangedAccessToken extends token_exchange/* ExchangedToken */.h {
    constructor(options) {
        const { organization, scope } = options;
        const whom = `an access token of ${organization}`;
        super(options, {
            whom,
            type: tokenType(scope),
            scopes: scope === undefined ? [] : [scope],
            refused: {
                whom,
                advice: ', which tokens of organizations and teams need an edition for; or set access_token.',
            },
        });
    }
}
function tokenType(scope) {
    if (scope?.startsWith('team:') === true)
        return 'team';
    return scope?.startsWith('user:') === true ? 'personal' : 'organization';
}

// EXTERNAL MODULE: ./lib/agent/token-source.js + 1 modules
var token_source = __webpack_require__(9101);
;// CONCATENATED MODULE: ./lib/agent/access-token-source.js



function accessTokenSource(config, http, redactor) {
    const { accessToken, accessTokenScope: scope, oidcTokenFile = '', oidcAudience: audience } = config;
    if (accessToken !== undefined)
        return new GivenAccessToken(accessToken);
    return new ExchangedAccessToken({
        http,
        tokenFile: oidcTokenFile,
        organization: config.organizationName ?? '',
        ...(scope === undefined ? {} : { scope }),
        ...(audience === undefined ? {} : { audience }),
        clock: clock/* systemClock */.ml,
        onSecret: redactor.recent(token_source/* KEPT_TOKENS */.G),
    });
}


/***/ }),

/***/ 9101:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  G: () => (/* binding */ KEPT_TOKENS),
  Z: () => (/* binding */ tokenSource)
});

// EXTERNAL MODULE: ./lib/clock.js
var clock = __webpack_require__(5233);
// EXTERNAL MODULE: ./lib/cloud/token-exchange.js
var token_exchange = __webpack_require__(1244);
;// CONCATENATED MODULE: ./lib/cloud/pool-token.js

class OidcToken extends token_exchange/* ExchangedToken */.h {
    constructor(options) {
        const { organization, poolId, poolName, scope, expirationSeconds } = options;
        const pools = [poolId, ...(poolName === undefined ? [] : [poolName])];
        super(options, {
            whom: `pool ${poolId}`,
            type: 'runner',
            scopes: scope === undefined ? pools.map((pool) => `runner:${pool}`) : [scope],
            ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
            refused: {
                whom: `pool ${poolId} of ${organization}`,
                policy: `runnerID: ${poolId}`,
                advice: '; tokens for runners need an edition with customer-managed workflow runners.',
            },
        });
    }
}

// EXTERNAL MODULE: ./lib/cloud/token.js
var cloud_token = __webpack_require__(1204);
;// CONCATENATED MODULE: ./lib/agent/token-source.js



const KEPT_TOKENS = 4;
function tokenSource(config, http, redactor) {
    const { oidcTokenFile, organizationName, runnerPoolId, token } = config;
    if (oidcTokenFile !== undefined && organizationName !== undefined && runnerPoolId !== undefined) {
        return new OidcToken({
            http,
            tokenFile: oidcTokenFile,
            organization: organizationName,
            poolId: runnerPoolId,
            ...(config.runnerPoolName === undefined ? {} : { poolName: config.runnerPoolName }),
            ...(config.oidcScope === undefined ? {} : { scope: config.oidcScope }),
            ...(config.oidcAudience === undefined ? {} : { audience: config.oidcAudience }),
            ...(config.tokenExpirationSeconds === undefined ? {} : { expirationSeconds: config.tokenExpirationSeconds }),
            clock: clock/* systemClock */.ml,
            onSecret: redactor.recent(KEPT_TOKENS),
        });
    }
    return new cloud_token/* StaticToken */.A(token ?? '');
}


/***/ }),

/***/ 1824:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   v: () => (/* binding */ advice),
/* harmony export */   y: () => (/* binding */ loadReader)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);

const ADVICE_MS = 10_000;
const TRIES = 2;
const PAUSE_MS = 1_000;
async function advice(what, ask, { clock, log, signal }) {
    const [over, late] = [new AbortController(), new AbortController()];
    const expire = () => late.abort(new Error(`no answer within ${ADVICE_MS / 1000} s`));
    void clock.sleep(ADVICE_MS, over.signal).then(expire, () => undefined);
    const either = AbortSignal.any([signal, late.signal]);
    try {
        for (let tries = 1;; tries += 1) {
            try {
                return await ask(either);
            }
            catch (error) {
                if (tries === TRIES)
                    throw error;
                await clock.sleep(PAUSE_MS, either);
            }
        }
    }
    catch (error) {
        signal.throwIfAborted();
        log('warning', `${what} can't be read, and is gone without: ${(0,_outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .messageOf */ .bD)(error)}`);
        return undefined;
    }
    finally {
        over.abort();
    }
}
function loadReader(api, options) {
    const unread = new Set();
    return async (organization) => {
        if (unread.has(organization))
            return undefined;
        const load = await advice(`The load of ${organization}`, (signal) => api.load(organization, signal), options);
        if (load === undefined)
            unread.add(organization);
        return load;
    };
}


/***/ }),

/***/ 7424:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  s: () => (/* binding */ outcomeOf),
  N: () => (/* binding */ queueWork)
});

// EXTERNAL MODULE: ./lib/config/duration.js
var duration = __webpack_require__(6804);
// EXTERNAL MODULE: ./lib/config/stack-pattern.js
var stack_pattern = __webpack_require__(8885);
// EXTERNAL MODULE: ./lib/outcome.js
var lib_outcome = __webpack_require__(3259);
;// CONCATENATED MODULE: ./lib/agent/trigger/choose-stacks.js


const MOST_STACKS = 256;
const MOST_PAGES = 200;
async function chooseStacks(patterns, api, signal) {
    const lists = new Map();
    const chosen = new Map();
    for (const pattern of patterns) {
        const matching = (0,stack_pattern/* isGlob */.fg)(pattern) ? await matchingStacks(pattern, lists, api, signal) : [(0,stack_pattern/* stackNamed */.G8)(pattern)];
        for (const stack of matching)
            chosen.set((0,stack_pattern/* stackText */.yO)(stack), stack);
    }
    if (chosen.size > MOST_STACKS) {
        throw new lib_outcome/* OutcomeError */.Rz('config-error', `Failed to choose the stacks for ${patterns.join(' ')}: they are ${chosen.size}, and at most ${MOST_STACKS} are started at once. Narrow the patterns, or split them over several jobs.`);
    }
    return [...chosen.values()];
}
async function matchingStacks(pattern, lists, api, signal) {
    const organization = (0,stack_pattern/* organizationOf */.d1)(pattern);
    const list = lists.get(organization) ?? allStacks(organization, api, signal);
    lists.set(organization, list);
    const all = await list;
    const matching = all.filter((stack) => (0,stack_pattern/* matchesStack */.I8)(pattern, stack));
    if (matching.length > 0)
        return matching;
    throw new lib_outcome/* OutcomeError */.Rz('config-error', `Failed to choose the stacks for ${pattern}: none of the ${all.length} stacks of ${organization} that the access token can see has such a name. Check the pattern, and what the token may see.`);
}
async function allStacks(organization, api, signal) {
    const all = [];
    const seen = new Set();
    let continuation;
    for (let page = 1; page <= MOST_PAGES; page += 1) {
        const answer = await api.stacks(organization, continuation, signal);
        all.push(...answer.stacks.filter((stack) => (0,stack_pattern/* stackPatternProblem */.en)((0,stack_pattern/* stackText */.yO)(stack)) === undefined));
        continuation = answer.continuation;
        if (continuation === undefined || seen.has(continuation))
            return all;
        seen.add(continuation);
    }
    throw new lib_outcome/* OutcomeError */.Rz('config-error', `Failed to list the stacks for ${organization}: there are more than ${MOST_PAGES} pages. Name the stacks instead.`);
}

// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2398);
// EXTERNAL MODULE: ./lib/cloud/backoff.js
var backoff = __webpack_require__(2777);
;// CONCATENATED MODULE: ./lib/agent/trigger/start-deployment.js




const CLOCK_MARGIN_MS = 2_000;
async function startDeployment(stack, options) {
    const { api, operation, clock, log, retryCount, signal } = options;
    const name = (0,stack_pattern/* stackText */.yO)(stack);
    const began = clock.steady();
    const started = (id, more) => ({
        stack: name,
        operation,
        deploymentId: id,
        ...more,
    });
    const never = new AbortController().signal;
    let lost = false;
    for (let attempt = 1;; attempt += 1) {
        signal.throwIfAborted();
        const answer = await api.start(stack, operation, never);
        if (answer.kind === 'started') {
            const { id, version, consoleUrl } = answer;
            return started(id, {
                ...(version !== undefined && { version }),
                ...(consoleUrl !== undefined && { consoleUrl }),
            });
        }
        lost ||= answer.kind === 'unknown';
        const last = attempt > retryCount;
        if (last && !lost)
            throw refused(name, answer, `${operation} was not started`, options);
        const wait = (0,backoff/* retryWait */.y)(attempt, answer.retryAfterMs, options);
        const next = lost ? 'Looking whether it was started all the same' : 'Trying again';
        log('warning', `Failed to start ${operation} for ${name}: ${(0,lib_outcome/* clause */.sb)(answer.reason)}. ${next} in ${(wait / 1000).toFixed(1)} s.`);
        try {
            await clock.sleep(wait, signal);
        }
        catch (cause) {
            throw lost ? untold(name, answer, cause, options) : cause;
        }
        if (!lost)
            continue;
        const found = await lookFor(stack, began, answer, options);
        if (found !== undefined) {
            log('warning', `The answer for ${name} was lost, but ${operation} ${found.id} was started since: it is taken for ours.`);
            return started(found.id, { ...(found.version !== undefined && { version: found.version }), assumed: true });
        }
        if (last)
            throw refused(name, answer, `no ${operation} of it was found afterwards`, options);
        log('warning', `No ${operation} of ${name} was found, so it is sent again: if the first was only slow, there will be two.`);
    }
}
async function lookFor(stack, began, lost, options) {
    const { api, operation, clock, signal } = options;
    try {
        const { deployments, serverTime } = await api.deploymentsOf(stack, signal);
        const since = (serverTime ?? clock.now()) - (clock.steady() - began) - CLOCK_MARGIN_MS;
        return deployments
            .filter(({ pulumiOperation, createdAt }) => pulumiOperation === operation && createdAt >= since)
            .toSorted((a, b) => a.createdAt - b.createdAt)[0];
    }
    catch (cause) {
        throw untold((0,stack_pattern/* stackText */.yO)(stack), lost, cause, options);
    }
}
function untold(name, lost, cause, options) {
    const reason = options.signal.aborted ? 'the agent was asked to stop' : (0,lib_outcome/* clause */.sb)((0,lib_outcome/* messageOf */.bD)(cause));
    return refused(name, lost, `whether it was can't be told: ${reason}`, options, cause);
}
function refused(name, answer, state, { operation }, cause) {
    const reason = 'reason' in answer ? (0,lib_outcome/* clause */.sb)(answer.reason) : '';
    return new errors/* CloudUnreachableError */.s8(`Failed to start ${operation} for ${name}: ${reason}; ${state}. Look at the stack's deployments before it is started again.`, { cause });
}

;// CONCATENATED MODULE: ./lib/agent/trigger/start-deployments.js




const PARALLEL = 4;
const UNREACHABLE = 4;
async function startDeployments(stacks, options) {
    const { clock, jitterMs, random, signal } = options;
    const began = clock.steady();
    const waiting = stacks
        .map((stack) => ({ stack, at: began + random() * jitterMs }))
        .toSorted((one, other) => one.at - other.at);
    const started = [];
    const failed = [];
    let unreachable = 0;
    const fail = (stack, error) => {
        const outcome = signal.aborted ? 'interrupted' : error instanceof lib_outcome/* OutcomeError */.Rz ? error.outcome : 'failed';
        unreachable = outcome === 'cloud-unreachable' ? unreachable + 1 : 0;
        const name = (0,stack_pattern/* stackText */.yO)(stack);
        const untried = signal.aborted && !(error instanceof errors/* CloudUnreachableError */.s8);
        const message = untried ? `${name} was not started: the agent was asked to stop.` : (0,lib_outcome/* messageOf */.bD)(error);
        failed.push({ stack: name, outcome, message });
    };
    const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
            const { stack, at } = next;
            try {
                if (unreachable >= UNREACHABLE) {
                    const sentence = `Failed to start ${options.operation} for ${(0,stack_pattern/* stackText */.yO)(stack)}: it was not tried, as Pulumi Cloud could not be reached for others. Check the network path and Pulumi Cloud's status.`;
                    throw new lib_outcome/* OutcomeError */.Rz('cloud-unreachable', sentence);
                }
                const wait = at - clock.steady();
                if (wait > 0)
                    await clock.sleep(wait, signal);
                started.push(await startDeployment(stack, options));
                unreachable = 0;
            }
            catch (error) {
                fail(stack, error);
            }
        }
    };
    await Promise.all(Array.from({ length: PARALLEL }, work));
    return { started, failed };
}

;// CONCATENATED MODULE: ./lib/agent/trigger/queue-work.js





async function queueWork({ api, config, load, ...surroundings }) {
    const { trigger: patterns, operation, triggerJitterMs: jitterMs } = config;
    if (operation === undefined || patterns.length === 0)
        return { started: [], failed: [] };
    const { clock, log, signal } = surroundings;
    for (const organization of new Set(patterns.map(stack_pattern/* organizationOf */.d1))) {
        if ((await load(organization))?.paused === true) {
            throw new lib_outcome/* OutcomeError */.Rz('failed', `Failed to start ${operation} for ${organization}: its deployments are paused. Resume them in Pulumi Cloud.`);
        }
    }
    const stacks = await chooseStacks(patterns, api, signal);
    const spread = jitterMs > 0 ? `, spread over ${(0,duration/* formatDuration */.a3)(jitterMs)}` : '';
    log('info', `Starting ${operation} of ${stacks.length === 1 ? 'one stack' : `${stacks.length} stacks`}${spread}.`);
    const { requestRetryCount: retryCount, requestRetryWaitMs, requestRetryMaxWaitMs } = config;
    const starts = await startDeployments(stacks, {
        ...surroundings,
        api,
        operation,
        clock,
        jitterMs,
        retryCount,
        retryWaitMs: requestRetryWaitMs,
        retryMaxWaitMs: requestRetryMaxWaitMs,
    });
    for (const { stack, deploymentId, version, consoleUrl } of starts.started) {
        const which = version === undefined ? deploymentId : `${deploymentId}, version ${version}`;
        log('info', `Started ${operation} of ${stack}: deployment ${which}${consoleUrl === undefined ? '' : `, ${consoleUrl}`}.`);
    }
    if (stacks.length > 1)
        for (const { message } of starts.failed)
            log('error', message);
    return starts;
}
function outcomeOf({ started, failed }) {
    const [first] = failed;
    const all = started.length + failed.length;
    if (first === undefined)
        return {
            outcome: 'succeeded',
            message: `${all === 1 ? 'The deployment was' : `${all} deployments were`} started.`,
        };
    if (all === 1)
        return { outcome: first.outcome, message: first.message };
    const others = started.length === 0 ? 'None was' : started.length === 1 ? 'The other one was' : `The other ${started.length} were`;
    return {
        outcome: first.outcome,
        message: `Failed to start ${failed.length} of ${all} deployments for their stacks: the first because: ${(0,lib_outcome/* clause */.sb)(first.message)}. ${others} started.`,
    };
}


/***/ }),

/***/ 1933:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   _: () => (/* binding */ AuthorizedHttp)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2398);
/* harmony import */ var _refusal_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(9969);


class AuthorizedHttp {
    #http;
    #tokens;
    #caller;
    constructor(http, tokens, caller) {
        this.#http = http;
        this.#tokens = tokens;
        this.#caller = caller;
    }
    call(call) {
        return this.#carried(call, 'call');
    }
    once(call) {
        return this.#carried(call, 'once');
    }
    async #carried(call, how) {
        const signal = call.noMoreTries === undefined ? call.signal : AbortSignal.any([call.signal, call.noMoreTries]);
        const token = await this.#tokens.get(signal);
        const answer = await this.#http[how]({ ...call, token });
        if (answer.status !== 401)
            return answer;
        const again = await this.#http[how]({ ...call, token: await this.#tokens.renew(token, signal) });
        if (again.status !== 401)
            return again;
        const { whom, check } = this.#caller;
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .AuthError */ .lR(`Failed to ${call.purpose} for ${whom}: ${(0,_refusal_js__WEBPACK_IMPORTED_MODULE_1__/* .refusal */ .x)(again)}, twice. Check ${check}.`);
    }
}


/***/ }),

/***/ 2960:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   e: () => (/* binding */ idTokenClaims),
/* harmony export */   x: () => (/* binding */ readIdToken)
/* harmony export */ });
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2398);


function readIdToken(whom, { tokenFile, onSecret }) {
    const advice = 'The CI job that starts the agent must write oidc_token_file and keep it fresh.';
    let token;
    try {
        token = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)(tokenFile, 'utf8').trim();
    }
    catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .AuthError */ .lR(`Failed to read the ID token for ${whom}: ${reason}. ${advice}`, { cause });
    }
    if (token === '')
        throw new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .AuthError */ .lR(`Failed to read the ID token for ${whom}: ${tokenFile} is empty. ${advice}`);
    onSecret(token);
    return token;
}
function idTokenClaims(token) {
    let claims = {};
    try {
        const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
        if (typeof payload === 'object' && payload !== null)
            claims = payload;
    }
    catch {
    }
    const said = (name) => {
        const value = claims[name];
        const shown = Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : '(not in the token)';
        return shown.replace(/\s+/g, ' ').slice(0, 300);
    };
    const exp = claims['exp'];
    return { iss: said('iss'), aud: said('aud'), sub: said('sub'), exp: typeof exp === 'number' ? exp : undefined };
}


/***/ }),

/***/ 7159:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  U: () => (/* binding */ OrganizationApi)
});

// UNUSED EXPORTS: PAGE_SIZE

// EXTERNAL MODULE: ./lib/cloud/attempt.js + 1 modules
var attempt = __webpack_require__(2861);
// EXTERNAL MODULE: ./lib/cloud/authorized-http.js
var authorized_http = __webpack_require__(1933);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2398);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 9 modules
var schemas = __webpack_require__(7597);
;// CONCATENATED MODULE: ./lib/cloud/organization-wire.js

const organization_wire_text = schemas/* string */.YjP().min(1);
const count = schemas/* number */.aig().int().nonnegative();
function tolerantList(element) {
    return schemas/* array */.YOg(schemas/* unknown */.L5J())
        .transform((list) => list.flatMap((each) => element.safeParse(each, { jitless: true }).data ?? []));
}
const startedSchema = schemas/* object */.Ikc({
    id: organization_wire_text,
    version: count.optional().catch(undefined),
    consoleUrl: organization_wire_text.optional().catch(undefined),
});
const listedSchema = schemas/* object */.Ikc({
    id: organization_wire_text,
    status: organization_wire_text,
    created: schemas/* string */.YjP().optional().catch(undefined),
    version: count.optional().catch(undefined),
    pulumiOperation: organization_wire_text.optional().catch(undefined),
    agentPool: schemas/* object */.Ikc({ id: organization_wire_text }).nullish().catch(undefined),
    projectName: organization_wire_text.optional().catch(undefined),
    stackName: organization_wire_text.optional().catch(undefined),
})
    .transform(({ created, agentPool, ...listed }) => ({
    ...listed,
    poolId: agentPool?.id,
    createdAt: timeOf(created),
}));
const deploymentPageSchema = schemas/* object */.Ikc({
    deployments: tolerantList(listedSchema),
    total: count.optional().catch(undefined),
});
const metadataSchema = schemas/* object */.Ikc({
    paused: schemas/* boolean */.zMY().optional().catch(undefined),
    concurrency: count.optional().catch(undefined),
    deploymentCounts: schemas/* object */.Ikc({
        notStarted: count.optional().catch(undefined),
        accepted: count.optional().catch(undefined),
        running: count.optional().catch(undefined),
    })
        .optional()
        .catch(undefined),
});
const stackPageSchema = schemas/* object */.Ikc({
    stacks: tolerantList(schemas/* object */.Ikc({ orgName: organization_wire_text, projectName: organization_wire_text, stackName: organization_wire_text })
        .transform((stack) => ({ organization: stack.orgName, project: stack.projectName, stack: stack.stackName }))),
    continuationToken: schemas/* string */.YjP().nullish(),
});
function timeOf(created) {
    if (created === undefined)
        return Number.NaN;
    return Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/i.test(created) ? created : `${created.replace(' ', 'T')}Z`);
}

// EXTERNAL MODULE: ./lib/cloud/refusal.js
var refusal = __webpack_require__(9969);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
;// CONCATENATED MODULE: ./lib/cloud/start-refusal.js



const MEANINGS = {
    400: "Check the stack's settings under Settings \u2192 Deploy in Pulumi Cloud: they must be there, and name a pool that exists.",
    402: 'It needs another edition of Pulumi Cloud: remediate-drift, for one, needs Business Critical.',
    403: "Check that the access token may deploy the stack; a pool's token may not.",
    404: 'Check the names of organization, project and stack, that the stack exists, and that the access token may see it.',
    409: "Check whether the stack's or the organization's deployments are paused, and resume them in Pulumi Cloud.",
    422: "Check the stack's settings under Settings \u2192 Deploy in Pulumi Cloud, and that they suit the operation.",
};
function startRefusal(stack, operation, answer) {
    const { organization, project, stack: name } = stack;
    const failed = `Failed to start ${operation} for ${organization}/${project}/${name}: ${(0,refusal/* refusal */.x)(answer)}.`;
    const meaning = MEANINGS[answer.status];
    if (meaning === undefined)
        return new errors/* CloudUnreachableError */.s8(`${failed} Check that the service URL is Pulumi Cloud's API.`);
    const message = `${failed} ${meaning}`;
    if (answer.status === 402 || answer.status === 403)
        return new errors/* AuthError */.lR(message);
    return new outcome/* OutcomeError */.Rz(answer.status === 409 ? 'failed' : 'config-error', message);
}

;// CONCATENATED MODULE: ./lib/cloud/organization.js






const PAGE_SIZE = 100;
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);
class OrganizationApi {
    #http;
    constructor(http, tokens) {
        this.#http = new authorized_http/* AuthorizedHttp */._(http, tokens, {
            whom: 'the organization',
            check: 'that the policy of the issuer still allows this job',
        });
    }
    async start(stack, operation, signal) {
        let answer;
        const purpose = `start ${operation}`;
        try {
            const body = { operation, inheritSettings: true };
            answer = await this.#http.once({ method: 'POST', path: deploymentsPath(stack), purpose, body, signal });
        }
        catch (error) {
            if (!(error instanceof errors/* CloudUnreachableError */.s8 && error.cause instanceof attempt/* TransientError */.N))
                throw error;
            const { cause, retryAfterMs } = error;
            const code = cause.cause instanceof Error && 'code' in cause.cause ? String(cause.cause.code) : '';
            const kind = cause.status === 429 || NOT_SENT.has(code) ? 'later' : 'unknown';
            return { kind, reason: cause.message, retryAfterMs };
        }
        if (answer.status >= 300)
            throw startRefusal(stack, operation, answer);
        const started = startedSchema.safeParse(answer.json, { jitless: true });
        if (!started.success)
            return { kind: 'unknown', reason: 'the answer names no deployment', retryAfterMs: undefined };
        const { id, version, consoleUrl } = started.data;
        return {
            kind: 'started',
            id,
            ...(version === undefined ? {} : { version }),
            ...(consoleUrl === undefined ? {} : { consoleUrl }),
        };
    }
    deploymentsOf(stack, signal) {
        return this.#page(deploymentsPath(stack), 1, signal);
    }
    deployments(organization, page, signal) {
        return this.#page(`/api/orgs/${encodeURIComponent(organization)}/deployments`, page, signal);
    }
    async load(organization, signal) {
        const path = `/api/orgs/${encodeURIComponent(organization)}/deployments/metadata`;
        const purpose = "read the organization's load";
        const answer = await this.#http.once({ method: 'GET', path, purpose, signal });
        const read = metadataSchema.safeParse(answer.status < 300 ? answer.json : {}, { jitless: true });
        const { paused = false, concurrency, deploymentCounts: counts } = read.data ?? {};
        const { accepted, running, notStarted: queued } = counts ?? {};
        const busy = accepted === undefined && running === undefined ? undefined : (accepted ?? 0) + (running ?? 0);
        return { paused, concurrency, busy, queued };
    }
    async stacks(organization, continuation, signal) {
        const query = new URLSearchParams({ organization });
        if (continuation !== undefined)
            query.set('continuationToken', continuation);
        const purpose = 'list the stacks';
        const answer = await this.#http.call({
            method: 'GET',
            path: `/api/user/stacks?${query}`,
            purpose,
            needsJson: true,
            signal,
        });
        const read = stackPageSchema.safeParse(answer.json, { jitless: true });
        if (answer.status >= 300 || !read.success)
            throw unreadable(purpose, organization, answer);
        const stacks = read.data.stacks.filter((stack) => stack.organization === organization);
        return { stacks, continuation: read.data.continuationToken || undefined };
    }
    async #page(path, page, signal) {
        const purpose = 'read the deployments';
        const answer = await this.#http.call({
            method: 'GET',
            path: `${path}?page=${page}&pageSize=${PAGE_SIZE}`,
            purpose,
            needsJson: true,
            needsTime: true,
            signal,
        });
        const read = deploymentPageSchema.safeParse(answer.json, { jitless: true });
        if (answer.status >= 300 || !read.success)
            throw unreadable(purpose, path.replace(/^\/api\/\w+\//, ''), answer);
        return { ...read.data, total: read.data.total, serverTime: answer.serverTime };
    }
}
function deploymentsPath({ organization, project, stack }) {
    return `/api/stacks/${[organization, project, stack].map(encodeURIComponent).join('/')}/deployments`;
}
function unreadable(purpose, whom, answer) {
    if (answer.status === 403 || answer.status === 404) {
        return new errors/* AuthError */.lR(`Failed to ${purpose} for ${whom}: ${(0,refusal/* refusal */.x)(answer)}. Check the names, and that the access token may see them; a pool's token may not.`);
    }
    const reason = answer.status >= 300 ? (0,refusal/* refusal */.x)(answer) : 'the answer is not a list';
    return new errors/* CloudRefusedError */.GW(answer.status, `Failed to ${purpose} for ${whom}: ${reason}. Check that the service URL is Pulumi Cloud's API.`);
}


/***/ }),

/***/ 1244:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   h: () => (/* binding */ ExchangedToken)
/* harmony export */ });
/* harmony import */ var _clock_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5233);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2398);
/* harmony import */ var _exchange_answer_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(9155);
/* harmony import */ var _id_token_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2960);
/* harmony import */ var _refusal_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(9969);





const DEFAULT_LIFETIME_SECONDS = 7200;
const RENEWAL_RETRY_MS = 60_000;
class ExchangedToken {
    method = 'oidc';
    #options;
    #wanted;
    #token;
    #exchange;
    constructor(options, wanted) {
        this.#options = options;
        this.#wanted = wanted;
    }
    get expiresAt() {
        const held = this.#token;
        return held === undefined ? undefined : new Date(held.since.now + held.lifetimeMs).toISOString();
    }
    async get(signal) {
        const { clock } = this.#options;
        const held = this.#token;
        if (held !== undefined && (0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .passedSince */ .Pd)(held.since, clock).perhaps < held.renewAfterMs)
            return held.value;
        this.#exchange ??= {
            signal,
            done: this.#exchanged(signal).finally(() => {
                this.#exchange = undefined;
            }),
        };
        const exchange = this.#exchange;
        try {
            return await exchange.done;
        }
        catch (error) {
            if (exchange.signal.aborted && !signal.aborted)
                return this.get(signal);
            if (signal.aborted || held === undefined || held !== this.#token)
                throw error;
            const { surely } = (0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .passedSince */ .Pd)(held.since, clock);
            if (surely >= held.lifetimeMs)
                throw error;
            held.since = { now: clock.now() - surely, steady: held.since.steady };
            held.renewAfterMs = Math.min(surely + RENEWAL_RETRY_MS, held.lifetimeMs);
            return held.value;
        }
    }
    renew(refused, signal) {
        if (this.#token?.value === refused)
            this.#token = undefined;
        return this.get(signal);
    }
    async #exchanged(signal) {
        const { clock, onSecret } = this.#options;
        const { whom, scopes } = this.#wanted;
        if (this.#token !== undefined)
            onSecret(this.#token.value);
        const idToken = (0,_id_token_js__WEBPACK_IMPORTED_MODULE_3__/* .readIdToken */ .x)(whom, this.#options);
        const answers = [await this.#ask(scopes[0], idToken, signal)];
        for (const scope of scopes.slice(1)) {
            if (![400, 401, 403].includes(answers.at(-1)?.status ?? 0))
                break;
            answers.push(await this.#ask(scope, idToken, signal));
        }
        const answer = answers.at(-1);
        if (answer === undefined || answer.status >= 300)
            throw this.#refused(answers, idToken);
        const parsed = _exchange_answer_js__WEBPACK_IMPORTED_MODULE_2__/* .exchangeSchema */ .V.safeParse(answer.json, _exchange_answer_js__WEBPACK_IMPORTED_MODULE_2__/* .SELDOM */ .$);
        if (!parsed.success) {
            throw new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .AuthError */ .lR(`Failed to exchange the ID token for ${whom}: the answer holds no access_token. Check that the service URL is Pulumi Cloud's API.`);
        }
        const value = parsed.data.access_token;
        onSecret(value);
        const lifetimeMs = (parsed.data.expires_in ?? DEFAULT_LIFETIME_SECONDS) * 1000;
        const ahead = Math.min(lifetimeMs / 2, Math.max(60_000, lifetimeMs / 10));
        this.#token = { value, since: (0,_clock_js__WEBPACK_IMPORTED_MODULE_0__/* .momentOf */ .Et)(clock), lifetimeMs, renewAfterMs: lifetimeMs - ahead };
        return value;
    }
    #ask(scope, idToken, signal) {
        const { http, organization, audience } = this.#options;
        const { type, expirationSeconds } = this.#wanted;
        return http.call({
            method: 'POST',
            path: '/api/oauth/token',
            purpose: 'exchange the ID token',
            needsJson: true,
            signal,
            body: {
                audience: audience ?? `urn:pulumi:org:${organization}`,
                grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
                subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
                requested_token_type: `urn:pulumi:token-type:access_token:${type}`,
                ...(scope === undefined ? {} : { scope }),
                ...(expirationSeconds === undefined ? {} : { expiration: expirationSeconds }),
                subject_token: idToken,
            },
        });
    }
    #refused(answers, idToken) {
        const { type, refused } = this.#wanted;
        const { iss, aud, sub, exp } = (0,_id_token_js__WEBPACK_IMPORTED_MODULE_3__/* .idTokenClaims */ .e)(idToken);
        const said = [...new Set(answers.map(_refusal_js__WEBPACK_IMPORTED_MODULE_4__/* .refusal */ .x))].join(', then by its name ');
        const stale = exp !== undefined && exp * 1000 < this.#options.clock.now()
            ? ' The ID token has expired: whoever writes oidc_token_file must refresh it.'
            : '';
        const policy = `tokenType: ${type}, ${refused.policy === undefined ? '' : `${refused.policy}, `}rules: {aud: ${aud}, sub: ${sub}}`;
        return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .AuthError */ .lR(`Failed to exchange the ID token for ${refused.whom}: ${said}.${stale} The token says iss=${iss}, aud=${aud}, sub=${sub}. ` +
            `In Pulumi Cloud, register that issuer and add a policy {decision: allow, ${policy}}${refused.advice}`);
    }
}


/***/ }),

/***/ 1204:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A: () => (/* binding */ StaticToken),
/* harmony export */   n: () => (/* binding */ currentToken)
/* harmony export */ });
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2398);

function currentToken(tokens, signal, refused) {
    return refused === undefined ? tokens.get(signal) : tokens.renew(refused, signal);
}
class StaticToken {
    method = 'token';
    expiresAt = undefined;
    #token;
    #refused;
    constructor(token, refused = 'Failed to authenticate for the pool: Pulumi Cloud refused the pool token (HTTP 401). Check that the token belongs to an existing pool and was not deleted.') {
        this.#token = token;
        this.#refused = refused;
    }
    get() {
        return Promise.resolve(this.#token);
    }
    renew() {
        return Promise.reject(new _errors_js__WEBPACK_IMPORTED_MODULE_0__/* .AuthError */ .lR(this.#refused));
    }
}


/***/ })

};
