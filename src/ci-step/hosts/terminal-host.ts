import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withEntry } from '../../base/error-codes.ts';
import { flush } from '../../base/flush.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { Redactor } from '../../base/log/redactor.ts';
import { clause, exitCodeOf, messageOf, OutcomeError } from '../../base/outcome.ts';
import { withGroups } from '../groups.ts';
import { type ArtifactUpload, CONSOLE_LIMITS, type Host } from '../host.ts';
import type { CiPhase, Dialect } from './ci-system.ts';
import { COLOURED, UNCOLOURED } from './console-text.ts';

const COLOURS = { notice: 36, warning: 33, error: 31 } as const;

const INDENT = '  ';

const NO_ID_TOKEN =
  "Failed to get this job's ID token: the agent knows no source of ID tokens on this CI system. Name one with --identity-token-env or --identity-token-command, or set a pool token.";

/**
 * The host for every CI system but GitHub's: plain lines, with the parts of a system's `dialect`. Its
 * texts lie in files of the state directory.
 */
export function terminalHost(
  { owner, interrupted, cancelled, now, steady, stdout, job, stateDirectory }: CiPhase,
  dialect: Dialect,
): Host {
  const colours = stdout.isTTY === true;
  const redactor = new Redactor();
  const outputs = new Map<string, string>();
  const texts = colours ? COLOURED : UNCOLOURED;
  // Where the console folds nothing, its indent shows what a group holds: no output passes for a line of ours.
  let indent = '';
  const { consoleText = texts.consoleText, consoleLine = texts.consoleLine } = dialect;
  // A text's later lines are indented: only its first one is ours for certain.
  const safe = (text: string) => consoleText(redactor.text(text)).replaceAll(/\n(?! {2})/g, `\n${INDENT}`);

  const write = (text: string) => void stdout.write(`${text}\n`);
  const indented = (text: string) => text.replaceAll(/^/gm, indent);
  const info = (text: string) => write(indented(safe(text)));

  const annotate = (kind: keyof typeof COLOURS) => (text: string, title?: string) => {
    const sentence = safe(title === undefined ? text : `${title}: ${text}`);
    const word = `${kind[0]?.toUpperCase()}${kind.slice(1)}:`;
    write(`${colours ? `\u001b[${COLOURS[kind]}m${word}\u001b[0m` : word} ${sentence}`);
  };

  const redacted =
    (show: Host['notice']): Host['notice'] =>
    (text, title) =>
      show(redactor.text(text), title);

  const notice = redacted(dialect.notice ?? annotate('notice'));
  const warning = redacted(dialect.warning ?? annotate('warning'));
  const error = redacted(dialect.error ?? annotate('error'));
  const { requestIdToken = refuseIdToken } = dialect;

  const mask = (secret: string) => {
    redactor.add([secret]);
    dialect.mask?.(secret);
  };

  return withGroups({
    owner,
    interrupted,
    cancelled,
    now,
    steady,
    cancelWindow: job.cancelWindow,
    consoleLimits: job.consoleLimits ?? CONSOLE_LIMITS,
    troubleshooting: undefined,
    keepsRecord: true,
    postName: 'The command finish',
    mermaid: false,
    info,
    notice,
    warning,
    error,
    fail: (text) => error(text),
    group:
      dialect.group ??
      ((title) => {
        info(`== ${title}`);
        indent = INDENT;
      }),
    endGroup:
      dialect.endGroup ??
      (() => {
        indent = '';
      }),
    print: async (lines, signal) => {
      const hasRoom = stdout.write(lines.map((text) => `${indent}${consoleLine(text)}\n`).join(''));
      if (!hasRoom) await flush(stdout, signal);
    },
    mask,
    exitCode: (outcome, isRed) => (isRed ? exitCodeOf(outcome, { failOnNoWork: true }) : 0),
    consoleText,
    setOutput: (name, value) => void outputs.set(name, value),
    addSummary: dialect.addSummary ?? (async () => undefined),
    upload: async (upload) => {
      await uploadRecord(upload, dialect, warning);
      return undefined;
    },
    saveText: (name, text) => writeFileSync(join(stateDirectory, name), text, { mode: 0o600 }),
    savedText: (name) => textOf(join(stateDirectory, name)),
    close: async (isOver) => {
      try {
        await dialect.deliver?.(outputs);
      } catch (cause) {
        const sentence = `Failed to set the outputs of this step: ${clause(plainText(messageOf(cause)))}. The console has the same facts.`;
        warning(withEntry(sentence, 'PRA-RECORD-02'));
      }
      if (isOver) await rm(stateDirectory, { recursive: true, force: true }).catch(() => undefined);
    },
    requestIdToken: async (request, signal) => {
      const token = await requestIdToken(request, signal);
      mask(token);
      return token;
    },
  });
}

/** Has the CI system keep the record if it can. */
async function uploadRecord(upload: ArtifactUpload, { upload: send }: Dialect, warning: Host['warning']) {
  try {
    await send?.(upload);
  } catch (cause) {
    const sentence = `Failed to upload the record for this run: ${clause(plainText(messageOf(cause)))}. It is in ${upload.directory} on this runner.`;
    warning(withEntry(sentence, 'PRA-RECORD-01'));
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function refuseIdToken(): Promise<string> {
  throw new OutcomeError('auth-error', NO_ID_TOKEN, { code: 'PRA-AUTH-01' });
}
