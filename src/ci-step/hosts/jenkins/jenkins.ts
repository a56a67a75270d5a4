import type { CiSystem } from '../ci-system.ts';

/** The time that the steps of `post` can take after an abort, which Jenkins itself does not bound. */
const JOB_MS = 285_000;

/** From SIGTERM to SIGKILL (hudson.util.ProcessTree). */
const KILLED_MAIN_MS = 5_000;

/**
 * Jenkins: plain lines, and the record for `archiveArtifacts`. An abort ends every process that has
 * the build's JENKINS_SERVER_COOKIE, so the agent has none, and `finish` ends it in `post`. At the
 * build's end, Jenkins looks for JENKINS_NODE_COOKIE: the agent keeps it.
 */
export const jenkins: CiSystem = {
  name: 'Jenkins',
  detects: ({ JENKINS_URL, BUILD_TAG }) => Boolean(JENKINS_URL) && Boolean(BUILD_TAG),
  job: ({ BUILD_TAG: id = '', JOB_NAME: name = '', BUILD_NUMBER: number = '' }) => ({
    id,
    cancelWindow: { mode: 'leave', jobMs: JOB_MS, mainMs: KILLED_MAIN_MS },
    credentials: [],
    trackingVariables: ['JENKINS_SERVER_COOKIE'],
    labels: { 'pulumi-runner.ci-run': `${name}/${number}`, 'pulumi-runner.ci-job': id },
  }),
  dialect: () => ({}),
};
