import type { ServerResponse } from 'node:http';
import { unchanged, type WireFault } from '../../emulators/pulumi-cloud/wire-faults.ts';
import { type EngineProxy, startEngineProxy } from '../docker/engine-proxy.ts';
import { docker } from '../docker/images.ts';
import type { Registry } from '../docker/registry.ts';
import { startRegistry } from '../docker/registry.ts';
import { until } from './moments.ts';
import { definition, type Stage } from './stage.ts';

/** A run that stays at one stage until it is let go on. */
export interface Held {
  /** The stage's own inputs and variables of the job. */
  readonly inputs?: Record<string, string>;
  readonly environment?: Record<string, string>;
  /** What is queued; nothing when absent. */
  readonly job?: object;
  /** Resolves when the run has come there. */
  readonly reached: () => Promise<unknown>;
  readonly release: () => void;
  readonly close?: () => Promise<void>;
}

/** What a job consists of besides the setting that a stage gives it: the script of its last step. */
export interface HeldJob {
  readonly stage: Stage;
  readonly registry: PullPlace;
  readonly update: string;
}

const SOURCE = 'echo source';
/** The busybox image has no other shell. */
const BUSYBOX = 'pulumi-runner-test/busybox:1';

const scripts = ({ update }: HeldJob) => definition({ 'Get source': SOURCE, 'pulumi update': update });

/** The call, one that holds a word, is processed; its answer waits. */
function duringCall(method: string, path: RegExp, holding = ''): (job: HeldJob) => Held {
  return (job) => {
    const released = Promise.withResolvers<void>();
    const answer: WireFault = (response: ServerResponse, right) => {
      void released.promise.then(() => response.destroyed || unchanged(response, right));
    };
    const script = job.stage.cloud.script({
      method,
      path,
      matches: ({ text }) => text.includes(holding),
      when: 'after',
      answer,
    });
    return {
      job: scripts(job),
      reached: () => job.stage.cloud.waitFor(() => script.hits > 0, 60_000),
      release: released.resolve,
    };
  };
}

const waiting = ({ stage }: HeldJob): Held => ({
  inputs: { 'max-wait': '5m' },
  reached: () =>
    stage.cloud.waitFor((cloud) => cloud.requests.some(({ path }) => path === '/api/deployments/poll'), 60_000),
  release: () => undefined,
});

/** The registry has been asked for the image and does not answer. */
function pulling({ registry, update }: HeldJob): Held {
  const { image, asked, release, forget } = registry.hold();
  const { username, password } = registry.credentials;
  const credentials = { username, password: { secret: password } };
  return {
    inputs: { 'pull-image': 'true' },
    job: definition(
      { 'Get source': SOURCE, 'pulumi update': update },
      { shell: 'sh', image: { reference: image, credentials } },
    ),
    reached: () => asked,
    release,
    close: forget,
  };
}

/** The first step has ended; the engine has not seen the request that makes the second. */
async function betweenSteps(job: HeldJob): Promise<Held> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let execs = 0;
  const hold = (line: string) => {
    if (!/POST \/containers\/\w+\/exec/.test(line)) return undefined;
    execs += 1;
    if (execs !== 2) return undefined;
    held.resolve();
    return released.promise;
  };
  const proxy: EngineProxy = await startEngineProxy({ hold });
  return {
    environment: { DOCKER_HOST: proxy.url },
    job: scripts(job),
    reached: () => held.promise,
    release: released.resolve,
    close: () => proxy.close(),
  };
}

function inStep(job: HeldJob): Held {
  const { cloud } = job.stage;
  return {
    job: scripts(job),
    reached: () =>
      cloud.waitFor(({ deployments }) => deployments.some(({ steps }) => (steps[2]?.lines.length ?? 0) > 0), 60_000),
    release: () => undefined,
  };
}

function uploading(job: HeldJob): Held {
  const { artifacts } = job.stage.github;
  artifacts.blobs.set('stall');
  return {
    job: scripts(job),
    reached: () => until(() => artifacts.list().length > 0, 60_000),
    release: () => artifacts.blobs.set('open'),
  };
}

/** The stages of a run of two steps, by what it does. */
export const HELD_STAGES = {
  waiting,
  claimed: duringCall('GET', /\/workflow\/jobs\/[^/]+$/),
  pulling,
  'between steps': betweenSteps,
  'in a step': inStep,
  // Not its lines, which go while the step runs.
  reporting: duringCall('PATCH', /\/2\/status$/, 'succeeded'),
  uploading,
} as const satisfies Record<string, (job: HeldJob) => Held | Promise<Held>>;

export type HeldStage = keyof typeof HELD_STAGES;

/** A real registry that hands an image out only when it is told to. */
export interface PullPlace {
  readonly credentials: Registry['credentials'];
  /** An image of its own for one run; what asks for it waits until it is released, and is then to ask again. */
  hold(): {
    readonly image: string;
    readonly asked: Promise<void>;
    readonly release: () => void;
    /** Removes it from the engine. */
    readonly forget: () => Promise<void>;
  };
  close(): Promise<void>;
}

/** Starts it with as many images as runs will hold. */
export async function startPullPlace(count: number): Promise<PullPlace> {
  const registry = await startRegistry();
  const images: string[] = [];
  for (let index = 0; index < count; index += 1) images.push(await registry.push(BUSYBOX, `held/${index}:1`));
  const holding = new Map<string, { ask: () => void; released: Promise<void> }>();
  registry.fault = (call, answer) => {
    const name = /^\/v2\/(held\/\d+)\/manifests\//.exec(call.url ?? '')?.[1];
    const held = name === undefined ? undefined : holding.get(name);
    if (held === undefined) return false;
    held.ask();
    void held.released.then(() => answer.destroy());
    return true;
  };
  return {
    credentials: registry.credentials,
    hold: () => {
      const image = images.pop();
      if (image === undefined) throw new Error('more runs pull than images were made');
      const name = image.slice(image.indexOf('/') + 1, image.lastIndexOf(':'));
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holding.set(name, { ask: asked.resolve, released: released.promise });
      return {
        image,
        asked: asked.promise,
        release: () => {
          holding.delete(name);
          released.resolve();
        },
        forget: () =>
          docker
            .getImage(image)
            .remove({ force: true })
            .then(
              () => undefined,
              () => undefined, // a pull that was stopped left none
            ),
      };
    },
    close: () => registry.close(),
  };
}
