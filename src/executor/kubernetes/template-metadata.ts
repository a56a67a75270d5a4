import type { TemplateFile } from './template-file.ts';

/** Keys that say whose an object is. They are known by their beginning: which there are, and their values, differ from claim to claim. */
const OWN_KEY = /^pulumi-runner\.[^/]*$/;

/** What an object's metadata has besides labels and annotations (ObjectMeta of k8s.io/apimachinery, meta/v1). */
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

/**
 * Throws PodTemplateError where a template says what is the agent's to say of a pod's metadata. What is null says nothing: kubectl
 * writes creationTimestamp so.
 */
export function checkMetadata(file: TemplateFile): void {
  const metadata = entriesOf(file.patch.metadata);
  for (const [field, value] of metadata) {
    if (!AGENTS_FIELDS.includes(field) || value === null) continue;
    const hint = field === 'namespace' ? "; the namespace of jobs is a setting of the agent's" : '';
    throw file.problem(
      `sets metadata.${field}, but of a pod's metadata a template may set labels and annotations only${hint}`,
    );
  }
  for (const [kind, word] of [
    ['labels', 'label'],
    ['annotations', 'annotation'],
  ] as const) {
    for (const [key] of entriesOf(metadata.find(([field]) => field === kind)?.[1])) {
      if (OWN_KEY.test(key))
        throw file.problem(`changes the ${word} ${key}, which the agent needs to find what is its own`);
    }
  }
}

function entriesOf(value: unknown): [key: string, value: unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
