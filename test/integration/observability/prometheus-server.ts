import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../../../src/engines/pulumi/agent-health.ts';

const SCRIPTS = join(import.meta.dirname, '../../../scripts');
const PAGE = join(import.meta.dirname, '../../../docs/observability.md');
/** The first start may have to fetch the program. */
const START_MS = 120_000;

/** An example of a page, by the file name on its first line. */
export async function documented(file: string, page: string): Promise<string> {
  const example = new RegExp(`\`\`\`yaml\n# ${file}\n(.*?)\`\`\``, 's').exec(await readFile(page, 'utf8'))?.[1];
  if (example === undefined) throw new Error(`${page} has no ${file}`);
  return example;
}

/** What `promtool check metrics` says of a text; nothing when all is well. */
export async function promtoolSays(text: string): Promise<{ code: number | null; said: string }> {
  const promtool = spawn(join(SCRIPTS, 'promtool'), ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [promtool.stdout, promtool.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += String(chunk);
    });
  promtool.stdin.end(text);
  const [code] = await once(promtool, 'close');
  // The first use fetches it, and says so.
  return { code: code as number | null, said: said.replace(/^unpacking .*\n/gm, '') };
}

/** One series of an instant query's answer. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A real Prometheus with a documented configuration and the alerts of docs/observability.md, but that it scrapes every second. */
export class PrometheusServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #url: string;

  private constructor(folder: string, process: ChildProcess, url: string) {
    this.#folder = folder;
    this.#process = process;
    this.#url = url;
  }

  /** `target` is `host:port`. */
  static async start(target: string): Promise<PrometheusServer> {
    const scrape = (await documented('prometheus.yml', PAGE)).replace('runner.internal.example:8080', target);
    return PrometheusServer.with(`rule_files: [alerts.yml]\n${scrape}`);
  }

  /** With a configuration of which it scrapes every second; `alerts.yml` beside it has the alerts. Without an own `global`. */
  static async with(configuration: string): Promise<PrometheusServer> {
    const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
    const scrape = configuration.replace('scrape_interval: 30s', 'scrape_interval: 1s');
    await writeFile(join(folder, 'prometheus.yml'), `global: { evaluation_interval: 1s }\n${scrape}`);
    await writeFile(join(folder, 'alerts.yml'), await documented('alerts.yml', PAGE));
    const port = await freePort();
    const options = {
      'config.file': join(folder, 'prometheus.yml'),
      'storage.tsdb.path': join(folder, 'data'),
      'web.listen-address': `127.0.0.1:${port}`,
      'log.level': 'warn',
    };
    const process = spawn(
      join(SCRIPTS, 'prometheus'),
      Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const server = new PrometheusServer(folder, process, `http://127.0.0.1:${port}`);
    await vi.waitFor(
      async () => {
        if (process.exitCode !== null) throw new Error(`prometheus ended with ${process.exitCode}`);
        const { status } = await fetch(`${server.#url}/-/ready`);
        if (status !== 200) throw new Error(`prometheus is not ready: ${status}`);
      },
      { timeout: START_MS, interval: 50 },
    );
    return server;
  }

  /** An instant query through the HTTP API. */
  async query(expression: string): Promise<Series[]> {
    const response = await fetch(`${this.#url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    const { status, data } = (await response.json()) as {
      status: string;
      data: { result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    if (status !== 'success') throw new Error(`Prometheus refused ${expression}`);
    return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  /** Names of the alerts that are told, and those of all that are known. */
  async alerts(): Promise<{ firing: string[]; known: string[] }> {
    const response = await fetch(`${this.#url}/api/v1/rules?type=alert`);
    const { data } = (await response.json()) as {
      data: { groups: { rules: { name: string; state: string; health: string; lastError?: string }[] }[] };
    };
    const rules = data.groups.flatMap((group) => group.rules);
    for (const { name, lastError } of rules) if (lastError !== undefined) throw new Error(`${name}: ${lastError}`);
    const firing = rules.filter(({ state }) => state === 'firing');
    return { firing: firing.map(({ name }) => name), known: rules.map(({ name }) => name) };
  }

  /** Waits until the expression, which should be a comparison, is true for some series. */
  async until(expression: string): Promise<Series[]> {
    return vi.waitFor(
      async () => {
        const series = await this.query(expression);
        if (series.length === 0) throw new Error(`Prometheus has no sample for ${expression}`);
        return series;
      },
      { timeout: 30_000, interval: 100 },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
