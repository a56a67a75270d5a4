export const id = 740;
export const ids = [740];
export const modules = {

/***/ 5740:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  PodTemplate: () => (/* binding */ PodTemplate),
  templateSource: () => (/* binding */ templateSource)
});

// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: ./lib/outcome.js
var outcome = __webpack_require__(4792);
// EXTERNAL MODULE: ./lib/target/deadline.js
var deadline = __webpack_require__(3678);
// EXTERNAL MODULE: ./lib/target/kubernetes/cluster.js + 1 modules
var kubernetes_cluster = __webpack_require__(9586);
// EXTERNAL MODULE: ./lib/target/kubernetes/errors.js
var errors = __webpack_require__(5434);
// EXTERNAL MODULE: ./lib/target/kubernetes/objects.js
var objects = __webpack_require__(669);
;// CONCATENATED MODULE: ./lib/target/kubernetes/template-path.js
const MERGE_KEYS = {
    containers: 'name',
    initContainers: 'name',
    ephemeralContainers: 'name',
    volumes: 'name',
    imagePullSecrets: 'name',
    resourceClaims: 'name',
    schedulingGates: 'name',
    env: 'name',
    hostAliases: 'ip',
    ports: 'containerPort',
    topologySpreadConstraints: 'topologyKey',
    volumeDevices: 'devicePath',
    volumeMounts: 'mountPath',
    ownerReferences: 'uid',
};
function mergeKeyOf(name) {
    return typeof name === 'string' && Object.hasOwn(MERGE_KEYS, name) ? MERGE_KEYS[name] : undefined;
}
function unknownFieldPath(path, patch) {
    return deepest(`.${path}`, patch, () => undefined).path;
}
function mergedFieldPath(path, patch, base) {
    return deepest(`.${path}`, patch, placesOf, { value: base }).path;
}
function metadataPath(kind, said, { metadata = {} }) {
    const entries = fieldsOf(fieldsOf(metadata)?.[kind]) ?? {};
    const name = Object.keys(entries).find((key) => key === said || entries[key] === said);
    return ['metadata', kind, ...(name === undefined ? [] : [name])];
}
function elementPath(patch, path, key, value) {
    const list = path.reduce((above, part) => (Array.isArray(above) ? above[Number(part)] : fieldsOf(above)?.[part]), patch);
    const at = Array.isArray(list) ? list.findLastIndex((element) => fieldsOf(element)?.[key] === value) : -1;
    return at < 0 ? path : [...path, at];
}
function deepest(rest, value, places, base = { value: undefined }) {
    if (Array.isArray(value)) {
        const [index, at] = /^\[(\d+)\]/.exec(rest) ?? [];
        if (index === undefined)
            return { path: [], rest };
        const candidates = places(Number(at), value, base) ?? value.keys();
        const found = [...candidates]
            .filter((place) => directiveOf(value[place]) === undefined)
            .map((place) => {
            const key = mergeKeyOf(base.name);
            const same = elementOf(base.value, key, fieldsOf(value[place])?.[key ?? '']);
            const { path, rest: left } = deepest(rest.slice(index.length), value[place], places, { value: same });
            return { path: [place, ...path], rest: left };
        });
        return shortestRest(found) ?? { path: [], rest };
    }
    const fields = fieldsOf(value);
    if (fields === undefined)
        return { path: [], rest };
    const replaces = fields['$patch'] === 'replace';
    const found = Object.keys(fields).flatMap((name) => {
        const spelt = [`.${name}`, `[${name}]`].find((form) => rest.startsWith(form));
        if (spelt === undefined || !/^(?:$|[.[])/.test(rest.slice(spelt.length)))
            return [];
        const below = { value: replaces ? undefined : fieldsOf(base.value)?.[name], parent: fields, name };
        const { path, rest: left } = deepest(rest.slice(spelt.length), fields[name], places, below);
        return [{ path: [name, ...path], rest: left }];
    });
    return shortestRest(found) ?? { path: [], rest };
}
function shortestRest(found) {
    return found.toSorted((one, other) => one.rest.length - other.rest.length)[0];
}
function placesOf(at, list, { value, parent, name }) {
    const key = mergeKeyOf(name);
    const live = [...list.keys()].filter((place) => directiveOf(list[place]) === undefined);
    const replaces = list.some((element) => directiveOf(element) === 'replace');
    if (key === undefined || replaces || !Array.isArray(value))
        return live.slice(at, at + 1);
    const keyOf = (element) => fieldsOf(element)?.[key];
    const deleted = list.filter((element) => directiveOf(element) === 'delete').map(keyOf);
    const base = value.map(keyOf).filter((own) => !deleted.includes(own));
    const given = live.map((place) => keyOf(list[place]));
    const order = parent?.[`$setElementOrder/${name}`];
    const wanted = mergedKeys(base, given, Array.isArray(order) ? order.map(keyOf) : given)[at];
    return live.filter((place) => keyOf(list[place]) === wanted);
}
function mergedKeys(base, given, order) {
    const all = [...new Set([...base, ...given])];
    const left = all.filter((own) => !order.includes(own));
    const right = [...new Set(order)].filter((own) => all.includes(own));
    const merged = [];
    while (left.length > 0 && right.length > 0) {
        const [one, other] = [base.indexOf(left[0]), base.indexOf(right[0])];
        merged.push((one >= 0 && one < other ? left : right).shift());
    }
    return [...merged, ...left, ...right];
}
function elementOf(list, key, value) {
    if (key === undefined || !Array.isArray(list))
        return undefined;
    return list.find((element) => fieldsOf(element)?.[key] === value);
}
function directiveOf(element) {
    const directive = fieldsOf(element)?.['$patch'];
    return directive === 'merge' ? undefined : directive;
}
function fieldsOf(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

;// CONCATENATED MODULE: ./lib/target/kubernetes/template-culprit.js

const TRIES = 300;
async function culpritIn(patch, fails) {
    let path = [];
    let tries = 0;
    for (let below = partsOf(patch, path);; below = partsOf(patch, path)) {
        let found;
        for (const part of below) {
            tries += 1;
            if (tries > TRIES)
                return path;
            found = (await fails(pieceOf(patch, [...path, part]))) ? [...path, part] : undefined;
            if (found !== undefined)
                break;
        }
        if (found === undefined)
            return [...path, ...below.filter(isDirective).slice(0, 1)];
        path = found;
    }
}
function isDirective(part) {
    return String(part).startsWith('$');
}
function partsOf(patch, path) {
    const value = path.reduce((above, part) => above[part], patch);
    if (Array.isArray(value))
        return [...value.keys()];
    return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}
function pieceOf(value, [part, ...rest], name) {
    if (part === undefined)
        return value;
    if (Array.isArray(value))
        return [pieceOf(value[Number(part)], rest, name)];
    const fields = value;
    const key = mergeKeyOf(name);
    return {
        ...(key !== undefined && key in fields ? { [key]: fields[key] } : {}),
        [part]: pieceOf(fields[part], rest, part),
    };
}

// EXTERNAL MODULE: ../../main/node_modules/yaml/dist/index.js
var dist = __webpack_require__(3645);
// EXTERNAL MODULE: ./lib/target/one-line.js
var one_line = __webpack_require__(3667);
;// CONCATENATED MODULE: ./lib/target/kubernetes/template-file.js



class PodTemplateError extends outcome/* OutcomeError */.Rz {
    name = 'PodTemplateError';
    constructor(message, options) {
        super('config-error', message, options);
    }
}
const FIELDS = ['apiVersion', 'kind', 'metadata', 'spec'];
class TemplateFile {
    patch;
    #document;
    #lines = new dist.LineCounter();
    #name;
    constructor({ text, name }) {
        this.#name = name;
        const options = { lineCounter: this.#lines, prettyErrors: false, merge: true };
        const found = (0,dist/* parseAllDocuments */.hR)(text.replace(/^\uFEFF/, ''), options);
        const documents = 'empty' in found ? [] : found;
        for (const { errors } of documents) {
            const [error] = errors;
            if (error !== undefined)
                throw this.#problem(error.pos[0], `is not YAML: ${(0,one_line/* oneLine */.T)(error.message)}`);
        }
        const [document, second] = documents.filter(({ contents }) => !isEmpty(contents));
        if (second !== undefined)
            throw this.#problem(second.contents?.range[0] ?? 0, 'begins a second document; a template is one pod');
        this.#document = document;
        const contents = document?.contents;
        if (document === undefined || !(0,dist.isMap)(contents))
            throw this.#problem(contents?.range[0] ?? 0, "is not a mapping with a pod's metadata and spec");
        for (const { key } of contents.items) {
            const field = String(key);
            if (!FIELDS.includes(field))
                throw this.#problem(key.range?.[0] ?? 0, `has the field "${field}", which a pod has not`);
        }
        this.patch = this.#read(document);
    }
    problemAt(path, clause, { atKey = false } = {}) {
        return this.#problem(this.#offsetOf(path, atKey), clause);
    }
    #read(document) {
        (0,dist.visit)(document, {
            Alias: (_, node) => {
                if (node.resolve(document) === undefined)
                    throw this.#problem(node.range?.[0] ?? 0, `names the anchor ${node.source}, which nothing above it has`);
            },
        });
        let fields;
        try {
            fields = document.toJS();
        }
        catch (error) {
            throw this.#problem(0, `can't be read: ${(0,one_line/* oneLine */.T)((0,outcome/* messageOf */.bD)(error))}`);
        }
        const { kind, metadata, spec } = fields;
        if (kind !== undefined && kind !== 'Pod')
            throw this.problemAt(['kind'], `is of kind ${(0,one_line/* oneLine */.T)(JSON.stringify(kind))}; it must be Pod`);
        for (const [field, value] of Object.entries({ metadata, spec })) {
            if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value)))
                throw this.problemAt([field], `has a ${field} that is not a mapping`);
        }
        return { ...(metadata ? { metadata } : {}), ...(spec ? { spec } : {}) };
    }
    #offsetOf(path, atKey) {
        let node = this.#document?.contents;
        let offset = 0;
        for (const part of path) {
            const above = this.#resolved(node);
            if ((0,dist.isMap)(above)) {
                const pair = this.#pairOf(above, String(part));
                if (pair === undefined)
                    return offset;
                offset = this.#beginning(pair, atKey);
                node = pair.value;
            }
            else if ((0,dist.isSeq)(above) && typeof part === 'number' && (0,dist/* isNode */.Ll)(above.items[part])) {
                node = above.items[part];
                offset = startOf(node) ?? offset;
            }
            else
                return offset;
        }
        return offset;
    }
    #beginning({ key, value }, atKey) {
        const [keyAt, valueAt] = [startOf(key) ?? 0, startOf(value)];
        if (atKey || valueAt === undefined)
            return keyAt;
        return this.#lines.linePos(keyAt).line === this.#lines.linePos(valueAt).line ? valueAt : keyAt;
    }
    #pairOf(map, name) {
        const own = map.items.find(({ key }) => (0,dist.isScalar)(key) && String(key.value) === name);
        if (own !== undefined)
            return own;
        for (const { key, value } of map.items) {
            if (!isMergeKey(key))
                continue;
            const merged = this.#resolved(value);
            const sources = (0,dist.isSeq)(merged) ? merged.items.map((item) => this.#resolved(item)) : [merged];
            for (const source of sources) {
                const pair = (0,dist.isMap)(source) ? this.#pairOf(source, name) : undefined;
                if (pair !== undefined)
                    return pair;
            }
        }
        return undefined;
    }
    #resolved(node) {
        return (0,dist.isAlias)(node) && this.#document !== undefined ? node.resolve(this.#document) : node;
    }
    #problem(offset, clause) {
        const { line, col } = this.#lines.linePos(offset);
        return new PodTemplateError(`Failed to use the pod template for jobs: ${this.#name}:${Math.max(1, line)}:${Math.max(1, col)} ${clause}. See docs/kubernetes.md for what a template may say.`);
    }
}
function isEmpty(contents) {
    return contents === null || ((0,dist.isScalar)(contents) && contents.value === null && (contents.source ?? '') === '');
}
function isMergeKey(key) {
    return (0,dist.isScalar)(key) && (typeof key.value === 'symbol' ? key.value.description : key.value) === '<<';
}
function startOf(node) {
    return (0,dist/* isNode */.Ll)(node) && !(0,dist/* isPair */.tO)(node) ? node.range?.[0] : undefined;
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
        throw file.problemAt(['metadata', field], `sets metadata.${field}, but of a pod's metadata a template may set labels and annotations only${hint}`);
    }
    for (const [kind, word] of [
        ['labels', 'label'],
        ['annotations', 'annotation'],
    ]) {
        for (const [key] of entriesOf(metadata.find(([field]) => field === kind)?.[1])) {
            if (OWN_KEY.test(key))
                throw file.problemAt(['metadata', kind, key], `changes the ${word} ${key}, by which the agent finds what is its own`);
        }
    }
}
function entriesOf(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

// EXTERNAL MODULE: ./lib/target/kubernetes/pod.js
var pod = __webpack_require__(5794);
;// CONCATENATED MODULE: ./lib/target/kubernetes/template-needs.js


const TERMINATION_LOG = '/dev/termination-log';
function checkNeeds(file, before, after) {
    const own = elementPath(file.patch, ['spec', 'containers'], 'name', pod/* JOB_CONTAINER */.wD);
    const was = before.spec?.containers[0];
    const container = after.spec?.containers.find(({ name }) => name === pod/* JOB_CONTAINER */.wD);
    if (was === undefined || container === undefined)
        throw file.problemAt(own, `takes away the container ${pod/* JOB_CONTAINER */.wD}, which runs the job`);
    const ofContainer = (field) => [
        [...own, field],
        `the ${field} of container ${pod/* JOB_CONTAINER */.wD}`,
        was[field],
        container[field],
    ];
    const kept = [
        [['spec', 'restartPolicy'], 'spec.restartPolicy', 'Never', after.spec?.restartPolicy],
        ofContainer('command'),
        ofContainer('args'),
        ofContainer('workingDir'),
        ofContainer('restartPolicy'),
        [
            [...own, 'terminationMessagePath'],
            `the terminationMessagePath of container ${pod/* JOB_CONTAINER */.wD}`,
            TERMINATION_LOG,
            container.terminationMessagePath,
        ],
    ];
    for (const [path, name, old, now] of kept) {
        if (JSON.stringify(old) !== JSON.stringify(now))
            throw file.problemAt(path, `changes ${name}, by which the agent runs steps and ends the pod; leave it out`);
    }
    checkTermination(file, { before, after, container, own });
    for (const mount of was.volumeMounts ?? []) {
        const same = container.volumeMounts?.find(({ mountPath }) => mountPath === mount.mountPath);
        if (same?.name !== mount.name || same.readOnly === true || same.subPath !== undefined)
            throw file.problemAt(elementPath(file.patch, [...own, 'volumeMounts'], 'mountPath', mount.mountPath), `changes what is mounted at ${mount.mountPath}, where the agent keeps the job's files`);
    }
    for (const volume of before.spec?.volumes ?? []) {
        if (after.spec?.volumes?.find(({ name }) => name === volume.name)?.emptyDir === undefined)
            throw file.problemAt(elementPath(file.patch, ['spec', 'volumes'], 'name', volume.name), `changes the volume ${volume.name}, where the agent keeps the job's files`);
    }
    checkMarks(file, before, after);
}
function checkTermination(file, { before, after, container, own, }) {
    const needed = before.spec?.terminationGracePeriodSeconds ?? 0;
    const grace = after.spec?.terminationGracePeriodSeconds ?? 0;
    if (grace < needed)
        throw file.problemAt(['spec', 'terminationGracePeriodSeconds'], `changes spec.terminationGracePeriodSeconds to ${grace}, but when its pod is deleted a step needs ${needed} to end in order (cancel_grace_period, and some seconds for the pod); leave it out`);
    const limits = [
        [['spec', 'activeDeadlineSeconds'], 'spec.activeDeadlineSeconds', after.spec?.activeDeadlineSeconds],
        ...['livenessProbe', 'startupProbe'].map((field) => [[...own, field], `the ${field} of container ${pod/* JOB_CONTAINER */.wD}`, container[field]]),
        [[...own, 'lifecycle', 'preStop'], `the preStop hook of container ${pod/* JOB_CONTAINER */.wD}`, container.lifecycle?.preStop],
        [
            [...own, 'lifecycle', 'stopSignal'],
            `the stopSignal of container ${pod/* JOB_CONTAINER */.wD}`,
            container.lifecycle?.stopSignal,
        ],
    ];
    for (const [path, name, value] of limits) {
        if (value !== undefined)
            throw file.problemAt(path, `sets ${name}, by which a step would be killed before it has ended in order; leave it out`);
    }
}
function checkMarks(file, before, after) {
    for (const [kind, word] of [
        ['labels', 'label'],
        ['annotations', 'annotation'],
    ]) {
        for (const [key, value] of Object.entries(before.metadata?.[kind] ?? {})) {
            if (after.metadata?.[kind]?.[key] !== value)
                throw file.problemAt(['metadata', kind, key], `changes the ${word} ${key}, by which the agent finds what is its own`);
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
        const patched = (patch, query = {}) => cluster.call({
            subject: { verb: 'patch', resource: 'podtemplates', namespace, name },
            method: 'PATCH',
            path: `/api/v1/namespaces/${namespace}/podtemplates/${name}`,
            query: { fieldValidation: 'Strict', ...query },
            contentType: 'application/strategic-merge-patch+json',
            body: { template: patch },
            signal,
            patience: (0,kubernetes_cluster/* patienceOf */.H)(signal),
        });
        let merged;
        try {
            const remove = () => (0,objects/* deleteObject */.XR)(cluster, { kind: 'podtemplates', name, signal: deadline/* NEVER */.tm, patience: (0,kubernetes_cluster/* patienceOf */.H)(deadline/* NEVER */.tm) });
            try {
                await (0,objects/* createObject */.ed)(cluster, { kind: 'podtemplates', body: base, signal });
                merged = await patched(this.#file.patch).catch(async (error) => {
                    throw await this.#refused(error, pod, (patch) => patched(patch, { dryRun: 'All' }));
                });
            }
            catch (error) {
                await remove().catch(() => undefined);
                throw error;
            }
            await remove();
        }
        catch (error) {
            throw (0,errors/* targetError */._5)(error, 'merge the pod template');
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
    async #refused(error, pod, tried) {
        if (!(0,errors/* refusedWith */.P0)(error, 400, 422, 500))
            return error;
        const clause = `is refused by the cluster: ${shortened(error.message)}`;
        const [, unknown] = /unknown field "template\.(.+?)"(?:,|$)/.exec(error.message) ?? [];
        if (unknown !== undefined)
            return this.#file.problemAt(unknownFieldPath(unknown, this.#file.patch), clause, { atKey: true });
        const [, field] = /\btemplate\.((?:spec|metadata)\b.*?): /.exec(error.message) ?? [];
        if (field !== undefined)
            return this.#at(mergedFieldPath(field, this.#file.patch, pod), clause);
        const [, kind, said = ''] = /\btemplate\.(labels|annotations): (?:Invalid value: "(.*?)")?/.exec(error.message) ?? [];
        if (kind !== undefined)
            return this.#at(metadataPath(kind, said, this.#file.patch), clause);
        const fails = (patch) => tried(patch).then(() => false, (other) => (0,errors/* refusedWith */.P0)(other, error.status) && isAlike(other, error));
        if (await fails({}))
            return error;
        return this.#at(await culpritIn(this.#file.patch, fails), clause);
    }
    #at(path, clause) {
        return this.#file.problemAt(path, clause);
    }
}
function shortened(message) {
    return message
        .replace(PREFIX, '')
        .replace(/(types are not identical): .*/s, '$1')
        .replace(/^map: map\[.*?(?:\] does not contain declared merge key: |\u2026$)/s, 'an element lacks its key: ');
}
const PREFIX = /^"" is invalid: (?:patch: )?/;
function isAlike(one, other) {
    const [kind, otherKind] = [one, other].map(({ message }) => message.replace(PREFIX, '').split(/["'[{]/)[0]);
    return kind === otherKind;
}


/***/ })

};
