import { defined } from '../base/defined.ts';
import { JobContainers } from './job-containers.ts';
import { ObservedStep } from './recorder/observed-step.ts';
import { type ObserverOptions, type RunObserver, recordContainer } from './recorder/run-observer.ts';

const STEP = "Pulumi's agent";

/**
 * Observes an agent's run without the relay: its output is the only step, and its exit code that
 * step's result.
 */
export function unrelayed(options: ObserverOptions): RunObserver {
  const { config, clock, record, engine, shared, signal } = options;
  const began = clock.steady();
  const step = new ObservedStep({ ...options, index: 0, name: STEP });

  const containers =
    engine &&
    new JobContainers({
      engine,
      isOurs: (made) => made.includes(shared),
      onFound: (container) => record.notice('info', recordContainer(options, container)),
      signal,
    });

  const watching = containers?.watch();

  // Outside Docker nothing shows whether there is work, so no run is ended for lack of it.
  const hasWork = () => containers === undefined || containers.appeared > 0;

  return {
    serviceUrl: config.serviceUrl,
    isRelayed: false,
    see: () => ({ hasWork: hasWork(), hasAsked: true, lastHeartbeat: undefined, isOver: false }),
    printed: (line) => step.write(Buffer.from(`${line}\n`)),
    giveNoWork: () => Promise.resolve(),
    endContainers: async (graceMs, skipGrace) => (await containers?.end(graceMs, skipGrace)) ?? [],
    close: async ({ code, signal: by }) => {
      await watching;

      const how = defined({
        exitCode: code ?? undefined,
        reason: by === null ? undefined : `ended by ${by}`,
      });

      const result = await step.finish({ status: code === 0 ? 'succeeded' : 'failed', ...how });
      const known = { steps: [result], waitSeconds: 0, runSeconds: (clock.steady() - began) / 1000 };

      return { run: undefined, lastPoll: undefined, refusedCli: undefined, known };
    },
  };
}
