import { expect, it } from 'vitest';
import { CONTAINER_KEYS } from '../../src/config/keys/jobs.ts';
import { CAPABILITIES, PIDS_LIMIT } from '../../src/executor/docker/container/host-config.ts';
import { METADATA_ADDRESSES } from '../../src/executor/docker/container/network.ts';
import { manifestOf, read, tableOf } from '../support/documents/pages.ts';

const page = read('docs/security.md');
const code = (text: string) => `\`${text}\``;

it('the page on security has the capabilities, the blocked addresses, and every limit with its input and its default', () => {
  const kept = tableOf(read('docs/internals/security-evidence.md'), 'capabilities');
  expect(kept.map(([name]) => name)).toEqual(Object.keys(CAPABILITIES).map(code));
  for (const address of METADATA_ADDRESSES) expect(page).toContain(address);
  const limits = tableOf(page, 'limits');
  const keys = Object.keys(CONTAINER_KEYS);
  expect(limits.map(([key, input]) => [key, input])).toEqual(
    keys.map((key) => [code(key), code(key.replaceAll('_', '-'))]),
  );
  const { inputs } = manifestOf('.');
  for (const key of keys) expect(inputs).toHaveProperty(key.replaceAll('_', '-'));
  for (const [index, definition] of Object.values(CONTAINER_KEYS).entries())
    if ('default' in definition && definition.default !== '') expect(limits[index]?.[2]).toBe(code(definition.default));
  expect(CONTAINER_KEYS.pids_limit.default).toBe(String(PIDS_LIMIT));
});
