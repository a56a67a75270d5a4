export const id = 590;
export const ids = [590];
export const modules = {

/***/ 5590:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  hostLogin: () => (/* binding */ hostLogin)
});

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/schemas.js + 9 modules
var schemas = __webpack_require__(7597);
// EXTERNAL MODULE: ./node_modules/zod/v4/classic/errors.js
var errors = __webpack_require__(961);
// EXTERNAL MODULE: external "node:child_process"
var external_node_child_process_ = __webpack_require__(1421);
// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(4429);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
;// CONCATENATED MODULE: ./lib/target/docker/credential-helper.js




const ANSWER_MS = 30_000;
const ANSWER_BYTES = 64 * 1024;
const NOTHING = /credentials not found/i;
const TOKEN_USER = '<token>';
const answerSchema = schemas/* object */.Ikc({ Username: schemas/* string */.YjP(), Secret: schemas/* string */.YjP() });
class CredentialHelperError extends Error {
    name = 'CredentialHelperError';
}
async function askCredentialHelper(name, address, environment, signal) {
    const program = `docker-credential-${name}`;
    const failed = (reason, cause) => new CredentialHelperError(`Failed to ask ${program} for the login of ${address}: ${reason}. Run \`echo ${address} | ${program} get\` on the runner to see why.`, { cause });
    if (!/^[\w.-]+$/.test(name))
        throw failed('that is no name of a credential helper');
    let answer;
    try {
        answer = await (0,deadline/* within */.ux)(ANSWER_MS, signal, (inner) => get(program, address, withoutOwnSecrets(environment), inner));
    }
    catch (error) {
        signal.throwIfAborted();
        const reason = error instanceof deadline/* DeadlineError */.j3 ? error.message : error instanceof Error ? (0,one_line/* oneLine */.T)(error.message) : '';
        throw failed(reason, error);
    }
    const { code, text, complaint } = answer;
    if (code !== 0) {
        if (NOTHING.test(text) || NOTHING.test(complaint))
            return undefined;
        throw failed((0,one_line/* oneLine */.T)(complaint || text) || `it ended with code ${code}`);
    }
    const parsed = answerSchema.safeParse(json(text));
    if (!parsed.success)
        throw failed('its answer makes no sense');
    const { Username: username, Secret: secret } = parsed.data;
    if (secret === '')
        return undefined;
    return username === TOKEN_USER ? { identitytoken: secret } : { username, password: secret };
}
function withoutOwnSecrets(environment) {
    return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(PULUMI_|ACTIONS_|INPUT_)/.test(name)));
}
function get(program, address, env, signal) {
    return new Promise((resolve, reject) => {
        const child = (0,external_node_child_process_.spawn)(program, ['get'], { env, signal, killSignal: 'SIGKILL', stdio: ['pipe', 'pipe', 'pipe'] });
        const pieces = { text: '', complaint: '' };
        const take = (key) => (chunk) => {
            pieces[key] = (pieces[key] + chunk).slice(0, ANSWER_BYTES);
        };
        child.stdout.setEncoding('utf8').on('data', take('text'));
        child.stderr.setEncoding('utf8').on('data', take('complaint'));
        child.once('error', reject);
        child.once('close', (code) => resolve({ code, ...pieces }));
        child.stdin.on('error', () => undefined).end(address);
    });
}
function json(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}

// EXTERNAL MODULE: ./lib/target/docker/docker-config.js
var docker_config = __webpack_require__(7467);
// EXTERNAL MODULE: ./lib/target/docker/errors.js
var docker_errors = __webpack_require__(3119);
;// CONCATENATED MODULE: ./lib/target/docker/registry-login.js





const HUB_NAMES = ['https://index.docker.io/v1/', 'index.docker.io', 'docker.io'];
const entrySchema = schemas/* object */.Ikc({
    auth: schemas/* string */.YjP().optional(),
    username: schemas/* string */.YjP().optional(),
    password: schemas/* string */.YjP().optional(),
    identitytoken: schemas/* string */.YjP().optional(),
});
const fileSchema = schemas/* object */.Ikc({
    auths: schemas/* record */.g1P(schemas/* string */.YjP(), entrySchema).nullish(),
    credsStore: schemas/* string */.YjP().nullish(),
    credHelpers: schemas/* record */.g1P(schemas/* string */.YjP(), schemas/* string */.YjP()).nullish(),
});
async function hostLogin(registry, sources) {
    const { environment, signal, onTrouble } = sources;
    const folder = (0,docker_config/* configFolder */.v)(environment);
    if (folder === undefined)
        return undefined;
    const file = (0,external_node_path_.join)(folder, 'config.json');
    let config;
    try {
        config = fileSchema.parse((0,docker_config/* readConfig */.X)(file) ?? {});
    }
    catch (error) {
        const reason = error instanceof errors/* ZodError */.G || error instanceof SyntaxError ? 'it is not one' : (0,docker_errors/* textOf */.b6)(error);
        onTrouble(`Failed to read the Docker configuration for ${registry}: ${file}: ${reason}. Correct it, or remove it.`);
        return undefined;
    }
    signal.throwIfAborted();
    const names = registry === 'docker.io' ? HUB_NAMES : [registry];
    const address = names[0] ?? registry;
    const helper = names.map((name) => config.credHelpers?.[name]).find((found) => found) ?? config.credsStore;
    if (helper) {
        try {
            const login = await askCredentialHelper(helper, address, environment, signal);
            if (login !== undefined)
                return login;
        }
        catch (error) {
            signal.throwIfAborted();
            onTrouble((0,docker_errors/* textOf */.b6)(error));
        }
    }
    const entry = Object.entries(config.auths ?? {}).find(([name]) => names.includes(name) || names.includes(hostOf(name)));
    return entry === undefined ? undefined : loginOf(entry[1]);
}
function loginOf({ auth, username, password, identitytoken }) {
    if (identitytoken)
        return { identitytoken };
    if (username && password)
        return { username, password };
    const [, user, secret] = /^([^:]+):(.+)$/s.exec(Buffer.from(auth ?? '', 'base64')
        .toString('utf8')
        .replace(/\0+$/, '')) ?? [];
    return user === undefined || secret === undefined ? undefined : { username: user, password: secret };
}
function hostOf(name) {
    return name.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}


/***/ })

};
