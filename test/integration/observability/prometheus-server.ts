import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';
import { freePort } from '../../../src/pulumi-agent/agent-health.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { programPath } from '../../support/script.ts';

const PAGE = join(import.meta.dirname, '../../../docs/observability.md');
const START_MS = 30_000;

/** An example of docs/observability.md, by the file name on its first line. */
async function documented(file: string): Promise<string> {
  const example = new RegExp(`\`\`\`yaml\n# ${file}\n(.*?)\`\`\``, 's').exec(
    await readFile(PAGE, 'utf8'),
  )?.[1];
  if (example === undefined) throw new Error(`${PAGE} has no ${file}`);
  return example;
}

/** The PromQL of each panel of deploy/grafana/dashboard.json. */
export function dashboardQueries(): string[] {
  const dashboard: { panels: { targets: { expr: string }[] }[] } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../deploy/grafana/dashboard.json'), 'utf8'),
  );
  return dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

/** What `promtool check metrics` says of a text; `said` is empty if all is well. */
export async function promtoolSays(metrics: string): Promise<{ code: number | null; said: string }> {
  const promtool = spawn(await programPath('promtool'), ['check', 'metrics']);
  promtool.stdin.end(metrics);
  const [[code], ...said] = await Promise.all([
    once(promtool, 'close'),
    text(promtool.stdout),
    text(promtool.stderr),
  ]);
  return { code: code as number | null, said: said.join('') };
}

/** A real Prometheus as in docs/observability.md; scrapes `target` (`host:port`) every second until the test ends. */
export async function startPrometheus(target: string) {
  const folder = await temporaryDirectory();
  const scrape = (await documented('prometheus.yml'))
    .replace('runner.internal.example:8080', target)
    .replace('scrape_interval: 30s', 'scrape_interval: 1s');
  const configuration = `global: { evaluation_interval: 1s }\n${scrape}`;
  await writeFile(join(folder, 'prometheus.yml'), configuration);
  await writeFile(join(folder, 'alerts.yml'), await documented('alerts.yml'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const options = {
    'config.file': join(folder, 'prometheus.yml'),
    'storage.tsdb.path': join(folder, 'data'),
    'web.listen-address': new URL(url).host,
    'log.level': 'warn',
  };
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const server = spawn(await programPath('prometheus'), flags, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(server, 'exit');
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await ended;
  });
  const isReady = async () => {
    if (server.exitCode !== null) throw new Error(`prometheus ended with ${server.exitCode}`);
    const { status } = await fetch(`${url}/-/ready`);
    if (status !== 200) throw new Error(`prometheus is not ready: ${status}`);
  };
  await vi.waitFor(isReady, { timeout: START_MS, interval: 50 });

  const api = async <T>(path: string): Promise<T> => {
    const { status, data } = (await (await fetch(`${url}/api/v1/${path}`)).json()) as {
      status: string;
      data: T;
    };
    if (status !== 'success') throw new Error(`Prometheus refused ${path}`);
    return data;
  };
  /** The values of the series that an instant query finds. */
  const query = async (expression: string): Promise<number[]> => {
    const path = `query?${new URLSearchParams({ query: expression })}`;
    const { result } = await api<{ result: { value: [number, string] }[] }>(path);
    return result.map(({ value: [, value] }) => Number(value));
  };
  return {
    query,
    /** Waits until the expression, which should be a comparison, is true for some series. */
    until: (expression: string) =>
      vi.waitFor(
        async () => {
          if ((await query(expression)).length === 0)
            throw new Error(`Prometheus has no sample for ${expression}`);
        },
        { timeout: 30_000, interval: 100 },
      ),
    /** The names of the firing alerts, and of all known ones. */
    alerts: async () => {
      type Rule = { name: string; state: string; lastError?: string };
      const { groups } = await api<{ groups: { rules: Rule[] }[] }>('rules?type=alert');
      const rules = groups.flatMap((group) => group.rules);
      for (const { name, lastError } of rules)
        if (lastError !== undefined) throw new Error(`${name}: ${lastError}`);
      const firing = rules.filter(({ state }) => state === 'firing');
      return { firing: firing.map(({ name }) => name), known: rules.map(({ name }) => name) };
    },
  };
}
