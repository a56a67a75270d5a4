export const id = 373;
export const ids = [373];
export const modules = {

/***/ 8754:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Z: () => (/* binding */ loadConfig)
});

// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/config/schema.js + 6 modules
var schema = __webpack_require__(398);
;// CONCATENATED MODULE: ./lib/config/agent-config.js

const CONFIG_KEYS = schema/* KEY_NAMES */.Vx.filter((key) => (0,schema/* definitionOf */.Fg)(key).type !== 'none');
function propertyName(key) {
    const { type } = (0,schema/* definitionOf */.Fg)(key);
    const unit = type === 'duration' ? 'Ms' : type === 'lifetime' ? 'Seconds' : type === 'quantity' ? 'Bytes' : '';
    const camel = key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
    return `${camel}${unit}`;
}
function redactedConfig(config) {
    const secrets = new Set(CONFIG_KEYS.filter((key) => definitionOf(key).type === 'secret').map(propertyName));
    return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, secrets.has(name) ? '***' : value]));
}

// EXTERNAL MODULE: ./lib/config/edit-distance.js
var edit_distance = __webpack_require__(7038);
// EXTERNAL MODULE: ./lib/config/problem.js
var problem = __webpack_require__(7109);
// EXTERNAL MODULE: ./lib/config/quote.js
var quote = __webpack_require__(2774);
;// CONCATENATED MODULE: ./lib/config/config-file.js




const MERGE_KEY = '<<';
async function parseConfigFile(file, text) {
    const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } = await __webpack_require__.e(/* import() */ 815).then(__webpack_require__.t.bind(__webpack_require__, 8815, 19));
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
    const problems = [];
    const settings = new Map();
    const at = (offset) => {
        const { line, col } = lines.linePos(offset ?? 0);
        return { line: Math.max(line, 1), column: Math.max(col, 1) };
    };
    const warnings = document.warnings.map(({ message, pos }) => (0,problem/* describeProblem */.B)({ message: `${withoutSource(message)}.`, file, ...at(pos[0]) }));
    for (const { message, pos } of document.errors) {
        problems.push({ message: `not valid YAML: ${withoutSource(message)}`, file, ...at(pos[0]) });
    }
    if (problems.length > 0)
        return { usable: false, settings, problems, warnings };
    if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
        return { usable: true, settings, problems, warnings };
    }
    if (!isMap(document.contents)) {
        const message = 'the file must hold keys and values, one `key: value` a line';
        return { usable: false, settings, problems: [{ message, file, ...at(document.contents.range[0]) }], warnings };
    }
    const scalarText = (node) => {
        if (!isScalar(node) || node.value === null)
            return undefined;
        return typeof node.value === 'string' ? node.value.trim() : (node.source ?? String(node.value));
    };
    const resolved = (node) => (isAlias(node) ? node.resolve(document) : node);
    const sourceOf = (start, end) => {
        const merging = parseDocument(text, { merge: true, prettyErrors: false });
        const wrong = merging.errors.find(({ pos }) => pos[0] >= start && pos[0] < end);
        if (wrong !== undefined)
            throw wrong;
        let json = '';
        visit(merging, {
            Map: (_, map) => {
                if (map.range?.[0] !== start)
                    return;
                json = JSON.stringify(map.toJS(merging));
                return visit.BREAK;
            },
        });
        return json;
    };
    const contentOf = (node) => {
        if (isMap(node))
            return { shape: 'mapping', source: () => sourceOf(node.range?.[0] ?? 0, node.range?.[1] ?? 0) };
        if (!isSeq(node)) {
            const value = scalarText(node);
            return value === undefined || value === '' ? undefined : { text: value };
        }
        const items = [];
        for (const element of node.items) {
            const target = resolved(element);
            if (isMap(target) || isSeq(target))
                return { shape: 'nested list' };
            const position = isScalar(element) || isAlias(element) ? at(element.range?.[0]) : at(node.range?.[0]);
            items.push({ text: scalarText(target) ?? '', ...position });
        }
        return { items };
    };
    const nameOf = (node) => (isScalar(node) ? (scalarText(node) ?? '') : '');
    const firstLines = new Map();
    const merged = [];
    for (const { key: keyNode, value } of document.contents.items) {
        const name = nameOf(keyNode);
        const position = at(keyNode.range[0]);
        const first = firstLines.get(name);
        const key = (0,schema/* fileKey */.wm)(name);
        if (name === MERGE_KEY) {
            const target = resolved(value);
            merged.push(...(isSeq(target) ? target.items.map(resolved) : [target]));
        }
        else if (first !== undefined) {
            const message = `${key ?? (0,quote/* quoteValue */.c)(name)} is given twice, first on line ${first}; keep one`;
            problems.push({ message, key: (0,quote/* maskSecretLike */.q)(name), file, ...position });
        }
        else if (key === undefined) {
            warnings.push((0,problem/* describeProblem */.B)({ message: unknownKey(name), file, ...position }));
        }
        else {
            const content = contentOf(resolved(value));
            if (content !== undefined)
                settings.set(key, { content, origin: 'file', name: key, file, ...position });
        }
        if (first === undefined)
            firstLines.set(name, position.line);
    }
    for (const mapping of merged) {
        for (const { key: keyNode, value } of isMap(mapping) ? mapping.items : []) {
            const key = (0,schema/* fileKey */.wm)(nameOf(keyNode));
            const content = contentOf(resolved(value));
            if (key === undefined || content === undefined || firstLines.has(key) || settings.has(key))
                continue;
            const position = at(isScalar(keyNode) ? keyNode.range?.[0] : undefined);
            settings.set(key, { content, origin: 'file', name: key, file, ...position });
        }
    }
    return { usable: true, settings, problems, warnings };
}
function withoutSource(message) {
    return (0,quote/* maskSecretLike */.q)(message.replace(/(?<=\w): .*$/s, ''));
}
function unknownKey(name) {
    const environmentOnly = schema/* KEY_NAMES */.Vx.find((key) => key === name && (0,schema/* definitionOf */.Fg)(key).environmentOnly === true);
    if (environmentOnly !== undefined) {
        const variable = (0,schema/* environmentNames */.iF)(environmentOnly).join(' or ');
        return `${name} has no effect in a file; it can only be set in the environment, as ${variable}.`;
    }
    const near = (0,edit_distance/* nearest */.p)(name, schema/* KEY_NAMES */.Vx.filter((key) => (0,schema/* fileKey */.wm)(key) !== undefined));
    return `${(0,quote/* quoteValue */.c)(name)} is not a known key and has no effect${near === undefined ? '.' : `; did you mean ${near}?`}`;
}

