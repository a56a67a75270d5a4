import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type RunResult, runResultSchema } from '../../../src/record/schema.ts';
import type { Authority } from '../../integration/network/authority.ts';
import { signedIdToken } from '../cloud/id-token.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { type Asked, type Front, startFront } from './front.ts';
import type { Place, Settings } from './key-settings.ts';
import { POOL, useStage } from './stage.ts';

export const POLL = '/api/deployments/poll';

interface StartOptions extends Partial<Place> {
  readonly command?: string;
  readonly arguments?: readonly string[];
  readonly environment?: Record<string, string>;
  /** The address of Pulumi Cloud's front, the loopback unless given. */
  readonly host?: string;
  /** Has the front speak TLS. */
  readonly authority?: Authority;
}

/** For each test of a file a scene, a folder, and an agent that nothing but its configuration file there tells what to do. */
export function useConfiguredAgent() {
  // Before the hooks below, so that it is closed after the agents have ended.
  const stage = useStage();
  let home: string;
  let agents: AgentProcess[];
  let fronts: Front[];
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'every-key-'));
    agents = [];
    fronts = [];
  });
  afterEach(async () => {
    for (const { child } of agents) child.kill('SIGKILL');
    await Promise.all(agents.map(({ ended }) => ended));
    await Promise.all(fronts.map((front) => front.stop()));
    await rm(home, { recursive: true, force: true });
  });

  /** What the agent that was started last asked Pulumi Cloud for, oldest first; all of it, or of one path. */
  const asked = (path?: string): readonly Asked[] => {
    const front = fronts.at(-1);
    return (path === undefined ? front?.asked : front?.to(path)) ?? [];
  };
  return {
    stage,
    get home() {
      return home;
    },
    asked,

    /** Starts the agent with a front before Pulumi Cloud. */
    async start(file: (place: Place) => Settings, options: StartOptions = {}): Promise<AgentProcess> {
      const { command = 'run', environment = {}, arguments: words = [], host, authority, ...more } = options;
      const tls = authority?.issue({ names: 'IP:127.0.0.1' });
      const front = await startFront({
        target: stage.cloud.url,
        ...(host === undefined ? {} : { host }),
        ...(tls === undefined ? {} : { tls }),
      });
      fronts.push(front);
      const settings = file({
        url: `${tls === undefined ? 'http' : 'https'}://${host ?? '127.0.0.1'}:${front.port}`,
        home,
        token: stage.cloud.createStaticToken(POOL.id),
        port: 0,
        ca: authority?.path ?? '',
        socket: '',
        image: '',
        ...more,
      });
      const lines = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
      await writeFile(join(home, 'pulumi-workflow-agent.yaml'), lines.join(''));
      const agent = startAgent({ home, command, environment, arguments: ['--label', stage.label, ...words] });
      agents.push(agent);
      return agent;
    },

    /** An ID token that the pool's policy allows, where the configuration says. */
    async writeIdToken(): Promise<void> {
      const token = await signedIdToken(stage.github.issuer, { sub: 'repo:acme/infrastructure:ref:refs/heads/main' });
      await writeFile(join(home, 'id-token'), token);
    },

    async result(): Promise<RunResult> {
      return runResultSchema.parse(JSON.parse(await readFile(join(home, 'run/run.json'), 'utf8')));
    },

    /** The parameters of each token exchange, as they were sent. */
    exchanges(): Record<string, unknown>[] {
      return asked('/api/oauth/token').map(({ body }) =>
        body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)),
      );
    },
  };
}

/** Milliseconds from each request to the next. */
export function gaps(times: readonly { readonly at: number }[]): number[] {
  return times.slice(1).map(({ at }, index) => at - (times[index]?.at ?? 0));
}
