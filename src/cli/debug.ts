import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { loadAgentConfig } from '../agent/configuration.ts';
import { connect } from '../agent/connection.ts';
import { type JobCloud, runJob } from '../agent/job/job.ts';
import { StopSource } from '../agent/job/stop.ts';
import { openAgentLog } from '../agent/logging/agent-log.ts';
import { Shutdown } from '../agent/process/shutdown.ts';
import { runDirectories } from '../agent/runs/directories.ts';
import { type Ended, endSentence, offlineEnd } from '../agent/runs/end.ts';
import { systemClock } from '../base/clock.ts';
import { flush } from '../base/flush.ts';
import type { Log } from '../base/log/level.ts';
import { stripControl } from '../base/log/plain-text.ts';
import { Redactor } from '../base/log/redactor.ts';
import { withoutServiceMessages } from '../base/log/service-messages.ts';
import { failureOf, messageOf, OutcomeError } from '../base/outcome.ts';
import { ownOwner } from '../base/owner.ts';
import { VERSION } from '../base/version.ts';
import { complaints, type JobDefinition, jobDefinitionSchema } from '../cloud/job-wire.ts';
import { ownerLabels } from '../executor/owner-labels.ts';
import { executorFor, placeOf } from '../executor/targets.ts';
import { moveAside } from '../record/run-directory.ts';
import { RunRecord } from '../record/run-record.ts';
import { RUN_FILES } from '../record/schema.ts';
import type { CommandSources } from './command-line.ts';

/** Stands in for the IDs of a claim. */
const CLAIM = {
  jobId: 'debug',
  jobToken: '',
  oidcToken: undefined,
  runId: 'debug',
  deploymentId: 'debug',
} as const;

/** Stands in for looks at a deployment. */
const UNWATCHED: JobCloud['watch'] = {
  hasEnded: false,
  stepRuns: async () => undefined,
  stepsEnded: () => undefined,
  success: () => async () => false,
  endedOtherwise: async () => false,
};

/**
 * Runs a job without Pulumi Cloud. Returns the exit code. Throws OutcomeError `config-error` for a
 * bad definition.
 */
export async function debug({
  command,
  process,
  exit,
  ...context
}: CommandSources<'debug'>): Promise<number> {
  const { environment, workingDirectory } = context;
  const redactor = new Redactor();
  const { config, warnings } = loadAgentConfig(command, context, { redactor, purpose: 'offline' });
  const job = readJob(await readInput(command.job, workingDirectory, process.stdin), command.to);
  const redact = (line: string) => redactor.text(line);
  const { runDirectory } = config;
  const directory = runDirectories({ runDirectory, singleRun: true }, environment)();

  await moveAside(directory);

  const now = () => Date.now();
  await using resources = new AsyncDisposableStack();
  const { logLevel: level, logFormat: format, cancelGracePeriodMs: graceMs } = config;

  const { log, close: closeLog } = openAgentLog({
    file: join(directory, RUN_FILES.log),
    now,
    redact,
    level,
    format,
  });

  resources.defer(closeLog);
  for (const warning of warnings) log('warning', warning);

  const owner = ownOwner();
  const record = new RunRecord({ version: VERSION, owner, now, redact });

  record.open(directory);
  record.event({ type: 'agent-started', version: VERSION, owner });

  const shutdown = new Shutdown({ process, log, steady: systemClock.steady, graceMs, exit });

  resources.defer(() => shutdown.close());
  const stop = new StopSource(shutdown);

  const { labels } = command;
  const onSecret = (secret: string) => redactor.add([secret]);
  const executor = await executorFor(config, { environment, labels, logger: log, onSecret });

  resources.defer(() => executor.close());

  const began = now();
  let ended: Ended;

  try {
    log('info', await executor.check(stop.signal));

    const place = await placeOf(config, environment);
    if (place !== undefined) record.event({ type: 'place', place });

    // The connection is only needed for the certificates that jobs trust.
    const connection = config.caCertificateInJobs
      ? connect(config, { environment, redactor, log })
      : undefined;
    resources.defer(async () => connection?.close());

    const caBundle = connection?.caBundle;

    // Not once(): each further write fails again.
    process.stdout.on('error', () =>
      stop.request({ by: 'signal', reason: 'nobody reads the output any more' }),
    );

    ended = await runJob({
      claim: CLAIM,
      services: {
        config,
        environment,
        caBundle,
        clock: systemClock,
        redactor,
        executor,
        labels: { ...labels, ...ownerLabels(owner), 'pulumi-runner.run': CLAIM.runId },
      },
      run: {
        record,
        secrets: redactor,
        stop,
        say: (level, message) => {
          log(level, message);
          if (level === 'warning') record.notice('warning', message);
        },
      },
      cloud: {
        api: localReports(job, log, process),
        watch: UNWATCHED,
        heartbeatSince: () => true,
        mayBegin: Promise.resolve(),
        identify: async () => ({}),
        onReported: () => undefined,
      },
    });
  } catch (error) {
    const reason = stop.stop?.reason;
    ended =
      reason === undefined
        ? failureOf(error)
        : { outcome: 'interrupted', message: `${reason}; nothing was run.` };
  }

  const end = offlineEnd(ended, (now() - began) / 1000);
  log(end.exitCode === 0 ? 'info' : 'error', `${end.outcome}: ${endSentence(end)}`);
  log('info', `Logs, events and the result are in ${directory}.`);
  record.close(end);

  return end.exitCode;
}

