import { createHash } from 'node:crypto';

/** What every object of ours carries; Fargate profiles select on the first two (protocol section 8). */
export const COMPONENT_LABELS = {
  'app.kubernetes.io/component': 'pulumi-workflow',
  'app.kubernetes.io/name': 'workflow-runner',
  'app.kubernetes.io/managed-by': 'pulumi-runner-agent',
} as const;

/** A label's value as Kubernetes takes it: up to 63 of its characters, beginning and ending with a letter or digit. */
const VALUE = /^(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?$/;

/** The value itself where it may be one, else a short name for it. The whole value is in the annotation of the same key. */
export function labelValue(value: string): string {
  if (VALUE.test(value)) return value;
  return `sha256-${createHash('sha256').update(value).digest('hex').slice(0, 32)}`;
}

/** Labels and annotations that say what an object belongs to. */
export function ownership(labels: Readonly<Record<string, string>>): {
  labels: Record<string, string>;
  annotations: Record<string, string>;
} {
  const values = Object.entries(labels).map(([key, value]) => [key, labelValue(value)]);
  return { labels: { ...Object.fromEntries(values), ...COMPONENT_LABELS }, annotations: { ...labels } };
}

/** The selector that finds what `ownership(labels)` marks. */
export function selectorOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries({ ...labels, 'app.kubernetes.io/managed-by': COMPONENT_LABELS['app.kubernetes.io/managed-by'] })
    .map(([key, value]) => `${key}=${labelValue(value)}`)
    .join(',');
}