// EXTERNAL MODULE: ./lib/config/duration.js
var duration = __webpack_require__(6804);
// EXTERNAL MODULE: ./lib/config/search-path.js
var search_path = __webpack_require__(8658);
// EXTERNAL MODULE: ./lib/config/service-url.js
var service_url = __webpack_require__(1957);
;// CONCATENATED MODULE: ./lib/config/setting.js
function problemWith(key, { name, file, line, column }, clause, item) {
    return {
        message: `${name} ${clause}`,
        key,
        ...(file !== undefined && { file }),
        ...(line !== undefined && { line: item?.line ?? line }),
        ...(column !== undefined && { column: item?.column ?? column }),
    };
}
function describeSetting({ name, file, line }) {
    return file === undefined ? name : `${name} (${file}:${line ?? 1})`;
}

// EXTERNAL MODULE: ./lib/config/stack-pattern.js
var stack_pattern = __webpack_require__(8885);
;// CONCATENATED MODULE: ./lib/config/trigger-checks.js




const SCOPE = /^(?:admin|team:\S.*|user:\S.*)$/;
function checkTrigger(config, settings, purpose) {
    const scope = settings.get('access_token_scope');
    const problems = [];
    if (scope !== undefined && config.accessTokenScope !== undefined && !SCOPE.test(config.accessTokenScope)) {
        const clause = `${(0,quote/* quoteValue */.c)(config.accessTokenScope)} is none of admin, team:<name> and user:<login>`;
        problems.push(problemWith('access_token_scope', scope, clause));
    }
    if (purpose === 'plan')
        problems.push(...missing(settings, ['organization_name', 'runner_pool_id'], 'to plan jobs'));
    if (purpose === 'trigger' && config.trigger?.length === 0)
        problems.push({ message: 'no stack is named: give org/project/stack, or set trigger', key: 'trigger' });
    const trigger = settings.get('trigger');
    const wanted = config.trigger ?? [];
    if (trigger === undefined || wanted.length === 0) {
        return purpose === 'plan' ? once([...problems, ...checkAccess(settings, 'to plan jobs')]) : problems;
    }
    const use = `with ${describeSetting(trigger)}`;
    const operation = settings.get('operation');
    if (operation === undefined)
        problems.push(...missing(settings, ['operation'], use));
    if (operation !== undefined && config.operation === 'destroy' && wanted.some(stack_pattern/* isGlob */.fg)) {
        const pattern = wanted.find(stack_pattern/* isGlob */.fg) ?? '';
        const clause = `is destroy, and ${(0,quote/* quoteValue */.c)(pattern)} is a pattern; name each stack to destroy in full`;
        problems.push(problemWith('operation', operation, clause));
    }
    return once([...problems, ...checkAccess(settings, use), ...checkOrganization(config, settings, trigger)]);
}
function once(problems) {
    return problems.filter(({ key }, index) => problems.findIndex((other) => other.key === key) === index);
}
function checkAccess(settings, use) {
    if (settings.has('access_token'))
        return [];
    if (settings.has('oidc_token_file'))
        return settings.has('organization_name') ? [] : missing(settings, ['organization_name'], use);
    const [token, file] = [(0,schema/* environmentNames */.iF)('access_token')[0], (0,schema/* environmentNames */.iF)('oidc_token_file')[0]];
    const message = `access_token (${token}) or oidc_token_file (${file}) is required ${use}: a pool's token can't do that`;
    return [{ message, key: 'access_token' }];
}
function checkOrganization(config, settings, trigger) {
    const { organizationName } = config;
    if (settings.has('access_token') || organizationName === undefined)
        return [];
    const other = (config.trigger ?? []).find((pattern) => (0,stack_pattern/* organizationOf */.d1)(pattern) !== organizationName);
    if (other === undefined)
        return [];
    const clause = `${(0,quote/* quoteValue */.c)(other)} is not of ${organizationName}, whose token OIDC gives; set access_token for others`;
    return [problemWith('trigger', trigger, clause)];
}
function missing(settings, keys, use) {
    return keys
        .filter((key) => !settings.has(key))
        .map((key) => ({ message: `${key} is required ${use}; set it (or ${(0,schema/* environmentNames */.iF)(key)[0]})`, key }));
}