/**
 * Parses a job definition up to step `to`. Throws OutcomeError `config-error`, which names fields,
 * never values.
 */
export function readJob(json: string, to?: number): JobDefinition {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    // The parser's own message quotes the text, which may hold a secret.
    throw refused(json.trim() === '' ? 'it is empty' : 'it is not JSON', cause);
  }

  const parsed = jobDefinitionSchema.safeParse(value);
  if (!parsed.success) throw refused(complaints(parsed.error), parsed.error);

  const [own, ...steps] = parsed.data.steps;
  if (own === undefined) throw refused('it has no steps');

  const last = to ?? steps.length;
  if (last > steps.length) throw refused(`there is no step ${last}: the last one is ${steps.length}`);

  return { ...parsed.data, steps: [own, ...steps.slice(0, last)] };
}

function refused(reason: string, cause?: unknown): OutcomeError {
  const advice =
    'Give a job such as {"image":{"reference":"…"},"env":{},"steps":[{"name":"Setup"},{"name":"…","run":"…"}]}.';
  const message = `Failed to read the job for debug workflow-runner: ${reason}. ${advice}`;
  return new OutcomeError('config-error', message, { code: 'PRA-RECORD-14', cause });
}

async function readInput(file: string, workingDirectory: string, stdin: Readable): Promise<string> {
  try {
    return file === '-' ? await text(stdin) : await readFile(resolve(workingDirectory, file), 'utf8');
  } catch (cause) {
    throw refused(messageOf(cause), cause);
  }
}

const lineSchema = z.object({ l: z.string() });

/**
 * Stands in for Pulumi Cloud's calls for a job: prints what would be reported. The lines are
 * already redacted.
 */
function localReports(
  job: JobDefinition,
  log: Log,
  { stdout }: CommandSources<'debug'>['process'],
): JobCloud['api'] {
  const colours = stdout.isTTY === true;
  return {
    definition: () => Promise.resolve(job),
    stepStatus: async (index, status) => {
      const name = stripControl(job.steps[index]?.name ?? '');
      const title = `Step ${index}${name === '' ? '' : ` "${name}"`}`;
      log(status === 'failed' ? 'error' : 'info', status === 'running' ? `${title}:` : `${title} ${status}.`);
    },
    logs: async (index, { json }, signal) => {
      // Step 0 is the agent's own, so its lines go to the log.
      if (index === 0) {
        for (const text of textsOf(json)) log('info', text.trimEnd());
        return;
      }

      const shown = textsOf(json).map((whole) => {
        const [text, end] = whole.endsWith('\n') ? [whole.slice(0, -1), '\n'] : [whole, ''];
        return `${withoutServiceMessages(stripControl(text, { colours }))}${end}`;
      });

      // Wait until they are written, so that nothing overtakes them.
      stdout.write(shown.join(''));
      await flush(stdout, signal);
      signal.throwIfAborted();
    },
  };
}

/** The texts of lines, of their JSON. */
function textsOf(json: Buffer): string[] {
  return lineSchema
    .array()
    .parse(JSON.parse(`[${json}]`))
    .map(({ l }) => l);
}
