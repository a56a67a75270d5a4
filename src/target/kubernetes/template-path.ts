import type { TemplatePatch, TemplatePath } from './template-file.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The lists of a pod that a strategic merge patch merges by a key of their elements; all others are replaced as a whole
 * (`patchMergeKey` of k8s.io/api/core/v1, types.go).
 */
const MERGE_KEYS: Readonly<Record<string, string>> = {
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

/** The key by which elements of the list `name` are merged. */
export function mergeKeyOf(name: string | number | undefined): string | undefined {
  return typeof name === 'string' && Object.hasOwn(MERGE_KEYS, name) ? MERGE_KEYS[name] : undefined;
}

/**
 * Where the file has a field that no pod has: `path` is the API server's, as in `spec.containers[1].foo`. It counts in the merged
 * lists; as all elements of a list have the same fields, the first in the file that has this one is as wrong.
 */
export function unknownFieldPath(path: string, patch: TemplatePatch): TemplatePath {
  return deepest(`.${path}`, patch, () => undefined).path;
}

/** Where the file has what the API server means by `path`, which counts in the lists that the patch and `base`, the pod, make. */
export function mergedFieldPath(path: string, patch: TemplatePatch, base: object): TemplatePath {
  return deepest(`.${path}`, patch, placesOf, { value: base }).path;
}

/** Labels and annotations are told without a name: by what is wrong, be it key or value. */
export function metadataPath(kind: string, said: string, { metadata = {} }: TemplatePatch): TemplatePath {
  const entries = fieldsOf(fieldsOf(metadata)?.[kind]) ?? {};
  const name = Object.keys(entries).find((key) => key === said || entries[key] === said);
  return ['metadata', kind, ...(name === undefined ? [] : [name])];
}

/** The element of the list at `path` that has `value` for `key`, else the list. */
export function elementPath(patch: TemplatePatch, path: TemplatePath, key: string, value: string): TemplatePath {
  const list = path.reduce<unknown>(
    (above, part) => (Array.isArray(above) ? above[Number(part)] : fieldsOf(above)?.[part]),
    patch,
  );
  const at = Array.isArray(list) ? list.findLastIndex((element) => fieldsOf(element)?.[key] === value) : -1;
  return at < 0 ? path : [...path, at];
}

interface Found {
  readonly path: TemplatePath;
  /** What of the API server's path led nowhere. */
  readonly rest: string;
}

/** The same place of the pod that is patched; nothing where it has none. */
interface Base {
  readonly value: unknown;
  /** The mapping that a list stands in, and the list's name. */
  readonly parent?: Fields;
  readonly name?: string;
}

/** Which elements of a list of the file the place `at` of the merged list may be. All where it says undefined. */
type Places = (at: number, list: readonly unknown[], base: Base) => readonly number[] | undefined;

/** Follows the API server's path as far as it leads in the file, whatever characters the fields' names have. */
function deepest(rest: string, value: unknown, places: Places, base: Base = { value: undefined }): Found {
  if (Array.isArray(value)) {
    const [index, at] = /^\[(\d+)\]/.exec(rest) ?? [];
    if (index === undefined) return { path: [], rest };
    const candidates = places(Number(at), value, base) ?? value.keys();
    const found = [...candidates]
      .filter((place) => directiveOf(value[place]) === undefined)
      .map((place): Found => {
        const key = mergeKeyOf(base.name);
        const same = elementOf(base.value, key, fieldsOf(value[place])?.[key ?? '']);
        const { path, rest: left } = deepest(rest.slice(index.length), value[place], places, { value: same });
        return { path: [place, ...path], rest: left };
      });
    return shortestRest(found) ?? { path: [], rest };
  }
  const fields = fieldsOf(value);
  if (fields === undefined) return { path: [], rest };
  const replaces = fields['$patch'] === 'replace';
  const found = Object.keys(fields).flatMap((name): Found[] => {
    const spelt = [`.${name}`, `[${name}]`].find((form) => rest.startsWith(form));
    if (spelt === undefined || !/^(?:$|[.[])/.test(rest.slice(spelt.length))) return [];
    const below = { value: replaces ? undefined : fieldsOf(base.value)?.[name], parent: fields, name };
    const { path, rest: left } = deepest(rest.slice(spelt.length), fields[name], places, below);
    return [{ path: [name, ...path], rest: left }];
  });
  return shortestRest(found) ?? { path: [], rest };
}

function shortestRest(found: readonly Found[]): Found | undefined {
  return found.toSorted((one, other) => one.rest.length - other.rest.length)[0];
}

/**
 * The elements of `list` that make the element `at` of the merged list. A list that is merged gets the patch's order, with the
 * pod's own elements between them where their order allows (normalizeElementOrder of k8s.io/apimachinery, strategicpatch).
 */
function placesOf(at: number, list: readonly unknown[], { value, parent, name }: Base): readonly number[] {
  const key = mergeKeyOf(name);
  const live = [...list.keys()].filter((place) => directiveOf(list[place]) === undefined);
  const replaces = list.some((element) => directiveOf(element) === 'replace');
  // What has nothing to be merged with is taken as it is.
  if (key === undefined || replaces || !Array.isArray(value)) return live.slice(at, at + 1);
  const keyOf = (element: unknown): unknown => fieldsOf(element)?.[key];
  const deleted = list.filter((element) => directiveOf(element) === 'delete').map(keyOf);
  const base = value.map(keyOf).filter((own) => !deleted.includes(own));
  const given = live.map((place) => keyOf(list[place]));
  const order = parent?.[`$setElementOrder/${name}`];
  const wanted = mergedKeys(base, given, Array.isArray(order) ? order.map(keyOf) : given)[at];
  return live.filter((place) => keyOf(list[place]) === wanted);
}

function mergedKeys(base: readonly unknown[], given: readonly unknown[], order: readonly unknown[]): unknown[] {
  const all = [...new Set([...base, ...given])];
  const left = all.filter((own) => !order.includes(own));
  const right = [...new Set(order)].filter((own) => all.includes(own));
  const merged: unknown[] = [];
  while (left.length > 0 && right.length > 0) {
    const [one, other] = [base.indexOf(left[0]), base.indexOf(right[0])];
    merged.push((one >= 0 && one < other ? left : right).shift());
  }
  return [...merged, ...left, ...right];
}

function elementOf(list: unknown, key: string | undefined, value: unknown): unknown {
  if (key === undefined || !Array.isArray(list)) return undefined;
  return list.find((element) => fieldsOf(element)?.[key] === value);
}

/** `delete` or `replace` of an element that is no element itself. */
function directiveOf(element: unknown): unknown {
  const directive = fieldsOf(element)?.['$patch'];
  return directive === 'merge' ? undefined : directive;
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