;// CONCATENATED MODULE: ./lib/config/cross-checks.js






function checkTogether(config, settings, sources, state) {
    const address = checkServiceUrl(config, settings);
    const work = checkWorkflowTypes(config, settings);
    return {
        problems: [
            ...(state.offline || state.purpose !== 'run' ? [] : checkAuthentication(settings, sources, state)),
            ...(state.offline || !state.fileUsable ? [] : checkTrigger(config, settings, state.purpose)),
            ...work.problems,
            ...address.problems,
        ],
        notices: [...work.notices, ...address.notices, ...checkWaits(config), ...checkImages(config, settings)],
    };
}
function checkAuthentication(settings, sources, { file, fileUsable }) {
    const token = settings.get('token');
    const oidc = settings.get('oidc_token_file');
    if (token !== undefined && oidc !== undefined) {
        const clause = `is one way to authenticate, and ${describeSetting(oidc)} is another; keep one of them`;
        return [problemWith('token', token, clause)];
    }
    if (!fileUsable || token !== undefined)
        return [];
    if (oidc === undefined) {
        const looked = file === undefined
            ? ` (there is no ${search_path/* CONFIG_FILE_NAME */.au} in ${(0,search_path/* searchDirectories */._I)(sources).join(', ')})`
            : ` (neither the environment nor ${file} does)`;
        const [tokenVariable, oidcVariable] = [(0,schema/* environmentNames */.iF)('token')[0], (0,schema/* environmentNames */.iF)('oidc_token_file')[0]];
        const message = `no way to authenticate: set token (${tokenVariable}) or oidc_token_file (${oidcVariable})${looked}`;
        return [{ message, key: 'token' }];
    }
    return ['organization_name', 'runner_pool_id']
        .filter((key) => !settings.has(key))
        .map((key) => ({
        message: `${key} is required with ${describeSetting(oidc)}; set it (or ${(0,schema/* environmentNames */.iF)(key)[0]})`,
        key,
    }));
}
function checkWorkflowTypes({ enabledWorkflowTypes }, settings) {
    const setting = settings.get('enabled_workflow_types');
    if (setting === undefined || enabledWorkflowTypes === undefined)
        return { problems: [], notices: [] };
    if (!enabledWorkflowTypes.includes('deployment')) {
        const clause = 'leaves out deployment, the only kind of work this agent serves; add it';
        return { problems: [problemWith('enabled_workflow_types', setting, clause)], notices: [] };
    }
    const others = enabledWorkflowTypes.filter((type) => type !== 'deployment');
    if (others.length === 0)
        return { problems: [], notices: [] };
    const names = `${describeSetting(setting)} names ${others.join(' and ')}`;
    return {
        problems: [],
        notices: [`${names}: that work needs Pulumi's own agent on the pool, this one serves deployment only.`],
    };
}
function checkServiceUrl({ serviceUrl, allowInsecureServiceUrl }, settings) {
    const setting = settings.get('service_url');
    if (setting === undefined || serviceUrl === undefined || allowInsecureServiceUrl === undefined) {
        return { problems: [], notices: [] };
    }
    const url = new URL(serviceUrl);
    if (url.protocol === 'https:' || (0,service_url/* isLoopbackHost */.c)(url.hostname))
        return { problems: [], notices: [] };
    if (allowInsecureServiceUrl) {
        return { problems: [], notices: [`${describeSetting(setting)} is not https: tokens cross the network readable.`] };
    }
    const clause = `would send tokens readable to ${url.host}; use https://, or set allow_insecure_service_url to true`;
    return { problems: [problemWith('service_url', setting, clause)], notices: [] };
}
function checkWaits(config) {
    const { requestRetryWaitMs = 0, requestRetryMaxWaitMs = 0, pollingIntervalMs = 0, healthThresholdMs } = config;
    const notices = [];
    if (requestRetryWaitMs > requestRetryMaxWaitMs) {
        const longest = (0,duration/* formatDuration */.a3)(requestRetryMaxWaitMs);
        notices.push(`request_retry_wait (${(0,duration/* formatDuration */.a3)(requestRetryWaitMs)}) is longer than request_retry_max_wait; each wait is ${longest}.`);
    }
    if (healthThresholdMs !== undefined && healthThresholdMs <= pollingIntervalMs) {
        const [threshold, interval] = [(0,duration/* formatDuration */.a3)(healthThresholdMs), (0,duration/* formatDuration */.a3)(pollingIntervalMs)];
        notices.push(`health_threshold (${threshold}) is not longer than polling_interval (${interval}); /healthz will say unhealthy between polls.`);
    }
    return notices;
}
function checkImages({ allowedImages = [], requireDigest }, settings) {
    const setting = settings.get('allowed_images');
    const tagged = allowedImages.filter((pattern) => /:[^/@]*$/.test(pattern.split('@', 1).join()));
    if (requireDigest !== true || setting === undefined || tagged.length === 0)
        return [];
    return [
        `${describeSetting(setting)} has ${tagged.join(' and ')}, which can take no image while require_digest is true: leave the tag out.`,
    ];
}

