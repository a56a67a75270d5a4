import { type Admission, brokenRule, rulesOf } from '../../base/config/allowed.ts';
import { OutcomeError } from '../../base/outcome.ts';
import { type Identity, identityText, kindText } from '../../base/stack.ts';

const PROOF =
  'Only a name from Pulumi Cloud counts: from the OIDC token of the claim, from trigger, or by a query with access_token.';

/** What a list of stacks or operations can't be compared with. */
const OTHER = 'Such a list covers deployments only: move this work to a pool whose runners have no list.';

/**
 * Throws OutcomeError `refused` for a deployment outside of the allowed lists, or one that nothing
 * proves to be inside.
 */
export function admit(identity: Identity | undefined, admission: Admission, kind?: string): void {
  const rules = rulesOf(admission);
  const [first] = rules;
  if (first === undefined) return;

  if (identity?.proven !== true) {
    if (kind !== undefined)
      throw refused('this work', `${first.key} is set, and it is work ${kindText(kind)}. ${OTHER}`);

    const named =
      identity === undefined ? 'nothing names its stack' : 'only its own variables name its stack';
    throw refused('this deployment', `${first.key} is set, and ${named}. ${PROOF}`);
  }

  const rule = brokenRule(admission, identity);
  if (rule === undefined) return;

  const advice = "Choose another pool in the stack's settings, or change the list.";
  throw refused(
    identityText(identity),
    `${rule.key} (${rule.values.join(' ')}) does not allow it. ${advice}`,
  );
}

function refused(whom: string, reason: string): OutcomeError {
  return new OutcomeError('refused', `Failed to admit ${whom} for this runner: ${reason}`, {
    code: 'PRA-JOB-08',
  });
}
