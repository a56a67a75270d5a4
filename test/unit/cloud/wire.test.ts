import { describe, expect, it } from 'vitest';
import { claimSchema, parseJobDefinition } from '../../../src/cloud/wire.ts';

/** The example of the protocol. */
const JOB = {
  os: 'linux',
  architecture: 'amd64',
  image: {
    reference: 'pulumi/pulumi:latest',
    isDefault: true,
    credentials: { username: 'u', password: { secret: 'p' } },
  },
  shell: 'bash',
  timeout: '1h0m0s',
  env: { PULUMI_ACCESS_TOKEN: 'pul-x', FOO: 'bar' },
  steps: [
    { name: 'Setup', run: '' },
    { name: 'Get source', run: 'git clone', workingDir: '/w' },
    { name: 'pulumi update', timeout: '1h0m0s', run: 'pulumi up' },
  ],
};
const STEPS = [{ name: 'Setup', run: '' }];

const read = (job: object) => parseJobDefinition({ steps: STEPS, ...job }, 'j');
const problem = (job: unknown): string => {
  try {
    parseJobDefinition(job, 'j');
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the definition was read');
};

describe('a job’s definition', () => {
  it('is read as the protocol shows it', () => {
    expect(parseJobDefinition(JOB, 'j')).toEqual({
      os: 'linux',
      architecture: 'amd64',
      image: { reference: 'pulumi/pulumi:latest', credentials: { username: 'u', password: 'p' } },
      shell: 'bash',
      timeout: '1h0m0s',
      env: {
        PULUMI_ACCESS_TOKEN: { value: 'pul-x', secret: false },
        FOO: { value: 'bar', secret: false },
      },
      steps: [
        { name: 'Setup', run: '' },
        { name: 'Get source', run: 'git clone', workingDir: '/w' },
        { name: 'pulumi update', run: 'pulumi up', timeout: '1h0m0s' },
      ],
    });
  });

  it('may be hardly more than a step', () => {
    expect(parseJobDefinition({ steps: [{}] }, 'j')).toEqual({
      image: { reference: undefined, credentials: undefined },
      shell: 'bash',
      env: {},
      steps: [{ run: '' }],
    });
  });

  it('may hold null for everything that is optional', () => {
    const nothing = { os: null, architecture: null, image: null, shell: null, timeout: null, env: null };
    const step = { name: null, run: null, workingDir: null, timeout: null };
    expect(parseJobDefinition({ ...nothing, steps: [step] }, 'j')).toEqual(parseJobDefinition({ steps: [{}] }, 'j'));
  });

  it('may hold what nobody knows', () => {
    const job = {
      ...JOB,
      more: [{}],
      image: { ...JOB.image, digest: 7 },
      steps: STEPS.map((step) => ({ ...step, id: 1 })),
    };
    expect(() => parseJobDefinition(job, 'j')).not.toThrow();
  });

  it.each<[unknown, string | undefined, object | undefined]>([
    ['registry.example/image:tag', 'registry.example/image:tag', undefined],
    ['', undefined, undefined],
    [{}, undefined, undefined],
    [{ reference: '' }, undefined, undefined],
    [{ reference: null, credentials: null }, undefined, undefined],
    [{ reference: 'a', credentials: {} }, 'a', undefined],
    [{ reference: 'a', credentials: { username: '', password: 'p' } }, 'a', undefined],
    [{ reference: 'a', credentials: { username: 'u', password: 'p' } }, 'a', { username: 'u', password: 'p' }],
    [
      { reference: 'a', credentials: { username: 'u', password: { secret: 'p' } } },
      'a',
      { username: 'u', password: 'p' },
    ],
    [
      { reference: 'a', credentials: { username: 'u', password: { isSecret: true, value: 'p' } } },
      'a',
      { username: 'u', password: 'p' },
    ],
  ])('takes the image %j', (image, reference, credentials) => {
    expect(read({ image }).image).toEqual({ reference, credentials });
  });

  it.each<[unknown, { value: string; secret: boolean }]>([
    ['text', { value: 'text', secret: false }],
    ['', { value: '', secret: false }],
    [7, { value: '7', secret: false }],
    [true, { value: 'true', secret: false }],
    [{ secret: 's' }, { value: 's', secret: true }],
    [{ secret: '' }, { value: '', secret: true }],
    [
      { secret: 's', ciphertext: 'c' },
      { value: 's', secret: true },
    ],
    [
      { isSecret: true, value: 's' },
      { value: 's', secret: true },
    ],
    [
      { isSecret: false, value: 's' },
      { value: 's', secret: false },
    ],
    [{ value: 's' }, { value: 's', secret: true }],
    [
      { value: 's', ciphertext: 'c' },
      { value: 's', secret: true },
    ],
  ])('takes the variable %j', (value, expected) => {
    expect(read({ env: { KEY: value } }).env).toEqual({ KEY: expected });
  });

  it('takes a variable whatever its name is', () => {
    const env = JSON.parse('{"__proto__":"x","constructor":"y","toString":{"secret":"z"}}');
    const read_ = read({ env }).env;
    expect(Object.keys(read_)).toContain('constructor');
    expect(read_['toString']).toEqual({ value: 'z', secret: true });
    expect(Object.prototype).not.toHaveProperty('value');
  });

  it.each<[unknown, string | number | undefined]>([
    ['1h30m', '1h30m'],
    [3_600_000_000_000, 3_600_000_000_000],
    [0, undefined],
    ['', undefined],
    [null, undefined],
  ])('takes the timeout %j of the job and of a step', (timeout, expected) => {
    const job = read({ timeout, steps: [{ timeout }] });
    expect([job.timeout, job.steps[0]?.timeout]).toEqual([expected, expected]);
  });

  it.each<[unknown, string]>([
    [undefined, 'the answer is not JSON'],
    [null, 'expected object'],
    [[], 'expected object'],
    [7, 'expected object'],
    [{}, 'steps: '],
    [{ steps: [] }, 'steps: '],
    [{ steps: {} }, 'steps: '],
    [{ steps: [null] }, 'steps[0]: '],
    [{ steps: [{}, { run: ['echo'] }] }, 'steps[1].run: '],
    [{ steps: [{ name: 7 }] }, 'steps[0].name: '],
    [{ steps: STEPS, shell: ['bash'] }, 'shell: '],
    [{ steps: STEPS, image: 7 }, 'image: '],
    [{ steps: STEPS, timeout: {} }, 'timeout: '],
    [{ steps: STEPS, env: [] }, 'env: '],
    [
      { steps: STEPS, env: { KEY: { ciphertext: 'c' } } },
      'env.KEY: is encrypted (ciphertext), which only Pulumi Cloud can read',
    ],
    [{ steps: STEPS, env: { KEY: { isSecret: true, ciphertext: 'c' } } }, 'env.KEY: is encrypted'],
    [{ steps: STEPS, env: { KEY: {} } }, 'env.KEY: is not a text'],
    [{ steps: STEPS, env: { KEY: ['a'] } }, 'env.KEY: is not a text'],
    [
      { steps: STEPS, image: { credentials: { username: 'u', password: { ciphertext: 'c' } } } },
      'image.credentials.password: is encrypted',
    ],
  ])('is refused as %j, and the message names the key', (job, reason) => {
    expect(problem(job)).toMatch(/^Failed to read the job definition for job j: /);
    expect(problem(job)).toContain(reason);
  });

  it('is refused for everything that is wrong with it at once', () => {
    const message = problem({ steps: [{ run: 1 }], env: { A: { ciphertext: 'c' }, B: [] }, shell: 1 });
    for (const key of ['steps[0].run', 'env.A', 'env.B', 'shell']) expect(message).toContain(key);
  });
});

describe('a claim', () => {
  const CLAIM = { jobID: 'j', jobToken: 't', oidcToken: 'o', runID: 'r', typeSpecificID: 'd', deploymentID: 'old' };

  it.each<[object, object]>([
    [{}, { jobId: 'j', jobToken: 't', oidcToken: 'o', runId: 'r', deploymentId: 'd' }],
    [{ oidcToken: '' }, { oidcToken: undefined }],
    [{ oidcToken: null }, { oidcToken: undefined }],
    [{ oidcToken: undefined }, { oidcToken: undefined }],
    [{ typeSpecificID: '' }, { deploymentId: 'old' }],
    [
      { typeSpecificID: null, runID: '' },
      { deploymentId: 'old', runId: 'old' },
    ],
    [{ deploymentID: undefined }, { deploymentId: 'd' }],
    [{ unknown: { a: 1 } }, { jobId: 'j' }],
  ])('with %j is %j', (more, expected) => {
    expect(claimSchema.parse({ ...CLAIM, ...more })).toMatchObject(expected);
  });
});
