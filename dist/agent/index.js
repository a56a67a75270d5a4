import { createRequire as __WEBPACK_EXTERNAL_createRequire } from "module";
/******/ var __webpack_modules__ = ({

/***/ 181:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("buffer");

/***/ }),

/***/ 6759:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("constants");

/***/ }),

/***/ 6982:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("crypto");

/***/ }),

/***/ 2250:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("dns");

/***/ }),

/***/ 4434:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("events");

/***/ }),

/***/ 9896:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("fs");

/***/ }),

/***/ 8611:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("http");

/***/ }),

/***/ 5692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("https");

/***/ }),

/***/ 9278:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("net");

/***/ }),

/***/ 4589:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:assert");

/***/ }),

/***/ 6698:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:async_hooks");

/***/ }),

/***/ 4573:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:buffer");

/***/ }),

/***/ 1421:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:child_process");

/***/ }),

/***/ 7540:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:console");

/***/ }),

/***/ 7598:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:crypto");

/***/ }),

/***/ 3053:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:diagnostics_channel");

/***/ }),

/***/ 610:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:dns");

/***/ }),

/***/ 1553:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:dns/promises");

/***/ }),

/***/ 8474:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:events");

/***/ }),

/***/ 3024:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs");

/***/ }),

/***/ 1455:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:fs/promises");

/***/ }),

/***/ 7067:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:http");

/***/ }),

/***/ 2467:
/***/ ((module) => {

throw new Error("HTTP/2 is not used");

/***/ }),

/***/ 4708:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:https");

/***/ }),

/***/ 8995:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:module");

/***/ }),

/***/ 7030:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:net");

/***/ }),

/***/ 8161:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:os");

/***/ }),

/***/ 6760:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:path");

/***/ }),

/***/ 643:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:perf_hooks");

/***/ }),

/***/ 1792:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:querystring");

/***/ }),

/***/ 6848:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:readline/promises");

/***/ }),

/***/ 99:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:sqlite");

/***/ }),

/***/ 7075:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream");

/***/ }),

/***/ 8321:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream/consumers");

/***/ }),

/***/ 6466:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream/promises");

/***/ }),

/***/ 7830:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:stream/web");

/***/ }),

/***/ 6193:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:string_decoder");

/***/ }),

/***/ 7997:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers");

/***/ }),

/***/ 8500:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:timers/promises");

/***/ }),

/***/ 1692:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:tls");

/***/ }),

/***/ 3136:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:url");

/***/ }),

/***/ 7975:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util");

/***/ }),

/***/ 3429:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:util/types");

/***/ }),

/***/ 8877:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:v8");

/***/ }),

/***/ 5919:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:worker_threads");

/***/ }),

/***/ 8522:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("node:zlib");

/***/ }),

/***/ 857:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("os");

/***/ }),

/***/ 6928:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("path");

/***/ }),

/***/ 932:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("process");

/***/ }),

/***/ 3480:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("querystring");

/***/ }),

/***/ 2203:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("stream");

/***/ }),

/***/ 3193:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("string_decoder");

/***/ }),

/***/ 4756:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("tls");

/***/ }),

/***/ 2018:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("tty");

/***/ }),

/***/ 7016:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("url");

/***/ }),

/***/ 9023:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("util");

/***/ }),

/***/ 9154:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("vm");

/***/ }),

/***/ 3106:
/***/ ((module) => {

module.exports = __WEBPACK_EXTERNAL_createRequire(import.meta.url)("zlib");

/***/ }),

/***/ 7993:
/***/ ((__webpack_module__, __unused_webpack___webpack_exports__, __nccwpck_require__) => {

__nccwpck_require__.a(__webpack_module__, async (__webpack_handle_async_dependencies__, __webpack_async_result__) => { try {
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(6760);
/* harmony import */ var node_url__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(3136);
/* harmony import */ var _flush_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(1065);
/* harmony import */ var _main_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(5254);




const FLUSH_MS = 10_000;
const exitCode = await (0,_main_js__WEBPACK_IMPORTED_MODULE_2__/* .main */ .i)({
    argv: process.argv.slice(2),
    environment: process.env,
    workingDirectory: process.cwd(),
    agentDirectory: (0,node_path__WEBPACK_IMPORTED_MODULE_0__.dirname)((0,node_url__WEBPACK_IMPORTED_MODULE_1__.fileURLToPath)(import.meta.url)),
    process,
    exit: (code) => process.exit(code),
});
await Promise.all([(0,_flush_js__WEBPACK_IMPORTED_MODULE_3__/* .flush */ .b)(process.stdout, FLUSH_MS), (0,_flush_js__WEBPACK_IMPORTED_MODULE_3__/* .flush */ .b)(process.stderr, FLUSH_MS)]);
process.exit(exitCode);

__webpack_async_result__();
} catch(e) { __webpack_async_result__(e); } }, 1);

/***/ }),

/***/ 5254:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  i: () => (/* binding */ main)
});

// EXTERNAL MODULE: ./lib/config/schema.js + 6 modules
var schema = __nccwpck_require__(398);
// EXTERNAL MODULE: ./lib/config/search-path.js
var search_path = __nccwpck_require__(8658);
;// CONCATENATED MODULE: ./lib/config/help.js


const TYPE_WORDS = {
    secret: 'secret',
    word: 'word',
    text: 'text',
    certificates: 'PEM text or path',
    template: 'YAML or path',
    path: 'path',
    url: 'URL',
    boolean: 'true or false',
    count: 'number',
    port: 'port',
    duration: 'duration',
    lifetime: 'duration or seconds',
    choice: '',
    choices: 'list',
    names: 'list',
    images: 'list',
    'image-patterns': 'list',
    volume: 'name=/path',
    quantity: 'quantity',
    decimal: 'number',
    network: 'name',
    address: 'IP address',
    addresses: 'list',
    stacks: 'list',
    none: 'ignored',
};
function configReference() {
    const inFile = schema/* KEY_NAMES */.Vx.filter((key) => (0,schema/* definitionOf */.Fg)(key).environmentOnly !== true);
    const environmentOnly = schema/* KEY_NAMES */.Vx.filter((key) => !inFile.includes(key));
    return [
        'CONFIGURATION',
        ...wrap(`Flags, then the environment, then the file, then the defaults. The file is ${search_path/* CONFIG_FILE_NAME */.au} in the current ` +
            "directory, the home directory, /etc, or the agent's own directory; the first one found is used. " +
            'A key is PULUMI_AGENT_<KEY> in the environment unless another name is given. Durations are written as in Go: 300ms, 30s, 1h30m.', '  '),
        '',
        "Keys of Pulumi's customer-managed workflow agent:",
        ...inFile.filter(schema/* isOfficial */.oR).flatMap(entry),
        '',
        'Further keys:',
        ...inFile.filter((key) => !(0,schema/* isOfficial */.oR)(key)).flatMap(entry),
        '',
        'Accepted in the environment, without effect outside Kubernetes:',
        ...wrap(environmentOnly.flatMap(schema/* environmentNames */.iF).join(', '), '  '),
    ].join('\n');
}
function entry(key) {
    const definition = (0,schema/* definitionOf */.Fg)(key);
    const { computedDefault, unsetMeans, environment, help, unbuilt } = definition;
    const fallback = presetWords(definition) ?? computedDefault ?? unsetMeans;
    const facts = [
        valueWords(definition),
        ...(fallback === undefined ? [] : [`default: ${fallback}`]),
        ...(environment === undefined ? [] : [`environment: ${environment.join(', ')}`]),
        ...(unbuilt === undefined ? [] : [`${unbuilt.join(', ')} is not supported yet`]),
    ];
    return [`  ${key}`, ...wrap(facts.join('; '), '      '), ...wrap(help, '      ')];
}
function valueWords({ type, choices }) {
    return choices === undefined ? TYPE_WORDS[type] : choices.join(type === 'choice' ? ' | ' : ', ');
}
function presetWords({ default: preset, choices }) {
    if (preset === '')
        return 'empty';
    return choices !== undefined && preset === choices.join(',') ? 'all' : preset;
}
function wrap(text, indent) {
    const lines = [];
    let line = indent;
    for (const word of text.split(' ')) {
        const longer = line === indent ? `${indent}${word}` : `${line} ${word}`;
        if (longer.length > 100 && line !== indent) {
            lines.push(line);
            line = `${indent}${word}`;
        }
        else {
            line = longer;
        }
    }
    return [...lines, line];
}

// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __nccwpck_require__(3259);
// EXTERNAL MODULE: ./lib/version.js
var version = __nccwpck_require__(3411);
// EXTERNAL MODULE: external "node:util"
var external_node_util_ = __nccwpck_require__(7975);
// EXTERNAL MODULE: ./lib/config/duration.js
var duration = __nccwpck_require__(6804);
// EXTERNAL MODULE: ./lib/config/edit-distance.js
var edit_distance = __nccwpck_require__(7038);
;// CONCATENATED MODULE: ./lib/agent/usage.js
const COMMANDS = {
    run: 'serves workflows of a customer-managed pool',
    trigger: 'starts deployments of stacks, and runs none',
    plan: 'starts deployments if asked to, and says how many jobs the queue has work for',
    doctor: 'checks everything that a run needs, and claims nothing',
    configure: 'writes a pulumi-workflow-agent.yaml',
    debug: 'runs one job definition from a file, without Pulumi Cloud',
    sweep: 'removes what a killed agent left',
    version: 'prints the version',
    help: 'prints this text, or that of a command',
};
function isCommand(name) {
    return Object.hasOwn(COMMANDS, name);
}
const KEY_FLAGS = `  --config FILE          reads FILE instead of searching for pulumi-workflow-agent.yaml
  --default KEY=VALUE    a default of the caller's own: the file and the environment rank above it
  --label KEY=VALUE      a label for every Docker object that is made
  --<key> VALUE          sets any key, with dashes: --polling-interval 30s; pulumi-runner-agent run --help lists them
`;
const USAGES = {
    run: `Usage: pulumi-runner-agent run [flags]

Serves workflows of a customer-managed pool, until it is stopped or, with --single-run, until one has run.
SIGINT interrupts a running step in order. The first SIGTERM lets a running job finish, the second interrupts it, and one behind
an interrupt drops what Pulumi Cloud has not been told yet.

Flags:
  --drain-on-stdin-end   as at a SIGTERM once its standard input ends, which it does when whoever holds the other end dies
${KEY_FLAGS}`,
    trigger: `Usage: pulumi-runner-agent trigger [org/project/stack \u2026] --operation OPERATION [--json] [flags of run]

Starts a deployment of each stack with the stack's own settings, and leaves it to whoever serves its pool. Project and stack may
hold * and ?: acme/*/prod. It takes an access token (PULUMI_AGENT_ACCESS_TOKEN), or an OIDC token that is exchanged for one.
The exit code is 0 when all were started, else that of the first failure's outcome.

Flags:
  --operation OPERATION  update, preview, refresh, destroy (of stacks in full only), detect-drift or remediate-drift
  --trigger-jitter TIME  starts each at a moment of its own within TIME, by chance
  --json                 prints a report as JSON on standard output
${KEY_FLAGS}`,
    plan: `Usage: pulumi-runner-agent plan [--plan-max N] [--trigger STACKS --operation OPERATION] [flags of run]

Prints as JSON how many deployments wait for the pool, and a matrix of as many jobs: no more than --plan-max, than the
organization may run besides what runs, and than 256. With --trigger it starts deployments first, as the command trigger does.
It takes --organization-name, --runner-pool-id, and an access token or an OIDC token, as trigger does.
The exit code is 0, or that of the first failure's outcome; the report is printed all the same.

Flags:
${KEY_FLAGS}`,
    doctor: `Usage: pulumi-runner-agent doctor [--json] [--pull IMAGE] [flags of run]

Checks the configuration, the way to Pulumi Cloud, the credentials, and Docker with its disks or the cluster with
each permission there. It never polls, so it claims nothing.
The exit code is 0 when nothing failed, else that of the first failed check's outcome (auth-error 3, target-error 5 \u2026).

Flags:
  --json                 prints the report as JSON
  --pull IMAGE           pulls IMAGE and starts a container of it; the key image does the same
${KEY_FLAGS}`,
    configure: `Usage: pulumi-runner-agent configure [--output FILE] [--force] [--token-file FILE] [--<key> VALUE \u2026]

Writes a configuration file that run takes. On a terminal it asks for what the flags leave open; without one, the flags must say
enough: --organization-name, --runner-pool-id and --oidc-token-file, or --token-file. The environment is not looked at.

Flags:
  --output FILE          where to write; pulumi-workflow-agent.yaml in the current directory when absent
  --force                replaces a file that is there
  --token-file FILE      takes the pool token from FILE, - for standard input
  --<key> VALUE          any key, with dashes; pulumi-runner-agent run --help lists them
`,
    debug: `Usage: pulumi-runner-agent debug workflow-runner JOB.json [--from N] [--to N] [flags of run]

Runs one job definition, in the shape in which Pulumi Cloud sends it, in a container as run would. Pulumi Cloud is not asked for
anything. The steps' output goes to standard output, everything else to standard error; the run directory is made as in a run.
SIGINT interrupts the running step in order. The exit code is that of the job's outcome.

Flags:
  JOB.json               the file; - for standard input
  --from N, --to N       the first and the last step to run; step 0 is the agent's own and always done
${KEY_FLAGS}`,
    sweep: `Usage: pulumi-runner-agent sweep --run-directory DIR [--grace DURATION]

Removes what the agent that wrote the run directory DIR left, if it was killed, and what other agents of this machine left that
are provably dead. Nothing of an agent that lives, or that may live elsewhere. The run directory says where it is to be looked
for: the engine, or the cluster's kubeconfig, context and namespace. Where it does not, as before a claim, the configuration
does, as run would read it.

Flags:
  --grace DURATION       for what runs to end by itself, as a container does without its agent; 12s when absent
`,
    version: 'Usage: pulumi-runner-agent version\n\nPrints the version.\n',
    help: 'Usage: pulumi-runner-agent help [command]\n\nPrints what there is, or the help of a command.\n',
};
function usage(reference, of) {
    if (of === 'run')
        return `${USAGES.run}\n${reference}\n`;
    if (of !== undefined)
        return USAGES[of];
    const lines = Object.entries(COMMANDS).map(([name, what]) => `  ${name.padEnd(11)}${what}\n`);
    return `Usage: pulumi-runner-agent <command> [flags]\n\n${lines.join('')}
pulumi-runner-agent <command> --help tells a command's flags.

Flags of run, doctor and debug:
${KEY_FLAGS}
${reference}
`;
}

;// CONCATENATED MODULE: ./lib/agent/cli.js






