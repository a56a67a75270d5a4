import { passedSince, settledBefore } from '../../clock.ts';
import { defined } from '../../defined.ts';
import type { Engine } from '../../executor/docker/engine/engine.ts';
import { findWay, openWay } from '../../network/way.ts';
import { ownAddresses } from './bridge.ts';
import { JobContainers } from './job-containers.ts';
import { ObservedRun } from './relay/observed-run.ts';
import { Reading } from './relay/reading.ts';
import { Recording } from './relay/recording.ts';
import { type Exchange, Relay } from './relay/relay.ts';
import { recordContainer, type Sighting, type SightingOptions } from './sighting.ts';

/** How many recent tokens stay hidden: ID tokens and those they were exchanged for. */
const KEPT_TOKENS = 8;
/** Milliseconds for a poll under way to finish when the agent is stopped: its polls return without waiting for work. */
const POLL_MS = 10_000;
/** Characters of the agent's output that go to agent.log. */
const MAX_OUTPUT = 16 * 1024 * 1024;

export interface RelayedOptions extends SightingOptions {
  readonly engine: Engine;
  readonly address: string;
  /** Called once if Pulumi's CLI calls the relay. */
  readonly onCli: () => void;
}

/** Observes a run from a relay to Pulumi Cloud. Throws what node:net throws, and OutcomeError `config-error`. */
export async function relayed(options: RelayedOptions): Promise<Sighting> {
  const { config, clock, log, redactor, secrets, record, environment, engine, shared, runDirectory, signal } = options;
  const { serviceUrl, caCertificate, requestTimeoutMs, pollingIntervalMs } = config;
  const way = findWay({ serviceUrl, connectTimeoutMs: Math.min(10_000, requestTimeoutMs), caCertificate, environment });
  redactor.add(way.secrets);
  const dispatcher = openWay(way);
  const run = new ObservedRun(options);
  const onToken = redactor.recent(KEPT_TOKENS);
  const reading = new Reading({ run, record, secrets, onToken, clock, pollingIntervalMs });
  const recording = config.engineRecord ? new Recording(runDirectory, (text) => redactor.text(text)) : undefined;
  const own = ownAddresses(options.address);
  let refusedCli: string | undefined;
  const containers = new JobContainers({
    engine,
    isOurs: (made) => made.includes(shared) || made.includes(hostOf(relay.url)),
    onFound: (container) => void recordContainer(options, container),
    onStarted: ({ name }, variables) => {
      if (variables.some((each) => each.includes(hostOf(relay.url))))
        record.notice('info', `Relay: the environment of container ${name} holds the relay's address.`);
    },
    signal,
  });
  const relay = await Relay.open({
    serviceUrl,
    dispatcher,
    address: options.address,
    now: () => clock.now(),
    admits: async (remote) => own.has(remote) || (await containers.admits(remote)),
    onExchange: async (exchange) => {
      const reported = isReport(exchange) ? containers.reported(exchange.remote) : undefined;
      await reading.take(exchange);
      // Without the definition, the secrets in a log are unknown.
      recording?.take(exchange, exchange.call.kind !== 'logs' || run.isDefined);
      await reported;
    },
    onCli: (path) => {
      if (refusedCli === undefined) options.onCli();
      refusedCli ??= path.split('?', 1).join();
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
        printed > MAX_OUTPUT ? "Pulumi's agent printed too much: the rest is omitted." : `Pulumi's agent: ${line}`,
      );
    },
    giveNoWork: () => settledBefore(relay.giveNoWork(), AbortSignal.timeout(POLL_MS)).catch(() => undefined),
    endContainers: (graceMs, hurry) => containers.end(graceMs, hurry),
    close: async () => {
      await relay.close();
      await dispatcher.destroy();
      await reading.settled();
      const steps = await run.close({
        status: 'failed',
        reason: "Pulumi's agent ended before it reported the step's end",
      });
      recording?.close();
      await watching;
      const { claimedAt } = run;
      const times = claimedAt && {
        claimedAt: new Date(claimedAt.now).toISOString(),
        runSeconds: passedSince(claimedAt, clock).surely / 1000,
      };
      const known = { steps, waitSeconds: run.waitSeconds, ...times, ...defined({ image: run.image }) };
      return { run, lastPoll: reading.lastPoll, refusedCli, known };
    },
  };
}

/** True for an accepted call about the job: only the program that runs the job can make one. */
function isReport({ call, status = 0 }: Exchange): boolean {
  return ['definition', 'heartbeat', 'step-status', 'logs'].includes(call.kind) && status >= 200 && status < 300;
}

function hostOf(url: string): string {
  return new URL(url).host;
}
