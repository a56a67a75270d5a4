import { describe, expect, it } from 'vitest';
import { PodTemplate } from '../../../../src/executor/kubernetes/template.ts';
import { PodTemplateError, TemplateFile } from '../../../../src/executor/kubernetes/template-file.ts';

const read = (text: string) => new TemplateFile({ text, name: 'pod.yaml' });
const anchors = Array.from({ length: 12 }, (_, index) =>
  index === 0 ? 'a0: &a0 [x, x]' : `a${index}: &a${index} [*a${index - 1}, *a${index - 1}, *a${index - 1}]`,
);

describe('a template that is no pod', () => {
  it.each([
    ['', "is not a mapping with a pod's metadata and spec. See docs/kubernetes.md"],
    ['# nothing\n---\n', 'is not a mapping'],
    ['# a list\n- spec\n', 'is not a mapping'],
    [
      'spec:\n\tdnsPolicy: Default\n',
      'is not YAML: Tabs are not allowed as indentation at line 2, column 1. See docs/',
    ],
    ['spec:\n  a: "b\n', 'is not YAML: Missing closing "quote at line 3, column 1. See docs/'],
    ['{"spec": {\n  "a": 1,\n  "a": 2}}', 'is not YAML: Map keys must be unique at line 3, column 3. See docs/'],
    ['spec: {}\n---\n# another\nspec: {}\n', 'has a second document; a template is one pod'],
    ['spec: {}\nstatus: {}\n', 'has the field "status", which a pod has not'],
    ['spec: {}\nkind: Deployment\n', 'is of kind "Deployment"; it must be Pod'],
    ['metadata: {}\nspec: [a]\n', 'has a spec that is not a mapping'],
    ['metadata: text\n', 'has a metadata that is not a mapping'],
    ['\uFEFFmetadata: text\r\n', 'has a metadata that is not a mapping'],
    ['spec:\r\n  a: 1\r\n  b: *c\r\n', "can't be read: Unresolved alias"],
    ['spec:\n  a: {<<: 5}\n', "can't be read: Merge sources must be maps or map aliases"],
    [`spec:\n  ${anchors.join('\n  ')}\n`, "can't be read: Excessive alias count"],
  ])('%j', (text, why) => {
    expect(() => read(text)).toThrow(PodTemplateError);
    expect(() => read(text)).toThrow(`Failed to use the pod template for jobs: pod.yaml ${why}`);
  });
});

it('is the one document that says something', () => {
  expect(read('---\n---\n# ours\nmetadata: null\nspec: {a: 1}\n---\n').patch).toEqual({ spec: { a: 1 } });
  expect(read('{\n\t"spec": {\n\t\t"a": 1\n\t}\n}').patch).toEqual({ spec: { a: 1 } });
});

describe("metadata that is the agent's", () => {
  const use = (text: string) => new PodTemplate({ text, name: 'pod.yaml' });

  it.each([
    ['metadata:\n  labels: {a: b}\n  namespace: other\n', 'sets metadata.namespace, '],
    ['metadata: {name: mine}\n', 'sets metadata.name, '],
    ['metadata: {generateName: mine-}\n', 'sets metadata.generateName, '],
    ['metadata:\n  finalizers:\n  - acme.example/keep\n', 'sets metadata.finalizers, '],
    ['metadata:\n  ownerReferences: []\n', 'sets metadata.ownerReferences, '],
    ['x: &m {name: mine}\nmetadata: *m\n', 'has the field "x"'],
    ['metadata:\n  labels:\n    a: b\n    pulumi-runner.job: "7"\n', 'changes the label pulumi-runner.job, '],
    ['metadata: {labels: {pulumi-runner.owner-pid: null}}\n', 'changes the label pulumi-runner.owner-pid, '],
    ['metadata: {annotations: {pulumi-runner.of-later: a}}\n', 'changes the annotation pulumi-runner.of-later, '],
  ])('%j', (text, why) => {
    expect(() => use(text)).toThrow(PodTemplateError);
    expect(() => use(text)).toThrow(`Failed to use the pod template for jobs: pod.yaml ${why}`);
  });

  it.each([
    'metadata: {creationTimestamp: null, labels: {pulumi-runner.example/team: a, pulumi: b}}\n',
    'metadata: {labels: null, annotations: null}\n',
    'metadata: {labels: [pulumi-runner.job]}\n',
    'spec: {}\n',
  ])('is not in %j', (text) => {
    expect(() => use(text)).not.toThrow();
  });
});