// EXTERNAL MODULE: ./lib/config/value.js + 3 modules
var value = __webpack_require__(2337);
;// CONCATENATED MODULE: ./lib/config/load.js











const VARIABLE_PREFIX = 'PULUMI_AGENT_';
async function loadConfig(sources) {
    const found = (0,search_path/* findConfigFile */["if"])(sources);
    const contents = found.file !== undefined && found.text !== undefined ? await parseConfigFile(found.file, found.text) : undefined;
    const problems = [...found.problems, ...(contents?.problems ?? []), ...unknownKeys(sources)];
    const warnings = [...(contents?.warnings ?? []), ...unknownVariables(sources.environment)];
    const notices = [...found.notices];
    const settings = new Map();
    for (const key of schema/* KEY_NAMES */.Vx) {
        const setting = written(key, sources) ?? contents?.settings.get(key) ?? fallback(key, sources);
        if (setting !== undefined)
            settings.set(key, setting);
    }
    const values = new Map();
    for (const [key, setting] of settings) {
        const read = readSetting(key, setting, sources.workingDirectory);
        problems.push(...read.problems);
        if (read.value !== undefined)
            values.set(key, read.value);
        const { noEffect } = (0,schema/* definitionOf */.Fg)(key);
        if (noEffect !== undefined)
            notices.push(`${describeSetting(setting)} ${noEffect}.`);
    }
    const given = Object.fromEntries(CONFIG_KEYS.filter((key) => values.has(key)).map((key) => [propertyName(key), values.get(key)]));
    notices.push(...onOtherTargets(settings, given.deployTarget));
    const { pollingIntervalMs = 0, jobStatusLoopIntervalMs = 0 } = given;
    const config = {
        workingDirectory: sources.agentDirectory,
        healthThresholdMs: 2 * Math.max(pollingIntervalMs, jobStatusLoopIntervalMs),
        ...given,
    };
    const together = checkTogether(config, settings, sources, {
        ...(found.file !== undefined && { file: found.file }),
        fileUsable: found.problems.length === 0 && contents?.usable !== false,
        offline: sources.offline === true,
        purpose: sources.purpose ?? 'run',
    });
    problems.push(...together.problems);
    if (problems.length > 0)
        throw new problem/* ConfigError */.x(problems, { warnings });
    return {
        config: Object.freeze(config),
        warnings,
        notices: [...notices, ...together.notices],
        ...(found.file !== undefined && { file: found.file }),
        origins: Object.fromEntries(CONFIG_KEYS.map((key) => [key, settings.get(key)?.origin ?? 'default'])),
    };
}
function onOtherTargets(settings, used) {
    const names = { docker: 'Docker', kubernetes: 'Kubernetes' };
    return [...settings].flatMap(([key, setting]) => {
        const { target } = (0,schema/* definitionOf */.Fg)(key);
        if (target === undefined || target === used || used === undefined || setting.origin === 'default')
            return [];
        return [`${describeSetting(setting)} only acts on the ${names[target]} target, so it has no effect here.`];
    });
}
function written(key, { overrides = {}, environment, overrideName = flagName }) {
    const override = Object.hasOwn(overrides, key) ? overrides[key]?.trim() : undefined;
    if (override)
        return { content: { text: override }, origin: 'override', name: overrideName(key) };
    for (const name of (0,schema/* environmentNames */.iF)(key)) {
        const text = environment[name]?.trim();
        if (text)
            return { content: { text: withUnit(text, (0,schema/* definitionOf */.Fg)(key).plainUnit?.[name]) }, origin: 'environment', name };
    }
    return undefined;
}
function withUnit(text, unit) {
    return unit !== undefined && /^\d+(\.\d+)?$/.test(text) ? `${text}${unit}` : text;
}
function fallback(key, { defaults = {} }) {
    const given = Object.hasOwn(defaults, key) ? defaults[key]?.trim() : undefined;
    const text = given || (0,schema/* definitionOf */.Fg)(key).default;
    return text === undefined ? undefined : { content: { text }, origin: 'default', name: `the default of ${key}` };
}
function flagName(key) {
    return `--${key.replaceAll('_', '-')}`;
}
function readSetting(key, setting, workingDirectory) {
    const definition = (0,schema/* definitionOf */.Fg)(key);
    const { content } = setting;
    const reading = { definition, workingDirectory };
    const wrong = (clause) => ({ problems: [problemWith(key, setting, clause)] });
    if (definition.type === 'none')
        return { problems: [] };
    if ('shape' in content) {
        if (definition.type === 'template' && content.shape === 'mapping')
            try {
                return { value: { text: content.source(), name: setting.file ?? setting.name }, problems: [] };
            }
            catch (error) {
                return wrong(`can't be read: ${(0,outcome/* messageOf */.bD)(error)}`);
            }
        return wrong((0,value/* isListType */.Fs)(definition.type) ? 'must be a plain list' : `must be one value, not a ${content.shape}`);
    }
    if ((0,value/* isListType */.Fs)(definition.type)) {
        const items = 'items' in content ? content.items : (0,value/* splitList */.ry)(content.text).map((text) => ({ text }));
        const list = new Set();
        const problems = [];
        for (const item of items) {
            const parsed = (0,value/* parseItem */.b8)(item.text, reading);
            if ('problem' in parsed)
                problems.push(problemWith(key, setting, parsed.problem, 'line' in item ? item : undefined));
            else
                list.add(item.text);
        }
        return problems.length > 0 ? { problems } : { value: [...list], problems };
    }
    if ('items' in content)
        return wrong('must be one value, not a list');
    const parsed = (0,value/* parseValue */.$x)(content.text, reading);
    if ('problem' in parsed)
        return wrong(parsed.problem);
    if (definition.unbuilt?.some((choice) => choice === parsed.value)) {
        const built = definition.choices?.filter((choice) => definition.unbuilt?.includes(choice) !== true) ?? [];
        return wrong(`${(0,quote/* quoteValue */.c)(content.text)} is not supported yet; use ${built.join(' or ')}`);
    }
    return { value: parsed.value, problems: [] };
}
function unknownKeys({ overrides = {}, defaults = {}, overrideName = flagName }) {
    const unknown = (given) => Object.keys(given).filter((name) => (0,schema/* fileKey */.wm)(name) === undefined);
    return [
        ...unknown(overrides).map((key) => ({ message: `${overrideName(key)} is not a known setting`, key })),
        ...unknown(defaults).map((key) => ({ message: `the default of ${key} is for no known setting`, key })),
    ];
}
function unknownVariables(environment) {
    const known = schema/* KEY_NAMES */.Vx.flatMap(schema/* environmentNames */.iF).filter((name) => name.startsWith(VARIABLE_PREFIX));
    const ends = known.map((name) => name.slice(VARIABLE_PREFIX.length));
    return Object.keys(environment)
        .filter((name) => name.startsWith(VARIABLE_PREFIX) && !known.includes(name))
        .sort()
        .map((name) => {
        const near = (0,edit_distance/* nearest */.p)(name.slice(VARIABLE_PREFIX.length), ends);
        const hint = near === undefined ? '.' : `; did you mean ${VARIABLE_PREFIX}${near}?`;
        return `${name} is not a known setting and has no effect${hint}`;
    });
}


