import { passedSince, settledBefore } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { findRoute, openRoute } from '../base/network/route.ts';
import type { DockerEngine } from '../executor/docker/engine/engine.ts';
import { changesInLogs } from '../record/output/changes.ts';
import { JobContainers } from './job-containers.ts';
import { Credentials } from './proxy/credentials.ts';
import { Reading } from './proxy/reading.ts';
import { Relay } from './proxy/relay.ts';
import { ObservedRun } from './recorder/observed-run.ts';
import { Recording } from './recorder/recording.ts';
import { type ObserverOptions, type RunObserver, recordContainer } from './recorder/run-observer.ts';

/**
 * Milliseconds for a poll under way to finish when the agent is stopped: its polls return without
 * waiting for work.
 */
const POLL_MS = 10_000;

/** Characters of a path that a job chose, in a message. */
const MAX_PATH = 200;

/** Characters of the agent's output that go to agent.log. */
const MAX_OUTPUT = 16 * 1024 * 1024;

/**
 * Observes a run from a relay to Pulumi Cloud that listens on `address`. Throws what node:net
 * throws, and OutcomeError `config-error`.
 */
export async function relayed(
  options: ObserverOptions,
  engine: DockerEngine,
  address: string,
): Promise<RunObserver> {
  const { config, clock, serverClock, log, redactor, secrets, record } = options;
  const { environment, shared, runDirectory, signal } = options;
  const { serviceUrl, caCertificate, requestTimeoutMs, pollingIntervalMs } = config;

  const route = findRoute({
    serviceUrl,
    connectTimeoutMs: Math.min(10_000, requestTimeoutMs),
    caCertificate,
    environment,
  });

  redactor.add(route.secrets);

  const dispatcher = openRoute(route);
  const run = new ObservedRun(options);
  const credentials = new Credentials(config, secrets);
  const reading = new Reading({ run, config, record, secrets, credentials, clock, pollingIntervalMs });
  const recording = config.engineRecord
    ? new Recording(runDirectory, (text) => redactor.text(text))
    : undefined;
  let refusedCli: string | undefined;

  const containers = new JobContainers({
    engine,
    isOurs: (made) => made.includes(shared) || made.includes(hostOf(relay.url)),
    onFound: (container) => void recordContainer(options, container),
    signal,
  });

  const relay = await Relay.open({
    serviceUrl,
    dispatcher,
    address,
    now: () => clock.now(),
    believes: (token) => credentials.has(token),
    onExchange: async (exchange) => {
      serverClock.told(Date.parse(exchange.responseHeaders['date'] ?? ''));
      await reading.take(exchange);
      // Without the definition, or with too many secrets in it, those in either are not hidden.
      const { call, status = 0 } = exchange;
      const holdsSecrets = call.kind === 'logs' || (call.kind === 'definition' && status < 300);
      recording?.take(exchange, !holdsSecrets || run.hidesSecrets);
    },
    onCli: (path, token) => {
      if (reading.isOfJob(token)) refusedCli ??= path.split('?', 1).join().slice(0, MAX_PATH);
    },
  });

  // In a log or a record, the address would outlive the relay.
  redactor.add([hostOf(relay.url)]);

  const watching = containers.watch();
  let printed = 0;

  return {
    serviceUrl: relay.url,
    isRelayed: true,
    see: () => ({
      hasWork: run.claim !== undefined || run.isUnseen,
      hasAsked: reading.lastPoll !== undefined,
      lastHeartbeat: run.lastHeartbeat,
      isOver: run.cancelled !== undefined || (run.verdict !== 'unfinished' && !run.isBusy),
    }),
    printed: (line) => {
      if (printed > MAX_OUTPUT) return;
      printed += line.length;

      log(
        'info',
        printed > MAX_OUTPUT
          ? "Pulumi's agent printed too much: the rest is omitted."
          : `Pulumi's agent: ${line}`,
      );
    },
    giveNoWork: () => settledBefore(relay.giveNoWork(), AbortSignal.timeout(POLL_MS)).catch(() => undefined),
    endContainers: (graceMs, skipGrace) => containers.end(graceMs, skipGrace),
    close: async () => {
      await relay.close();
      credentials.close();
      await dispatcher.destroy();
      await reading.settled();

      const steps = await run.close({
        status: 'failed',
        reason: "Pulumi's agent ended before it reported the step's end",
      });

      recording?.close();
      await watching;

      const resources = await changesInLogs(runDirectory, steps).catch(() => undefined);

      const { claimedAt } = run;
      const times = claimedAt && {
        claimedAt: new Date(claimedAt.now).toISOString(),
        runSeconds: passedSince(claimedAt, clock).atLeast / 1000,
      };

      const known = {
        steps,
        waitSeconds: run.waitSeconds,
        ...run.named,
        ...times,
        ...defined({ kind: run.kind, image: run.image, resources }),
      };

      return { run, lastPoll: reading.lastPoll, refusedCli, known };
    },
  };
}

function hostOf(url: string): string {
  return new URL(url).host;
}
