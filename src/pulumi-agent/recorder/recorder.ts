import { type Clock, elapsedSince } from '../../base/clock.ts';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import type { Redactor, SecretSink } from '../../base/log/redactor.ts';
import type { DeploymentIds } from '../../cloud/job-wire.ts';
import type { ServerClock } from '../../cloud/server-clock.ts';
import { changesInLogs } from '../../record/output/changes.ts';
import type { RecordSink } from '../../record/run-record.ts';
import type { Observations } from '../observer.ts';
import type { ProxiedCall } from '../proxy/call.ts';
import { Credentials } from '../proxy/credentials.ts';
import type { RunState } from '../stop.ts';
import { CallReader } from './call-reader.ts';
import { JobRecorder } from './job-recorder.ts';
import { WireFile } from './wire-file.ts';

/*
 * The recorder writes the run directory from the calls that the proxy forwards. call-reader.ts reads each call, with
 * definition.ts for a job's definition; job-recorder.ts and step-recorder.ts record what the calls report;
 * wire-file.ts is wire.ndjson, with every call; wire-comparison.ts compares such a file with our own agent's calls.
 */

/** Characters of a path that a job chose, in a message. */
const MAX_PATH = 200;

export interface RecorderOptions {
  readonly config: AgentConfig;
  readonly clock: Clock;
  /** Gets the dates of answers. */
  readonly serverClock: ServerClock;
  readonly redactor: Redactor;
  /** Hides the run's secrets. */
  readonly secrets: SecretSink;
  readonly record: RecordSink;
  readonly runDirectory: string;
  readonly onClaim: (claim: DeploymentIds) => void;
}

/** Records one run of Pulumi's agent from its calls. Its owner closes it. */
export class Recorder {
  readonly #clock: Clock;
  readonly #serverClock: ServerClock;
  readonly #runDirectory: string;
  readonly #credentials: Credentials;
  readonly #job: JobRecorder;
  readonly #reader: CallReader;
  readonly #wireFile: WireFile | undefined;
  #refusedCli: string | undefined;

  constructor(options: RecorderOptions) {
    const { config, clock, serverClock, redactor, secrets, record, runDirectory, onClaim } = options;
    const { pollingIntervalMs, engineRecord } = config;

    this.#clock = clock;
    this.#serverClock = serverClock;
    this.#runDirectory = runDirectory;
    this.#credentials = new Credentials(config, secrets);
    this.#job = new JobRecorder({ config, redactor, clock, record, onClaim });
    this.#reader = new CallReader({
      job: this.#job,
      record,
      secrets,
      credentials: this.#credentials,
      config,
      clock,
      pollingIntervalMs,
    });
    this.#wireFile = engineRecord ? new WireFile(runDirectory, (text) => redactor.text(text)) : undefined;
  }

  get state(): RunState {
    const job = this.#job;
    return {
      hasWork: job.claim !== undefined || job.isUnknownWork,
      hasPolled: this.#reader.lastPoll !== undefined,
      lastHeartbeat: job.lastHeartbeat,
      isOver: job.cancellation !== undefined || (job.result !== 'unfinished' && !job.isBusy),
    };
  }

  isCredential(token: string | undefined): boolean {
    return this.#credentials.has(token);
  }

  /** Records one call that bears a credential. Resolves when its answer can go on. Never rejects. */
  async take(call: ProxiedCall): Promise<void> {
    this.#serverClock.told(Date.parse(call.responseHeaders['date'] ?? ''));
    await this.#reader.read(call);

    // Without the definition, or with too many secrets in it, those in either are not hidden.
    const { endpoint, status = 0 } = call;
    const holdsSecrets = endpoint.kind === 'logs' || (endpoint.kind === 'definition' && status < 300);
    this.#wireFile?.write(call, !holdsSecrets || this.#job.hidesSecrets);
  }

  /** Called when the proxy refused a call of Pulumi's CLI. It counts if it comes from the job. */
  cliRefused(path: string, token: string | undefined): void {
    if (this.#reader.isJobSecret(token)) this.#refusedCli ??= path.split('?', 1).join().slice(0, MAX_PATH);
  }

  /** Called once no more calls come. Never rejects. */
  async close(): Promise<Observations> {
    const [job, clock] = [this.#job, this.#clock];

    this.#credentials.close();
    await this.#reader.settled();

    const steps = await job.close({
      status: 'failed',
      reason: "Pulumi's agent ended before it reported the step's end",
    });

    this.#wireFile?.close();

    const { claimedAt, waitSeconds, deployment, kind, image } = job;
    const resources = await changesInLogs(this.#runDirectory, steps).catch(() => undefined);

    return {
      job,
      lastPoll: this.#reader.lastPoll,
      refusedCli: this.#refusedCli,
      end: {
        steps,
        waitSeconds,
        ...deployment,
        ...(claimedAt && {
          claimedAt: new Date(claimedAt.now).toISOString(),
          runSeconds: elapsedSince(claimedAt, clock).atLeast / 1000,
        }),
        kind,
        image,
        resources,
      },
    };
  }
}