/***/ }),

/***/ 7109:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   B: () => (/* binding */ describeProblem),
/* harmony export */   x: () => (/* binding */ ConfigError)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3259);

function describeProblem({ message, file, line, column }) {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return place === '' ? message : `${place}: ${message}`;
}
class ConfigError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'ConfigError';
    problems;
    warnings;
    constructor(problems, { warnings = [], ...options } = {}) {
        const rank = ({ file, line }) => line ?? (file === undefined ? Number.POSITIVE_INFINITY : 0);
        const ordered = [...problems].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
        const count = ordered.length === 1 ? '1 problem' : `${ordered.length} problems`;
        const passedOver = warnings.map((warning) => `passed over: ${warning}`);
        const lines = [...ordered.map(describeProblem), ...passedOver].map((line) => `\n  ${line}`).join('');
        super('config-error', `Failed to load the agent's configuration: ${count}. Correct what is listed:${lines}`, options);
        this.problems = ordered;
        this.warnings = warnings;
    }
}


/***/ }),

/***/ 1957:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   c: () => (/* binding */ isLoopbackHost),
/* harmony export */   i: () => (/* binding */ parseServiceUrl)
/* harmony export */ });
/* harmony import */ var _quote_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(2774);

function isLoopbackHost(hostname) {
    const host = hostname.toLowerCase();
    return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}
function parseServiceUrl(text) {
    const wrong = (clause) => ({ problem: text.includes('@') ? clause : `${(0,_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quoteValue */ .c)(text)} ${clause}` });
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
        return wrong('has no scheme; write an address such as https://api.pulumi.com');
    }
    if (!URL.canParse(text))
        return wrong('is not a valid address; write one such as https://api.pulumi.com');
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
        return wrong('is not an https:// address');
    }
    if (url.username !== '' || url.password !== '') {
        return { problem: 'holds credentials; remove them, the token is sent by itself' };
    }
    if (text.includes('?') || text.includes('#')) {
        return { problem: 'has a query or a fragment; give only scheme, host, port and path' };
    }
    return { value: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}


/***/ }),