const DEBUGGED = 'workflow-runner';
function parseCommand(argv) {
    const [first = 'help', ...rest] = argv;
    const name = SYNONYMS.get(first) ?? first;
    if (!isCommand(name))
        throw refused(`there is no command ${JSON.stringify(first)}${suggestion(first)}`);
    if (rest.includes('--help') || rest.includes('-h'))
        return { name: 'help', of: name };
    switch (name) {
        case 'run':
            return parseRun(rest);
        case 'plan':
            return { name, ...agentFlags(parsed(rest, keyFlags()).values) };
        case 'trigger':
            return parseTrigger(rest);
        case 'doctor':
            return parseDoctor(rest);
        case 'configure':
            return parseConfigure(rest);
        case 'debug':
            return parseDebug(rest);
        case 'sweep':
            return parseSweep(rest);
        case 'version':
            return { name };
        case 'help':
            return parseHelp(rest);
    }
}
const SYNONYMS = new Map([
    ['--help', 'help'],
    ['-h', 'help'],
    ['--version', 'version'],
    ['-v', 'version'],
]);
function parseHelp([of]) {
    if (of === undefined)
        return { name: 'help' };
    if (!isCommand(of))
        throw refused(`there is no command ${JSON.stringify(of)}${suggestion(of)}`);
    return { name: 'help', of };
}
function parseRun(argv) {
    const { values } = parsed(argv, { ...keyFlags(), 'drain-on-stdin-end': { type: 'boolean' } });
    const { 'drain-on-stdin-end': drain, ...rest } = values;
    return { name: 'run', ...(drain === true ? { drainOnStdinEnd: true } : {}), ...agentFlags(rest) };
}
function parseTrigger(argv) {
    const { values, positionals } = parsed(argv, { ...keyFlags(), json: { type: 'boolean' } }, true);
    const { json, ...rest } = values;
    const flags = agentFlags(rest);
    const stacks = positionals.length === 0 ? {} : { trigger: positionals.join(' ') };
    return { name: 'trigger', json: json === true, ...flags, overrides: { ...flags.overrides, ...stacks } };
}
function parseDoctor(argv) {
    const { json, pull, ...values } = parsed(argv, {
        ...keyFlags(),
        json: { type: 'boolean' },
        pull: { type: 'string' },
    }).values;
    return {
        name: 'doctor',
        json: json === true,
        ...(typeof pull === 'string' ? { pull } : {}),
        ...agentFlags(values),
    };
}
function parseConfigure(argv) {
    const { config, default: _, label: __, ...keys } = keyFlags();
    const { output, force, 'token-file': tokenFile, ...values } = parsed(argv, {
        ...keys,
        output: { type: 'string' },
        force: { type: 'boolean' },
        'token-file': { type: 'string' },
    }).values;
    return {
        name: 'configure',
        force: force === true,
        ...(typeof output === 'string' ? { output } : {}),
        ...(typeof tokenFile === 'string' ? { tokenFile } : {}),
        settings: agentFlags(values).overrides,
    };
}
function parseDebug(argv) {
    const steps = { from: { type: 'string' }, to: { type: 'string' } };
    const { values, positionals } = parsed(argv, { ...keyFlags(), ...steps }, true);
    const [what, job, ...more] = positionals;
    if (what !== DEBUGGED) {
        throw refused(`debug wants ${DEBUGGED}${what === undefined ? '' : `, not ${JSON.stringify(what)}`}`);
    }
    if (job === undefined)
        throw refused(`debug ${DEBUGGED} wants a file with a job definition, or - for standard input`);
    if (more.length > 0)
        throw refused(`debug ${DEBUGGED} takes one file`);
    const { from, to, ...rest } = values;
    return { name: 'debug', job, ...step('from', from), ...step('to', to), ...agentFlags(rest) };
}
function step(flag, text) {
    if (typeof text !== 'string')
        return {};
    if (!/^[1-9]\d{0,3}$/.test(text))
        throw refused(`--${flag} wants a step's number from 1, not ${JSON.stringify(text)}`);
    return { [flag]: Number(text) };
}
function parseSweep(argv) {
    const { values } = parsed(argv, { 'run-directory': { type: 'string' }, grace: { type: 'string' } });
    const { 'run-directory': runDirectory, grace } = values;
    if (typeof runDirectory !== 'string')
        throw refused('sweep needs --run-directory DIR');
    return { name: 'sweep', runDirectory, ...(typeof grace === 'string' ? { graceMs: cli_duration('--grace', grace) } : {}) };
}
function cli_duration(flag, text) {
    try {
        return (0,duration/* parsePositiveDuration */.lj)(text, { allowZero: true });
    }
    catch (cause) {
        throw refused(`${flag} wants a duration: ${(0,outcome/* messageOf */.bD)(cause)}`, cause);
    }
}
function keyFlags() {
    const keys = schema/* KEY_NAMES */.Vx.filter((key) => (0,schema/* fileKey */.wm)(key) !== undefined);
    const flags = keys.map((key) => {
        const type = (0,schema/* definitionOf */.Fg)(key).type === 'boolean' ? 'boolean' : 'string';
        return [key.replaceAll('_', '-'), { type }];
    });
    return {
        config: { type: 'string' },
        default: { type: 'string', multiple: true },
        label: { type: 'string', multiple: true },
        ...Object.fromEntries(flags),
    };
}
function agentFlags(values) {
    const { config, default: defaults, label: labels, ...rest } = values;
    const overrides = {};
    for (const [flag, value] of Object.entries(rest))
        overrides[flag.replaceAll('-', '_')] = String(value);
    return {
        ...(typeof config === 'string' ? { file: config } : {}),
        defaults: pairs('--default', defaults),
        overrides,
        labels: pairs('--label', labels),
    };
}
function parsed(args, options, allowPositionals = false) {
    try {
        return (0,external_node_util_.parseArgs)({ args, options, allowNegative: true, allowPositionals, strict: true });
    }
    catch (cause) {
        throw refused(cause instanceof Error ? cause.message : String(cause), cause);
    }
}
function pairs(flag, values) {
    const list = Array.isArray(values) ? values.map(String) : [];
    return Object.fromEntries(list.map((pair) => {
        const at = pair.indexOf('=');
        if (at <= 0)
            throw refused(`${flag} wants KEY=VALUE, not ${JSON.stringify(pair)}`);
        return [pair.slice(0, at), pair.slice(at + 1)];
    }));
}
function suggestion(name) {
    const near = (0,edit_distance/* nearest */.p)(name, Object.keys(COMMANDS));
    return near === undefined ? '' : ` (did you mean ${near}?)`;
}
function refused(reason, cause) {
    const message = `Failed to read the command line for pulumi-runner-agent: ${(0,outcome/* clause */.sb)(reason)}. See pulumi-runner-agent help.`;
    return new outcome/* OutcomeError */.Rz('config-error', message, { cause });
}

// EXTERNAL MODULE: ./lib/agent/run-failure.js
var run_failure = __nccwpck_require__(8319);
;// CONCATENATED MODULE: ./lib/agent/main.js






