export const id = 182;
export const ids = [182];
export const modules = {

/***/ 1182:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   PodTemplate: () => (/* binding */ PodTemplate),
/* harmony export */   templateSource: () => (/* binding */ templateSource)
/* harmony export */ });
/* unused harmony export PodTemplateError */
/* harmony import */ var node_fs_promises__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(1455);
/* harmony import */ var yaml__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(8815);
/* harmony import */ var _outcome_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(3259);
/* harmony import */ var _deadline_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(4429);
/* harmony import */ var _one_line_js__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(2964);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(2875);
/* harmony import */ var _pod_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(7849);
/* harmony import */ var _removal_js__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(9298);








class PodTemplateError extends _outcome_js__WEBPACK_IMPORTED_MODULE_2__/* .OutcomeError */ .Rz {
    name = 'PodTemplateError';
    constructor(message, options) {
        super('config-error', message, options);
    }
}
async function templateSource(textOrPath) {
    if (/[\n{]|:\s/.test(textOrPath))
        return { text: textOrPath, name: 'pod_template' };
    try {
        return { text: await (0,node_fs_promises__WEBPACK_IMPORTED_MODULE_0__.readFile)(textOrPath, 'utf8'), name: textOrPath };
    }
    catch (error) {
        throw new PodTemplateError(`Failed to read the pod template for jobs: ${(0,_outcome_js__WEBPACK_IMPORTED_MODULE_2__/* .messageOf */ .bD)(error)}. Give the path of a YAML file that the agent may read, or the YAML itself.`, { cause: error });
    }
}
class PodTemplate {
    #document;
    #lines = new yaml__WEBPACK_IMPORTED_MODULE_1__.LineCounter();
    #name;
    #patch;
    constructor({ text, name }) {
        this.#name = name;
        this.#document = (0,yaml__WEBPACK_IMPORTED_MODULE_1__.parseDocument)(text, { lineCounter: this.#lines, prettyErrors: false });
        const [error] = this.#document.errors;
        if (error !== undefined)
            throw this.#problem(error.pos[0], `is not YAML: ${(0,_one_line_js__WEBPACK_IMPORTED_MODULE_7__/* .oneLine */ .T)(error.message)}`);
        if (!(0,yaml__WEBPACK_IMPORTED_MODULE_1__.isMap)(this.#document.contents))
            throw this.#problem(0, "is not a mapping with a pod's metadata and spec");
        for (const { key } of this.#document.contents.items) {
            const field = String(key);
            if (!['apiVersion', 'kind', 'metadata', 'spec'].includes(field))
                throw this.#problem(key.range?.[0] ?? 0, `has the field "${field}", which a pod has not`);
        }
        const { kind, metadata, spec } = this.#document.toJS();
        if (kind !== undefined && kind !== 'Pod')
            throw this.#at(['kind'], `is of kind ${String(kind)}; it must be Pod`);
        for (const [field, value] of Object.entries({ metadata, spec })) {
            if (value !== undefined && value !== null && typeof value !== 'object')
                throw this.#at([field], `has a ${field} that is not a mapping`);
        }
        this.#patch = { ...(metadata ? { metadata: metadata } : {}), ...(spec ? { spec: spec } : {}) };
    }
    async mergeOver(pod, cluster, signal) {
        const namespace = await cluster.namespace();
        const { name = '', labels, annotations } = pod.metadata ?? {};
        const path = `/api/v1/namespaces/${namespace}/podtemplates`;
        const base = {
            apiVersion: 'v1',
            kind: 'PodTemplate',
            metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
            template: {
                metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
                ...(pod.spec && { spec: pod.spec }),
            },
        };
        const subject = (verb) => ({ verb, resource: 'podtemplates', namespace, name });
        let merged;
        try {
            await cluster.call({ subject: subject('create'), method: 'POST', path, body: base, signal: _deadline_js__WEBPACK_IMPORTED_MODULE_3__/* .NEVER */ .tm });
            try {
                merged = await cluster.call({
                    subject: subject('patch'),
                    method: 'PATCH',
                    path: `${path}/${name}`,
                    query: { fieldValidation: 'Strict' },
                    contentType: 'application/strategic-merge-patch+json',
                    body: { template: this.#patch },
                    signal,
                });
            }
            finally {
                await (0,_removal_js__WEBPACK_IMPORTED_MODULE_6__/* .deleteObject */ .XR)(cluster, { kind: 'podtemplates', name, signal: _deadline_js__WEBPACK_IMPORTED_MODULE_3__/* .NEVER */ .tm });
            }
        }
        catch (error) {
            throw this.#refused(error);
        }
        const { metadata, spec } = merged.template ?? {};
        const result = {
            ...pod,
            metadata: {
                ...pod.metadata,
                ...(metadata?.labels && { labels: metadata.labels }),
                ...(metadata?.annotations && { annotations: metadata.annotations }),
            },
            ...(spec && { spec }),
        };
        this.#check(pod, result);
        return result;
    }
    #refused(error) {
        if (!(0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .refusedWith */ .P0)(error, 400, 422, 500))
            return (0,_errors_js__WEBPACK_IMPORTED_MODULE_4__/* .targetError */ ._5)(error, 'merge the pod template');
        const [, field = ''] = /template\.((?:spec|metadata)[\w.[\]/-]*)/.exec(error.message) ?? [];
        const path = field.split(/[.[\]]+/).filter((part) => part !== '');
        return this.#at(path, `is refused by the cluster: ${error.message}`);
    }
    #check(before, after) {
        const was = before.spec?.containers[0];
        const container = after.spec?.containers.find(({ name }) => name === _pod_js__WEBPACK_IMPORTED_MODULE_5__/* .JOB_CONTAINER */ .wD);
        if (was === undefined || container === undefined)
            throw this.#at(['spec', 'containers'], `takes away the container ${_pod_js__WEBPACK_IMPORTED_MODULE_5__/* .JOB_CONTAINER */ .wD}, which runs the job`);
        const own = this.#containerPath();
        const kept = [
            [['spec', 'restartPolicy'], 'spec.restartPolicy', 'Never', after.spec?.restartPolicy],
            [[...own, 'command'], 'the command of container pulumi-workflow', was.command, container.command],
            [[...own, 'args'], 'the args of container pulumi-workflow', was.args, container.args],
            [[...own, 'workingDir'], 'the workingDir of container pulumi-workflow', was.workingDir, container.workingDir],
        ];
        for (const [path, field, old, now] of kept) {
            if (JSON.stringify(old) !== JSON.stringify(now))
                throw this.#at(path, `changes ${field}, by which the agent runs steps and ends the pod; leave it out`);
        }
        for (const mount of was.volumeMounts ?? []) {
            const same = container.volumeMounts?.find(({ mountPath }) => mountPath === mount.mountPath);
            if (same?.name !== mount.name || same.readOnly === true || same.subPath !== undefined)
                throw this.#at([...own, 'volumeMounts'], `changes what is mounted at ${mount.mountPath}, where the agent keeps the job's files`);
        }
        for (const volume of before.spec?.volumes ?? []) {
            if (after.spec?.volumes?.find(({ name }) => name === volume.name)?.emptyDir === undefined)
                throw this.#at(['spec', 'volumes'], `changes the volume ${volume.name}, where the agent keeps the job's files`);
        }
        for (const [key, value] of Object.entries(before.metadata?.labels ?? {})) {
            if (after.metadata?.labels?.[key] !== value)
                throw this.#at(['metadata', 'labels', key], `changes the label ${key}, by which the agent finds what is its own`);
        }
        for (const [key, value] of Object.entries(before.metadata?.annotations ?? {})) {
            if (after.metadata?.annotations?.[key] !== value)
                throw this.#at(['metadata', 'annotations', key], `changes the annotation ${key}, by which the agent finds what is its own`);
        }
    }
    #containerPath() {
        const { containers } = (this.#patch.spec ?? {});
        const at = Array.isArray(containers) ? containers.findIndex((container) => container?.name === _pod_js__WEBPACK_IMPORTED_MODULE_5__/* .JOB_CONTAINER */ .wD) : -1;
        return ['spec', 'containers', ...(at < 0 ? [] : [at])];
    }
    #at(path, clause) {
        for (let depth = path.length; depth > 0; depth -= 1) {
            const node = this.#document.getIn(path.slice(0, depth), true);
            if (node?.range !== undefined && node.range !== null)
                return this.#problem(node.range[0], clause);
        }
        return this.#problem(0, clause);
    }
    #problem(offset, clause) {
        const { line, col } = this.#lines.linePos(offset);
        return new PodTemplateError(`Failed to use the pod template for jobs: ${this.#name}:${Math.max(1, line)}:${Math.max(1, col)} ${clause}. See docs/kubernetes.md for what a template may say.`);
    }
}


/***/ })

};