/***/ 8885:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   G8: () => (/* binding */ stackNamed),
/* harmony export */   I8: () => (/* binding */ matchesStack),
/* harmony export */   d1: () => (/* binding */ organizationOf),
/* harmony export */   en: () => (/* binding */ stackPatternProblem),
/* harmony export */   fg: () => (/* binding */ isGlob),
/* harmony export */   yO: () => (/* binding */ stackText)
/* harmony export */ });
/* unused harmony export STACK_PATTERN */
const NAME = '[A-Za-z0-9._-]+';
const PATTERN = '[A-Za-z0-9._*?-]+';
const STACK_PATTERN = `${NAME}/${PATTERN}/${PATTERN}`;
const WHOLE = new RegExp(`^${STACK_PATTERN}$`);
function stackPatternProblem(text) {
    const [organization = '', ...rest] = text.split('/');
    if (/[*?]/.test(organization) && rest.length === 2)
        return 'organization';
    if (!WHOLE.test(text))
        return 'shape';
    return text.split('/').some((name) => /^\.+$/.test(name)) ? 'shape' : undefined;
}
function isGlob(pattern) {
    return /[*?]/.test(pattern);
}
function organizationOf(pattern) {
    return pattern.split('/', 1).join();
}
function stackText({ organization, project, stack }) {
    return `${organization}/${project}/${stack}`;
}
function stackNamed(text) {
    const [organization = '', project = '', stack = ''] = text.split('/');
    return { organization, project, stack };
}
function matchesStack(pattern, name) {
    const parts = pattern.split('/');
    const names = [name.organization, name.project, name.stack];
    return parts.length === 3 && parts.every((part, index) => matches(part, names[index] ?? ''));
}
function matches(pattern, text) {
    let [p, t] = [0, 0];
    let [star, from] = [-1, 0];
    while (t < text.length) {
        if (pattern[p] === '*') {
            star = p++;
            from = t;
        }
        else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
            p += 1;
            t += 1;
        }
        else if (star >= 0) {
            p = star + 1;
            t = ++from;
        }
        else {
            return false;
        }
    }
    while (pattern[p] === '*')
        p += 1;
    return p === pattern.length;
}


/***/ }),

/***/ 2337:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  Fs: () => (/* binding */ isListType),
  b8: () => (/* binding */ parseItem),
  $x: () => (/* binding */ parseValue),
  ry: () => (/* binding */ splitList)
});

// UNUSED EXPORTS: LONGEST_TIMER_MS

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: external "node:net"
var external_node_net_ = __webpack_require__(7030);
// EXTERNAL MODULE: ./lib/config/quote.js
var quote = __webpack_require__(2774);
;// CONCATENATED MODULE: ./lib/config/container-setting.js


const QUANTITY = '[0-9]+(\\.[0-9]+)?([KMGT]i|[kMGT])';
const DECIMAL = '[0-9]+(\\.[0-9]+)?';
const NETWORK = '[A-Za-z0-9][A-Za-z0-9_.-]*';
const ADDRESS = '[0-9A-Fa-f:.]+';
const UNITS = {
    ...{ k: 1e3, M: 1e6, G: 1e9, T: 1e12 },
    ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 },
};
const LEAST_BYTES = 6 * 2 ** 20;
const MOST_CPUS = 1_024;
function parseQuantity(text) {
    const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
    const quoted = (0,quote/* quoteValue */.c)(text);
    if (number === '')
        return { problem: `${quoted} is not a quantity such as 512Mi or 4Gi` };
    if (unit === '')
        return { problem: `${quoted} has no unit; write a quantity such as 512Mi or 4Gi` };
    const bytes = UNITS[unit];
    if (bytes === undefined) {
        const ambiguous = /^[kmgt]b?$/i.test(unit)
            ? ` means one thing to Docker and another to Kubernetes`
            : ' has no unit of these';
        return { problem: `${quoted}${ambiguous}; write ${number} with Mi, Gi (1024) or M, G (1000) behind it` };
    }
    const value = Math.round(Number(number) * bytes);
    if (value < LEAST_BYTES)
        return { problem: `${quoted} is less than any job can run with` };
    return Number.isSafeInteger(value) ? { value } : { problem: `${quoted} is more than any machine has` };
}
function parseCpus(text) {
    const quoted = (0,quote/* quoteValue */.c)(text);
    const [, thousandths] = /^(\d{1,9})m$/.exec(text) ?? [];
    if (thousandths !== undefined)
        return { problem: `${quoted} is Kubernetes' form; write ${Number(thousandths) / 1_000}` };
    const value = new RegExp(`^${DECIMAL}$`).test(text) ? Number(text) : Number.NaN;
    if (value >= 0.01 && value <= MOST_CPUS)
        return { value };
    return { problem: `${quoted} is not a number of CPUs from 0.01 to ${MOST_CPUS}, such as 1.5` };
}
function networkProblem(text) {
    const quoted = (0,quote/* quoteValue */.c)(text);
    if (text === 'host')
        return `${quoted} would give jobs the machine's own network, with what listens for the machine alone; name another, bridge or none`;
    if (text === 'default')
        return `${quoted} is another name of bridge; write that`;
    return new RegExp(`^${NETWORK}$`).test(text) ? undefined : `${quoted} is not the name of a network`;
}
function addressProblem(text) {
    return (0,external_node_net_.isIP)(text) === 0 ? `${(0,quote/* quoteValue */.c)(text)} is not an IP address` : undefined;
}

// EXTERNAL MODULE: ./lib/config/duration.js
var duration = __webpack_require__(6804);
// EXTERNAL MODULE: ./lib/config/edit-distance.js
var edit_distance = __webpack_require__(7038);
;// CONCATENATED MODULE: ./lib/config/image-setting.js

