import { describe, expect, it } from 'vitest';
import { DeploymentApi } from '../../../../src/cloud/deployment-api.ts';
import { recordedChanges } from '../../../../src/cloud/deployments/recorded-changes.ts';
import { ORGANIZATION, StaticToken } from '../../../../src/cloud/token.ts';
import { cloudHttp, never } from '../../../support/cloud/cloud-http.ts';

const NAME = { stack: { organization: 'acme', project: 'web', stack: 'dev' }, deploymentId: 'dep-1' };
const STACK = '/api/stacks/acme/web/dev';
const UPDATES = `${STACK}/deployments/dep-1/updates`;

const update = (kind: string, startTime = 1) => ({
  updateID: `${kind}-${startTime}`,
  info: { kind, startTime },
});
const event = (kind: string, op: string, name: string) => ({
  [kind]: {
    metadata: {
      op,
      type: 'a:b:C',
      urn: `urn:pulumi:dev::web::a:b:C::${name}`,
      old: { inputs: { key: 's3cret' } },
    },
  },
});

/** The changes by these answers, by path; other paths are refused with 404. `asked` are the calls. */
async function changesBy(answers: Readonly<Record<string, (call: number) => unknown>>) {
  const asked: string[] = [];
  const http = new Proxy(cloudHttp('http://127.0.0.1:1'), {
    get: (target, key) =>
      key === 'once'
        ? ({ path }: { path: string }) => {
            asked.push(path);
            const answer = answers[path.split('?', 1)[0] ?? ''];
            const json = answer?.(asked.length) ?? { code: 404, message: 'Not Found' };
            const status = answer === undefined ? 404 : 200;
            return Promise.resolve({ status, json, text: JSON.stringify(json), headers: {}, wasSent: true });
          }
        : Reflect.get(target, key, target),
  });
  const api = new DeploymentApi(http, new StaticToken('pul-1', ORGANIZATION));
  const redact = (text: string) => text.replaceAll('hunter2hunter2', '***');
  const changes = await recordedChanges(NAME.stack, {
    readUpdates: (signal) => api.updates(NAME, signal),
    ...{ api, redact, log: () => undefined, signal: never },
  });
  return { changes, asked };
}

describe('the changes that Pulumi Cloud recorded', () => {
  it('are those of the last update of each kind, and nothing of a resource but type and name', async () => {
    const { changes, asked } = await changesBy({
      [UPDATES]: () => [update('update', 3), update('update', 2), update('refresh', 1), update('Pupdate', 4)],
      [`${STACK}/update/update-3/events`]: () => ({
        events: [event('resourcePreEvent', 'create', 'logs'), event('resOutputsEvent', 'create', 'logs')],
      }),
      [`${STACK}/refresh/refresh-1/events`]: () => ({
        events: [event('resourcePreEvent', 'refresh', 'db'), event('resOutputsEvent', 'update', 'db')],
      }),
    });
    expect(asked).toHaveLength(3);
    expect(changes).toEqual({
      source: 'pulumi-cloud',
      preview: false,
      resources: [
        { operation: 'create', resourceType: 'a:b:C', name: 'logs', state: 'done' },
        { operation: 'update', resourceType: 'a:b:C', name: 'db', state: 'done' },
      ],
      counts: { create: 1, update: 1 },
    });
  });

  it('hide a secret in a long name before they cut it', async () => {
    const { changes } = await changesBy({
      [UPDATES]: () => [update('update')],
      [`${STACK}/update/update-1/events`]: () => ({
        events: [event('resOutputsEvent', 'create', `${'n'.repeat(294)}hunter2hunter2`)],
      }),
    });
    expect(changes?.resources).toMatchObject([{ name: `${'n'.repeat(294)}***` }]);
  });

  it('are none of an operation that is only named like what every object has', async () => {
    const { changes } = await changesBy({
      [UPDATES]: () => [update('update')],
      [`${STACK}/update/update-1/events`]: () => ({
        events: ['toString', 'constructor', '__proto__'].map((op) => event('resOutputsEvent', op, op)),
      }),
    });
    expect(changes).toMatchObject({ resources: [], counts: {} });
  });

  it('tell what an update began, and what failed', async () => {
    const { changes } = await changesBy({
      [UPDATES]: () => [update('destroy')],
      [`${STACK}/destroy/destroy-1/events`]: () => ({
        events: [
          event('resourcePreEvent', 'delete', 'one'),
          event('resourcePreEvent', 'delete', 'two'),
          event('resOpFailedEvent', 'delete', 'two'),
        ],
      }),
    });
    expect(changes).toMatchObject({ counts: {}, failed: 1, unfinished: 1 });
  });

  it('are found below either path of a preview', async () => {
    const events = () => ({ events: [event('resOutputsEvent', 'replace', 'db')] });
    const { changes, asked } = await changesBy({
      [UPDATES]: () => [update('Pupdate')],
      [`${STACK}/update/Pupdate-1/events`]: events,
    });
    expect(changes).toMatchObject({ preview: true, counts: { replace: 1 } });
    expect(asked).toEqual([UPDATES, `${STACK}/preview/Pupdate-1/events`, `${STACK}/update/Pupdate-1/events`]);
  });

  const path = `${STACK}/update/update-1/events`;
  const page = (continuationToken: string) => ({
    events: [event('resOutputsEvent', 'create', 'logs')],
    continuationToken,
  });

  it('end where a service repeats its continuation', async () => {
    const { changes, asked } = await changesBy({
      [UPDATES]: () => [update('update')],
      [path]: () => page('same'),
    });
    expect(asked).toEqual([UPDATES, path, `${path}?continuationToken=same`]);
    expect(changes?.counts).toEqual({ create: 1 });
  });

  it('are unknown if the pages don’t end, rather than in part', async () => {
    const { changes, asked } = await changesBy({
      [UPDATES]: () => [update('update')],
      [path]: (call) => page(`next/${call}`),
    });
    expect({ changes, calls: asked.length }).toEqual({ changes: undefined, calls: 51 });
  });

  it.each<[string, Readonly<Record<string, () => unknown>>]>([
    ['the updates can’t be read', {}],
    ['there is no update', { [UPDATES]: () => [] }],
    ['the updates have no IDs', { [UPDATES]: () => [{ info: { kind: 'update' } }] }],
    ['an update is of a kind without events', { [UPDATES]: () => [update('import')] }],
    ['the events can’t be read', { [UPDATES]: () => [update('update')] }],
    ['there are no events', { [UPDATES]: () => [update('update')], [path]: () => ({ events: null }) }],
    ['the events are none', { [UPDATES]: () => [update('update')], [path]: () => ({ lines: [] }) }],
  ])('are unknown if %s', async (_, answers) => {
    expect((await changesBy(answers)).changes).toBeUndefined();
  });
});
