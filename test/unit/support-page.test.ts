import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { read } from '../support/documents/pages.ts';

it('the page on what is supported has the versions that the code asks for', () => {
  const page = read('docs/support.md');
  const [, api = ''] = /^const OLDEST_API = '(.+)';$/m.exec(read('src/executor/docker/engine/engine.ts')) ?? [];
  const [, cluster = ''] = /^>=(\d+\.\d+)\.0-0$/.exec(parse(read('deploy/helm/Chart.yaml')).kubeVersion) ?? [];
  const [, node = ''] = /^>=(\d+)$/.exec(JSON.parse(read('package.json')).engines.node) ?? [];
  expect(page).toContain(`API ${api} (`);
  expect(read('docs/engines.md')).toContain(`API ${api} (`);
  expect(page).toContain(`| **Kubernetes** | ${cluster} or newer`);
  expect(page).toContain(`it brings Node.js ${node} |`);
  for (const action of ['action.yml', 'plan/action.yml']) expect(parse(read(action)).runs.using).toBe(`node${node}`);
});