const IMAGE_NAME = '[A-Za-z0-9][A-Za-z0-9_./:@-]*';
const IMAGE_PATTERN = '[A-Za-z0-9*][A-Za-z0-9_./:@*-]*';
const [WHOLE_NAME, WHOLE_PATTERN] = [IMAGE_NAME, IMAGE_PATTERN].map((text) => new RegExp(`^${text}$`));
function imageNameProblem(text) {
    return WHOLE_NAME.test(text) && !text.includes('..') ? undefined : `${(0,quote/* quoteValue */.c)(text)} is not an image name`;
}
function imagePatternProblem(text) {
    const [name = '', digest, ...more] = text.split('@');
    const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
    const path = colon < 0 ? name : name.slice(0, colon);
    const tag = colon < 0 ? undefined : name.slice(colon + 1);
    const components = path.split('/');
    if (!WHOLE_PATTERN.test(text) || text.includes('..') || components.includes('') || more.length > 0 || tag === '')
        return `${(0,quote/* quoteValue */.c)(text)} is not a pattern of images`;
    if (digest !== undefined && !/^sha256:[0-9a-f*]+$/.test(digest))
        return `${(0,quote/* quoteValue */.c)(text)} has a digest that is none; write sha256: and 64 digits, or sha256:*`;
    if (digest !== undefined && tag !== undefined)
        return `${(0,quote/* quoteValue */.c)(text)} has a tag and a digest; keep the digest, which alone says what runs`;
    if (path !== path.toLowerCase())
        return `${(0,quote/* quoteValue */.c)(text)} is in upper case, which names of images never are`;
    if (components.some((component) => component.includes('**') && component !== '**') || tag?.includes('**'))
        return `${(0,quote/* quoteValue */.c)(text)} holds ** beside other characters; it stands for whole parts of a path`;
    return undefined;
}

// EXTERNAL MODULE: ./lib/config/service-url.js
var service_url = __webpack_require__(1957);
// EXTERNAL MODULE: ./lib/config/stack-pattern.js
var stack_pattern = __webpack_require__(8885);
;// CONCATENATED MODULE: ./lib/config/template-setting.js

function readTemplate(text, workingDirectory) {
    return /[\n{]|:\s/.test(text) ? text : external_node_path_.resolve(workingDirectory, text);
}

// EXTERNAL MODULE: ./lib/config/volume-setting.js
var volume_setting = __webpack_require__(5899);
;// CONCATENATED MODULE: ./lib/config/value.js










const LIST_TYPES = ['choices', 'names', 'stacks', 'images', 'image-patterns', 'addresses'];
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const BOOLEANS = new Map([
    ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true]),
    ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false]),
]);
function checked(text, problem, read = (same) => same) {
    return problem === undefined ? { value: read(text) } : { problem };
}
const CONTROL = /\p{Cc}/u;
const PEM_BEGIN = '-----BEGIN';
function certificateProblem(text) {
    if (text.includes('PRIVATE KEY'))
        return 'holds a private key; give certificates alone';
    if (text.includes(PEM_BEGIN))
        return text.includes('-----END CERTIFICATE-----')
            ? undefined
            : 'holds no whole certificate; give it to its END line';
    return CONTROL.test(text) ? `${(0,quote/* quoteValue */.c)(text)} is neither a PEM text nor a path` : undefined;
}
function secretProblem(text) {
    return /^[\x21-\x7e]+$/.test(text)
        ? undefined
        : 'holds white space or characters a token cannot have; copy the token again';
}
function wordProblem(text) {
    return /[\s\p{Cc}]/u.test(text) ? `${(0,quote/* quoteValue */.c)(text)} holds white space` : undefined;
}
function textProblem(text) {
    return CONTROL.test(text) ? `${(0,quote/* quoteValue */.c)(text)} holds control characters` : undefined;
}
function variableProblem(text) {
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
        ? undefined
        : `${(0,quote/* quoteValue */.c)(text)} is not a name of an environment variable (letters, digits and _)`;
}
function stackProblem(text) {
    const problem = (0,stack_pattern/* stackPatternProblem */.en)(text);
    if (problem === undefined)
        return undefined;
    return problem === 'organization'
        ? `${(0,quote/* quoteValue */.c)(text)} has a wildcard for its organization; name the organization in full`
        : `${(0,quote/* quoteValue */.c)(text)} is not of the form org/project/stack`;
}
function wholeNumber(text, smallest, largest) {
    const fits = /^\d{1,9}$/.test(text) && Number(text) >= smallest && Number(text) <= largest;
    const problem = fits ? undefined : `${(0,quote/* quoteValue */.c)(text)} is not a whole number from ${smallest} to ${largest}`;
    return checked(text, problem, Number);
}
function oneOf(text, choices = []) {
    if (choices.includes(text))
        return { value: text };
    const near = (0,edit_distance/* nearest */.p)(text, choices);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    return { problem: `${(0,quote/* quoteValue */.c)(text)} is not one of ${choices.join(', ')}${hint}` };
}
function value_duration(read) {
    try {
        return { value: read() };
    }
    catch (error) {
        if (!(error instanceof duration/* DurationError */.N2))
            throw error;
        return { problem: error.message };
    }
}
function milliseconds(text, { zero, untimed }) {
    const value = (0,duration/* parsePositiveDuration */.lj)(text, { allowZero: zero === true });
    if (value <= LONGEST_TIMER_MS || untimed === true)
        return value;
    throw new duration/* DurationError */.N2(`${(0,quote/* quoteValue */.c)(text)} is longer than the longest wait, ${(0,duration/* formatDuration */.a3)(LONGEST_TIMER_MS)}`);
}
const READERS = {
    secret: (text) => checked(text, secretProblem(text)),
    word: (text) => checked(text, wordProblem(text)),
    text: (text) => checked(text, textProblem(text)),
    path: (text, { workingDirectory }) => checked(text, textProblem(text), (plain) => external_node_path_.resolve(workingDirectory, plain)),
    certificates: (text, { workingDirectory }) => checked(text, certificateProblem(text), (good) => good.includes(PEM_BEGIN) ? good.replaceAll('\\n', '\n') : external_node_path_.resolve(workingDirectory, good)),
    template: (text, { workingDirectory }) => ({ value: readTemplate(text, workingDirectory) }),
    url: service_url/* parseServiceUrl */.i,
    boolean: (text) => {
        const value = BOOLEANS.get(text);
        return value === undefined ? { problem: `${(0,quote/* quoteValue */.c)(text)} is neither true nor false` } : { value };
    },
    count: (text, { definition }) => wholeNumber(text, definition.minimum ?? 0, 999_999),
    port: (text) => wholeNumber(text, 0, 65_535),
    duration: (text, { definition }) => value_duration(() => milliseconds(text, definition)),
    lifetime: (text) => value_duration(() => Math.ceil((0,duration/* parsePositiveDuration */.lj)(/^\d+$/.test(text) ? `${text}s` : text) / 1000)),
    volume: (text) => checked(text, (0,volume_setting/* volumeProblem */.ip)(text)),
    network: (text) => checked(text, networkProblem(text)),
    quantity: parseQuantity,
    decimal: parseCpus,
    choice: (text, { definition }) => oneOf(text, definition.choices),
    choices: (text, { definition }) => oneOf(text, definition.choices),
    names: (text) => checked(text, variableProblem(text)),
    stacks: (text) => checked(text, stackProblem(text)),
    images: (text) => checked(text, imageNameProblem(text)),
    'image-patterns': (text) => checked(text, imagePatternProblem(text)),
    address: (text) => checked(text, addressProblem(text)),
    addresses: (text) => checked(text, addressProblem(text)),
};
function parseItem(text, reading) {
    return read(text, reading);
}
function isListType(type) {
    return LIST_TYPES.some((list) => list === type);
}
function splitList(text) {
    return text.split(/[\s,]+/).filter((item) => item !== '');
}
function parseValue(text, reading) {
    return isListType(reading.definition.type) ? { value: text } : read(text, reading);
}
function read(text, reading) {
    const { type } = reading.definition;
    return type === 'none' ? { value: text } : READERS[type](text, reading);
}


