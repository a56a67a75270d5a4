import { appendFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import * as core from '@actions/core';
import { defined } from '../../../base/defined.ts';
import type { Environment } from '../../../base/environment.ts';
import { withLinks } from '../../../base/error-codes.ts';
import { flush } from '../../../base/flush.ts';
import { maskedLines } from '../../../base/log/secret-forms.ts';
import { withGroups } from '../../groups.ts';
import { CONSOLE_LIMITS, type Host, type PhaseProcess } from '../../host.ts';
import { uploadRunDirectory } from './artifact.ts';
import { commentOnPullRequest } from './comment.ts';
import { CANCEL_WINDOW, type Context, troubleshootingPage } from './context.ts';
import { requestIdToken } from './id-token.ts';
import { inputText, trustAsTheAgent } from './inputs.ts';
import { consoleLine, consoleText } from './workflow-commands.ts';

/** A shell's exit code for a program killed by SIGINT. */
export const CANCELLED_EXIT_CODE = 130;

/** A phase of the action's step: its process, its job and its folders. */
export interface ActionPhase extends PhaseProcess {
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
export function githubHost({
  owner,
  cancelled,
  now,
  steady,
  environment,
  context,
  stdout,
  checkoutDirectory,
}: ActionPhase): Host {
  // Without this, calls by libraries trust only Node.js's own certificates and NODE_EXTRA_CA_CERTS.
  const trust = (): void => trustAsTheAgent(environment, checkoutDirectory);
  const titled = (title: string | undefined) => defined({ title: title && consoleText(title) });
  const troubleshooting = troubleshootingPage(environment, context);
  const annotation = (text: string): string => withLinks(consoleText(text), troubleshooting);
  const info = (text: string): void => core.info(consoleText(text));
  const isCommenting = inputText(environment, 'comment-on-pr').toLowerCase() === 'true';
  const notice = (text: string, title?: string): void => core.notice(annotation(text), titled(title));
  const warning = (text: string, title?: string): void => core.warning(annotation(text), titled(title));

  return withGroups({
    owner,
    interrupted: cancelled,
    cancelled,
    now,
    steady,
    cancelWindow: CANCEL_WINDOW,
    consoleLimits: CONSOLE_LIMITS,
    info,
    troubleshooting,
    keepsRecord: false,
    postName: 'The post step',
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
    consoleText,
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
    comment: isCommenting
      ? async (comment) => {
          trust();
          await commentOnPullRequest(comment, { environment, context, info, notice, warning });
        }
      : undefined,
    saveText: (name, text) => core.saveState(name, text),
    savedText: (name) => core.getState(name),
    close: async () => undefined,
    requestIdToken: async ({ audience }, signal) => {
      trust();
      return await requestIdToken(audience, environment, signal);
    },
  });
}
