import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JobDefinitionError } from '../../../src/cloud/errors.ts';
import { exchangeSchema } from '../../../src/cloud/exchange-answer.ts';
import { claimSchema, complaints, parseJobDefinition } from '../../../src/cloud/wire.ts';

const SECRET = 'hunter2-Zq9';
/** Anything, the secret as likely as not in any place of it. */
const junk = fc
  .jsonValue()
  .chain((value) => fc.constantFrom(value, SECRET, { secret: SECRET }, { value: [SECRET] }, [SECRET]));
const value = fc.oneof(
  junk,
  fc.record({ secret: junk }, { requiredKeys: [] }),
  fc.record({ isSecret: fc.oneof(fc.boolean(), junk), value: junk, ciphertext: junk }, { requiredKeys: [] }),
);
const timeout = fc.oneof(fc.constantFrom('1h', '0s', ''), fc.double(), junk);
const step = fc.oneof(fc.record({ name: junk, run: junk, workingDir: junk, timeout }, { requiredKeys: [] }), junk);
/** Job definitions that are nearly right, each part of them wrong in any way. */
const job = fc.record(
  {
    os: fc.oneof(fc.constant('linux'), junk),
    architecture: fc.oneof(fc.constant('amd64'), junk),
    image: fc.oneof(
      junk,
      fc.record(
        {
          reference: junk,
          credentials: fc.oneof(junk, fc.record({ username: junk, password: value }, { requiredKeys: [] })),
        },
        { requiredKeys: [] },
      ),
    ),
    shell: fc.oneof(fc.constant('sh'), junk),
    timeout,
    env: fc.oneof(junk, fc.dictionary(fc.string(), value)),
    steps: fc.oneof(junk, fc.array(step, { maxLength: 4 })),
  },
  { requiredKeys: [] },
);

describe('whatever Pulumi Cloud answers', () => {
  it('is a definition or a JobDefinitionError on one line that shows no value', () => {
    fc.assert(
      fc.property(fc.oneof(job, junk), (json) => {
        let failure: unknown;
        try {
          const definition = parseJobDefinition(json, 'j');
          expect(definition.steps.length).toBeGreaterThan(0);
          for (const { value: text } of Object.values(definition.env)) expect(text).toBeTypeOf('string');
        } catch (error) {
          failure = error;
        }
        if (failure === undefined) return;
        expect(failure).toBeInstanceOf(JobDefinitionError);
        expect((failure as Error).message).not.toContain(SECRET);
        expect(JSON.stringify((failure as Error).cause)).not.toContain(SECRET);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is a claim or a complaint that shows no value', () => {
    const claim = fc.record(
      { jobID: junk, jobToken: junk, oidcToken: junk, runID: junk, typeSpecificID: junk, deploymentID: junk },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(claim, junk), (json) => {
        const parsed = claimSchema.safeParse(json);
        if (parsed.success) expect(parsed.data.deploymentId).not.toBe('');
        else expect(complaints(parsed.error)).not.toContain(SECRET);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is an exchange with a lifetime that can be waited for, or none', () => {
    const answer = fc.record({ access_token: junk, expires_in: fc.oneof(junk, fc.double()) }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.oneof(answer, junk), (json) => {
        const parsed = exchangeSchema.safeParse(json);
        if (!parsed.success) return;
        const { expires_in: seconds } = parsed.data;
        if (seconds !== undefined) expect(() => new Date(Date.now() + seconds * 1000).toISOString()).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});
