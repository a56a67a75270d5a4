import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type RunResult, runResultSchema } from '../../../src/record/schema.ts';
import type { JournalEntry } from '../../emulators/pulumi-cloud/reception.ts';
import type { Authority } from '../../integration/network/authority.ts';
import { type Listening, tlsFront } from '../../integration/network/servers.ts';
import { signedIdToken } from '../cloud/id-token.ts';
import { temporaryDirectory } from '../run/temporary-directory.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { NOWHERE, type Place, type Settings, writeSettings } from './key-settings.ts';
import { POOL, useStage } from './stage.ts';

export const POLL = '/api/deployments/poll';

interface StartOptions extends Partial<Place> {
  readonly command?: string;
  readonly arguments?: readonly string[];
  readonly environment?: Record<string, string>;
  /** Has Pulumi Cloud speak TLS with a certificate from this authority. */
  readonly authority?: Authority;
}

/** For each test of a file: a scene, a folder, and an agent that is set up by its configuration file there. */
export function useConfiguredAgent() {
  // Before the hooks below, so that it is closed after the agents have ended.
  const stage = useStage();
  let home: string;
  let agents: AgentProcess[];
  let fronts: Listening[];
  let asked: () => readonly JournalEntry[];
  let exchanges: Record<string, unknown>[];
  beforeEach(async () => {
    home = await temporaryDirectory();
    agents = [];
    fronts = [];
  });
  afterEach(async () => {
    for (const { child } of agents) child.kill('SIGKILL');
    await Promise.all(agents.map(({ ended }) => ended));
    await Promise.all(fronts.map((front) => front.close()));
  });

  /** Keeps the requests to Pulumi Cloud from now on. */
  const listen = () => {
    const { cloud } = stage;
    const before = cloud.requests.length;
    asked = () => cloud.requests.slice(before);
    const bodies: typeof exchanges = [];
    exchanges = bodies;
    const look = ({ text }: { text: string }) => {
      bodies.push(JSON.parse(text));
      return false;
    };
    cloud.script({
      path: /^\/api\/oauth\/token$/,
      times: Number.POSITIVE_INFINITY,
      matches: look,
      answer: 'hang',
    });
  };
  /** Pulumi Cloud's address; with an authority, it is served over TLS under its certificate. */
  const addressOf = async (authority?: Authority) => {
    const { url } = stage.cloud;
    if (authority === undefined) return url;
    const front = await tlsFront({ identity: authority.issue({ names: 'IP:127.0.0.1' }), to: new URL(url) });
    fronts.push(front);
    return `https://127.0.0.1:${front.port}`;
  };
  return {
    stage,
    get home() {
      return home;
    },

    /** The last started agent's requests to Pulumi Cloud, oldest first; all of them, or those of one path. */
    asked: (path?: string) => asked().filter((entry) => path === undefined || entry.path === path),

    async start(file: (place: Place) => Settings, options: StartOptions = {}): Promise<AgentProcess> {
      const { command = 'run', environment = {}, arguments: words = [], authority, ...more } = options;
      listen();
      const url = await addressOf(authority);
      const token = stage.cloud.createStaticToken(POOL.id);
      const settings = file({ ...NOWHERE, url, home, token, ca: authority?.path ?? '', ...more });
      await writeSettings(home, settings);
      const agent = startAgent({ home, command, environment, arguments: ['--label', stage.label, ...words] });
      agents.push(agent);
      return agent;
    },

    /** Writes an ID token that the pool's policy allows to the file that the configuration names. */
    async writeIdToken(): Promise<void> {
      const token = await signedIdToken(stage.github.issuer, {
        sub: 'repo:acme/infrastructure:ref:refs/heads/main',
      });
      await writeFile(join(home, 'id-token'), token);
    },

    async result(): Promise<RunResult> {
      return runResultSchema.parse(JSON.parse(await readFile(join(home, 'run/run.json'), 'utf8')));
    },

    /** The parameters of the last started agent's token exchanges. */
    exchanges: () => exchanges,
  };
}

/** Milliseconds from each request to the next. */
export function gaps(times: readonly { readonly at: number }[]): number[] {
  return times.slice(1).map(({ at }, index) => at - (times[index]?.at ?? 0));
}
