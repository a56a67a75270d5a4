import { join } from 'node:path';
import { CI_IDENTITIES } from '../../../base/ci-identities.ts';
import type { Environment } from '../../../base/environment.ts';
import type { CiJob, CiPhase, CiSystem, Dialect } from '../ci-system.ts';
import { parseIdToken } from '../id-token-sources.ts';
import { consoleLine, consoleText, sectionEnd, sectionStart } from './job-log.ts';
import { dotenvReport, linksReport, writeReport } from './reports.ts';

/** The variable that `id_tokens:` of the pipeline sets, unless a flag names another. */
const [ID_TOKEN] = CI_IDENTITIES.gitlab;

/** The time that main has where GitLab's runner gives a cancelled job minutes. */
const WINDOW_MS = 285_000;

/**
 * In a container of GitLab's runner: SIGTERM to every process in at most 10 s (shells/bash.go), 10 s of
 * Docker's stop; the agent, which has the highest process ID, gets it first.
 */
const CONTAINER = {
  cancelWindow: { mode: 'stay', jobMs: 12_000, mainMs: 12_000 },
  defaults: { cancel_grace_period: '5s' },
  signalsAgent: true,
  // `after_script` runs in another container, when this one is gone.
  agentIsGone: true,
} as const;

/** GitLab shows 4 MiB of a job's log unless an administrator raised that. */
const CONSOLE_LIMITS = { stepBytes: 3 * 1024 * 1024, runBytes: 3 * 1024 * 1024 };

const CREDENTIALS = [
  ...CI_IDENTITIES.gitlab,
  ...['CI_JOB_TOKEN', 'CI_REPOSITORY_URL'],
  ...['CI_REGISTRY_PASSWORD', 'CI_DEPENDENCY_PROXY_PASSWORD', 'CI_DEPLOY_PASSWORD'],
];

/** GitLab CI, in a shell, a container of Docker or a pod: folded sections, and files for its reports. */
export const gitlab: CiSystem = {
  name: 'GitLab CI',
  detects: ({ GITLAB_CI, CI_JOB_ID }) => GITLAB_CI === 'true' && Boolean(CI_JOB_ID),
  job,
  dialect,
};

function job(environment: Environment): CiJob {
  const {
    CI_JOB_ID: id = '',
    CI_PIPELINE_URL: pipeline = '',
    CI_PROJECT_DIR: checkoutDirectory,
    RUNNER_TEMP_PROJECT_DIR: temporaryDirectory,
    CI_JOB_STATUS: status,
    CI_DISPOSABLE_ENVIRONMENT: isDisposable,
    KUBERNETES_SERVICE_HOST: kubernetes,
  } = environment;
  const isContainer = isDisposable !== undefined && kubernetes === undefined;

  return {
    // A retry is another job.
    id,
    temporaryDirectory,
    checkoutDirectory,
    cancelWindow: { mode: 'stay', jobMs: WINDOW_MS, mainMs: WINDOW_MS },
    consoleLimits: CONSOLE_LIMITS,
    credentials: CREDENTIALS,
    labels: { 'pulumi-runner.ci-run': pipeline, 'pulumi-runner.ci-job': id },
    isCancelled: status === 'canceled',
    ...(isContainer && CONTAINER),
  };
}

function dialect({ environment, stdout, now, checkoutDirectory }: CiPhase): Dialect {
  const began = now();
  let sections = 0;
  const name = () => `pulumi_runner_${began}_${sections}`;

  return {
    consoleLine,
    consoleText,
    group: (title) => {
      sections += 1;
      stdout.write(sectionStart(name(), now(), title));
    },
    endGroup: () => void stdout.write(sectionEnd(name(), now())),
    deliver: async (outputs) => {
      // A `finish` that finds the run published leaves the reports of `ci`.
      if (outputs.size === 0) return;
      const { text, omissions } = dotenvReport(outputs);
      const losses = omissions.filter((output) => outputs.get(output) !== '');
      if (losses.length > 0) stdout.write(`pulumi-runner.env has no place for ${losses.join(', ')}.\n`);
      await writeReport(join(checkoutDirectory, 'pulumi-runner.env'), text);
      const links = linksReport(outputs.get('console-url') ?? '');
      await writeReport(join(checkoutDirectory, 'pulumi-runner-links.json'), links);
    },
    requestIdToken: environment[ID_TOKEN]
      ? async () => parseIdToken(environment[ID_TOKEN], `the variable ${ID_TOKEN}`)
      : undefined,
  };
}
