import { describe, expect, it } from 'vitest';
import { readDefinition } from '../../../src/pulumi-agent/recorder/definition.ts';

const NONE = { plainVariables: [], secretVariables: [] };

describe('an observed definition', () => {
  it('yields the image, the steps and the secrets', () => {
    const env = {
      A: { secret: 'marked-1' },
      C: { secret: 'a://u:in-url@b' },
      PULUMI_ACCESS_TOKEN: 'pul-1234',
    };
    const json = {
      image: { reference: 'i', credentials: { username: 'u', password: { secret: 'pass-1' } } },
      env: { ...env, B: 'pr-web-123', D: 'named-1' },
      steps: [{ name: 'Setup' }, { run: 'x' }],
    };
    const read = readDefinition(json, { ...NONE, secretVariables: ['D*'] });
    expect(read?.outline).toEqual({ image: 'i', steps: ['Setup', 'Step 1'] });
    const secrets = new Set(['marked-1', 'a://u:in-url@b', 'in-url', 'pass-1', 'pul-1234', 'named-1']);
    expect(new Set(read?.secrets)).toEqual(secrets);
    expect(read?.mismatch).toBeUndefined();
  });

  it('of another shape hides whatever may be secret, and yields the named steps', () => {
    const json = {
      env: { A: { vault: { text: 'hidden-1' } } },
      more: ['hidden-2'],
      steps: [{ name: 'Scan', run: ['x'] }],
    };
    const read = readDefinition(json, NONE);
    expect(read).toMatchObject({ outline: { steps: ['Scan'] }, mismatch: expect.stringContaining('env.A') });
    expect(read?.secrets).toEqual(expect.arrayContaining(['hidden-1', 'hidden-2']));
  });

  it('that is not one yields nothing', () => {
    expect(readDefinition('x', NONE)).toBeUndefined();
  });
});
