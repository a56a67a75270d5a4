import { appendFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import * as core from '@actions/core';
import { defined } from '../../../base/defined.ts';
import type { Environment } from '../../../base/environment.ts';
import { withLinks } from '../../../base/error-codes.ts';
import { flush } from '../../../base/flush.ts';
import { maskedLines } from '../../../base/log/secret-forms.ts';
import { type CancelWindow, type ChangeComment, CONSOLE_LIMITS, type Host } from '../../host.ts';
import { uploadRunDirectory } from './artifact.ts';
import { commentOnPullRequest } from './comment.ts';
import { consoleLine, consoleText } from './console-text.ts';
import { requestIdToken } from './id-token.ts';
import { type Context, inputText, trustAsTheAgent } from './inputs.ts';

/** GitHub's runner ends a cancelled job after 285 s, and a main that does not react after 10 s. */
export const CANCEL_WINDOW: CancelWindow = { mode: 'leave', jobMs: 285_000, mainMs: 10_000 };

/** A shell's exit code for a program killed by SIGINT. */
export const CANCELLED_EXIT_CODE = 130;

/** The process that a phase of the action runs in. */
export interface Step extends Pick<Host, 'owner' | 'cancelled' | 'now' | 'steady'> {
  /** The CI job's temporary folder, which lasts until the job ends. */
  readonly temporaryDirectory: string;
  readonly environment: Environment;
  readonly context: Context;
  readonly stdout: Writable;
  /** The CI job's workspace; relative paths in inputs start there. */
  readonly checkoutDirectory: string;
  /** The Node executable that runs this process, and the agent's entry file. */
  readonly nodePath: string;
  readonly agentScript: string;
}

/**
 * GitHub Actions as a host. @actions/core reads the runner's files and addresses from the process's
 * environment.
 */
export function githubHost(step: Step): Host {
  const { owner, environment, context, cancelled, now, steady, stdout } = step;

  // Without this, calls by libraries trust only Node.js's own certificates and NODE_EXTRA_CA_CERTS.
  const trust = (): void => trustAsTheAgent(environment, step.checkoutDirectory);
  const titled = (title: string | undefined) => defined({ title: title && consoleText(title) });
  const troubleshooting = troubleshootingPage(environment, context);
  const annotation = (text: string): string => withLinks(consoleText(text), troubleshooting);
  const info = (text: string): void => core.info(consoleText(text));
  const notice = (text: string, title?: string): void => core.notice(annotation(text), titled(title));
  const warning = (text: string, title?: string): void => core.warning(annotation(text), titled(title));

  return {
    owner,
    interrupted: cancelled,
    cancelled,
    now,
    steady,
    cancelWindow: CANCEL_WINDOW,
    consoleLimits: CONSOLE_LIMITS,
    info,
    troubleshooting,
    mermaid: true,
    notice,
    warning,
    error: (text, title) => core.error(annotation(text), titled(title)),
    fail: (text) => core.setFailed(annotation(text)),
    group: (title) => core.startGroup(consoleText(title)),
    endGroup: () => core.endGroup(),
    print: async (lines, signal) => {
      const hasRoom = stdout.write(lines.map((line) => `${consoleLine(line)}\n`).join(''));
      if (!hasRoom) await flush(stdout, signal);
    },
    mask: (secret) => {
      // The runner would mask each line of a longer text, braces too, and drop job outputs with one.
      for (const line of maskedLines(secret)) core.setSecret(line);
    },
    exitCode: (outcome, isRed) => {
      if (outcome === 'interrupted' && cancelled.aborted) return CANCELLED_EXIT_CODE;
      return isRed ? 1 : 0;
    },
    setOutput: (name, value) => core.setOutput(name, value),
    addSummary: async (markdown) => {
      const { GITHUB_STEP_SUMMARY: file } = environment;
      if (!file) throw new Error('the runner provides no file for it');
      await appendFile(file, markdown);
    },
    upload: async (upload) => {
      trust();
      return await uploadRunDirectory(upload, environment, context, warning);
    },
    ...(inputText(environment, 'comment-on-pr').toLowerCase() === 'true' && {
      comment: async (comment: ChangeComment) => {
        trust();
        await commentOnPullRequest(comment, { environment, context, say: { info, notice, warning } });
      },
    }),
    keep: (name, text) => core.saveState(name, text),
    kept: (name) => core.getState(name),
    close: async () => undefined,
    identityToken: async ({ audience }, signal) => {
      trust();
      return await requestIdToken(audience, environment, signal);
    },
  };
}

/**
 * Address of this version's TROUBLESHOOTING.md; undefined for an action in the workspace, which has
 * no repository.
 */
function troubleshootingPage(environment: Environment, { serverUrl }: Context): string | undefined {
  const { GITHUB_ACTION_REPOSITORY: repository = '', GITHUB_ACTION_REF: ref = '' } = environment;
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) return undefined;
  return `${serverUrl}/${repository}/blob/${/^[\w./-]+$/.test(ref) ? ref : 'HEAD'}/TROUBLESHOOTING.md`;
}

/** Labels that name the workflow run and job that a container or pod belongs to. */
export function labelsOf({ repo, runId, job, runAttempt }: Context): Record<string, string> {
  return {
    'pulumi-runner.ci-run': `${repo.owner}/${repo.repo}/actions/runs/${runId}`,
    'pulumi-runner.ci-job': job,
    'pulumi-runner.ci-attempt': String(runAttempt),
  };
}
