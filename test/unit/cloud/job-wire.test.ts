import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimSchema, parseJobDefinition } from '../../../src/cloud/job-wire.ts';
import { runs } from '../../support/property-runs.ts';

const STEPS = [{ name: 'Setup', run: '' }];
const SECRET_S = { value: 's', secret: true };

const read = (job: object) => parseJobDefinition({ steps: STEPS, ...job }, 'j');

describe('a job’s definition', () => {
  it('may have little more than a step, with null for the rest and unknown keys', () => {
    const bare = {
      image: { reference: undefined, credentials: undefined },
      shell: 'bash',
      env: {},
      steps: [{ run: '' }],
    };
    expect(parseJobDefinition({ steps: [{}], more: [{}] }, 'j')).toEqual(bare);
    const nothing = { os: null, architecture: null, image: null, shell: null, timeout: null, env: null };
    const step = { name: null, run: null, workingDir: null, timeout: null, id: 1 };
    expect(parseJobDefinition({ ...nothing, steps: [step] }, 'j')).toEqual(bare);
  });

  it.each<[unknown, string | undefined, object | undefined]>([
    ['registry.example/image:tag', 'registry.example/image:tag', undefined],
    ['', undefined, undefined],
    [{ reference: null, credentials: null }, undefined, undefined],
    [{ reference: 'a', credentials: { username: '', password: 'p' } }, 'a', undefined],
    [
      { reference: 'a', credentials: { username: 'u', password: { secret: 'p' } } },
      'a',
      { username: 'u', password: 'p' },
    ],
  ])('takes the image %j', (image, reference, credentials) => {
    expect(read({ image }).image).toEqual({ reference, credentials });
  });

  it.each<[unknown, { value: string; secret: boolean }]>([
    ['', { value: '', secret: false }],
    [7, { value: '7', secret: false }],
    [{ secret: 's', ciphertext: 'c' }, SECRET_S],
    [
      { isSecret: false, value: 's' },
      { ...SECRET_S, secret: false },
    ],
    [{ value: 's', ciphertext: 'c' }, SECRET_S],
    // As Pulumi's own decoder takes them (secret_value.go).
    [{}, { value: '', secret: true }],
    [null, { value: '', secret: true }],
    [{ plaintext: 's' }, { value: 's', secret: false }],
    [{ plaintext: '' }, { value: '', secret: false }],
    [{ secret: null }, { value: '', secret: true }],
    [{ isSecret: true }, { value: '', secret: true }],
    [{ isSecret: false }, { value: '', secret: false }],
    [{ SECRET: 's' }, SECRET_S],
    [{ IsSecret: true, Value: 's' }, SECRET_S],
    [{ secret: 's', ciphertext: null }, SECRET_S],
  ])('takes the variable %j', (value, expected) => {
    expect(read({ env: { KEY: value } }).env).toEqual({ KEY: expected });
  });

  it('takes a variable of any name', () => {
    const env = JSON.parse('{"__proto__":"x","constructor":"y","toString":{"secret":"z"}}');
    const read_ = read({ env }).env;
    expect(Object.keys(read_)).toContain('constructor');
    expect(read_['toString']).toEqual({ value: 'z', secret: true });
    expect(Object.prototype).not.toHaveProperty('value');
  });

  it.each<[unknown, string]>([
    [undefined, 'the answer is not JSON'],
    [7, 'expected object'],
    [{ steps: [] }, 'steps: '],
    [{ steps: [{}, { run: ['echo'] }] }, 'steps[1].run: '],
    [{ steps: STEPS, timeout: {} }, 'timeout: '],
    [
      { steps: STEPS, env: { KEY: { ciphertext: 'c' } } },
      'env.KEY: is encrypted (ciphertext), which only Pulumi',
    ],
    [{ steps: STEPS, env: { KEY: { isSecret: true, ciphertext: 'c' } } }, 'env.KEY: is encrypted'],
    [{ steps: STEPS, env: { KEY: ['a'] } }, 'env.KEY: is not a string'],
    [{ steps: STEPS, env: { KEY: { secret: ['a'] } } }, 'env.KEY: is not a string'],
    [{ steps: STEPS, env: { KEY: { other: 'a' } } }, 'env.KEY: is not a string'],
    [
      { steps: STEPS, image: { credentials: { username: 'u', password: { ciphertext: 'c' } } } },
      'image.credentials.password: is encrypted',
    ],
  ])('is refused when it is %j, and the message names the key', (job, reason) => {
    const reading = () => parseJobDefinition(job, 'j');
    expect(reading).toThrow(/^Failed to read the job definition for job j: /);
    expect(reading).toThrow(reason);
  });
});

