import { withEntry } from '../base/error-codes.ts';
import { plainText } from '../base/log/plain-text.ts';
import { codeOf, messageOf, OUTCOMES } from '../base/outcome.ts';
import { CHECK_SIGNS, countChecks, type DoctorReport, doctorReportSchema } from '../record/doctor-report.ts';
import { doctorSummary } from '../record/report/summary.ts';
import type { Engine } from './engine.ts';
import { readReport } from './engine-process.ts';
import type { Host } from './host.ts';
import { setRunOutputs } from './outputs.ts';

import { addSummary } from './publish.ts';
import { type TokenFile, writeFreshToken } from './token-file.ts';

/** Pulling an image is the longest check. */
const DOCTOR_MS = 40 * 60_000;

/** Characters of a finding in an annotation. */
const MAX_DETAIL = 2_000;

/**
 * Runs the engine's doctor instead of waiting for work, and shows its findings in the console and
 * the summary. Returns the step's exit code. Throws OutcomeError `failed` when there is no report,
 * and the signal's reason when cancelled before it began.
 */
export async function doctor(
  host: Host,
  engine: Engine,
  tokenFile: TokenFile | undefined,
  runDirectory: string,
): Promise<number> {
  // Without a token the other checks still run.
  const refusal =
    tokenFile && (await writeFreshToken(host, tokenFile, host.interrupted).catch((error: unknown) => error));

  host.interrupted.throwIfAborted();

  const limits = { deadlineMs: DOCTOR_MS, signal: host.interrupted };
  const report = await readReport(engine.doctor(runDirectory), 'the doctor', doctorReportSchema, limits);

  if (report === undefined) {
    host.info('The CI job was cancelled, so the checks were stopped.');
    host.setOutput('outcome', 'interrupted');
    return host.exitCode('interrupted', true);
  }

  const { checks, outcome } = refusal === undefined ? report : withRefusal(report, refusal);
  const width = Math.max(...checks.map(({ title }) => title.length));
  const lines = checks.map(
    ({ status, title, detail }) => `${CHECK_SIGNS[status]} ${title.padEnd(width)}  ${detail}`,
  );

  await host.print([...lines, ''], host.cancelled);

  const failed = checks.filter(({ status }) => status === 'failed');
  const message =
    failed.length === 0 ? countChecks(checks) : `${countChecks(checks)} ${OUTCOMES[outcome].sentence}`;

  setRunOutputs(host, { outcome, message, forwarded: [], notices: [], steps: [] }, runDirectory);
  await addSummary(host, () => doctorSummary({ ...report, checks, outcome }, host.troubleshooting));
  for (const { title, detail } of checks.filter(({ status }) => status === 'warning'))
    host.warning(plainText(detail, MAX_DETAIL), plainText(title));
  for (const { title, detail, code } of failed)
    host.error(withEntry(plainText(detail, MAX_DETAIL), code), plainText(title));
  if (failed.length === 0) host.info(message);
  else host.fail(message);

  return host.exitCode(outcome, failed.length > 0);
}

/** The engine only sees that the token file is missing; this process knows why. */
function withRefusal(report: DoctorReport, refusal: unknown): DoctorReport {
  const [detail, code] = [plainText(messageOf(refusal), MAX_DETAIL), codeOf(refusal)];
  const checks = report.checks.map((check) =>
    check.id === 'id-token' && check.status === 'failed'
      ? { ...check, detail, code: code ?? check.code }
      : check,
  );
  return { ...report, checks };
}
