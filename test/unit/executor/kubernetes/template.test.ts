import { expect, it } from 'vitest';
import { PodTemplateError, TemplateFile } from '../../../../src/executor/kubernetes/template.ts';

const read = (text: string) => new TemplateFile({ text, name: 'pod.yaml' });
const anchors = Array.from({ length: 12 }, (_, index) =>
  index === 0 ? 'a0: &a0 [x, x]' : `a${index}: &a${index} [*a${index - 1}, *a${index - 1}, *a${index - 1}]`,
);

it.each([
  ['', "is not a mapping with a pod's metadata and spec. See docs/kubernetes/pod-template.md"],
  ['# a list\n- spec\n', 'is not a mapping'],
  ['spec:\n  a: "b\n', 'is not YAML: Missing closing "quote at line 3, column 1. See docs/'],
  ['spec: {}\n---\nspec: {}\n', 'has a second document; a template is one pod. See'],
  ['spec: {}\nkind: Deployment\n', 'is of kind "Deployment"; it must be Pod'],
  ['\uFEFFmetadata: text\r\n', 'has a metadata that is not a mapping'],
  [
    'metadata: {labels: {a: b}, namespace: other}\n',
    'sets metadata.namespace, but a template may set only labels',
  ],
  ['spec:\n  a: {<<: 5}\n', "can't be read: Merge sources must be maps or map aliases"],
  [`spec:\n  ${anchors.join('\n  ')}\n`, "can't be read: Excessive alias count"],
])('a template that is not a pod is refused: %j', (text, why) => {
  expect(() => read(text)).toThrow(PodTemplateError);
  expect(() => read(text)).toThrow(`Failed to use the pod template for jobs: pod.yaml ${why}`);
});

it('a template may be YAML or JSON, and its nulls are dropped', () => {
  expect(read('---\n# ours\nkind: Pod\nmetadata: null\nspec: {a: 1}\n').patch).toEqual({ spec: { a: 1 } });
  expect(read('{\n\t"spec": {\n\t\t"a": 1\n\t}\n}').patch).toEqual({ spec: { a: 1 } });
  expect(read('spec:\r\n  a: &a {x: 1}\r\n  b: {<<: *a, y: 2}\r\n').patch).toEqual({
    spec: { a: { x: 1 }, b: { x: 1, y: 2 } },
  });
  const metadata = { creationTimestamp: null, labels: { pulumi: 'b' } };
  expect(read(JSON.stringify({ metadata })).patch).toEqual({ metadata });
});
