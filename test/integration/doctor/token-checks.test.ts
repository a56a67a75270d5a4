import { expect, it } from 'vitest';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { Examination } from '../../../src/cli/doctor/examination.ts';
import { tokenChecks } from '../../../src/cli/doctor/token-checks.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { never } from '../../support/cloud/cloud-http.ts';
import { ScriptedServer } from '../../support/cloud/scripted-server.ts';

it.each([
  [401, /does not know the token/],
  [402, /edition has no customer-managed runners/],
  [
    403,
    /can't do the work of a pool\. Use the token of a runner pool .* not a personal, team or organization token/,
  ],
])('the refusal of a token with %i is explained', async (status, meaning) => {
  const { url: service_url } = await ScriptedServer.start(() => ({ status }));
  const config = configOf({ token: 'pul-1', service_url });
  const redactor = new Redactor();
  const redact = (text: string) => redactor.text(text);
  const examination = new Examination(never, redact, () => undefined);
  const sources = { config: { value: config }, settings: { value: config }, environment: {}, redactor };
  await tokenChecks(examination, sources, { value: undefined });
  expect(examination.reports.find(({ id }) => id === 'pool')).toMatchObject({
    ...{ id: 'pool', status: 'failed', outcome: 'auth-error', code: 'PRA-AUTH-05' },
    detail: expect.stringMatching(meaning),
  });
});
