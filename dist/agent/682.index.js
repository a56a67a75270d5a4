export const id = 682;
export const ids = [682];
export const modules = {

/***/ 4682:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  configure: () => (/* binding */ configure)
});

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(3024);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: external "node:stream/consumers"
var consumers_ = __webpack_require__(8321);
// EXTERNAL MODULE: ./lib/config/load.js + 5 modules
var load = __webpack_require__(8754);
// EXTERNAL MODULE: ./lib/config/search-path.js
var search_path = __webpack_require__(8658);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/config/schema.js + 6 modules
var schema = __webpack_require__(398);
// EXTERNAL MODULE: ./lib/config/value.js + 3 modules
var value = __webpack_require__(2337);
;// CONCATENATED MODULE: ./lib/agent/configure/configuration-text.js



async function configurationText(settings, workingDirectory) {
    const { stringify } = await __webpack_require__.e(/* import() */ 815).then(__webpack_require__.t.bind(__webpack_require__, 8815, 19));
    const keys = schema/* KEY_NAMES */.Vx.filter((key) => (0,schema/* fileKey */.wm)(key) !== undefined && settings[key] !== undefined);
    const values = keys.map((key) => [key, valueFor(key, settings[key] ?? '', workingDirectory)]);
    return `# Configuration of a Pulumi workflow agent, written by pulumi-runner-agent configure.
# pulumi-runner-agent run --help lists every key.
${stringify(Object.fromEntries(values), { lineWidth: 0 })}`;
}
function valueFor(key, text, workingDirectory) {
    const { type } = (0,schema/* definitionOf */.Fg)(key);
    switch (type) {
        case 'boolean':
            return text === 'true' ? true : text === 'false' ? false : text;
        case 'count':
        case 'port':
            return /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : text;
        case 'path':
            return text === '' ? text : (0,external_node_path_.resolve)(workingDirectory, text);
        default:
            return (0,value/* isListType */.Fs)(type) ? (0,value/* splitList */.ry)(text) : text;
    }
}

;// CONCATENATED MODULE: ./lib/agent/configure/configure.js
var __addDisposableResource = (undefined && undefined.__addDisposableResource) || function (env, value, async) {
    if (value !== null && value !== void 0) {
        if (typeof value !== "object" && typeof value !== "function") throw new TypeError("Object expected.");
        var dispose, inner;
        if (async) {
            if (!Symbol.asyncDispose) throw new TypeError("Symbol.asyncDispose is not defined.");
            dispose = value[Symbol.asyncDispose];
        }
        if (dispose === void 0) {
            if (!Symbol.dispose) throw new TypeError("Symbol.dispose is not defined.");
            dispose = value[Symbol.dispose];
            if (async) inner = dispose;
        }
        if (typeof dispose !== "function") throw new TypeError("Object not disposable.");
        if (inner) dispose = function() { try { inner.call(this); } catch (e) { return Promise.reject(e); } };
        env.stack.push({ value: value, dispose: dispose, async: async });
    }
    else if (async) {
        env.stack.push({ async: true });
    }
    return value;
};
var __disposeResources = (undefined && undefined.__disposeResources) || (function (SuppressedError) {
    return function (env) {
        function fail(e) {
            env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
            env.hasError = true;
        }
        var r, s = 0;
        function next() {
            while (r = env.stack.pop()) {
                try {
                    if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
                    if (r.dispose) {
                        var result = r.dispose.call(r.value);
                        if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) { fail(e); return next(); });
                    }
                    else s |= 1;
                }
                catch (e) {
                    fail(e);
                }
            }
            if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
            if (env.hasError) throw env.error;
        }
        return next();
    };
})(typeof SuppressedError === "function" ? SuppressedError : function (error, suppressed, message) {
    var e = new Error(message);
    return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});









async function configure({ command, process, workingDirectory, ...places }) {
    const { stdin, stdout } = process;
    const output = (0,external_node_path_.resolve)(workingDirectory, command.output ?? search_path/* CONFIG_FILE_NAME */.au);
    if (!command.force && (0,external_node_fs_.existsSync)(output))
        throw present(output);
    const given = { ...command.settings, ...(await tokenFrom(command.tokenFile, workingDirectory, stdin)) };
    let settings = given;
    if (stdin.isTTY === true && stdout.isTTY === true) {
        const { ask } = await __webpack_require__.e(/* import() */ 663).then(__webpack_require__.bind(__webpack_require__, 6663));
        settings = await ask(given, { input: stdin, output: stdout, workingDirectory });
    }
    const yaml = await configurationText(settings, workingDirectory);
    const loaded = await (0,load/* loadConfig */.Z)({
        ...places,
        environment: {},
        workingDirectory,
        homeDirectory: '',
        file: output,
        readFile: () => yaml,
    });
    await write(output, yaml, command.force);
    for (const warning of loaded.warnings)
        stdout.write(`${warning}\n`);
    stdout.write(`Wrote ${output}. See what a run makes of it: pulumi-runner-agent doctor --config ${output}\n`);
    return 0;
}
async function tokenFrom(file, workingDirectory, stdin) {
    if (file === undefined)
        return {};
    let token;
    try {
        token = (file === '-' ? await (0,consumers_.text)(stdin) : await (0,promises_.readFile)((0,external_node_path_.resolve)(workingDirectory, file), 'utf8')).trim();
    }
    catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw refused('read the token', `${reason}. Correct --token-file`, cause);
    }
    if (token === '')
        throw refused('read the token', `${file} is empty. Correct --token-file`);
    return { token };
}
async function write(file, content, force) {
    const target = force ? `${file}.${(0,external_node_crypto_.randomBytes)(4).toString('hex')}` : file;
    let made = false;
    try {
        {
            const env_1 = { stack: [], error: void 0, hasError: false };
            try {
                const handle = __addDisposableResource(env_1, await (0,promises_.open)(target, 'wx', 0o600), true);
                made = true;
                await handle.writeFile(content);
                await handle.sync();
            }
            catch (e_1) {
                env_1.error = e_1;
                env_1.hasError = true;
            }
            finally {
                const result_1 = __disposeResources(env_1);
                if (result_1)
                    await result_1;
            }
        }
        if (force)
            await (0,promises_.rename)(target, file);
    }
    catch (cause) {
        if (made)
            await (0,promises_.rm)(target, { force: true });
        if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')
            throw present(file);
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw refused('write the configuration', `${reason}. Choose another place by --output`, cause);
    }
}
function present(file) {
    return refused('write the configuration', `${file} exists. Replace it by --force, or choose another by --output`);
}
function refused(what, reason, cause) {
    return new outcome/* OutcomeError */.Rz('config-error', `Failed to ${what} for the agent: ${reason}.`, { cause });
}


/***/ })

};
