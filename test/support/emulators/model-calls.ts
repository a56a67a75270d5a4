import { onTestFinished } from 'vitest';
import { callModel } from '../../emulators/pulumi-cloud/in-process.ts';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import type { CloudModelOptions } from '../../emulators/pulumi-cloud/options.ts';
import type { Claim } from '../../emulators/pulumi-cloud/queue.ts';

export const HEADERS = { accept: 'application/vnd.pulumi+8', 'user-agent': 'agent/1.2.3 (linux; x64)' };

/** The headers of Pulumi's CLI. */
export const CLI = {
  accept: 'application/vnd.pulumi+9',
  'user-agent': 'pulumi-cli/1 (3.274.1; linux; cmd=pulumi up)',
};

const never = new AbortController().signal;

/** What came back: the status, 0 if there was no answer, and the body. */
export interface Said<T> {
  readonly status: number;
  readonly body: T;
}

/** A model whose clock the test sets; violations fail the test unless it allows them. */
export class ModelScene {
  readonly cloud: CloudModel;
  /** Milliseconds since the epoch. */
  now = Date.parse('2026-06-18T10:00:00Z');

  constructor(options: CloudModelOptions = {}) {
    this.cloud = new CloudModel({ clock: () => this.now, ...options });
    onTestFinished(() => this.cloud.close());
  }

  /** Calls like a well-behaved client, without a socket. An empty header is left out; a string body is sent as is. */
  async call<T = unknown>(
    method: string,
    url: string,
    token: string,
    body?: unknown,
    headers: object = {},
  ): Promise<Said<T>> {
    const own = { ...HEADERS, ...(token !== '' && { authorization: `token ${token}` }), ...headers };
    const sent = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== ''));
    const bytes = Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
    const cut = { status: 0, text: '' };
    const answer = await callModel(this.cloud, { method, url, headers: sent }, bytes, never).catch(() => cut);
    return { status: answer.status, body: answer.text === '' ? undefined : JSON.parse(answer.text) };
  }

  /** Expects each call to be exactly one violation, one that matches `text`. */
  async violates(text: RegExp, ...calls: (() => Promise<unknown>)[]): Promise<void> {
    this.cloud.allow(text);
    for (const call of calls) {
      const before = this.cloud.violations.length;
      await call();
      const [found = 'none', ...more] = this.cloud.violations.slice(before);
      if (!text.test(found) || more.length > 0)
        throw new Error(`Expected a violation ${text}, found: ${[found, ...more]}.`);
    }
  }
}

const JOB = { image: { reference: 'x' }, steps: ['Setup', 'One'].map((name) => ({ name, run: '' })) };
const POOLS = ['pool-1', 'pool-2'].map((id) => ({ id, name: id }));

/** A service with two pools, and what an agent of the first one does. */
export function started(options: CloudModelOptions = {}) {
  const scene = new ModelScene({ pools: POOLS, ...options });
  const { cloud } = scene;
  const pool = cloud.createStaticToken('pool-1');
  const enqueue = (stack = 'dev', poolId = 'pool-1') =>
    cloud.enqueue({ project: 'web', stack, poolId, job: JOB });
  const poll = () => scene.call<Claim>('GET', '/api/deployments/poll', pool);
  return { scene, cloud, pool, enqueue, poll };
}

/** The same with a claimed job whose step 0 is running. */
export async function running(options: CloudModelOptions = {}) {
  const parts = started(options);
  const { scene } = parts;
  const deployment = parts.enqueue();
  const claim = (await parts.poll()).body;
  const path = `/api/workflow/jobs/${claim.jobID}`;
  const token = claim.jobToken;
  const tell = (step: number, status: string) =>
    scene.call('PATCH', `${path}/${step}/status`, token, { status });
  const log = (step: number, offset: number, ...lines: unknown[]) =>
    scene.call('POST', `${path}/${step}/logs`, token, { offset, lines });
  const beat = (body: unknown = {}, headers: object = {}) =>
    scene.call('POST', `${path}/heartbeat`, token, body, headers);
  await tell(0, 'running');
  return { ...parts, deployment, claim, path, token, tell, log, beat };
}