async function main({ argv, ...sources }) {
    try {
        const command = parseCommand(argv);
        switch (command.name) {
            case 'run': {
                const { run } = await Promise.all(/* import() */[__nccwpck_require__.e(99), __nccwpck_require__.e(597), __nccwpck_require__.e(836), __nccwpck_require__.e(373), __nccwpck_require__.e(95), __nccwpck_require__.e(957), __nccwpck_require__.e(243), __nccwpck_require__.e(338), __nccwpck_require__.e(632)]).then(__nccwpck_require__.bind(__nccwpck_require__, 3632));
                return await run({ command, ...sources });
            }
            case 'trigger': {
                const { trigger } = await Promise.all(/* import() */[__nccwpck_require__.e(99), __nccwpck_require__.e(597), __nccwpck_require__.e(836), __nccwpck_require__.e(373), __nccwpck_require__.e(95), __nccwpck_require__.e(338), __nccwpck_require__.e(754)]).then(__nccwpck_require__.bind(__nccwpck_require__, 3754));
                return await trigger({ command, ...sources });
            }
            case 'plan': {
                const { plan } = await Promise.all(/* import() */[__nccwpck_require__.e(99), __nccwpck_require__.e(597), __nccwpck_require__.e(836), __nccwpck_require__.e(373), __nccwpck_require__.e(95), __nccwpck_require__.e(338), __nccwpck_require__.e(758)]).then(__nccwpck_require__.bind(__nccwpck_require__, 8758));
                return await plan({ command, ...sources });
            }
            case 'doctor': {
                const { doctor } = await Promise.all(/* import() */[__nccwpck_require__.e(99), __nccwpck_require__.e(597), __nccwpck_require__.e(836), __nccwpck_require__.e(373), __nccwpck_require__.e(95), __nccwpck_require__.e(957), __nccwpck_require__.e(243), __nccwpck_require__.e(241)]).then(__nccwpck_require__.bind(__nccwpck_require__, 3241));
                return await doctor({ command, ...sources });
            }
            case 'configure': {
                const { configure } = await Promise.all(/* import() */[__nccwpck_require__.e(373), __nccwpck_require__.e(682)]).then(__nccwpck_require__.bind(__nccwpck_require__, 4682));
                return await configure({ command, ...sources });
            }
            case 'debug': {
                const { debug } = await Promise.all(/* import() */[__nccwpck_require__.e(99), __nccwpck_require__.e(597), __nccwpck_require__.e(836), __nccwpck_require__.e(373), __nccwpck_require__.e(95), __nccwpck_require__.e(957), __nccwpck_require__.e(243), __nccwpck_require__.e(351)]).then(__nccwpck_require__.bind(__nccwpck_require__, 4351));
                return await debug({ command, ...sources });
            }
            case 'sweep': {
                const { runSweep } = await Promise.all(/* import() */[__nccwpck_require__.e(597), __nccwpck_require__.e(373), __nccwpck_require__.e(957), __nccwpck_require__.e(113)]).then(__nccwpck_require__.bind(__nccwpck_require__, 6113));
                return await runSweep({ command, ...sources });
            }
            case 'version':
                sources.process.stdout.write(`${version/* VERSION */.x}\n`);
                return 0;
            case 'help':
                sources.process.stdout.write(usage(configReference(), command.of));
                return 0;
        }
    }
    catch (error) {
        const exitCode = error instanceof outcome/* OutcomeError */.Rz ? (0,outcome/* exitCodeOf */.FO)(error.outcome) : 1;
        sources.process.stderr.write(`${(0,run_failure/* explained */.to)({ exitCode, message: (0,outcome/* messageOf */.bD)(error) })}\n`);
        return exitCode;
    }
}


/***/ }),

/***/ 8319:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   A9: () => (/* binding */ runFailure),
/* harmony export */   iR: () => (/* binding */ endsLastingAgent),
/* harmony export */   to: () => (/* binding */ explained)
/* harmony export */ });
/* harmony import */ var _cloud_errors_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(2398);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(3259);
/* harmony import */ var _target_image_policy_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(9687);
/* harmony import */ var _troubleshooting_js__WEBPACK_IMPORTED_MODULE_3__ = __nccwpck_require__(7433);




function runFailure(error) {
    if (error instanceof _outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .OutcomeError */ .Rz)
        return { outcome: error.outcome, message: error.message };
    if (error instanceof _cloud_errors_js__WEBPACK_IMPORTED_MODULE_0__/* .CloudRefusedError */ .GW)
        return { outcome: 'cloud-unreachable', message: error.message };
    const reason = (0,_outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .messageOf */ .bD)(error);
    return {
        outcome: 'failed',
        message: `Failed to run the agent for the pool: ${reason}. Report this with the run's artifact.`,
    };
}
function endsLastingAgent(error) {
    return error instanceof _target_image_policy_js__WEBPACK_IMPORTED_MODULE_2__/* .ImageNotAllowedError */ .xu || (error instanceof _outcome_js__WEBPACK_IMPORTED_MODULE_1__/* .OutcomeError */ .Rz && error.outcome === 'config-error');
}
function explained({ exitCode, message }) {
    return exitCode === 0 ? message : (0,_troubleshooting_js__WEBPACK_IMPORTED_MODULE_3__/* .withEntry */ .rM)(message);
}


/***/ }),

/***/ 2398:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   GW: () => (/* binding */ CloudRefusedError),
/* harmony export */   PH: () => (/* binding */ refusedStatus),
/* harmony export */   lR: () => (/* binding */ AuthError),
/* harmony export */   p2: () => (/* binding */ JobDefinitionError),
/* harmony export */   s8: () => (/* binding */ CloudUnreachableError)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3259);

class CloudUnreachableError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'CloudUnreachableError';
    retryAfterMs;
    status;
    constructor(message, options) {
        super('cloud-unreachable', message, options);
        this.retryAfterMs = options?.retryAfterMs;
        this.status = options?.status;
    }
}
class AuthError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'AuthError';
    constructor(message, options) {
        super('auth-error', message, options);
    }
}
class CloudRefusedError extends Error {
    name = 'CloudRefusedError';
    status;
    retryAfterMs;
    constructor(status, message, options) {
        super(message, options);
        this.status = status;
        this.retryAfterMs = options?.retryAfterMs;
    }
}
function refusedStatus(error) {
    return error instanceof CloudRefusedError || error instanceof CloudUnreachableError ? error.status : undefined;
}
class JobDefinitionError extends _outcome_js__WEBPACK_IMPORTED_MODULE_0__/* .OutcomeError */ .Rz {
    name = 'JobDefinitionError';
    constructor(message, options) {
        super('failed', message, options);
    }
}


/***/ }),

/***/ 6804:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   N2: () => (/* binding */ DurationError),
/* harmony export */   SO: () => (/* binding */ durationFromJob),
/* harmony export */   a3: () => (/* binding */ formatDuration),
/* harmony export */   lj: () => (/* binding */ parsePositiveDuration)
/* harmony export */ });
/* unused harmony exports parseNanoseconds, parseDuration */
/* harmony import */ var _quote_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(2774);

