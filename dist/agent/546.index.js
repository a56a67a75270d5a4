export const id = 546;
export const ids = [546];
export const modules = {

/***/ 546:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  PodTemplate: () => (/* binding */ PodTemplate),
  templateSource: () => (/* binding */ templateSource)
});

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(3259);
// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(4429);
// EXTERNAL MODULE: ./lib/target/kubernetes/cluster.js + 1 modules
var kubernetes_cluster = __webpack_require__(7273);
// EXTERNAL MODULE: ./lib/target/kubernetes/errors.js
var errors = __webpack_require__(2875);
// EXTERNAL MODULE: ./lib/target/kubernetes/objects.js
var objects = __webpack_require__(8062);
// EXTERNAL MODULE: ./node_modules/yaml/dist/index.js
var dist = __webpack_require__(8815);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(2964);
;// CONCATENATED MODULE: ./lib/target/kubernetes/template-file.js



class PodTemplateError extends outcome/* OutcomeError */.Rz {
    name = 'PodTemplateError';
    constructor(message, options) {
        super('config-error', message, options);
    }
}
class TemplateFile {
    patch;
    #name;
    constructor({ text, name }) {
        this.#name = name;
        const { kind, metadata, spec, ...others } = this.#fieldsOf(text);
        const stranger = Object.keys(others).find((field) => field !== 'apiVersion');
        if (stranger !== undefined)
            throw this.problem(`has the field "${stranger}", which a pod has not`);
        if (kind !== undefined && kind !== 'Pod')
            throw this.problem(`is of kind ${(0,one_line/* oneLine */.T)(JSON.stringify(kind))}; it must be Pod`);
        for (const [field, value] of Object.entries({ metadata, spec })) {
            if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value)))
                throw this.problem(`has a ${field} that is not a mapping`);
        }
        this.patch = { ...(metadata ? { metadata } : {}), ...(spec ? { spec } : {}) };
    }
    problem(clause) {
        return new PodTemplateError(`Failed to use the pod template for jobs: ${this.#name} ${clause}. See docs/kubernetes.md for what a template may say.`);
    }
    #fieldsOf(text) {
        const found = (0,dist/* parseAllDocuments */.hR)(text.replace(/^\uFEFF/, ''), { merge: true });
        const documents = 'empty' in found ? [] : found;
        const [error] = documents.flatMap(({ errors }) => errors);
        if (error !== undefined)
            throw this.problem(`is not YAML: ${(0,one_line/* oneLine */.T)(error.message.replace(/:\n.*/s, ''))}`);
        const [document, second] = documents.filter(({ contents }) => !isEmpty(contents));
        if (second !== undefined)
            throw this.problem('has a second document; a template is one pod');
        if (document === undefined || !(0,dist.isMap)(document.contents))
            throw this.problem("is not a mapping with a pod's metadata and spec");
        try {
            return document.toJS();
        }
        catch (cause) {
            throw this.problem(`can't be read: ${(0,one_line/* oneLine */.T)((0,outcome/* messageOf */.bD)(cause))}`);
        }
    }
}
function isEmpty(contents) {
    return contents === null || ((0,dist.isScalar)(contents) && contents.value === null && (contents.source ?? '') === '');
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/template-metadata.js
const OWN_KEY = /^pulumi-runner\.[^/]*$/;
const AGENTS_FIELDS = [
    'name',
    'generateName',
    'namespace',
    'finalizers',
    'ownerReferences',
    'uid',
    'resourceVersion',
    'generation',
    'selfLink',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'managedFields',
];
function checkMetadata(file) {
    const metadata = entriesOf(file.patch.metadata);
    for (const [field, value] of metadata) {
        if (!AGENTS_FIELDS.includes(field) || value === null)
            continue;
        const hint = field === 'namespace' ? "; the namespace of jobs is a setting of the agent's" : '';
        throw file.problem(`sets metadata.${field}, but of a pod's metadata a template may set labels and annotations only${hint}`);
    }
    for (const [kind, word] of [
        ['labels', 'label'],
        ['annotations', 'annotation'],
    ]) {
        for (const [key] of entriesOf(metadata.find(([field]) => field === kind)?.[1])) {
            if (OWN_KEY.test(key))
                throw file.problem(`changes the ${word} ${key}, by which the agent finds what is its own`);
        }
    }
}
function entriesOf(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

// EXTERNAL MODULE: ./lib/target/kubernetes/pod.js
var pod = __webpack_require__(7849);
;// CONCATENATED MODULE: ./lib/target/kubernetes/template-needs.js

const TERMINATION_LOG = '/dev/termination-log';
function checkNeeds(file, before, after) {
    const was = before.spec?.containers[0];
    const container = after.spec?.containers.find(({ name }) => name === pod/* JOB_CONTAINER */.wD);
    if (was === undefined || container === undefined)
        throw file.problem(`takes away the container ${pod/* JOB_CONTAINER */.wD}, which runs the job`);
    const kept = [
        ['spec.restartPolicy', after.spec?.restartPolicy, 'Never'],
        ...['command', 'args', 'workingDir', 'restartPolicy'].map((field) => [`the ${field} of container ${pod/* JOB_CONTAINER */.wD}`, container[field], was[field]]),
        [`the terminationMessagePath of container ${pod/* JOB_CONTAINER */.wD}`, container.terminationMessagePath, TERMINATION_LOG],
    ];
    for (const [name, now, old] of kept) {
        if (JSON.stringify(old) !== JSON.stringify(now))
            throw file.problem(`changes ${name}, by which the agent runs steps and ends the pod; leave it out`);
    }
    checkTermination(file, { before, after, container });
    for (const mount of was.volumeMounts ?? []) {
        const same = container.volumeMounts?.find(({ mountPath }) => mountPath === mount.mountPath);
        if (same?.name !== mount.name || same.readOnly === true || same.subPath !== undefined)
            throw file.problem(`changes what is mounted at ${mount.mountPath}, where the agent keeps the job's files`);
    }
    for (const volume of before.spec?.volumes ?? []) {
        if (after.spec?.volumes?.find(({ name }) => name === volume.name)?.emptyDir === undefined)
            throw file.problem(`changes the volume ${volume.name}, where the agent keeps the job's files`);
    }
    checkMarks(file, before, after);
}
function checkTermination(file, { before, after, container }) {
    const needed = before.spec?.terminationGracePeriodSeconds ?? 0;
    const grace = after.spec?.terminationGracePeriodSeconds ?? 0;
    if (grace < needed)
        throw file.problem(`changes spec.terminationGracePeriodSeconds to ${grace}, but when its pod is deleted a step needs ${needed} to end in order (cancel_grace_period, and some seconds for the pod); leave it out`);
    const limits = [
        ['spec.activeDeadlineSeconds', after.spec?.activeDeadlineSeconds],
        [`the livenessProbe of container ${pod/* JOB_CONTAINER */.wD}`, container.livenessProbe],
        [`the startupProbe of container ${pod/* JOB_CONTAINER */.wD}`, container.startupProbe],
        [`the preStop hook of container ${pod/* JOB_CONTAINER */.wD}`, container.lifecycle?.preStop],
        [`the stopSignal of container ${pod/* JOB_CONTAINER */.wD}`, container.lifecycle?.stopSignal],
    ];
    for (const [name, value] of limits) {
        if (value !== undefined)
            throw file.problem(`sets ${name}, by which a step would be killed before it has ended in order; leave it out`);
    }
}
function checkMarks(file, before, after) {
    for (const [kind, word] of [
        ['labels', 'label'],
        ['annotations', 'annotation'],
    ]) {
        for (const [key, value] of Object.entries(before.metadata?.[kind] ?? {})) {
            if (after.metadata?.[kind]?.[key] !== value)
                throw file.problem(`changes the ${word} ${key}, by which the agent finds what is its own`);
        }
    }
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/template.js









async function templateSource(textOrPath) {
    if (typeof textOrPath !== 'string')
        return textOrPath;
    if (/[\n{]|:\s/.test(textOrPath))
        return { text: textOrPath, name: 'pod_template' };
    try {
        return { text: await (0,promises_.readFile)(textOrPath, 'utf8'), name: textOrPath };
    }
    catch (error) {
        throw new PodTemplateError(`Failed to read the pod template for jobs: ${(0,outcome/* messageOf */.bD)(error)}. Give the path of a YAML file that the agent may read, or the YAML itself.`, { cause: error });
    }
}
class PodTemplate {
    #file;
    constructor(source) {
        this.#file = new TemplateFile(source);
        checkMetadata(this.#file);
    }
    async mergeOver(pod, cluster, signal) {
        const namespace = await cluster.namespace();
        const { name = '', labels, annotations } = pod.metadata ?? {};
        const base = {
            apiVersion: 'v1',
            kind: 'PodTemplate',
            metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
            template: {
                metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
                ...(pod.spec && { spec: pod.spec }),
            },
        };
        let merged;
        try {
            const remove = () => (0,objects/* deleteObject */.XR)(cluster, { kind: 'podtemplates', name, signal: deadline/* NEVER */.tm, patience: (0,kubernetes_cluster/* patienceOf */.H)(deadline/* NEVER */.tm) });
            try {
                await (0,objects/* createObject */.ed)(cluster, { kind: 'podtemplates', body: base, signal });
                merged = await cluster.call({
                    subject: { verb: 'patch', resource: 'podtemplates', namespace, name },
                    method: 'PATCH',
                    path: `/api/v1/namespaces/${namespace}/podtemplates/${name}`,
                    query: { fieldValidation: 'Strict' },
                    contentType: 'application/strategic-merge-patch+json',
                    body: { template: this.#file.patch },
                    signal,
                    patience: (0,kubernetes_cluster/* patienceOf */.H)(signal),
                });
            }
            catch (error) {
                await remove().catch(() => undefined);
                throw error;
            }
            await remove();
        }
        catch (error) {
            throw this.#refused(error) ?? (0,errors/* targetError */._5)(error, 'merge the pod template');
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
        checkNeeds(this.#file, pod, result);
        return result;
    }
    #refused(error) {
        if (!(0,errors/* refusedWith */.P0)(error, 400, 422, 500) || error.subject.verb !== 'patch')
            return undefined;
        if (error.status === 500 && !/\bpatch\b|merge key|types are not identical/.test(error.message))
            return undefined;
        return this.#file.problem(`is refused by the cluster: ${shortened(error.message)}`);
    }
}
function shortened(message) {
    return message
        .replace(/^"" is invalid: (?:patch: )?/, '')
        .replace(/(types are not identical): .*/s, '$1')
        .replace(/^map: map\[.*?(?:\] does not contain declared merge key: |\u2026$)/s, 'an element lacks its key: ');
}


/***/ })

};
