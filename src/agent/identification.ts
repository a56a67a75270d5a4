import { identityOfToken, identityOfVariables, type NamedDeployment } from '../cloud/identity.ts';
import type { Claim } from '../cloud/wire.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import { stackNamed } from '../config/stack-pattern.ts';
import { defined } from '../defined.ts';
import type { JobOptions } from '../job/job.ts';
import type { StartedDeployment } from '../record/deployment.ts';
import type { RunRecord } from '../record/run-record.ts';
import { type Identity, identityText } from '../stack.ts';
import type { Notice } from './logging/log-line.ts';

export interface IdentificationOptions {
  readonly claim: Claim;
  readonly config: Pick<AgentConfig, 'serviceUrl'>;
  /** The deployment, if this agent started it. */
  readonly started: StartedDeployment | undefined;
  readonly record: Pick<RunRecord, 'event'>;
  readonly redact: (text: string) => string;
  readonly notice: Notice;
}

/** How a claimed deployment's name becomes known: from its token or from its start, else once its variables are read. */
export class Identification {
  readonly #options: IdentificationOptions;
  #named: NamedDeployment | undefined;

  constructor(options: IdentificationOptions) {
    this.#options = options;
    const { claim, config, started } = options;
    this.#named = identityOfToken(claim, config.serviceUrl) ?? (started && namedBy(started));
  }

  /** What is known so far, empty if nothing is. */
  get named(): Partial<NamedDeployment> {
    return this.#named ?? {};
  }

  /** Settles the identity as the job's variables become known. They only inform: what is proven is never replaced. */
  readonly identify: JobOptions['identify'] = async (variables) => {
    const { claim, config, record, redact, notice } = this.#options;
    const { serviceUrl } = config;
    const other = identityOfVariables(variables, { serviceUrl, ...claim });
    // Names that quote a secret are no names.
    if (other === undefined || redact(identityText(other.identity)) !== identityText(other.identity))
      return this.#named?.identity;
    if (this.#named === undefined) {
      this.#named = other;
      record.event({ type: 'identified', ...other });
    } else if (differ(this.#named.identity, other.identity)) {
      const [one, two] = [this.#named, other].map(({ identity }) => identityText(identity));
      notice(
        'warning',
        `Pulumi Cloud calls this deployment ${one}, its own variables call it ${two}: the first counts.`,
      );
    } else if (this.#named.deploymentUrl === undefined && other.deploymentUrl !== undefined) {
      // A service whose console lies elsewhere: the address has the proven names in its path.
      this.#named = { ...this.#named, deploymentUrl: other.deploymentUrl };
      record.event({ type: 'identified', ...this.#named });
    }
    return this.#named.identity;
  };
}

function namedBy({ stack, operation, version, consoleUrl: deploymentUrl }: StartedDeployment): NamedDeployment {
  const identity = { ...stackNamed(stack), operation, ...defined({ version }), proven: true };
  return { identity, ...defined({ deploymentUrl }) };
}

/** True if both can't be names of the same deployment. Tokens call a drift's operations by what those run. */
function differ(one: Identity, other: Identity): boolean {
  const fields = ['organization', 'project', 'stack', 'version'] as const;
  const isSame = fields.every((field) => (one[field] ?? other[field]) === (other[field] ?? one[field]));
  const isDrift = [one, other].some(({ operation }) => operation?.endsWith('-drift'));
  return (
    !isSame ||
    (!isDrift && one.operation !== undefined && other.operation !== undefined && one.operation !== other.operation)
  );
}
