import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, NEVER, systemClock } from '../../../src/base/clock.ts';
import { loadConfig } from '../../../src/base/config/load.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { ownOwner } from '../../../src/base/owner.ts';
import { ServerClock } from '../../../src/cloud/server-clock.ts';
import { runPulumiAgent } from '../../../src/pulumi-agent/run.ts';
import { parseEvent, readResult } from '../../../src/record/reader.ts';
import { RunRecord } from '../../../src/record/run-record.ts';
import type { RecordEvent, RunResult, StepResult } from '../../../src/record/schema.ts';
import { PulumiCloud, type PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { folder } from '../agent/claimed-run.ts';

const CLI = join(import.meta.dirname, '../../../src/cli/index.ts');
export const PROGRAM = 'customer-managed-workflow-agent';

/** What both records say about a step; only the agent that ran it knows its exit code and why it failed. */
export const shared = ({ index, name, status, log, lines, bytes, sha256 }: StepResult) => ({
  ...{ index, name, status, log, lines, bytes, sha256 },
});

/** Makes a stand-in for Pulumi's agent: a shell script in its own folder, with another for `version`. Returns the folder. */
export async function standIn(script: string, forVersion = 'echo v2.2.0; exit'): Promise<string> {
  const programs = join(await folder(), PROGRAM);
  await mkdir(programs);
  const version = `if [ "$1" = version ]; then ${forVersion}; fi`;
  for (const name of [PROGRAM, 'workflow-runner', 'workflow-runner-embeddable']) {
    await writeFile(join(programs, name), `#!/bin/sh\n${version}\n${script}\n`);
    await chmod(join(programs, name), 0o755);
  }
  return programs;
}

/** Our own agent as the stand-in, with its record in `directory`; shell code may run first. Returns the folder. */
export function ownAgentAsStandIn(directory: string, first = ''): Promise<string> {
  return standIn(
    `${first}\nexport PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL=true PULUMI_AGENT_RUN_DIRECTORY='${directory}'\n` +
      `exec '${process.execPath}' '${CLI}' "$@"`,
  );
}

/** A program from this folder as the stand-in, such as `container-agent`; shell code may run first. Returns the folder. */
export function programAsStandIn(name: string, how = '', first = ''): Promise<string> {
  return standIn(`${first}\nexec '${process.execPath}' '${join(import.meta.dirname, `${name}.ts`)}' ${how}`);
}

interface Given {
  readonly programs: string;
  readonly cloud?: PulumiCloudOptions;
  readonly config?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** A run of a stand-in with an emulated Pulumi Cloud; the test drains or interrupts it. */
export async function pulumiRun(options: Given) {
  const {
    programs,
    cloud: cloudOptions,
    config: overrides = {},
    environment = {},
    clock = systemClock,
  } = options;
  const cloud = await PulumiCloud.start(cloudOptions);
  onTestFinished(() => cloud.stop());
  const home = await folder();
  const directory = join(home, 'run');
  const token = cloud.createStaticToken('pool-1');
  const given = {
    ...(overrides['oidc_token_file'] === undefined && { token }),
    service_url: cloud.url,
    single_run: 'true',
    engine: 'pulumi',
    engine_path: programs,
    polling_interval: '100ms',
    job_status_loop_interval: '200ms',
    // A busy machine must not make an agent unhealthy.
    health_threshold: '1m',
  };
  const quick = {
    pull_image: 'false',
    enabled_workflow_types: 'deployment',
    cancel_grace_period: '20s',
    request_retry_wait: '100ms',
    request_retry_max_wait: '200ms',
  };
  const settings = { ...given, ...quick, ...overrides };
  const { config } = loadConfig({ environment: {}, workingDirectory: home, overrides: settings });
  const redactor = new Redactor();
  redactor.add([token]);
  const owner = ownOwner();
  const redact = (text: string) => redactor.text(text);
  const record = new RunRecord({ version: '0', owner, now: () => Date.now(), redact });
  const [drain, interrupt] = [new AbortController(), new AbortController()];
  const log: string[] = [];
  const serverClock = new ServerClock(clock);
  const run = (): Promise<number> =>
    runPulumiAgent({
      config,
      version: '0',
      owner,
      clock,
      serverClock,
      log: (level, message) => log.push(`${level}: ${redact(message)}`),
      redactor,
      record,
      environment: { PATH: process.env['PATH'] ?? '', HOME: home, ...environment },
      runDirectory: directory,
      signals: { drain: drain.signal, interrupted: interrupt.signal, skipGrace: NEVER },
      onClaim: () => undefined,
    });
  return {
    cloud,
    token,
    directory,
    log,
    serverClock,
    run,
    drain: () => drain.abort(),
    interrupt: () => interrupt.abort(new Error('the agent was interrupted by SIGINT')),
    enqueue: (job: unknown) => cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job }),
    result: async (): Promise<RunResult> => (await readResult(directory))!,
    events: async (): Promise<RecordEvent[]> =>
      (await readFile(join(directory, 'events.ndjson'), 'utf8'))
        .split('\n')
        .flatMap((line) => (line === '' ? [] : (parseEvent(line) ?? []))),
    file: (path: string) => readFile(join(directory, path), 'utf8'),
  };
}
