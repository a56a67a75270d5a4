import { describe, expect, it } from 'vitest';
import { readDefinition } from '../../../../src/engines/pulumi/relay/definition.ts';

describe('a definition that is read along', () => {
  it('tells image, steps, and what is secret', () => {
    const read = readDefinition({
      image: { reference: 'i', credentials: { username: 'u', password: { secret: 'pass-1' } } },
      env: { A: { secret: 'marked' }, B: 'plain', PULUMI_ACCESS_TOKEN: 'pul-1234', DB: { secret: 'pg://u:hunter2@h' } },
      steps: [{ name: 'Setup' }, { run: 'x' }],
    });
    expect(read?.definition).toEqual({ image: 'i', steps: ['Setup', 'Step 1'] });
    const secrets = ['marked', 'pass-1', 'pul-1234', 'pg://u:hunter2@h', 'hunter2'];
    expect(new Set(read?.secrets)).toEqual(new Set(secrets));
    expect(read?.doubt).toBeUndefined();
  });

  it('of another shape hides whatever may be secret, and tells the steps that have names', () => {
    const read = readDefinition({
      env: { A: { vault: { text: 'hidden-1' } } },
      more: ['hidden-2'],
      steps: [{ name: 'Scan', run: ['x'] }],
    });
    expect(read).toMatchObject({ definition: { steps: ['Scan'] }, doubt: expect.stringContaining('env.A') });
    expect(read?.secrets).toEqual(expect.arrayContaining(['hidden-1', 'hidden-2']));
  });

  it('that is none is not read', () => {
    expect(readDefinition('x')).toBeUndefined();
  });
});
