import { join } from 'node:path';
import type { Environment } from '../../environment.ts';
import type { CiJob, CiStep, CiSystem, Dialect } from '../ci-system.ts';
import { tokenOf } from '../identity.ts';
import { consoleLine, consoleText, sectionEnd, sectionStart } from './console-text.ts';
import { dotenvReport, linksReport, writeReport } from './files.ts';

/** The variable of `id_tokens:` that the example and docs/ci.md use; --identity-token-env names another. */
const ID_TOKEN = 'PULUMI_ID_TOKEN';

/** The job's token under its names, also inside an address. */
const CREDENTIALS = [
  'CI_JOB_TOKEN',
  'CI_REPOSITORY_URL',
  'CI_REGISTRY_PASSWORD',
  'CI_DEPENDENCY_PROXY_PASSWORD',
  'CI_DEPLOY_PASSWORD',
  ID_TOKEN,
];

/** GitLab keeps 4 MiB of a job's log, of which the runner and other commands need a part. */
const CONSOLE_LIMITS = { stepBytes: 3 * 1024 * 1024, runBytes: 3 * 1024 * 1024 };

/** Within the 5 minutes that a cancelled job's `after_script` has, and the 10 of its script. */
const WINDOW_MS = 285_000;

/** From the SIGTERM to main until the container is removed, 20 s after its first. */
const DOCKER_WINDOW_MS = 12_000;

type Executor = Pick<CiJob, 'cancelWindow' | 'signalsAgent' | 'defaults'>;

/** The `after_script` of any executor can finish the run, but in Docker the agent is gone by then. */
const LASTING: Executor = { cancelWindow: { mode: 'stay', jobMs: WINDOW_MS, mainMs: WINDOW_MS } };

/**
 * Docker: SIGTERM goes to the newest process first, the agent before main, with up to 6 s for each;
 * 10 s later the container stops (gitlab-runner: shells/bash.go, executors/docker).
 */
const DOCKER: Executor = {
  cancelWindow: { mode: 'stay', jobMs: DOCKER_WINDOW_MS, mainMs: DOCKER_WINDOW_MS },
  signalsAgent: true,
  defaults: { cancel_grace_period: '5s' },
};

/** GitLab CI/CD, with its runner's shell, Docker and Kubernetes executors. */
export const gitlab: CiSystem = {
  name: 'GitLab',
  detects: (environment) => environment['GITLAB_CI'] === 'true',
  job: (environment) => ({
    ...executorOf(environment),
    id: environment['CI_JOB_ID'] ?? '',
    // In a container, /tmp goes with the script, but these folders stay for `after_script`.
    temporaryDirectory: environment['RUNNER_TEMP_PROJECT_DIR'] || undefined,
    checkoutDirectory: environment['CI_PROJECT_DIR'] || undefined,
    consoleLimits: CONSOLE_LIMITS,
    credentials: CREDENTIALS,
    labels: {
      'pulumi-runner.ci-run': `${environment['CI_PROJECT_PATH']}/-/pipelines/${environment['CI_PIPELINE_ID']}`,
      'pulumi-runner.ci-job': environment['CI_JOB_ID'] ?? '',
    },
    isCancelled: environment['CI_JOB_STATUS'] === 'canceled',
  }),
  dialect,
};

/** Only the runner's Docker executors are disposable without Kubernetes; `shell`, `ssh` and `custom` are shared. */
function executorOf(environment: Environment): Executor {
  const isDisposable = environment['CI_DISPOSABLE_ENVIRONMENT'] === 'true';
  return isDisposable && !environment['KUBERNETES_SERVICE_HOST'] ? DOCKER : LASTING;
}

function dialect({ owner, environment, stdout, now, checkoutDirectory }: CiStep): Dialect {
  let sections = 0;
  const section = () => `pulumi_runner_${owner.pid}_${sections}`;

  return {
    text: consoleText,
    line: consoleLine,
    group: (title) => {
      sections += 1;
      stdout.write(sectionStart(section(), now(), title));
    },
    endGroup: () => void stdout.write(sectionEnd(section(), now())),
    identityToken: async () => tokenOf(environment[ID_TOKEN], `the variable ${ID_TOKEN}`),
    deliver: async (outputs) => {
      // A `finish` that had nothing to finish leaves the reports of `ci`.
      if (outputs.size === 0) return;
      const { text, leftOut } = dotenvReport(outputs);
      if (leftOut.length > 0) stdout.write(`pulumi-runner.env has no place for: ${leftOut.join(', ')}.\n`);
      await writeReport(join(checkoutDirectory, 'pulumi-runner.env'), text);
      await writeReport(
        join(checkoutDirectory, 'pulumi-runner-links.json'),
        linksReport(outputs.get('console-url') ?? ''),
      );
    },
  };
}
