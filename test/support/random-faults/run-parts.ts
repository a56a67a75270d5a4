import { globSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killQuietly } from '../../emulators/github/process-tree.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { docker } from '../docker/images.ts';
import type { StrikeName } from './plan.ts';
import type { Scene } from './scene.ts';
import { directoryAt, type Seen } from './seen.ts';

/** Milliseconds in which each part of a run must end by itself. */
export const LIMIT_MS = 150_000;

/** What both kinds of runs share. */
export abstract class Run {
  protected readonly scene: Scene;
  protected readonly late: string[] = [];
  protected readonly left: string[] = [];
  protected readonly texts = new Map<string, string>();
  /** Resolves when the strike was carried out, if it was. */
  protected struck: Promise<void> | undefined;
  readonly #began = performance.now();

  constructor(scene: Scene) {
    this.scene = scene;
  }

  protected abstract carryOut(what: StrikeName): Promise<void>;

  /** Waits for the strike's moment. */
  protected watch(): void {
    const { strike } = this.scene.plan;
    if (strike === undefined) return;
    this.scene.at(strike.moment, () => {
      this.struck ??= strike.what === 'cloud-cancel' ? this.cancelInCloud() : this.carryOut(strike.what);
      this.struck.catch(() => undefined);
    });
  }

  // Synchronous up to the cancel, so that it precedes a status that has just arrived.
  protected async cancelInCloud(): Promise<void> {
    const [deployment] = this.scene.cloud.deployments;
    if (deployment?.endReason === undefined && deployment !== undefined)
      this.scene.cloud.cancel(deployment.id);
  }

  protected async killContainers(): Promise<void> {
    const { containers } = await this.scene.objects();
    for (const id of containers)
      await docker
        .getContainer(id)
        .kill()
        .catch(() => undefined);
  }

  protected async killAgent(): Promise<void> {
    for (const pid of await this.scene.agents()) killQuietly(pid);
  }

  /** Resolves with undefined, and notes it, if something doesn't end by itself. */
  protected async ending<T>(what: string, promise: Promise<T>, ms = LIMIT_MS): Promise<T | undefined> {
    const over = new AbortController();
    const late = delay(ms, undefined, { signal: over.signal }).then(
      () => void this.late.push(`${what} did not end within ${ms / 1000} s`),
      () => undefined,
    );
    const first = await Promise.race([promise.then((value) => ({ value })), late]);
    over.abort();
    return first?.value;
  }

  /** Notes containers and networks that are still there after `ms` milliseconds. */
  protected async noObjects(ms: number): Promise<void> {
    for (const end = performance.now() + ms; ; await delay(200)) {
      const { containers, networks } = await this.scene.objects();
      if (containers.length + networks.length === 0) return;
      if (performance.now() < end) continue;
      this.left.push(...containers.map((id) => `container ${id}`), ...networks.map((id) => `network ${id}`));
      return;
    }
  }

  protected async seen(deployment: Deployment, more: Partial<Seen>): Promise<Seen> {
    const { scene, late, left, texts } = this;
    scene.elapse();
    const marks = await scene.marks();
    const events = globSync('**/events.ndjson', { cwd: scene.root }).sort();
    const directories = await Promise.all(events.map((path) => directoryAt(join(scene.root, dirname(path)))));
    for (const { path, files } of directories)
      for (const [name, bytes] of files) texts.set(`${path}/${name}`, String(bytes));
    for (const [name, bytes] of more.artifact?.files ?? []) texts.set(`artifact ${name}`, String(bytes));
    for (const { stack, steps } of scene.cloud.deployments)
      texts.set(`Pulumi Cloud ${stack}`, steps.flatMap(({ lines }) => lines.map(({ l }) => l)).join(''));
    left.push(...(await readdir(join(scene.directory, 'tmp'))).map((name) => `file ${name} in TMPDIR`));
    // For those who look into what broke a rule.
    for (const [place, text] of texts)
      if (!place.includes('/'))
        await writeFile(join(scene.directory, `${place.replaceAll(/\W+/g, '-')}.txt`), text);
    return {
      ...{
        plan: scene.plan,
        struck: this.struck !== undefined,
        hits: scene.hits,
        deployment,
        next: undefined,
      },
      ...{ main: undefined, post: undefined, exits: [], artifact: undefined, wrong: [] },
      ...{
        directories,
        marks,
        left,
        texts,
        late,
        tokens: scene.cloud.issuedTokens,
        directory: scene.directory,
      },
      seconds: (performance.now() - this.#began) / 1000,
      ...more,
    };
  }
}