const NANOSECONDS = {
    ns: 1n,
    us: 1000n,
    \u00b5s: 1000n,
    \u03bcs: 1000n,
    ms: 1000000n,
    s: 1000000000n,
    m: 60000000000n,
    h: 3600000000000n,
};
const INT64_MAX = 2n ** 63n - 1n;
const LARGEST_MAGNITUDE = 2n ** 63n;
const TERM = /^([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/;
class DurationError extends Error {
    name = 'DurationError';
}
function fractionNanoseconds(digits, unit) {
    let value = 0n;
    let scale = 1;
    for (const digit of digits) {
        const next = value * 10n + BigInt(digit);
        if (next > LARGEST_MAGNITUDE)
            break;
        value = next;
        scale *= 10;
    }
    return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}
function parseNanoseconds(text) {
    const shown = (0,_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quoteValue */ .c)(text);
    const negative = text.startsWith('-');
    let rest = negative || text.startsWith('+') ? text.slice(1) : text;
    if (rest === '0')
        return 0n;
    if (rest === '')
        throw new DurationError(`${shown} is not a duration; write one such as 30s or 1h30m`);
    let total = 0n;
    while (rest !== '') {
        const [matched = '', whole = '', fraction = '', name = ''] = TERM.exec(rest) ?? [];
        if (whole === '' && fraction === '') {
            throw new DurationError(`${shown} is not a duration; write one such as 30s or 1h30m`);
        }
        if (name === '')
            throw new DurationError(`${shown} has no unit; write a duration such as 30s or 1h30m`);
        const unit = Object.hasOwn(NANOSECONDS, name) ? NANOSECONDS[name] : undefined;
        if (unit === undefined) {
            throw new DurationError(`${shown} has the unknown unit ${(0,_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quoteValue */ .c)(name)}; the units are ns, us, ms, s, m and h`);
        }
        const significant = whole.replace(/^0+/, '');
        const amount = significant.length > 19 ? LARGEST_MAGNITUDE + 1n : BigInt(significant) * unit;
        const term = amount + fractionNanoseconds(fraction, unit);
        if (term > LARGEST_MAGNITUDE)
            throw tooLong(shown);
        total = BigInt.asUintN(64, total + term);
        if (total > LARGEST_MAGNITUDE)
            throw tooLong(shown);
        rest = rest.slice(matched.length);
    }
    if (!negative && total > INT64_MAX)
        throw tooLong(shown);
    return negative ? -total : total;
}
function tooLong(shown) {
    return new DurationError(`${shown} is longer than the longest duration, ${formatDuration(INT64_MAX / 1000000n)}`);
}
function toMilliseconds(nanoseconds) {
    const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
    const milliseconds = Number((magnitude + 999999n) / 1000000n);
    return nanoseconds < 0n ? -milliseconds : milliseconds;
}
function parseDuration(text) {
    return toMilliseconds(parseNanoseconds(text));
}
function parsePositiveDuration(text, { allowZero = false } = {}) {
    const milliseconds = parseDuration(text);
    if (milliseconds < 0)
        throw new DurationError(`${(0,_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quoteValue */ .c)(text)} is negative`);
    if (milliseconds === 0 && !allowZero)
        throw new DurationError(`${(0,_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quoteValue */ .c)(text)} must be longer than 0s`);
    return milliseconds;
}
function durationFromJob(value) {
    if (value === undefined)
        return undefined;
    if (typeof value === 'string')
        return parsePositiveDuration(value, { allowZero: true });
    const shown = (0,_quote_js__WEBPACK_IMPORTED_MODULE_0__/* .quoteValue */ .c)(String(value));
    if (!Number.isInteger(value))
        throw new DurationError(`${shown} is not a whole number of nanoseconds`);
    if (value < 0)
        throw new DurationError(`${shown} is negative`);
    if (BigInt(value) > INT64_MAX)
        throw tooLong(shown);
    return toMilliseconds(BigInt(value));
}
function formatDuration(milliseconds) {
    if (typeof milliseconds === 'number' && !Number.isFinite(milliseconds))
        return `${milliseconds}ms`;
    const signed = typeof milliseconds === 'bigint' ? milliseconds * 1000000n : nanosecondsOf(milliseconds);
    const magnitude = signed < 0n ? -signed : signed;
    const sign = signed < 0n ? '-' : '';
    if (magnitude === 0n)
        return '0s';
    if (magnitude < 1000n)
        return `${sign}${magnitude}ns`;
    if (magnitude < 1000000n)
        return `${sign}${decimal(magnitude, 3)}\u00b5s`;
    if (magnitude < 1000000000n)
        return `${sign}${decimal(magnitude, 6)}ms`;
    const minutes = magnitude / 60000000000n;
    const seconds = `${decimal(magnitude % 60000000000n, 9)}s`;
    if (minutes === 0n)
        return `${sign}${seconds}`;
    return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}
function decimal(value, places) {
    const digits = value.toString().padStart(places + 1, '0');
    return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
}
function nanosecondsOf(milliseconds) {
    const whole = Math.trunc(milliseconds);
    return BigInt(whole) * 1000000n + BigInt(Math.round((milliseconds - whole) * 1_000_000));
}


/***/ }),

/***/ 7038:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   p: () => (/* binding */ nearest)
/* harmony export */ });
/* unused harmony export editDistance */
function editDistance(a, b) {
    let beforeLast = [];
    let last = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
        const row = [i];
        for (let j = 1; j <= b.length; j++) {
            const substituted = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
            const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
            const best = Math.min(substituted, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
            row.push(swapped ? Math.min(best, (beforeLast[j - 2] ?? 0) + 1) : best);
        }
        beforeLast = last;
        last = row;
    }
    return last[b.length] ?? 0;
}
const LONGEST_COMPARED = 60;
function nearest(text, candidates) {
    if (text.length > LONGEST_COMPARED)
        return undefined;
    const plain = (name) => name.toLowerCase().replace(/[-. ]/g, '_');
    let best;
    for (const candidate of candidates) {
        const distance = editDistance(plain(text), plain(candidate));
        const near = distance <= Math.max(2, Math.floor(candidate.length / 4));
        if (near && (best === undefined || distance < best.distance))
            best = { candidate, distance };
    }
    return best?.candidate;
}


/***/ }),

/***/ 2774:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   c: () => (/* binding */ quoteValue),
/* harmony export */   q: () => (/* binding */ maskSecretLike)
/* harmony export */ });
const LONGEST_SHOWN = 60;
const LONGEST_SEARCHED = 400;
const SECRET_LIKE = /pul-[\w-]+|eyJ[\w.-]+|(?=[A-Za-z_-]*\d)[\w-]{20,}/g;
function maskSecretLike(text) {
    return text
        .slice(0, LONGEST_SEARCHED)
        .replace(SECRET_LIKE, '***')
        .replace(/[\p{C}\u2028\u2029]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}
function quoteValue(value) {
    const masked = maskSecretLike(value);
    return `"${masked.length > LONGEST_SHOWN ? `${masked.slice(0, LONGEST_SHOWN - 1)}\u2026` : masked}"`;
}


/***/ }),

/***/ 398:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {


// EXPORTS
__nccwpck_require__.d(__webpack_exports__, {
  Vx: () => (/* binding */ KEY_NAMES),
  Fg: () => (/* binding */ definitionOf),
  iF: () => (/* binding */ environmentNames),
  wm: () => (/* binding */ fileKey),
  oR: () => (/* binding */ isOfficial)
});

// UNUSED EXPORTS: KEYS

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
        help: 'Run only images that are named by their digest, as in name@sha256:\u2026.',
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
        help: 'How long to wait for work before giving up; 0s: one poll, and after each job another.',
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

/***/ 8658:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   _I: () => (/* binding */ searchDirectories),
/* harmony export */   au: () => (/* binding */ CONFIG_FILE_NAME),
/* harmony export */   "if": () => (/* binding */ findConfigFile)
/* harmony export */ });
/* unused harmony export LEGACY_CONFIG_FILE_NAME */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(6760);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_2__ = __nccwpck_require__(3259);



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

/***/ 1065:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   b: () => (/* binding */ flush)
/* harmony export */ });
async function flush(stream, ms) {
    if (stream.destroyed || stream.writableLength === 0)
        return;
    await new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        const end = () => {
            clearTimeout(timer);
            resolve();
        };
        stream.once('error', end);
        stream.once('close', end);
        stream.write('', end);
    });
}


/***/ }),

/***/ 3259:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   FO: () => (/* binding */ exitCodeOf),
/* harmony export */   Rz: () => (/* binding */ OutcomeError),
/* harmony export */   _m: () => (/* binding */ OUTCOME_NAMES),
/* harmony export */   bD: () => (/* binding */ messageOf),
/* harmony export */   im: () => (/* binding */ OUTCOMES),
/* harmony export */   sb: () => (/* binding */ clause)
/* harmony export */ });
/* unused harmony exports NO_WORK_EXIT_CODE, isOutcome */
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


/***/ }),

/***/ 9687:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   aw: () => (/* binding */ imagePolicy),
/* harmony export */   fq: () => (/* binding */ fullName),
/* harmony export */   xu: () => (/* binding */ ImageNotAllowedError)
/* harmony export */ });
/* harmony import */ var _reference_js__WEBPACK_IMPORTED_MODULE_1__ = __nccwpck_require__(5316);
/* harmony import */ var _target_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(1568);


