export const id = 178;
export const ids = [178];
export const modules = {

/***/ 1910:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  z: () => (/* binding */ accessTokenSource)
});

// EXTERNAL MODULE: ./lib/clock.js
var clock = __webpack_require__(8398);
// EXTERNAL MODULE: ./lib/cloud/token.js
var token = __webpack_require__(8487);
// EXTERNAL MODULE: ./lib/cloud/token-exchange.js
var token_exchange = __webpack_require__(8849);
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
        onSecret: (secret) => redactor.add([secret]),
    });
}


/***/ }),

/***/ 9197:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  s: () => (/* binding */ outcomeOf),
  N: () => (/* binding */ queueWork)
});

// EXTERNAL MODULE: ./lib/config/duration.js
var duration = __webpack_require__(3351);
// EXTERNAL MODULE: ./lib/config/stack-pattern.js
var stack_pattern = __webpack_require__(3588);
// EXTERNAL MODULE: ./lib/outcome.js
var lib_outcome = __webpack_require__(4792);
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
var errors = __webpack_require__(2871);
// EXTERNAL MODULE: ./lib/cloud/backoff.js
var backoff = __webpack_require__(3354);
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





async function queueWork({ api, config, ...surroundings }) {
    const { trigger: patterns, operation, triggerJitterMs: jitterMs } = config;
    if (operation === undefined || patterns.length === 0)
        return { started: [], failed: [] };
    const { clock, log, signal } = surroundings;
    for (const organization of new Set(patterns.map(stack_pattern/* organizationOf */.d1))) {
        const load = await api.load(organization, signal);
        if (load?.paused === true) {
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

/***/ 2109:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  U: () => (/* binding */ OrganizationApi)
});

// UNUSED EXPORTS: PAGE_SIZE

// EXTERNAL MODULE: ./lib/cloud/attempt.js + 1 modules
var attempt = __webpack_require__(893);
// EXTERNAL MODULE: ./lib/cloud/authorized-http.js
var authorized_http = __webpack_require__(8202);
// EXTERNAL MODULE: ./lib/cloud/errors.js
var errors = __webpack_require__(2871);
// EXTERNAL MODULE: ../../main/node_modules/zod/v4/classic/schemas.js + 9 modules
var schemas = __webpack_require__(1579);
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
var refusal = __webpack_require__(8974);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(4792);
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
        const answer = await this.#http.call({ method: 'GET', path, purpose, needsJson: true, signal });
        const read = metadataSchema.safeParse(answer.json, { jitless: true });
        if (answer.status >= 300 || !read.success)
            return undefined;
        const { paused = false, concurrency, deploymentCounts: counts } = read.data;
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


/***/ })

};
