export const id = 663;
export const ids = [663];
export const modules = {

/***/ 6663:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   ask: () => (/* binding */ ask)
/* harmony export */ });
/* harmony import */ var node_readline_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(6848);
/* harmony import */ var node_stream__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(7075);
/* harmony import */ var _config_schema_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(398);
/* harmony import */ var _config_value_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2337);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(3259);





async function ask(given, terminal) {
    if (isEnough(given))
        return given;
    const dialogue = new Dialogue(terminal);
    try {
        const settings = { ...given };
        const fill = async (key, question, preset) => {
            settings[key] ??= await dialogue.setting(key, question, preset);
        };
        if (settings['token'] === undefined && (settings['oidc_token_file'] !== undefined || (await dialogue.usesOidc()))) {
            await fill('organization_name', 'Pulumi organization');
            await fill('runner_pool_id', 'ID of the runner pool');
            await fill('oidc_token_file', 'File with the ID token, kept fresh by your CI');
        }
        else {
            await fill('token', 'Token of the runner pool (not shown)');
        }
        await fill('service_url', 'API of Pulumi Cloud', (0,_config_schema_js__WEBPACK_IMPORTED_MODULE_2__/* .definitionOf */ .Fg)('service_url').default);
        return settings;
    }
    finally {
        dialogue.close();
    }
}
function isEnough({ token, oidc_token_file: file, organization_name: name, runner_pool_id: pool }) {
    return token !== undefined || (file !== undefined && name !== undefined && pool !== undefined);
}
class Dialogue {
    #readline;
    #output;
    #workingDirectory;
    #left = new AbortController();
    #hidden = false;
    constructor({ input, output, workingDirectory }) {
        this.#output = output;
        this.#workingDirectory = workingDirectory;
        const echo = new node_stream__WEBPACK_IMPORTED_MODULE_1__.Writable({
            write: (chunk, _, done) => {
                if (!this.#hidden)
                    output.write(chunk);
                done();
            },
        });
        this.#readline = (0,node_readline_promises__WEBPACK_IMPORTED_MODULE_0__.createInterface)({ input, output: echo, terminal: true, historySize: 0 });
        this.#readline.on('SIGINT', () => this.#left.abort());
        this.#readline.on('close', () => this.#left.abort());
    }
    close() {
        this.#readline.close();
    }
    async usesOidc() {
        this.#output.write('How does the agent sign in?\n  1  with the ID token of a CI job (OIDC)\n  2  with a pool token\n');
        for (;;) {
            const answer = (await this.#answer('Choice [1]: ', false)).trim() || '1';
            if (answer === '1' || answer === '2')
                return answer === '1';
            this.#output.write('Please answer 1 or 2.\n');
        }
    }
    async setting(key, question, preset) {
        const definition = (0,_config_schema_js__WEBPACK_IMPORTED_MODULE_2__/* .definitionOf */ .Fg)(key);
        for (;;) {
            const hidden = definition.type === 'secret';
            const prompt = `${question}${preset === undefined ? '' : ` [${preset}]`}: `;
            const text = (await this.#answer(prompt, hidden)).trim() || (preset ?? '');
            const parsed = text === '' ? undefined : (0,_config_value_js__WEBPACK_IMPORTED_MODULE_3__/* .parseValue */ .$x)(text, { definition, workingDirectory: this.#workingDirectory });
            if (parsed !== undefined && 'value' in parsed)
                return text;
            this.#output.write(parsed === undefined ? 'An answer is needed.\n' : `That ${parsed.problem}.\n`);
        }
    }
    async #answer(prompt, hidden) {
        this.#output.write(prompt);
        this.#hidden = hidden;
        try {
            return await this.#readline.question('', { signal: this.#left.signal });
        }
        catch (cause) {
            if (!this.#left.signal.aborted)
                throw cause;
            this.#output.write('\n');
            throw new _outcome_js__WEBPACK_IMPORTED_MODULE_4__/* .OutcomeError */ .Rz('interrupted', 'The configuration was not finished, so nothing was written.', { cause });
        }
        finally {
            if (hidden)
                this.#output.write('\n');
            this.#hidden = false;
        }
    }
}


/***/ })

};
