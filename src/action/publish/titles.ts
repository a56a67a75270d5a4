import type { Outcome } from '../../outcome.ts';
import type { StepReport } from '../report.ts';

/** How a run ended, as a title. */
export const TITLES: Readonly<Record<Outcome, string>> = {
  succeeded: 'Pulumi workflow succeeded ✅',
  'no-work': 'No Pulumi workflow was queued',
  failed: 'Pulumi workflow failed ❌',
  'config-error': 'The configuration cannot be used ❌',
  'auth-error': 'Pulumi Cloud refused the credentials ❌',
  'cloud-unreachable': 'Pulumi Cloud could not be reached ❌',
  'target-error': 'The job could not be run here ❌',
  cancelled: 'Pulumi workflow was cancelled in Pulumi Cloud ⏹️',
  interrupted: 'Pulumi workflow was interrupted by the CI job ⏹️',
  'lease-lost': 'Pulumi workflow was stopped: no heartbeat was accepted ❌',
  unreported: 'Pulumi workflow succeeded, and Pulumi Cloud was not told ❌',
};

/** How a step ended, in words; one that runs in a report was running when the agent went. */
export const STEP_STATUS: Readonly<Record<StepReport['status'], string>> = {
  'not-started': '⏸ not started',
  running: '▶ was running',
  succeeded: '✅ succeeded',
  failed: '❌ failed',
};