it('a definition of another kind is called by its name, read or not', () => {
  expect(read({ kind: 'delivery_job' })).toMatchObject({ kind: 'delivery_job', steps: [{ run: '' }] });
  expect(() => parseJobDefinition({ kind: 'delivery_job', stages: [{}] }, 'j')).toThrow(
    /^Failed to read the job definition for job j: steps: .*, in a definition of the kind "delivery_job", which this version doesn't know\. /,
  );
});

describe('a claim', () => {
  const CLAIM = {
    jobID: 'j',
    jobToken: 't',
    oidcToken: 'o',
    runID: 'r',
    typeSpecificID: 'd',
    deploymentID: 'old',
  };

  it.each<[object, object]>([
    [{}, { jobId: 'j', jobToken: 't', oidcToken: 'o', runId: 'r', deploymentId: 'd' }],
    [{ oidcToken: '' }, { oidcToken: undefined }],
    [
      { typeSpecificID: null, runID: '' },
      { deploymentId: 'old', runId: 'old' },
    ],
    [{ deploymentID: undefined, unknown: { a: 1 } }, { deploymentId: 'd' }],
  ])('with %j is read as %j', (more, expected) => {
    expect(claimSchema.parse({ ...CLAIM, ...more })).toMatchObject(expected);
  });

  const tokenOf = (sub: unknown) => `e30.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.c2ln`;
  const DEPLOY = 'pulumi:deploy:org:acme:project:web:stack:dev:operation:update:scope:write';

  it.each<[sub: unknown, more: object, kind: string | undefined]>([
    [DEPLOY, {}, undefined],
    // The token decides: a new field costs no deployment its name.
    [DEPLOY, { kind: 'run', workflowType: 'x' }, undefined],
    ['pulumi:delivery:org:acme:pipeline:shop', {}, 'delivery'],
    ['pulumi:<b>:org:acme', {}, '?'],
    ['repo:acme/web', {}, undefined],
    [7, { kind: 'delivery_job' }, 'delivery_job'],
    [undefined, { workflowType: 'deployment' }, undefined],
    [undefined, { kind: 'Deployment', __type: 'AgentWorkflowDefinition' }, undefined],
    [undefined, { kind: '', workflowType: null }, undefined],
    [undefined, { kind: ['delivery'] }, '?'],
    [undefined, { kind: '::error::x' }, '?'],
  ])('whose token is of %j, with %j, is of the kind %s', (sub, more, kind) => {
    expect(claimSchema.parse({ ...CLAIM, oidcToken: tokenOf(sub), ...more }).kind).toBe(kind);
  });
});

const SECRET = 'hunter2-Zq9';
/** Any JSON value, or the secret in one of several shapes. */
const junk = fc
  .jsonValue()
  .chain((value) => fc.constantFrom(value, SECRET, { secret: SECRET }, { value: [SECRET] }, [SECRET]));
/** The value, or one like it with parts left out or replaced by junk. */
function nearly(value: unknown): fc.Arbitrary<unknown> {
  const part = Array.isArray(value)
    ? fc.array(nearly(value[0]), { maxLength: 4 })
    : typeof value === 'object' && value !== null
      ? fc.record(Object.fromEntries(Object.entries(value).map(([key, of]) => [key, nearly(of)])), {
          requiredKeys: [],
        })
      : fc.constant(value);
  return fc.oneof({ weight: 4, arbitrary: part }, { weight: 1, arbitrary: junk });
}
const job = nearly({
  ...{ os: 'linux', architecture: 'amd64', shell: 'sh', timeout: '1h' },
  image: { reference: 'i', credentials: { username: 'u', password: { secret: 'p' } } },
  env: { KEY: { isSecret: true, value: 'v', ciphertext: 'c' }, OTHER: 'x' },
  steps: [{ name: 'n', run: 'r', workingDir: '/w', timeout: 1.5 }],
});

describe('whatever Pulumi Cloud answers', () => {
  it('becomes a definition, or a JobDefinitionError that shows no value', () => {
    fc.assert(
      fc.property(job, (json) => {
        let failure: unknown;
        try {
          const definition = parseJobDefinition(json, 'j');
          expect(definition.steps.length).toBeGreaterThan(0);
          for (const { value: text } of Object.values(definition.env)) expect(text).toBeTypeOf('string');
        } catch (error) {
          failure = error;
        }
        if (failure === undefined) return;
        expect(failure).toMatchObject({ name: 'JobDefinitionError', code: 'PRA-CLOUD-06' });
        expect((failure as Error).message).not.toContain(SECRET);
        expect(JSON.stringify((failure as Error).cause)).not.toContain(SECRET);
      }),
      { numRuns: runs(2_000) },
    );
  });
});
