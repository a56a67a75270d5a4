/** An agent with the real engine, whose main thread hangs for ever as soon as its parent says so. Times are short. */
import { Agent } from '../../../src/agent/agent.ts';
import { connect } from '../../../src/agent/connection.ts';
import { Metrics } from '../../../src/agent/health/metrics.ts';
import { startWatchdog } from '../../../src/agent/process/watchdog.ts';
import { PoolApi } from '../../../src/cloud/deployments.ts';
import { StaticToken } from '../../../src/cloud/token.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createDockerExecutor } from '../../../src/executor/docker/docker-executor.ts';
import { Redactor } from '../../../src/log/redactor.ts';
import { ownOwner } from '../../../src/record/owner.ts';
import { fastClock } from '../../support/job/fast-clock.ts';

/** The fence falls after 4.8 of our seconds. */
const PACE = 100;

export interface Start {
  readonly url: string;
  readonly token: string;
  readonly directory: string;
  readonly image: string;
  readonly labels: Readonly<Record<string, string>>;
}

async function run({ url, token, directory, image, labels }: Start): Promise<void> {
  const overrides = { token, service_url: url, single_run: 'true', http_server_port: '0', image, pull_image: 'false' };
  const places = { workingDirectory: directory, homeDirectory: directory, agentDirectory: directory };
  const { config } = await loadConfig({ environment: {}, ...places, overrides });
  const log = () => undefined;
  const redactor = new Redactor();
  const { http } = connect(config, { environment: {}, log, redactor });
  const tokens = new StaticToken(token);
  await new Agent({
    config,
    version: '1.2.3',
    metrics: new Metrics({ version: '1.2.3', steady: () => performance.now() }),
    owner: ownOwner(),
    clock: fastClock(PACE),
    log,
    redactor,
    http,
    tokens,
    pool: new PoolApi(http, tokens),
    executor: createDockerExecutor({ environment: {} }),
    environment: {},
    labels,
    runDirectory: () => directory,
    drain: new AbortController().signal,
    onStopSource: () => undefined,
    watchdog: (leftMs) =>
      startWatchdog({ leftMs: () => leftMs() / PACE, onFailure: log, checkMs: 250, leastMs: 1_000 }),
  }).run();
  process.disconnect();
}

process.on('message', (message: Start | 'hang') => {
  if (message === 'hang') for (;;);
  void run(message);
});