class ImageNotAllowedError extends _target_js__WEBPACK_IMPORTED_MODULE_0__/* .ImageError */ .C8 {
    name = 'ImageNotAllowedError';
}
const REGISTRY = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;
const COMPONENT = /^[a-z0-9]+((\.|_{1,2}|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
function imagePolicy({ allowed, requireDigest }) {
    if (allowed.length === 0 && !requireDigest)
        return undefined;
    const patterns = allowed.map((text) => (0,_reference_js__WEBPACK_IMPORTED_MODULE_1__/* .parseReference */ .F2)(text));
    return {
        check(image) {
            const reference = (0,_reference_js__WEBPACK_IMPORTED_MODULE_1__/* .parseReference */ .F2)(image);
            const refused = (why, advice) => new ImageNotAllowedError(`Failed to use the image for the job: image ${image} is not allowed: ${why}. ${advice}`);
            if (!isStrict(reference)) {
                throw refused('its name is not written as registries have it', 'Write it in lower case, in the deployment settings or the key image.');
            }
            if (requireDigest && reference.digest === undefined) {
                throw refused('require_digest wants it named by its digest', `Name it as ${shown(reference.repository)}@sha256:\u2026, in the deployment settings or the key image.`);
            }
            const full = fullName(reference);
            if (patterns.length > 0 && !patterns.some((pattern) => matches(pattern, reference))) {
                throw refused(`no pattern of allowed_images (${allowed.join(', ')}) takes ${full}`, 'Choose another image in the deployment settings or the key image, or have a pattern added.');
            }
            return full;
        },
    };
}
function fullName({ repository, tag, digest }) {
    return digest === undefined ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`;
}
function isStrict(reference) {
    const { registry, tag, digest } = reference;
    return (REGISTRY.test(registry) &&
        componentsOf(reference).every((component) => COMPONENT.test(component)) &&
        (tag === undefined || TAG.test(tag)) &&
        (digest === undefined || DIGEST.test(digest)));
}
function matches(pattern, reference) {
    return (registryMatches(pattern.registry, reference.registry) &&
        sequenceMatches(componentsOf(pattern).flatMap(wildcards), componentsOf(reference), glob) &&
        versionMatches(pattern, reference));
}
function componentsOf({ registry, repository }) {
    return repository.slice(registry.length + 1).split('/');
}
function wildcards(component) {
    return component === '**' ? ['*', ANY] : [component];
}
function registryMatches(pattern, registry) {
    const [wanted, found] = [pattern, registry].map((text) => text.split(/([.:])/));
    return wanted.length === found.length && wanted.every((part, index) => glob(part, found[index] ?? ''));
}
function versionMatches(pattern, { tag, digest }) {
    if (pattern.digest !== undefined)
        return digest !== undefined && glob(pattern.digest, digest);
    return pattern.tag === undefined || (digest === undefined && glob(pattern.tag, tag ?? 'latest'));
}
function glob(pattern, text) {
    return sequenceMatches([...pattern].map((character) => (character === '*' ? ANY : character)), [...text], (wanted, found) => wanted === found);
}
const ANY = Symbol('any');
function sequenceMatches(pattern, items, same) {
    let [at, next, any, taken] = [0, 0, -1, 0];
    while (next < items.length) {
        const wanted = pattern[at];
        if (wanted === ANY) {
            any = at;
            taken = next;
            at += 1;
        }
        else if (wanted !== undefined && same(wanted, items[next] ?? '')) {
            at += 1;
            next += 1;
        }
        else if (any >= 0) {
            taken += 1;
            next = taken;
            at = any + 1;
        }
        else {
            return false;
        }
    }
    return pattern.slice(at).every((left) => left === ANY);
}
function shown(repository) {
    return repository.replace(/^docker\.io\/(library\/)?/, '');
}


/***/ }),

/***/ 5316:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   A_: () => (/* binding */ isReference),
/* harmony export */   F2: () => (/* binding */ parseReference),
/* harmony export */   ol: () => (/* binding */ digestOf)
/* harmony export */ });
function isReference(text) {
    return /^[a-z0-9][\w./:@-]*$/i.test(text) && !text.includes('..') && text.length <= 1024;
}
function parseReference(text) {
    const [name = '', digest] = text.split('@', 2);
    const colon = name.indexOf(':', name.lastIndexOf('/') + 1);
    const path = colon < 0 ? name : name.slice(0, colon);
    const slash = path.indexOf('/');
    const first = slash < 0 ? '' : path.slice(0, slash);
    const named = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
    const registry = !named || first === 'index.docker.io' ? 'docker.io' : first;
    const rest = named ? path.slice(slash + 1) : path;
    const inLibrary = registry === 'docker.io' && !rest.includes('/') && rest !== '**';
    return {
        registry,
        repository: `${registry}/${inLibrary ? 'library/' : ''}${rest}`,
        pullable: colon < 0 && digest === undefined ? `${text}:latest` : text,
        ...(colon < 0 ? {} : { tag: name.slice(colon + 1) }),
        ...(digest === undefined ? {} : { digest }),
    };
}
function digestOf(text, image) {
    const wanted = parseReference(text);
    const own = image.repoDigests.filter((entry) => parseReference(entry).repository === wanted.repository);
    return own.find((entry) => wanted.digest !== undefined && entry.endsWith(`@${wanted.digest}`)) ?? own[0] ?? image.id;
}


/***/ }),

/***/ 1568:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   C8: () => (/* binding */ ImageError),
/* harmony export */   OJ: () => (/* binding */ ContainerError),
/* harmony export */   kL: () => (/* binding */ ContainerLostError),
/* harmony export */   qc: () => (/* binding */ TargetUnavailableError)
/* harmony export */ });
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_0__ = __nccwpck_require__(3259);

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
    reason;
    constructor(message, options) {
        super('failed', message, options);
        this.reason = options?.reason;
    }
}


/***/ }),

/***/ 7433:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   cy: () => (/* binding */ entryFor),
/* harmony export */   rM: () => (/* binding */ withEntry)
/* harmony export */ });
/* unused harmony exports TROUBLESHOOTING_PAGE, BEGINNINGS, beginningOf, anchorOf */
const TROUBLESHOOTING_PAGE = 'https://github.com/org/pulumi-runner-action/blob/v1/TROUBLESHOOTING.md';
const BEGINNINGS = [
    "Failed to load the agent's configuration",
    'Failed to read the command line',
    'Failed to read \u2026 for the agent',
    'Failed to open the log for the agent',
    'Failed to open syslog for the agent',
    'Failed to serve /healthz for the agent',
    'Failed to make the directory for the run',
    'Failed to write to the run directory',
    'Failed to write the configuration',
    'Failed to start the agent',
    'Failed to run the agent for the pool',
    'Failed to run \u2026 for this job',
    'Failed to plan for this job',
    'The agent (process \u2026) was killed',
    'The agent (process \u2026) ended with exit code',
    "Failed to get this job's ID token",
    'Failed to read the ID token',
    'Failed to exchange the ID token',
    'Failed to authenticate',
    'Failed to use the token for the pool',
    'Failed to ask what the pool token may do',
    'Failed to look up',
    'Failed to connect to',
    'Failed to get through the proxy',
    'Failed to trust',
    'Failed to poll for work',
    'Failed to greet Pulumi Cloud',
    'Failed to read the claim',
    'Failed to acknowledge the claim',
    "Failed to read the deployment's status",
    'Failed to read the job definition',
    'Failed to read the timeout',
    'Failed to report step',
    'Failed to send log lines',
    'Failed to send a heartbeat',
    "Failed to watch the agent's main thread",
    'Failed to reach the Docker engine',
    'Failed to use the Docker engine',
    'Failed to read the Docker context',
    'Failed to read \u2026 for the Docker target',
    'Failed to read \u2026 for the encrypted connection',
    'Failed to read the Docker configuration',
    'Failed to ask \u2026 for the login of',
    'Failed to use the image for the job',
    "Failed to read the image's name",
    'Failed to pull the image for the job',
    'Failed to find the image for the job',
    'Failed to start a container for the job',
    'Failed to make a network for the job',
    'Failed to start the step in its container',
    'Failed to follow the step in its container',
    'Failed to finish the step in container',
    'Failed to read the environment file',
    'Failed to remove container',
    'Failed to remove network',
    'Failed to run \u2026 of the workflow',
    'Failed to run the workflow',
    'Failed to finish',
    "The workflow's steps succeeded, but Pulumi Cloud",
    'Failed to find the cluster for jobs',
    'Failed to read \u2026 for the cluster',
    'Failed to reach the Kubernetes API server',
    'Failed to get access to',
    'Failed to \u2026 for the job: the cluster does not accept these credentials',
    'Failed to \u2026 for the job: the cluster forbids it',
    "Failed to \u2026 for the job: the namespace's quota is used up",
    "Failed to \u2026 for the job: the namespace's quota wants to know",
    'Failed to \u2026 for the job: an admission rule of the cluster refused it',
    'Failed to \u2026 for the job: the cluster calls it invalid',
    'Failed to \u2026 for the job: a proxy or an ingress before the API server',
    'Failed to \u2026 for the job: the API server answered',
    'Failed to read the pod template',
    'Failed to use the pod template',
    'Failed to start pod',
    'Failed to schedule pod',
    'Failed to pull image \u2026 for the job',
    'Failed to find image \u2026 for the job',
    'Failed to enter the pod',
    'Failed to put file',
    'Failed to start the step for the job',
    'Failed to finish the step in pod',
    'Failed to remove pod',
    'Failed to start \u2026 for',
    'Failed to start \u2026 deployments for their stacks',
    'Failed to choose the stacks',
    'Failed to list the stacks',
    "Failed to read the organization's load",
    'Failed to read the deployments',
    'Failed to upload the artifact',
    'Failed to write the summary',
    'Failed to write report.html',
    'Failed to write the result',
    'Failed to look for old run directories',
    'Failed to remove the run directory',
    'Failed to write an event',
    'Failed to read an event',
    'Failed to read the result',
    'Failed to \u2026 the step log',
    'Failed to write to syslog',
    'Failed to finish the run in the post step',
    'Failed to remove \u2026 after the run',
    'Failed to read the job for debug workflow-runner',
];
function beginningOf(message) {
    const open = (beginning) => Number(beginning.includes('\u2026'));
    return BEGINNINGS.filter((beginning) => startsWith(message, beginning)).sort((a, b) => open(a) - open(b) || b.length - a.length)[0];
}
function entryFor(message) {
    const beginning = beginningOf(message);
    return beginning === undefined ? undefined : `${TROUBLESHOOTING_PAGE}#${anchorOf(beginning)}`;
}
function withEntry(message) {
    const entry = entryFor(message);
    return entry === undefined ? message : `${message}${message.includes('\n') ? '\n' : ' '}See ${entry}`;
}
function anchorOf(heading) {
    return heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
        .replaceAll(' ', '-');
}
const MAX_NAME = 300;
function startsWith(message, beginning) {
    const [first = '', rest] = beginning.split('\u2026');
    if (!message.startsWith(first))
        return false;
    if (rest === undefined)
        return true;
    const at = message.indexOf(rest, first.length + 1);
    return at !== -1 && at - first.length <= MAX_NAME && !message.slice(first.length, at).includes('\n');
}


/***/ }),

