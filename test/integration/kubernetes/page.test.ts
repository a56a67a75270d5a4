import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clusterBench, NEVER } from '../../support/kubernetes/cluster.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/kubernetes');
const PAGES = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'));
const bench = clusterBench();

/** The pages' YAML blocks that follow an HTML comment, which says what they are. */
const blocks = PAGES.flatMap((page) =>
  [...page.matchAll(/^<!-- (.+) -->\n```yaml\n([\s\S]*?)^```$/gm)].map(([, mark = '', text = '']) => ({
    mark,
    text,
  })),
);

/** The blocks with this mark; fails if there are none. */
function marked(mark: string) {
  const found = blocks.filter((block) => block.mark.split(':')[0] === mark);
  expect(found, mark).not.toEqual([]);
  return found;
}

it('the pages show pod templates that the cluster takes, and ones that are refused in the quoted words', async () => {
  for (const { text } of marked('template'))
    expect(await bench.target({ podTemplate: text }).check(NEVER), text).toContain(bench.namespace);
  for (const { mark, text } of marked('refused')) {
    const sentence = mark.slice(mark.indexOf(':') + 1).trim();
    await expect(bench.target({ podTemplate: text }).check(NEVER)).rejects.toMatchObject({
      outcome: 'config-error',
      message: expect.stringContaining(sentence),
    });
  }
});

it('the pages show a template that passes restricted Pod Security', async () => {
  const label = 'pod-security.kubernetes.io/enforce';
  await bench.kubectl('label', 'namespace', bench.namespace, `${label}=restricted`);
  try {
    const refused = bench.target().check(NEVER);
    await expect(refused).rejects.toThrow(
      /an admission rule of the cluster refused it: .*violates PodSecurity/,
    );
    const [{ text } = { text: '' }] = marked('restricted');
    expect(await bench.target({ podTemplate: text }).check(NEVER)).toContain(bench.namespace);
  } finally {
    await bench.kubectl('label', 'namespace', bench.namespace, `${label}-`);
  }
});

it('the pages show manifests that the cluster takes', async () => {
  for (const { text } of marked('manifest')) expect(await dryRun(text)).toMatch(/server dry run/);
});

/** Has the API server check objects as if it were to make them. */
async function dryRun(text: string): Promise<string> {
  return bench.kubectl(
    'apply',
    '--dry-run=server',
    '--validate=strict',
    '--filename',
    await bench.file(text),
  );
}
