import type { Outcome } from '../../base/outcome.ts';

/** The meaning of a sign. Words always follow it. */
export type Sign =
  | 'success'
  | 'failure'
  | 'refused'
  | 'stopped'
  | 'skipped'
  | 'idle'
  | 'running'
  | 'not-started'
  | 'waiting'
  | 'locked'
  | 'unlocked'
  | 'warning';

/** A place that shows reports. */
export interface Medium {
  /** Markup of each sign. */
  readonly signs: Readonly<Record<Sign, string>>;
  /** True for report.html: it stacks the cells of a table in a narrow window, and has pages of other jobs beside it. */
  readonly isPage: boolean;
}

/** GitHub takes out an SVG, and has a font with emoji. */
export const MARKDOWN: Medium = {
  isPage: false,
  signs: {
    success: '✅',
    failure: '❌',
    refused: '⛔',
    stopped: '⏹️',
    skipped: '⏭️',
    idle: '💤',
    running: '▶',
    'not-started': '⏸',
    waiting: '⏳',
    locked: '🔒',
    unlocked: '🔓',
    warning: '⚠️',
  },
};

/** A reader's machine can lack a font with emoji. */
export const PAGE: Medium = {
  isPage: true,
  signs: {
    success: picture('success', 'M4.6 8.3l2.3 2.3 4.5-5'),
    failure: picture('failure', 'M5.5 5.5l5 5m0-5l-5 5'),
    refused: picture('refused', 'M4.5 8h7'),
    stopped: picture('stopped', 'M6 6h4v4H6z'),
    skipped: picture('skipped', 'M4.8 5.2L7.6 8l-2.8 2.8m4-5.6L11.6 8l-2.8 2.8'),
    idle: picture('idle', 'M5.5 6h5l-5 4.5h5'),
    running: picture('running', 'M6.5 5l4.5 3-4.5 3z'),
    'not-started': picture('not-started', 'M6.4 5.5v5m3.2-5v5'),
    waiting: picture('waiting', 'M8 4.2V8l2.6 1.6'),
    locked: picture('locked', 'M5.2 7.6h5.6v3.6H5.2zm1.2 0V6.2a1.6 1.6 0 0 1 3.2 0v1.4'),
    unlocked: picture('unlocked', 'M5.2 7.6h5.6v3.6H5.2zm1.2 0V6.2a1.6 1.6 0 0 1 3.1-.6'),
    warning: picture('warning', 'M8 4.2v4.6m0 2.4v.2'),
  },
};

export function signOf(outcome: Outcome): Sign {
  if (outcome === 'succeeded') return 'success';
  if (outcome === 'no-work') return 'idle';
  if (outcome === 'skipped' || outcome === 'refused') return outcome;
  return outcome === 'cancelled' || outcome === 'interrupted' ? 'stopped' : 'failure';
}

/** A line in a disc of the sign's colour. */
function picture(sign: Sign, line: string): string {
  return (
    `<svg class="sign ${sign}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">` +
    `<circle cx="8" cy="8" r="7.5"/><path d="${line}"/></svg>`
  );
}