/***/ }),

/***/ 5899:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   ip: () => (/* binding */ volumeProblem),
/* harmony export */   jg: () => (/* binding */ readVolume)
/* harmony export */ });
/* unused harmony export VOLUME */
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6760);
/* harmony import */ var _quote_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(2774);


const VOLUME = '[A-Za-z0-9][A-Za-z0-9_.-]+=/[^\\s:,]*';
const WHOLE = new RegExp(`^${VOLUME}$`);
const AGENTS = ['/mnt/pulumi', '/PULUMI_ENV'];
const SYSTEMS = '/bin /sbin /lib /lib32 /lib64 /libx32 /boot /etc /usr/bin /usr/sbin /usr/lib /usr/local/bin /proc /sys /dev'.split(' ');
const WHOLE_TREES = '/ /usr /usr/local /var /opt /home /root /tmp /run /mnt'.split(' ');
function volumeProblem(text) {
    if (!WHOLE.test(text)) {
        return `${(0,_quote_js__WEBPACK_IMPORTED_MODULE_1__/* .quoteValue */ .c)(text)} is not name=/path, with a name of letters, digits, _, . and - and an absolute path`;
    }
    const given = text.slice(text.indexOf('=') + 1);
    if (given.split('/').some((part) => part === '.' || part === '..')) {
        return `${(0,_quote_js__WEBPACK_IMPORTED_MODULE_1__/* .quoteValue */ .c)(text)} has a path with . or ..; write it without`;
    }
    const { path } = readVolume(text);
    const agents = AGENTS.find((own) => isWithin(path, own) || isWithin(own, path));
    if (agents !== undefined && path !== '/')
        return `${(0,_quote_js__WEBPACK_IMPORTED_MODULE_1__/* .quoteValue */ .c)(text)} takes in ${agents}, which the agent uses`;
    if (SYSTEMS.some((own) => isWithin(path, own)) || WHOLE_TREES.includes(path)) {
        return `${(0,_quote_js__WEBPACK_IMPORTED_MODULE_1__/* .quoteValue */ .c)(text)} is one of the image's own folders; name a folder of its own, as in name=/root/.pulumi/plugins`;
    }
    return undefined;
}
function readVolume(text) {
    const at = text.indexOf('=');
    const path = node_path__WEBPACK_IMPORTED_MODULE_0__.posix.normalize(text.slice(at + 1)).replace(/(?<=.)\/$/, '');
    return { name: text.slice(0, at), path };
}
function isWithin(path, folder) {
    return path === folder || path.startsWith(`${folder}/`);
}


/***/ })

};
