import { openWay, type Way } from '../../network/way.ts';
import { span } from '../../quantity.ts';
import type { Checked, Examination, Finding } from './examination.ts';

/** From here on a clock is worth a warning: ID tokens live 5 minutes. */
const SKEW_MS = 60_000;

/** This machine's clock against the `Date` of an answer of Pulumi Cloud; any answer has it. No token is sent. */
export function clockCheck(
  examination: Examination,
  { way, reached }: { readonly way: Checked<Way>; readonly reached: Checked<unknown> },
): void {
  const spec = { id: 'clock', title: 'Clock', outcome: 'failed', deadlineMs: 15_000 } as const;
  examination.check(spec, [way, reached], async (signal, known) =>
    compared((await timeOf(known, signal)) - Date.now()),
  );
}

/** The service's time in milliseconds since the epoch, to about a second; NaN when it doesn't tell. */
async function timeOf(way: Way, signal: AbortSignal): Promise<number> {
  const dispatcher = openWay(way);
  try {
    const { origin, pathname: path } = way.service;
    const { headers, body } = await dispatcher.request({ origin, path, method: 'HEAD', signal });
    await body.dump();
    return Date.parse(String(headers['date']));
  } catch {
    signal.throwIfAborted();
    return Number.NaN;
  } finally {
    await dispatcher.destroy();
  }
}

function compared(skewMs: number): Finding {
  if (Number.isNaN(skewMs)) return { status: 'unknown', detail: 'no answer told the time' };
  if (Math.abs(skewMs) < SKEW_MS) return { status: 'passed', detail: `within ${span(SKEW_MS)} of Pulumi Cloud's` };
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  const detail = `this machine's is ${span(skewMs)} ${direction} Pulumi Cloud's, and ID tokens live for 5 minutes. Set it (chrony, systemd-timesyncd).`;
  return { status: 'warning', detail };
}
