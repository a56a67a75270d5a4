import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CI_IDENTITIES } from '../../../base/ci-identities.ts';
import type { Environment } from '../../../base/environment.ts';
import { maskedLines } from '../../../base/log/secret-forms.ts';
import type { CiJob, CiPhase, CiSystem, Dialect } from '../ci-system.ts';
import { requestIdToken } from './id-token.ts';
import { command, consoleLine, consoleText } from './logging-commands.ts';

/** The time that steps with `condition: always()` have after a cancel, less a margin for the last one's end. */
const JOB_MS = 285_000;

/** From a cancel until the agent kills a task: SIGINT, 7.5 s, SIGTERM, 2.5 s. */
const KILLED_MAIN_MS = 10_000;

/** Characters of an output variable: each is in the environment of all later steps, which Linux limits to 128 KiB a variable. */
const MAX_VARIABLE = 32 * 1024;

/**
 * Azure Pipelines: a step shows and sets things by commands on its standard output
 * (learn.microsoft.com, "Logging commands").
 */
export const azure: CiSystem = {
  name: 'Azure Pipelines',
  detects: ({ TF_BUILD, SYSTEM_JOBID }) => TF_BUILD === 'True' && Boolean(SYSTEM_JOBID),
  job,
  dialect,
};

function job(environment: Environment): CiJob {
  const {
    SYSTEM_JOBID: id = '',
    SYSTEM_JOBATTEMPT: attempt = '1',
    SYSTEM_TEAMPROJECT: project = '',
    BUILD_BUILDID: build = '',
    AGENT_TEMPDIRECTORY: temporaryDirectory,
    AGENT_JOBSTATUS: status,
  } = environment;

  return {
    id: `${id}-${attempt}`,
    temporaryDirectory,
    cancelWindow: { mode: 'leave', jobMs: JOB_MS, mainMs: KILLED_MAIN_MS },
    credentials: CI_IDENTITIES.azure,
    labels: { 'pulumi-runner.ci-run': `${project}/builds/${build}`, 'pulumi-runner.ci-job': id },
    isCancelled: status === 'Canceled',
  };
}

function dialect({ environment, stdout, job: { id, temporaryDirectory }, stateDirectory }: CiPhase): Dialect {
  const { SYSTEM_OIDCREQUESTURI: requestUri } = environment;
  const send = (...words: Parameters<typeof command>) => void stdout.write(command(...words));
  const issue = (type: 'warning' | 'error') => (text: string, title?: string) =>
    send('task.logissue', { type }, consoleText(title === undefined ? text : `${title}: ${text}`));
  // A name that the build has fails the step: a job can run `ci` twice, and `finish` can upload again.
  const name = `pulumi-runner-${id}-${randomBytes(3).toString('hex')}`;
  // The agent reads it at the end of the task, when the private folder is gone.
  const summary = join(temporaryDirectory ?? stateDirectory, `${name}.md`);

  return {
    consoleLine,
    consoleText,
    warning: issue('warning'),
    error: issue('error'),
    group: (title) => void stdout.write(`##[group]${consoleText(title)}\n`),
    endGroup: () => void stdout.write('##[endgroup]\n'),
    mask: (secret) => {
      for (const line of maskedLines(secret)) send('task.setsecret', {}, line);
    },
    addSummary: async (markdown) => {
      await appendFile(summary, markdown, { mode: 0o600 });
      send('task.uploadsummary', {}, summary);
    },
    upload: async ({ directory }) =>
      send('artifact.upload', { containerfolder: name, artifactname: name }, directory),
    deliver: async (outputs) => {
      // Before the next step, the agent puts other variables' values into this one's (Variables.cs).
      const fits = (value: string) => !value.includes('$(') && value.length <= MAX_VARIABLE;
      for (const [output, value] of [...outputs].filter(([, text]) => fits(text)))
        send('task.setvariable', { variable: output.replaceAll('-', '_'), isOutput: 'true' }, value);
    },
    requestIdToken: requestUri
      ? async (request, signal) => await requestIdToken(request, environment, signal)
      : undefined,
  };
}