/***/ 3411:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __nccwpck_require__) => {

/* harmony export */ __nccwpck_require__.d(__webpack_exports__, {
/* harmony export */   x: () => (/* binding */ VERSION)
/* harmony export */ });
const VERSION = '0.1.0';


/***/ })

/******/ });
/************************************************************************/
/******/ // The module cache
/******/ var __webpack_module_cache__ = {};
/******/ 
/******/ // The require function
/******/ function __nccwpck_require__(moduleId) {
/******/ 	// Check if module is in cache
/******/ 	var cachedModule = __webpack_module_cache__[moduleId];
/******/ 	if (cachedModule !== undefined) {
/******/ 		return cachedModule.exports;
/******/ 	}
/******/ 	// Create a new module (and put it into the cache)
/******/ 	var module = __webpack_module_cache__[moduleId] = {
/******/ 		id: moduleId,
/******/ 		loaded: false,
/******/ 		exports: {}
/******/ 	};
/******/ 
/******/ 	// Execute the module function
/******/ 	var threw = true;
/******/ 	try {
/******/ 		__webpack_modules__[moduleId](module, module.exports, __nccwpck_require__);
/******/ 		threw = false;
/******/ 	} finally {
/******/ 		if(threw) delete __webpack_module_cache__[moduleId];
/******/ 	}
/******/ 
/******/ 	// Flag the module as loaded
/******/ 	module.loaded = true;
/******/ 
/******/ 	// Return the exports of the module
/******/ 	return module.exports;
/******/ }
/******/ 
/******/ // expose the modules object (__webpack_modules__)
/******/ __nccwpck_require__.m = __webpack_modules__;
/******/ 
/************************************************************************/
/******/ /* webpack/runtime/asset-relocator-loader */
/******/ if (typeof __nccwpck_require__ !== 'undefined') __nccwpck_require__.ab = decodeURIComponent(new URL('.', import.meta.url).pathname).slice(import.meta.url.match(/^file:\/\/\/\w:/) ? 1 : 0, -1) + "/";
/******/ 
/******/ /* webpack/runtime/async module */
/******/ (() => {
/******/ 	var webpackQueues = typeof Symbol === "function" ? Symbol("webpack queues") : "__webpack_queues__";
/******/ 	var webpackExports = typeof Symbol === "function" ? Symbol("webpack exports") : "__webpack_exports__";
/******/ 	var webpackError = typeof Symbol === "function" ? Symbol("webpack error") : "__webpack_error__";
/******/ 	var resolveQueue = (queue) => {
/******/ 		if(queue && queue.d < 1) {
/******/ 			queue.d = 1;
/******/ 			queue.forEach((fn) => (fn.r--));
/******/ 			queue.forEach((fn) => (fn.r-- ? fn.r++ : fn()));
/******/ 		}
/******/ 	}
/******/ 	var wrapDeps = (deps) => (deps.map((dep) => {
/******/ 		if(dep !== null && typeof dep === "object") {
/******/ 			if(dep[webpackQueues]) return dep;
/******/ 			if(dep.then) {
/******/ 				var queue = [];
/******/ 				queue.d = 0;
/******/ 				dep.then((r) => {
/******/ 					obj[webpackExports] = r;
/******/ 					resolveQueue(queue);
/******/ 				}, (e) => {
/******/ 					obj[webpackError] = e;
/******/ 					resolveQueue(queue);
/******/ 				});
/******/ 				var obj = {};
/******/ 				obj[webpackQueues] = (fn) => (fn(queue));
/******/ 				return obj;
/******/ 			}
/******/ 		}
/******/ 		var ret = {};
/******/ 		ret[webpackQueues] = x => {};
/******/ 		ret[webpackExports] = dep;
/******/ 		return ret;
/******/ 	}));
/******/ 	__nccwpck_require__.a = (module, body, hasAwait) => {
/******/ 		var queue;
/******/ 		hasAwait && ((queue = []).d = -1);
/******/ 		var depQueues = new Set();
/******/ 		var exports = module.exports;
/******/ 		var currentDeps;
/******/ 		var outerResolve;
/******/ 		var reject;
/******/ 		var promise = new Promise((resolve, rej) => {
/******/ 			reject = rej;
/******/ 			outerResolve = resolve;
/******/ 		});
/******/ 		promise[webpackExports] = exports;
/******/ 		promise[webpackQueues] = (fn) => (queue && fn(queue), depQueues.forEach(fn), promise["catch"](x => {}));
/******/ 		module.exports = promise;
/******/ 		body((deps) => {
/******/ 			currentDeps = wrapDeps(deps);
/******/ 			var fn;
/******/ 			var getResult = () => (currentDeps.map((d) => {
/******/ 				if(d[webpackError]) throw d[webpackError];
/******/ 				return d[webpackExports];
/******/ 			}))
/******/ 			var promise = new Promise((resolve) => {
/******/ 				fn = () => (resolve(getResult));
/******/ 				fn.r = 0;
/******/ 				var fnQueue = (q) => (q !== queue && !depQueues.has(q) && (depQueues.add(q), q && !q.d && (fn.r++, q.push(fn))));
/******/ 				currentDeps.map((dep) => (dep[webpackQueues](fnQueue)));
/******/ 			});
/******/ 			return fn.r ? promise : getResult();
/******/ 		}, (err) => ((err ? reject(promise[webpackError] = err) : outerResolve(exports)), resolveQueue(queue)));
/******/ 		queue && queue.d < 0 && (queue.d = 0);
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/create fake namespace object */
/******/ (() => {
/******/ 	var getProto = Object.getPrototypeOf ? (obj) => (Object.getPrototypeOf(obj)) : (obj) => (obj.__proto__);
/******/ 	var leafPrototypes;
/******/ 	// create a fake namespace object
/******/ 	// mode & 1: value is a module id, require it
/******/ 	// mode & 2: merge all properties of value into the ns
/******/ 	// mode & 4: return value when already ns object
/******/ 	// mode & 16: return value when it's Promise-like
/******/ 	// mode & 8|1: behave like require
/******/ 	__nccwpck_require__.t = function(value, mode) {
/******/ 		if(mode & 1) value = this(value);
/******/ 		if(mode & 8) return value;
/******/ 		if(typeof value === 'object' && value) {
/******/ 			if((mode & 4) && value.__esModule) return value;
/******/ 			if((mode & 16) && typeof value.then === 'function') return value;
/******/ 		}
/******/ 		var ns = Object.create(null);
/******/ 		__nccwpck_require__.r(ns);
/******/ 		var def = {};
/******/ 		leafPrototypes = leafPrototypes || [null, getProto({}), getProto([]), getProto(getProto)];
/******/ 		for(var current = mode & 2 && value; typeof current == 'object' && !~leafPrototypes.indexOf(current); current = getProto(current)) {
/******/ 			Object.getOwnPropertyNames(current).forEach((key) => (def[key] = () => (value[key])));
/******/ 		}
/******/ 		def['default'] = () => (value);
/******/ 		__nccwpck_require__.d(ns, def);
/******/ 		return ns;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/define property getters */
/******/ (() => {
/******/ 	// define getter functions for harmony exports
/******/ 	__nccwpck_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__nccwpck_require__.o(definition, key) && !__nccwpck_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/ensure chunk */
/******/ (() => {
/******/ 	__nccwpck_require__.f = {};
/******/ 	// This file contains only the entry chunk.
/******/ 	// The chunk loading function for additional chunks
/******/ 	__nccwpck_require__.e = (chunkId) => {
/******/ 		return Promise.all(Object.keys(__nccwpck_require__.f).reduce((promises, key) => {
/******/ 			__nccwpck_require__.f[key](chunkId, promises);
/******/ 			return promises;
/******/ 		}, []));
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/get javascript chunk filename */
/******/ (() => {
/******/ 	// This function allow to reference async chunks
/******/ 	__nccwpck_require__.u = (chunkId) => {
/******/ 		// return url for filenames based on template
/******/ 		return "" + chunkId + ".index.js";
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/hasOwnProperty shorthand */
/******/ (() => {
/******/ 	__nccwpck_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop))
/******/ })();
/******/ 
/******/ /* webpack/runtime/make namespace object */
/******/ (() => {
/******/ 	// define __esModule on exports
/******/ 	__nccwpck_require__.r = (exports) => {
/******/ 		if(typeof Symbol !== 'undefined' && Symbol.toStringTag) {
/******/ 			Object.defineProperty(exports, Symbol.toStringTag, { value: 'Module' });
/******/ 		}
/******/ 		Object.defineProperty(exports, '__esModule', { value: true });
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/node module decorator */
/******/ (() => {
/******/ 	__nccwpck_require__.nmd = (module) => {
/******/ 		module.paths = [];
/******/ 		if (!module.children) module.children = [];
/******/ 		return module;
/******/ 	};
/******/ })();
/******/ 
/******/ /* webpack/runtime/import chunk loading */
/******/ (() => {
/******/ 	// no baseURI
/******/ 	
/******/ 	// object to store loaded and loading chunks
/******/ 	// undefined = chunk not loaded, null = chunk preloaded/prefetched
/******/ 	// [resolve, Promise] = chunk loading, 0 = chunk loaded
/******/ 	var installedChunks = {
/******/ 		792: 0
/******/ 	};
/******/ 	
/******/ 	var installChunk = (data) => {
/******/ 		var {ids, modules, runtime} = data;
/******/ 		// add "modules" to the modules object,
/******/ 		// then flag all "ids" as loaded and fire callback
/******/ 		var moduleId, chunkId, i = 0;
/******/ 		for(moduleId in modules) {
/******/ 			if(__nccwpck_require__.o(modules, moduleId)) {
/******/ 				__nccwpck_require__.m[moduleId] = modules[moduleId];
/******/ 			}
/******/ 		}
/******/ 		if(runtime) runtime(__nccwpck_require__);
/******/ 		for(;i < ids.length; i++) {
/******/ 			chunkId = ids[i];
/******/ 			if(__nccwpck_require__.o(installedChunks, chunkId) && installedChunks[chunkId]) {
/******/ 				installedChunks[chunkId][0]();
/******/ 			}
/******/ 			installedChunks[ids[i]] = 0;
/******/ 		}
/******/ 	
/******/ 	}
/******/ 	
/******/ 	__nccwpck_require__.f.j = (chunkId, promises) => {
/******/ 			// import() chunk loading for javascript
/******/ 			var installedChunkData = __nccwpck_require__.o(installedChunks, chunkId) ? installedChunks[chunkId] : undefined;
/******/ 			if(installedChunkData !== 0) { // 0 means "already installed".
/******/ 	
/******/ 				// a Promise means "currently loading".
/******/ 				if(installedChunkData) {
/******/ 					promises.push(installedChunkData[1]);
/******/ 				} else {
/******/ 					if(true) { // all chunks have JS
/******/ 						// setup Promise in chunk cache
/******/ 						var promise = import("./" + __nccwpck_require__.u(chunkId)).then(installChunk, (e) => {
/******/ 							if(installedChunks[chunkId] !== 0) installedChunks[chunkId] = undefined;
/******/ 							throw e;
/******/ 						});
/******/ 						var promise = Promise.race([promise, new Promise((resolve) => (installedChunkData = installedChunks[chunkId] = [resolve]))])
/******/ 						promises.push(installedChunkData[1] = promise);
/******/ 					}
/******/ 				}
/******/ 			}
/******/ 	};
/******/ 	
/******/ 	// no prefetching
/******/ 	
/******/ 	// no preloaded
/******/ 	
/******/ 	// no external install chunk
/******/ 	
/******/ 	// no on chunks loaded
/******/ })();
/******/ 
/************************************************************************/
/******/ 
/******/ // startup
/******/ // Load entry module and return exports
/******/ // This entry module used 'module' so it can't be inlined
/******/ var __webpack_exports__ = __nccwpck_require__(7993);
/******/ __webpack_exports__ = await __webpack_exports__;
/******/ 
