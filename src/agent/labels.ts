import type { Owner } from '../record/schema.ts';

/** The labels that say whose a Docker object is; removal goes by them, and by nothing else. */
export function ownerLabels(owner: Owner): Record<string, string> {
  return {
    'pulumi-runner.owner-host': owner.host,
    'pulumi-runner.owner-pid': String(owner.pid),
    'pulumi-runner.owner-started': owner.started,
  };
}
